import { timestampDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { clean } from '../../services/process/text.ts';
import { usageFault } from './exit.ts';
import type { Session } from './session.ts';
import { time } from './text.ts';

/** What everything that is configured has. */
export interface Thing {
  id: string;
  key: string;
  version: number;
}

/**
 * Returns the given values that are not undefined, and the update mask that names them. Throws a usage fault if there
 * is none, which says what could be given.
 */
export function changed<Fields extends object>(
  fields: Fields,
  flags: string,
): { values: Given<Fields>; paths: string[] } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw usageFault(`Nothing to change was given: pass at least one of ${flags}.`);
  return {
    values: Object.fromEntries(given) as Given<Fields>,
    paths: given.map(([name]) => snakeCase(MASKED[name] ?? name)),
  };
}

/** Fields that are input only, by what an update mask calls what they set. */
const MASKED: Readonly<Record<string, string>> = { testForS: 'testUntil' };

/** Some of the fields; none of them undefined. */
export type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/**
 * Makes an update based on the version just read. If somebody else was faster (ABORTED) it says who, if the audit
 * knows, and what to do; any other error passes.
 */
export async function onVersionRead<Answer>(
  session: Session,
  { what, thing }: { what: string; thing: Thing },
  update: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await update();
  } catch (error) {
    if (!(error instanceof ConnectError) || error.code !== Code.Aborted) throw error;
    const { changes } = await session.rpc.audit
      .listChanges({ thingId: thing.id, pageSize: 1 })
      .catch(() => ({ changes: [] }));
    const [last] = changes;
    const who = last?.at === undefined ? 'Somebody else' : `${clean(last.actor)} (${time(timestampDate(last.at))})`;
    const todo = 'Nothing was written. Run the command again: it reads the new state first.';
    throw new ConnectError(
      `${who} changed the ${what} ${thing.key} since version ${thing.version} was read. ${todo}`,
      Code.Aborted,
    );
  }
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}
