import { expect, onTestFinished, test, vi } from 'vitest';
import { consoleOf } from '../support/console.ts';
import { historyChecker } from '../support/history/checker.ts';
import { loadHistory, nothingUndone } from '../support/history/load.ts';
import { receivedMails } from '../support/history/received.ts';
import { calledBy, startRecord } from '../support/history/record.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { rowsAt } from './embedded-rig.ts';
import { type Pair, startPair } from './pair.ts';
import { type Product, type Ready, startProduct } from './product.ts';

/*
 * DECISIONS.md "One clock", on servers whose clocks really are set while they run. What was seen is printed. Time passes
 * here, and nobody waits for more of it than a window lasts.
 */
vi.setConfig({ testTimeout: 240_000 });

const checker = historyChecker('clock set');

const OPERATOR = 'tcn_the-operators-token-in-these-tests';
const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64), CONSOLE_TOKEN: OPERATOR };

const HOUR = 3_600;
const DAY = 24 * HOUR;
const STEPS = [-HOUR, -20, 20, HOUR, -30 * DAY, 30 * DAY];

const WINDOW_S = 4;

/** Longer than a start takes. */
const LONG_WINDOW_S = 15;

/** How long a call may wait for its 503 while the database is away, in milliseconds: before any limit of a caller or a door. */
const REFUSED_MS = 2_000;

/** Longer than a window, in milliseconds. */
const AWAY_MS = 6_000;

/** How late something may be, in milliseconds. */
const LATE_MS = 2_000;

/** The product beside a server whose clock is set, and the mails that it sends. */
async function aProduct(pair: Pair) {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const start = () => {
    const settings = { CONTACT_VERIFICATION: 'trusted', SMTP_URL: smtp.url, PUBLIC_URL: 'https://alarm.example.com' };
    return startProduct({ DATABASE_URL: pair.urlOf(), ...SECRETS, ...settings });
  };
  const product = start();
  return { smtp, start, product, ready: await product.ready() };
}

/** A house with an alarm behind a window and a panic button, each of which tells a person of its own. */
async function aHouse(ready: Pick<Ready, 'rpc'>, smtp: Smtp, name: string, windowS = WINDOW_S) {
  const operator = consoleOf({ rpcUrl: ready.rpc }, OPERATOR);
  const { account, token } = await operator.accounts.createAccount({ account: { name } });
  const console = consoleOf({ rpcUrl: ready.rpc }, token, account!.id);
  const { location } = await console.locations.createLocation({ location: { name } });
  const told = async (who: string) => {
    const channels = [{ channel: 'email', address: `${who}@${name}.example` }];
    const { contact } = await console.contacts.createContact({ contact: { name: who, channels } });
    const steps = [{ contacts: [{ contactId: contact!.id, channels: ['email'] }] }];
    return (await console.policies.createPolicy({ policy: { name: who, steps } })).policy!.id;
  };
  const modes = [{ id: 'away', policyId: await told('alarm'), windowS }];
  const settings = { name, locationId: location!.id, test: false };
  const { alarm } = await console.alarms.createAlarm({ alarm: { ...settings, modes } });
  const policyId = await told('panic');
  const { panicButton } = await console.panicButtons.createPanicButton({
    panicButton: { ...settings, policyId, responseKind: 'fire' },
  });
  const { secret } = await console.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const record = startRecord();
  const call = async ({ http }: Pick<Ready, 'http'>, path: string) => {
    const { status } = await record.call(calledBy(path, account!.id), async () => {
      const answer = await fetch(`${http}/v1/${path}`, { headers: { 'x-api-key': secret } });
      const { traceId } = (await answer.json()) as { traceId: string };
      return { status: answer.status, traceId };
    });
    expect({ path, status }).toEqual({ path, status: 202 });
    return performance.now();
  };
  return {
    trigger: (at: Pick<Ready, 'http'>) => call(at, `alarm/${alarm!.id}/trigger`),
    clear: (at: Pick<Ready, 'http'>) => call(at, `alarm/${alarm!.id}/clear`),
    panic: (at: Pick<Ready, 'http'>) => call(at, `panic/${panicButton!.id}/trigger`),
    calm: (at: Pick<Ready, 'http'>) => call(at, `panic/${panicButton!.id}/clear`),
    record,
    sources: [
      {
        id: alarm!.id,
        windowsMs: { away: 1000 * windowS },
        stepsMs: { away: [0] },
        addresses: [`alarm@${name}.example`],
      },
      { id: panicButton!.id, windowsMs: { '': 0 }, stepsMs: { '': [0] }, addresses: [`panic@${name}.example`] },
    ].map(source => ({ ...source, accountId: account!.id, environment: 'live' as const })),
    /** How many mails the person got. */
    mails: (who: 'alarm' | 'panic') =>
      smtp.mails.filter(({ envelope }) => envelope.to.includes(`${who}@${name}.example`)).length,
  };
}

