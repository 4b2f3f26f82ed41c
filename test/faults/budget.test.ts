import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../support/wait.ts';
import type { Ask, Attack } from './budget/attacker.ts';
import { type DeliveryRig, type Life, startDeliveryRig } from './delivery-rig.ts';
import { type AccountOfFile, accountOfFile, largeAccount } from './large-account.ts';

vi.setConfig({ testTimeout: 600_000 });

/** How many alerts of the neighbour are timed, undisturbed and under each of what follows. */
const ALERTS = 20;

/** How often one button may be pressed before its person is spared (DECISIONS.md "Panic buttons"). */
const PRESSES = 10;

const CONNECTIONS = 64;

const OPERATOR = 'tcn_the-operators-token-in-these-tests';

const get = (path: string, headers = {}): Ask => ({ method: 'GET', path, headers });

const STRANGERS: Record<string, readonly Ask[]> = {
  'pages of the documentation': [get('/docs/rulings'), get('/docs/operating')],
  'reports of a carrier that nobody signed': [
    {
      method: 'POST',
      path: '/carrier/twilio/text',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': 'bm9uc2Vuc2U=' },
      bytes: 60_000,
    },
  ],
  'links that are made up': [get('/i/made-up-%n-made-up-made-up-made-up-made-up')],
  'paths that do not exist': [get('/made/up/%n'), get('/v1/made/up/%n')],
  'the health of the process': [get('/readyz'), get('/livez')],
  'the contracts, for machines': [get('/docs/openapi.json'), get('/docs/tocsin.binpb')],
  'the console, and what belongs to it': [get('/'), get('/manifest.webmanifest'), get('/sign-in')],
  'calls of the console without a session': [
    {
      method: 'POST',
      path: '/rpc/tocsin.incident.v1.IncidentService/ListIncidents',
      headers: { 'content-type': 'application/json', 'connect-protocol-version': '1', 'sec-fetch-site': 'same-origin' },
      body: '{}',
    },
  ],
  'bodies that nobody takes': [
    { method: 'POST', path: '/v1/made/up', headers: { 'content-type': 'application/json' }, bytes: 60_000 },
    { method: 'POST', path: '/i/made-up/acknowledge', bytes: 60_000 },
  ],
  'sockets without a key': [
    get('/event/realtime', {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'bm9uc2Vuc2Utbm9uc2Vucw==',
    }),
  ],
};

test('whoever is a stranger slows nobody’s alert down by more than a busy machine does', async () => {
  const rig = await startDeliveryRig();
  const life = await rig.start({ RATE_LIMITS: 'on' });
  const attacks = Object.entries(STRANGERS).map(([name, asks]) => ({ name, asks, at: life.ready.http }));
  expect(await slowing(rig, life, attacks)).toEqual([]);
});

