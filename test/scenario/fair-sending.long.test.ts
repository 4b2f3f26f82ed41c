import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { advanceClock } from '../support/database.ts';
import { startHangingHosts } from '../support/hanging.ts';
import { startNtfy } from '../support/ntfy.ts';
import type { Owner } from '../support/owner.ts';
import { startPeer } from '../support/peer.ts';
import { startSmtp } from '../support/smtp.ts';
import { ANNAS_ID, startTelegram } from '../support/telegram.ts';
import { startTwilio } from '../support/twilio.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { startWorld, type WorldOptions } from '../support/world.ts';

/*
 * One account at full tilt delays no other (DECISIONS.md "Turns"). The other one presses its buttons now and then, and its
 * messages are tried as soon as when it is alone.
 */
vi.setConfig({ testTimeout: 120_000 });

/** What a first attempt may always take, in milliseconds: below that lies the noise of the machine. */
const NOISE_MS = 500;

/** How often the other account presses; the time in the middle counts. */
const PRESSES = 5;

test.each([
  20, 200,
])('%i webhooks that never answer, and incidents opened all the time: another account is told as soon as alone', async count => {
  const rig = await startRig({});
  const hosts = await startHangingHosts(count);
  onTestFinished(hosts.stop);
  const other = await rig.other('webhook');
  const alone = await other.firstAttempt();

  const loud = await rig.loud('webhook', { addresses: hosts.urls, buttons: 40 });
  await loud.press({ buttons: 10, everyMs: 200 });
  await eventually(() => hosts.connections() >= 15, { what: 'the hosts to be asked' });
  const flood = loud.press({ buttons: 30, everyMs: 200 });
  expectInTime(await other.firstAttempt(), Math.max(2 * alone, NOISE_MS));
  await flood;
  await hosts.stop();
});

test('push servers that never answer: another account is told as soon as alone', async () => {
  const rig = await startRig({});
  const hosts = await startHangingHosts(50);
  onTestFinished(hosts.stop);
  const other = await rig.other('push');
  const alone = await other.firstAttempt();

  const topics = hosts.urls.map(url => `${url}/topic`);
  const loud = await rig.loud('push', { addresses: topics, buttons: 40 });
  await loud.press({ buttons: 10, everyMs: 200 });
  await eventually(() => hosts.connections() >= 15, { what: 'the servers to be asked' });
  const flood = loud.press({ buttons: 30, everyMs: 200 });
  expectInTime(await other.firstAttempt(), Math.max(2 * alone, NOISE_MS));
  await flood;
  await hosts.stop();
});

test.each([
  'text',
  'call',
] as const)('5,000 due messages and a carrier that takes a second for each: the %s of another account is tried as soon as alone', async channel => {
  const rig = await startRig({});
  const other = await rig.other(channel);
  const alone = await other.firstAttempt();

  rig.twilio.behave(1_000);
  const loud = await rig.loud(channel, { addresses: numbers(500), buttons: 10 });
  await loud.press({ buttons: 10, everyMs: 0 });
  await rig.due(loud.owner, 4_000);
  expectInTime(await other.firstAttempt(), Math.max(2 * alone, NOISE_MS));
});

test('5,000 due mails and a mail server that hangs on them: the mail of another account is tried as soon as alone', async () => {
  const rig = await startRig({});
  const other = await rig.other('email');
  const alone = await other.firstAttempt();

  rig.smtp.behave('hang');
  const people = Array.from({ length: 500 }, (_, n) => `person-${n}@example.com`);
  const loud = await rig.loud('email', { addresses: people, buttons: 10 });
  await loud.press({ buttons: 10, everyMs: 0 });
  await rig.due(loud.owner, 4_000);
  expectInTime(await other.firstAttempt(), Math.max(2 * alone, NOISE_MS));
});

test('a mail server that takes two at once: one of another account goes before the many of the first', async () => {
  const rig = await startRig({ maxConnections: 2 });
  const other = await rig.other('email');
  const people = Array.from({ length: 200 }, (_, n) => `person-${n}@example.com`);
  const loud = await rig.loud('email', { addresses: people, buttons: 1 });
  const before = rig.smtp.mails.length;
  await loud.press({ buttons: 1, everyMs: 0 });
  await eventually(() => rig.smtp.mails.length > before, { what: 'the first of many' });
  await other.firstAttempt();
  expect(rig.smtp.mails.length - before).toBeLessThan(200);
});

test('a new incident is told before the thousands that are due in its own account', async () => {
  const rig = await startRig({});
  rig.twilio.behave(500);
  const loud = await rig.loud('text', { addresses: numbers(500), buttons: 6 });
  await loud.press({ buttons: 6, everyMs: 0 });
  await rig.due(loud.owner, 2_000);
  await advanceClock(rig.world.store.pool, 1);
  const same = await rig.other('text', loud.owner);
  // A place of its own account has to become free, and the carrier takes half a second for each.
  expectInTime(await same.firstAttempt(), 500 + NOISE_MS);
});