type House = Awaited<ReturnType<typeof aHouse>>;

/** All of some houses is as it should be; when anything was due, the clocks of the rows say as little as they may. */
async function expectDone(databaseUrl: string, smtp: Smtp, houses: readonly House[]): Promise<void> {
  const rows = rowsAt(databaseUrl);
  await nothingUndone(rows);
  const recorded = {
    calls: houses.flatMap(({ record }) => record.calls),
    faults: houses.flatMap(({ record }) => record.faults),
    sources: houses.flatMap(({ sources }) => sources),
    received: receivedMails(smtp.mails),
    heard: ['email'],
    clock: 'set' as const,
  };
  checker.holds(await loadHistory(rows, recorded));
}

/** Waits for the next mail to a person, and gives how long after `sinceMs` it came, in milliseconds. */
async function nextMail(house: House, who: 'alarm' | 'panic', before: number, sinceMs: number): Promise<number> {
  await eventually(() => house.mails(who) > before, { what: `a mail to ${who}`, within: 20_000 });
  return performance.now() - sinceMs;
}

test('while it runs: a call right after the clock was set alerts at once, and a window ends when it should', async () => {
  const pair = await startPair('settable');
  const { smtp, product, ready } = await aProduct(pair);
  const [house, neighbour] = [await aHouse(ready, smtp, 'house'), await aHouse(ready, smtp, 'neighbour')];
  const seen: Record<string, number>[] = [];
  let setS = 0;
  for (const byS of STEPS) {
    const [windows, panics] = [house.mails('alarm'), neighbour.mails('panic')];
    const firedAt = await house.trigger(ready);
    setS += byS;
    await pair.clocks!.primary.set(setS);
    const panicMs = await nextMail(neighbour, 'panic', panics, await neighbour.panic(ready));
    expectInTime(panicMs, 5_000);
    await neighbour.calm(ready);
    const windowMs = await nextMail(house, 'alarm', windows, firedAt);
    expect(windowMs).toBeGreaterThan(WINDOW_S * 1_000 - 50);
    expectInTime(windowMs, WINDOW_S * 1_000 + LATE_MS + 1_000);
    await house.clear(ready);
    expect((await fetch(`${ready.http}/readyz`)).status).toBe(200);
    seen.push({ byS, panicMs: Math.round(panicMs), windowMs: Math.round(windowMs) });
  }
  process.stdout.write(`clock set while it runs, PostgreSQL ${pair.version}: ${JSON.stringify(seen)}\n`);
  expect([house.mails('alarm'), neighbour.mails('panic')]).toEqual([STEPS.length, STEPS.length]);
  const said = product.printed().stderr + product.printed().stdout;
  await expectDone(pair.primary, smtp, [house, neighbour]);
  for (const byS of STEPS) expect(said).toMatch(new RegExp(`"byS":${byS}[^0-9]|byS: ${byS}\\b`));
});