/** What an account may do at full tilt, within its limits. */
function ofAccounts(
  { ready: { http, rpc } }: Life,
  large: AccountOfFile,
  heavy: AccountOfFile & { buttons: readonly string[] },
) {
  const withKey = { 'x-api-key': large.apiKey };
  const press = { 'x-api-key': heavy.apiKey };
  const rpcOf = (method: string, body: object): Ask => ({
    method: 'POST',
    path: `/tocsin.${method}`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${heavy.token}` },
    body: JSON.stringify(body),
  });
  return [
    {
      name: 'the description and the state of 10,000 alarms',
      at: http,
      asks: [get('/v1/integration/describe', withKey), get('/v1/integration/state', withKey)],
    },
    {
      name: 'lists of 200 incidents',
      at: rpc,
      asks: [rpcOf('incident.v1.IncidentService/ListIncidents', { pageSize: 200 })],
    },
    {
      name: 'files',
      at: rpc,
      asks: [
        rpcOf('console.v1.ConfigurationService/Export', {}),
        rpcOf('console.v1.ConfigurationService/Check', { text: FILE }),
      ],
    },
    { name: 'readiness', at: rpc, asks: [rpcOf('console.v1.ReadinessService/GetReadiness', {})] },
    {
      name: 'a live panic button that is pressed without end',
      at: http,
      asks: [get(`/v1/panic/${heavy.buttons[1]}/trigger`, press)],
    },
    {
      name: 'incidents in test, each with 480 messages',
      at: http,
      asks: [get(`/v1/panic/${heavy.buttons[0]}/trigger`, press), get(`/v1/panic/${heavy.buttons[0]}/clear`, press)],
    },
  ];
}

const PEOPLE = Array.from({ length: 20 }, (_, n) => `p${n}`);

/** Twenty people, told twelve times over two channels each. */
const FILE = `version: 1
locations: [{ key: here, name: Here }]
contacts:
${PEOPLE.map(
  (key, n) =>
    `  - { key: ${key}, name: Person ${n}, channels: [{ channel: email, address: ${key}@example.com }, { channel: text, address: "+1202555${1000 + n}" }] }`,
).join('\n')}
policies:
  - key: all
    name: All
    steps:
${Array(12)
  .fill(
    `      - { delayS: 60, contacts: [${PEOPLE.map(key => `{ contact: ${key}, channels: [email, text] }`).join(', ')}] }`,
  )
  .join('\n')}
panicButtons:
  - { key: one, name: One, location: here, responseKind: medical, policy: all }
  - { key: two, name: Two, location: here, responseKind: medical, policy: all, test: false }
`;

test('whoever has an account slows nobody else’s alert down by more than a busy machine does', async () => {
  const rig = await startDeliveryRig();
  const life = await rig.start({ RATE_LIMITS: 'on', CONSOLE_TOKEN: OPERATOR });
  const large = await largeAccount(life.ready.rpc, OPERATOR);
  const heavy = await accountOfFile(life.ready.rpc, OPERATOR, FILE);
  const described = await fetch(`${life.ready.http}/v1/integration/describe`, {
    headers: { 'x-api-key': heavy.apiKey },
  });
  const { data } = (await described.json()) as {
    data: { locations: { panicButtons: { id: string; name: string }[] }[] };
  };
  const buttons = ['One', 'Two'].map(name => data.locations[0]!.panicButtons.find(one => one.name === name)!.id);
  const attacks = ofAccounts(life, large, { ...heavy, buttons });
  expect(await slowing(rig, life, attacks)).toEqual([]);
});

/** Times the neighbour's alerts undisturbed, on a busy machine, and under each attack. Returns those that slow them down by more than twice what a busy machine does. */
async function slowing(
  rig: DeliveryRig,
  life: Life,
  attacks: readonly { name: string; at: string; asks: readonly Ask[] }[],
): Promise<string[]> {
  const alert = await alerting(rig, life, (attacks.length * 9 + 1) * ALERTS);
  await time(alert);
  const slow: string[] = [];
  for (const { name, at, asks } of attacks) {
    const url = at.replace('localhost', '127.0.0.1');
    const isSlow = async () => {
      const before = await time(alert);
      const stopBurning = burn(2);
      const control = await time(alert);
      stopBurning();
      const attack = begin({ url, connections: CONNECTIONS, asks });
      const under = await time(alert);
      tell(name, `${line(before, control, under)} ${await attack.stop()}`);
      return median(under) > 2 * median(control);
    };
    // Others may slow the machine at any time, though not three times in a row.
    if ((await isSlow()) && (await isSlow()) && (await isSlow())) slow.push(name);
  }

  return slow;
}

/** Presses a button and resolves to how long it took until its alert was there, in milliseconds. */
async function alerting(rig: DeliveryRig, life: Life, most: number): Promise<() => Promise<number>> {
  const buttons: string[] = [];
  while (buttons.length * PRESSES < most) buttons.push(await rig.button({ afterS: 0, webhook: 1 }));
  let pressed = 0;
  return async () => {
    const button = buttons[pressed++ % buttons.length]!;
    const had = rig.hook.events.length;
    const began = performance.now();
    expect(await rig.press(life, button)).toBe(202);
    await eventually(() => rig.hook.events.length > had, { what: 'the alert', within: 30_000 });
    // When it came, not when it was noticed.
    const tookMs = rig.hook.heard.at(-1)!.heardAt - began;
    expect(await rig.press(life, button, 'clear')).toBe(202);
    return tookMs;
  };
}

async function time(alert: () => Promise<number>): Promise<number[]> {
  const all: number[] = [];
  while (all.length < ALERTS) all.push(await alert());
  return all.sort((a, b) => a - b);
}

function begin(attack: Attack): { stop(): Promise<string> } {
  const file = fileURLToPath(new URL('budget/attacker.ts', import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(attack)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', text => (said += text));
  return {
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'close');
      return said.trim();
    },
  };
}

/** So many processes that do nothing but work, as others on the machine may. */
function burn(processes: number): () => void {
  const all = Array.from({ length: processes }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const stop = () => all.forEach(child => void child.kill('SIGKILL'));
  onTestFinished(stop);
  return stop;
}

function tell(name: string, figure: string): void {
  process.stdout.write(`budget, ${name}: ${figure}\n`);
}

const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)]!;

/** Undisturbed, on a busy machine, and under the attack. */
function line(...all: (readonly number[])[]): string {
  const ms = (value: number) => value.toFixed(1);
  const told = (of: (sorted: readonly number[]) => number) => all.map(sorted => ms(of(sorted))).join(' → ');
  return `p50 ${told(median)} ms, most ${told(sorted => sorted.at(-1)!)}`;
}
