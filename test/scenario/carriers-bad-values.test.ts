import { randomBytes } from 'node:crypto';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Carrier } from '../../services/channels/carrier.ts';
import { CARRIERS } from '../../services/channels/carriers.ts';
import { createSeal } from '../../services/store/seal.ts';
import { consoleOf, refusal } from '../support/console.ts';
import { startNtfy } from '../support/ntfy.ts';
import { sharedByProcesses } from '../support/shared.ts';
import { startWorld, type World } from '../support/world.ts';
import { aButton, carriersOf } from './carriers-rig.ts';

/* DECISIONS.md "Carriers set up in the console": what is stored for one carrier takes nothing from the others. */

const SECRET = 'a-secret-of-moody';

/** A carrier whose settings may break its reader, or what opens it, with an error of the language. */
const moody: Carrier<'moody', { tone: string }> = {
  name: 'moody',
  title: { en: 'Moody', de: 'Launisch' },
  about: { en: 'It breaks.', de: 'Es bricht.' },
  settings: [setting('MOODY_URL', 'needed'), setting('MOODY_TONE', 'optional')],
  carries: ['push'],
  hint: 'MOODY_URL',
  prefix: 'moody:',
  read(env) {
    if (env.MOODY_TONE === `unreadable ${SECRET}`) throw new TypeError(`what is ${env.MOODY_TONE}?`);
    return env.MOODY_URL ? { tone: env.MOODY_TONE ?? '' } : null;
  },
  open(kind, { tone }) {
    if (tone === `unopenable ${SECRET}`) throw new URIError(`what is ${tone}?`);
    return { kind, atOnce: 1, send: async () => ({ kind: 'sent', providerRef: tone }), async close() {} };
  },
};

function setting(name: string, asked: 'needed' | 'optional') {
  return { name, asked, holds: 'text', label: { en: name, de: name }, hint: { en: name, de: name } } as const;
}

const GOOD = { MOODY_URL: 'https://moody.example.com', MOODY_TONE: 'calm' };

beforeAll(() => {
  const all = CARRIERS as Carrier<string, unknown>[];
  all.push(moody as Carrier<string, unknown>);
  // Other files of this process list carriers, too.
  return () => void all.splice(all.indexOf(moody as Carrier<string, unknown>), 1);
});

async function pushServers() {
  const servers = [await startNtfy(), await startNtfy()] as const;
  onTestFinished(async () => void (await Promise.all(servers.map(({ stop }) => stop()))));
  return servers;
}

/** Stores settings as a process would that sees nothing wrong with them. */
async function store(world: World, dataKey: Buffer, name: string, values: unknown): Promise<void> {
  const sealed = createSeal(dataKey).seal(JSON.stringify(values));
  await world.rows(
    `INSERT INTO deployment_setting (id, part, version, names, sealed, set_by) VALUES ($1, $1, 1, '{X}', $2, 'Operator')
     ON CONFLICT (part, version) DO UPDATE SET sealed = excluded.sealed`,
    [name, sealed],
  );
}

test.each([
  ['unreadable', 'TypeError'],
  ['unopenable', 'URIError'],
])('a value that is %s leaves out its carrier alone, stops no start and is told without the value', async (tone, fault) => {
  const [ntfy] = await pushServers();
  const { database, dataKey } = await sharedByProcesses();
  const first = await startWorld({ database, dataKey });
  await carriersOf(first).set('ntfy', { NTFY_URL: ntfy.url });
  await store(first, dataKey, 'moody', { ...GOOD, MOODY_TONE: `${tone} ${SECRET}` });
  const logLines: string[] = [];
  const world = await startWorld({ database, dataKey, logLines });
  const { carriers } = await consoleOf(world, first.operator).carriers.listCarriers({});
  const standing = Object.fromEntries(carriers.map(one => [one.name, [one.state, one.problem]]));
  expect(standing).toMatchObject({
    ntfy: ['works', ''],
    moody: ['left_out', expect.stringMatching(`^MOODY_TONE cannot be used as it is \\(${fault}\\)`)],
  });
  const button = await aButton(world, 'push', 'annas-phone');
  await button.press();
  await ntfy.next();
  expect(logLines.some(line => line.includes('left out') && line.includes('"moody"'))).toBe(true);
  expect(logLines.join('\n')).not.toContain(SECRET);
});

test.each([
  'unreadable',
  'unopenable',
])('where a value becomes %s its carrier goes on as it was, and the others follow what is stored', async tone => {
  const [before, after] = await pushServers();
  const [dataKey, logLines] = [randomBytes(32), [] as string[]];
  const world = await startWorld({ dataKey, logLines });
  const carriers = carriersOf(world);
  await carriers.set('ntfy', { NTFY_URL: before.url });
  await carriers.set('moody', GOOD);
  await store(world, dataKey, 'moody', { ...GOOD, MOODY_TONE: `${tone} ${SECRET}` });
  await carriers.set('ntfy', { NTFY_URL: after.url }, 1);
  expect(logLines.some(line => line.includes('goes on as it was') && line.includes('"moody"'))).toBe(true);
  const button = await aButton(world, 'push', 'annas-phone');
  await button.press();
  await after.next();
  expect(before.pushes).toEqual([]);
  expect(await carriers.rpc.sendTestMessage({ name: 'moody', to: 'moody:me' })).toMatchObject({ outcome: 'sent' });
});

test('what does not open is refused at its field before it is stored', async () => {
  const world = await startWorld();
  const carriers = carriersOf(world);
  for (const tone of ['unreadable', 'unopenable']) {
    const settings = { ...GOOD, MOODY_TONE: `${tone} ${SECRET}` };
    expect(await refusal(carriers.set('moody', settings, 0, true))).toMatchObject({
      code: 'InvalidArgument',
      fields: { MOODY_TONE: expect.stringContaining('cannot be used as it is') },
    });
  }
  const imap = 'imaps://u:p@127.0.0.1/%FF';
  expect(
    await refusal(carriers.set('mail', { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_BOUNCE_IMAP: imap }, 0, true)),
  ).toMatchObject({
    code: 'InvalidArgument',
    fields: { MAIL_BOUNCE_IMAP: expect.stringContaining('percent-encoded') },
  });
  expect(await world.rows('SELECT * FROM deployment_setting')).toEqual([]);
});