test('while it is stopped: what waited goes on waiting for as long as it had to', async () => {
  const pair = await startPair('settable');
  const first = await aProduct(pair);
  const house = await aHouse(first.ready, first.smtp, 'house', LONG_WINDOW_S);
  let { product, ready } = first as { product: Product; ready: Ready };
  const seen: Record<string, number>[] = [];
  let setS = 0;
  for (const byS of [-HOUR, 2 * HOUR, -20]) {
    const before = house.mails('alarm');
    const firedAt = await house.trigger(ready);
    const isBack = house.record.broken('the product is stopped');
    await product.kill();
    setS += byS;
    await pair.clocks!.primary.set(setS);
    product = first.start();
    ready = await product.ready();
    isBack();
    const backMs = performance.now() - firedAt;
    const windowMs = await nextMail(house, 'alarm', before, firedAt);
    expect(windowMs).toBeGreaterThan(LONG_WINDOW_S * 1_000 - 50);
    expectInTime(windowMs, Math.max(LONG_WINDOW_S * 1_000, backMs) + LATE_MS + 1_000);
    await house.clear(ready);
    seen.push({ byS, backMs: Math.round(backMs), windowMs: Math.round(windowMs) });
  }
  process.stdout.write(`clock set while it is stopped: ${JSON.stringify(seen)}\n`);
  expect(house.mails('alarm')).toBe(3);
  await expectDone(pair.primary, first.smtp, [house]);
});

test.for([
  -HOUR,
  HOUR,
])('a new primary whose clock is off by %i s: accepted calls alert, windows end when they should', async byS => {
  const pair = await startPair('settable');
  await pair.clocks!.standby.set(byS);
  const { smtp, ready } = await aProduct(pair);
  const house = await aHouse(ready, smtp, 'house');
  const firedAt = await house.trigger(ready);
  const isBack = house.record.broken('the primary is gone');
  await pair.killPrimary();
  await pair.promote();
  const isReady = async () => (await fetch(`${ready.http}/readyz`)).status === 200;
  await eventually(isReady, { what: 'the new primary to be used', within: 30_000 });
  isBack();
  const backMs = performance.now() - firedAt;
  const panicMs = await nextMail(house, 'panic', 0, await house.panic(ready));
  expectInTime(panicMs, 5_000);
  const windowMs = await nextMail(house, 'alarm', 0, firedAt);
  expect(windowMs).toBeGreaterThan(WINDOW_S * 1_000 - 50);
  expectInTime(windowMs, Math.max(WINDOW_S * 1_000, backMs) + LATE_MS + 1_000);
  const figures = { byS, backMs: Math.round(backMs), panicMs: Math.round(panicMs), windowMs: Math.round(windowMs) };
  process.stdout.write(`clock of a new primary: ${JSON.stringify(figures)}\n`);
  expect([house.mails('alarm'), house.mails('panic')]).toEqual([1, 1]);
  await expectDone(pair.standby, smtp, [house]);
});

test('a window that begins right after the database was away lasts as long as it should', async () => {
  const pair = await startPair();
  const { smtp, ready } = await aProduct(pair);
  const house = await aHouse(ready, smtp, 'house');
  const lostAt = performance.now();
  const isBack = house.record.broken('the primary is gone');
  await pair.killPrimary();
  // The first call after so long an outage is the one that counts.
  await eventually(() => performance.now() - lostAt > AWAY_MS, { what: 'the database to have been away for a while' });
  const calledAt = performance.now();
  await expect(house.trigger(ready)).rejects.toThrow();
  expectInTime(performance.now() - calledAt, REFUSED_MS);
  await pair.promote();
  const firedAt = await eventually(() => house.trigger(ready), { what: 'a call to be taken', within: 30_000 });
  isBack();
  const windowMs = await nextMail(house, 'alarm', 0, firedAt);
  process.stdout.write(`window of ${WINDOW_S} s right after an outage: ${Math.round(windowMs)} ms\n`);
  await expectDone(pair.standby, smtp, [house]);
});
