import { onTestFinished } from 'vitest';
import { consoleOf } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import type { World } from '../support/world.ts';

export const LOGIN = { user: 'alarm@example.com', password: 'the right / password' };

/** What a mail server of the test is called in SMTP_URL, with a login. */
export function smtpUrl(server: { url: string }, password = LOGIN.password): string {
  return server.url.replace('//', `//${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(password)}@`);
}

/** A mail server that wants that login, or takes anybody (null); it ends with the test. */
export async function mailServer(login: typeof LOGIN | null = LOGIN) {
  const smtp = await startSmtp(login === null ? {} : { login });
  onTestFinished(smtp.stop);
  return smtp;
}

/** The carriers of a world as its operator sees them. */
export function carriersOf(world: World, language?: string) {
  const { carriers } = consoleOf(world, world.operator, undefined, language);
  return {
    rpc: carriers,
    async get(name: string) {
      const { carriers: all } = await carriers.listCarriers({});
      return all.find(one => one.name === name)!;
    },
    set: (name: string, settings: Record<string, string>, version = 0, storeAnyway = false) =>
      carriers.setCarrier({ name, settings, version, storeAnyway }),
  };
}

/** A live panic button that tells Anna over one channel; gives what presses it, in this process or another. */
export async function aButton(world: World, channel: 'email' | 'push' | 'text', address: string) {
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { [channel]: address });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: [channel] }] }]);
  const [id, key] = [await owner.panicButton({ policyId }), await owner.key()];
  return { owner, contactId, press: (at = world) => at.get(`/v1/panic/${id}/trigger`, key) };
}

/** Everything that stands in any table, as text. */
export async function allRows(world: World): Promise<string> {
  const tables = await world.rows<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    for (const { text } of await world.rows<{ text: string }>(`SELECT (t.*)::text AS text FROM "${name}" t`)) {
      found.push(`${name} ${text}`);
    }
  }
  return found.join('\n');
}