test('owners’ notices: a mail server that hangs on those of one account leaves the others theirs', async () => {
  const rig = await startRig({});
  const loud = await rig.world.account({ ownerEmail: 'loud@example.com' });
  const quiet = await rig.world.account({ ownerEmail: 'quiet@example.com' });
  const fire = async (owner: Owner, times: number) => {
    const key = await owner.key();
    for (let nth = 0; nth < times; nth++) await rig.world.get(`/v1/alarm/${await owner.alarm()}/trigger`, key);
  };
  const told = (address: string) => rig.smtp.mails.filter(({ envelope }) => envelope.to.includes(address)).length;
  rig.smtp.behave('hang');
  await fire(loud, 15);
  await eventually(() => told('loud@example.com') > 0, { what: 'the mail server to hang' });
  const began = performance.now();
  await fire(quiet, 1);
  await eventually(() => told('quiet@example.com') > 0, { what: 'the other owner to be told' });
  expectInTime(performance.now() - began, 2 * NOISE_MS);
});

function numbers(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `+1202556${String(n).padStart(4, '0')}`);
}

/** Somebody whose first attempts are timed. */
interface Other {
  /** From the press of a button to the carrier, in milliseconds: the middle of some. */
  firstAttempt(): Promise<number>;
}

/** Somebody who has much to send. */
interface Loud {
  owner: Owner;
  /** Presses so many of its buttons that were not pressed yet, one after the other. */
  press(options: { buttons: number; everyMs: number }): Promise<void>;
}

/** A world with all its carriers, which are gone before it ends, so that nothing waits for those who hang. */
async function startRig({ maxConnections }: { maxConnections?: number }) {
  const [twilio, smtp, ntfy, telegram] = await Promise.all([startTwilio(), startSmtp(), startNtfy(), startTelegram()]);
  const hook = await startPeer((_heard, response) => void response.writeHead(204).end());
  const smtpUrl = maxConnections === undefined ? smtp.url : `${smtp.url}?maxConnections=${maxConnections}`;
  const options: WorldOptions = {
    smtpUrl,
    carriers: { twilio: twilio.settings, ntfy: { url: ntfy.url, token: null }, telegram: telegram.settings },
    publicUrl: 'of the facade',
  };
  const world = await startWorld(options);
  onTestFinished(
    async () => void (await Promise.all([twilio.stop(), smtp.stop(), ntfy.stop(), telegram.stop(), hook.stop()])),
  );

  const NUMBER = '+12025550111';
  /** Where the other one is told, and how many messages came there. */
  const places: Record<ChannelKind, { address: string; came: () => number }> = {
    text: { address: NUMBER, came: () => twilio.messages.filter(({ fields }) => fields.To === NUMBER).length },
    call: { address: NUMBER, came: () => twilio.calls.filter(({ fields }) => fields.To === NUMBER).length },
    email: {
      address: 'anna@example.com',
      came: () => smtp.mails.filter(({ envelope }) => envelope.to.includes('anna@example.com')).length,
    },
    push: { address: 'annas-phone', came: () => ntfy.pushes.filter(({ topic }) => topic === 'annas-phone').length },
    chat: { address: `telegram:${ANNAS_ID}`, came: () => telegram.chats.length },
    webhook: { address: hook.url, came: () => hook.heard.length },
  };

  return {
    world,
    twilio,
    smtp,
    async other(channel: ChannelKind, owner?: Owner): Promise<Other> {
      const account = owner ?? (await world.account());
      const { address, came } = places[channel];
      const key = await account.key();
      const contactId = await account.contact('Anna', { [channel]: address });
      const policyId = await account.policy([{ delayS: 0, contacts: [{ contactId, channels: [channel] }] }]);
      const press = async () => {
        const button = await account.panicButton({ policyId });
        const before = came();
        const began = performance.now();
        expect((await world.get(`/v1/panic/${button}/trigger`, key)).status).toBe(202);
        await eventually(() => came() > before, { what: 'the first attempt', within: 60_000 });
        return performance.now() - began;
      };
      return {
        async firstAttempt() {
          const times = [];
          for (let nth = 0; nth < PRESSES; nth++) times.push(await press());
          return times.sort((a, b) => a - b)[(PRESSES - 1) / 2]!;
        },
      };
    },
    /** An account whose every button tells all these at once. */
    async loud(
      channel: ChannelKind,
      { addresses, buttons }: { addresses: readonly string[]; buttons: number },
    ): Promise<Loud> {
      const owner = await world.account();
      const key = await owner.key();
      const contacts: { contactId: string; channels: ChannelKind[] }[] = [];
      for (const address of addresses) {
        contacts.push({ contactId: await owner.contact('Somebody', { [channel]: address }), channels: [channel] });
      }
      const policyId = await owner.policy([{ delayS: 0, contacts }]);
      const made: string[] = [];
      for (let nth = 0; nth < buttons; nth++) made.push(await owner.panicButton({ policyId }));
      return {
        owner,
        async press({ buttons: count, everyMs }) {
          for (const button of made.splice(0, count)) {
            expect((await world.get(`/v1/panic/${button}/trigger`, key)).status).toBe(202);
            await sleep(everyMs);
          }
        },
      };
    },
    /** Waits until an account has at least so many messages due. */
    async due({ accountId }: Owner, count: number) {
      const waiting = "SELECT count(*)::int AS n FROM delivery WHERE account_id = $1 AND status = 'scheduled'";
      const seen = async () => (await world.rows<{ n: number }>(waiting, [accountId]))[0]!.n >= count;
      await eventually(seen, { what: `${count} messages to be due`, within: 60_000 });
    },
  };
}
