import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Ask, Attack } from './budget/attacker.ts';
import { type DeliveryRig, type Life, startDeliveryRig } from './delivery-rig.ts';

vi.setConfig({ testTimeout: 600_000 });

/** How many alerts of the neighbour are timed, undisturbed and under each of what follows. */
const ALERTS = 30;

/** How often one button may be pressed before its person is spared (DECISIONS.md "Panic buttons"). */
const PRESSES = 10;

const CONNECTIONS = 64;

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
  const alert = await alerting(rig, life, (Object.keys(STRANGERS).length * 6 + 4) * ALERTS);
  await time(alert);
  const figures: Record<string, string> = {};
  const quiet = await time(alert);
  const stopBurning = burn(2);
  const control = await time(alert);
  stopBurning();
  figures['two processors burnt'] = line(quiet, control);
  const slow: string[] = [];
  for (const [name, asks] of Object.entries(STRANGERS)) {
    const url = life.ready.http.replace('localhost', '127.0.0.1');
    const isSlow = async () => {
      const before = await time(alert);
      const attack = begin({ url, connections: CONNECTIONS, asks });
      const under = await time(alert);
      figures[name] = `${line(before, under)} ${await attack.stop()}`;
      return median(under) > 2 * median(control);
    };
    // Others may slow the machine at any time, though not three times in a row.
    if ((await isSlow()) && (await isSlow()) && (await isSlow())) slow.push(name);
  }
  for (const [name, figure] of Object.entries(figures)) process.stdout.write(`budget, ${name}: ${figure}\n`);
  expect(slow).toEqual([]);
});

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
    while (rig.hook.events.length === had) await new Promise(resolve => setTimeout(resolve, 1));
    const tookMs = performance.now() - began;
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

const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)]!;

function line(before: readonly number[], under: readonly number[]): string {
  const ms = (value: number) => value.toFixed(1);
  return `p50 ${ms(median(before))} → ${ms(median(under))} ms, most ${ms(before.at(-1)!)} → ${ms(under.at(-1)!)}`;
}
