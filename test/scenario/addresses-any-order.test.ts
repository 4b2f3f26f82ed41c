import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocalBus } from '../../services/changes/local.ts';
import type { Channel } from '../../services/channels/channel.ts';
import { type AttemptOutcome, CHANNELS, type ChannelKind } from '../../services/domain/delivery.ts';
import { messagesOf } from '../../services/domain/reach.ts';
import { CARRIER_TRIES_MOST } from '../../services/domain/standing-by.ts';
import { AT_ONCE } from '../../services/domain/turns.ts';
import { startEngine } from '../../services/engine/engine.ts';
import { viaOf } from '../../services/process/vocabulary.ts';
import { advanceClock } from '../support/database.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Several addresses", "Would it reach": in whatever order they stand and whatever is wrong with the others. */
vi.setConfig({ testTimeout: 120_000 });

/** What may be the matter with an address; it begins with the word, as if its carrier had that name. */
const STATES = ['works', 'refuses', 'perhaps', 'hangs', 'dead', 'waits', 'busy', 'unverified', 'nocarrier'] as const;
type State = (typeof STATES)[number];

const SAID: Record<Exclude<State, 'unverified'>, AttemptOutcome> = {
  works: { kind: 'sent', providerRef: 'ref' },
  refuses: { kind: 'permanent_fault', reason: 'refused' },
  perhaps: { kind: 'permanent_fault', reason: 'no answer', carrier: 'away', taken: 'maybe' },
  hangs: { kind: 'temporary_fault', reason: 'no answer' },
  dead: { kind: 'temporary_fault', reason: 'away', carrier: 'away', taken: 'no' },
  waits: { kind: 'asked_to_wait', reason: 'later', afterS: 20 },
  busy: { kind: 'put_off', reason: 'too many', afterS: 1 },
  nocarrier: { kind: 'kept', reason: 'nothing is set up', message: 'the text' },
};

interface Person {
  id: string;
  push: State[];
  email: 'works' | 'none';
}

const PEOPLE = 120;

test.each([1, 2, 3])('whoever has one address that works is told there, else over the next channel: %i', async seed => {
  const world = await startWorld();
  const owner = await world.account();
  const dice = createDice(seed);
  const people: Person[] = [];
  for (let nth = 0; nth < PEOPLE; nth++) people.push(await aPerson(owner, world, `p${nth}`, dice));
  const contacts = people.map(({ id }) => ({ contactId: id, channels: ['push' as const] }));
  const policyId = await owner.policy([{ delayS: 60, contacts }]);
  const button = await owner.panicButton({ policyId });
  expect((await world.get(`/v1/panic/${button}/trigger`, await owner.key())).status).toBe(202);
  await world.settle();
  await world.services.close();
  await advanceClock(world.store.pool, 60);
  const { asked, drain } = sender(world);
  // Failing twice, a message has the next channel beside it.
  for (const afterS of [0, 5, 20]) {
    await advanceClock(world.store.pool, afterS);
    await drain();
  }

  const rows = await world.rows<{ contact_id: string; channel: ChannelKind; status: string; tries: number }>(
    'SELECT contact_id, channel, status, tries FROM delivery ORDER BY seq',
  );
  const seen = { byPush: 0, byEmail: 0, byNobody: 0, later: 0 };
  for (const [nth, { id, push, email }] of people.entries()) {
    const theirs = rows.filter(({ contact_id }) => contact_id === id);
    const of = (wanted: ChannelKind) => theirs.find(({ channel }) => channel === wanted)?.status ?? 'none';
    const all = JSON.stringify({ push, email, theirs });
    const first = push.indexOf('works');
    const sent = asked.filter(address => /^works:\d/.test(address) && address.endsWith(`:p${nth}`));
    // One alone of those that work is told, once; of the others each once at most where it may have taken the message.
    expect(sent, all).toEqual(first === -1 ? [] : [`works:${first}:p${nth}`]);
    expect(of('push') === 'sent', all).toBe(first !== -1);
    // Whoever has no turn yet comes soon, without another channel.
    const isLater = first === -1 && push.includes('busy') && !push.some(state => PASSING.has(state));
    if (isLater) expect(of('push'), all).toBe('scheduled');
    expect(of('email'), all).toBe(first === -1 && !isLater && email === 'works' ? 'sent' : 'none');
    seen[first !== -1 ? 'byPush' : isLater ? 'later' : email === 'works' ? 'byEmail' : 'byNobody']++;
    const { tries } = theirs.find(({ channel }) => channel === 'push')!;
    for (const [slot, state] of push.entries()) {
      const times = asked.filter(address => address === addressOf(state, slot, nth)).length;
      if (state === 'hangs' || state === 'dead') expect(times, all).toBeLessThanOrEqual(tries);
      if (state === 'refuses' || state === 'perhaps') expect(times, all).toBeLessThanOrEqual(1);
    }
    // What is known ahead is said ahead, and happens.
    const addresses = push.map((state, slot) => {
      const verification = state === 'unverified' ? ('not_verified' as const) : ('verified' as const);
      return { channel: 'push' as const, slot, via: viaOf(addressOf(state, slot, nth)), address: '', verification };
    });
    const carriers = Object.assign([...CHANNELS], { lacks: LACKS });
    const means = { account: { plan: 'paid' as const, trialEndsAt: 0 }, carriers };
    const [planned] = messagesOf({ channels: ['push'], addresses }, means, 0);
    const isHopeless = push.every(state => state === 'unverified' || state === 'nocarrier');
    expect(planned!.reach !== 'goes', all).toBe(isHopeless);
    if (isHopeless) expect(['no_carrier', 'failed'], all).toContain(of('push'));
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(5);
});

test('an address that may have it, and one that refused it, are asked once, however often the others are tried', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const push = (['perhaps', 'hangs', 'dead', 'refuses'] as const).map((state, slot) => addressOf(state, slot, 0));
  const contact = await owner.contact('Anna', { push });
  const policyId = await owner.policy([{ delayS: 60, contacts: [{ contactId: contact, channels: ['push'] }] }]);
  const button = await owner.panicButton({ policyId });
  await world.get(`/v1/panic/${button}/trigger`, await owner.key());
  await world.settle();
  await world.services.close();
  await advanceClock(world.store.pool, 60);
  const { asked, drain } = sender(world);
  for (let nth = 0; nth < CARRIER_TRIES_MOST + 5; nth++) {
    await drain();
    await advanceClock(world.store.pool, 900);
  }
  const times = (of: State) => asked.filter(address => address.startsWith(`${of}:`)).length;
  expect(times('hangs')).toBeGreaterThan(CARRIER_TRIES_MOST);
  expect([times('perhaps'), times('refuses')]).toEqual([1, 1]);
});

/** What is tried again, each time as another try, or makes the next channel go beside. */
const PASSING: ReadonlySet<State> = new Set(['hangs', 'dead', 'waits']);

const LACKS: ReadonlySet<string> = new Set(['push nocarrier:']);

function addressOf(state: State, slot: number, nth: number): string {
  return `${state}:${slot}:p${nth}`;
}

async function aPerson(
  owner: Awaited<ReturnType<World['account']>>,
  world: World,
  name: string,
  dice: (below: number) => number,
): Promise<Person> {
  const push = Array.from({ length: 1 + dice(4) }, () => STATES[dice(STATES.length)]!);
  const email = dice(2) === 0 ? 'works' : 'none';
  const nth = Number(name.slice(1));
  const addresses = push.map((state, slot) => addressOf(state, slot, nth));
  const id = await owner.contact(name, { push: addresses, ...(email === 'works' && { email: `works:email:${name}` }) });
  await world.rows("UPDATE contact_channel SET verified_at = NULL WHERE contact_id = $1 AND via = 'unverified:'", [id]);
  return { id, push, email };
}

/** Sends what is due over carriers that do what the address says. */
function sender(world: World): { asked: string[]; drain(): Promise<void> } {
  const asked: string[] = [];
  const channelOf = (kind: ChannelKind): Channel => {
    const base = {
      kind,
      atOnce: AT_ONCE[kind],
      async send(address: string) {
        const state = viaOf(address).slice(0, -1) as keyof typeof SAID;
        if (SAID[state] === undefined) throw new Error(`${address} was asked`);
        asked.push(address);
        return SAID[state];
      },
      async close() {},
    } satisfies Channel;
    if (kind !== 'push') return base;
    return {
      ...base,
      routes(_order, address) {
        const health = address.startsWith('dead:') ? ('open' as const) : ('closed' as const);
        return [{ carrier: viaOf(address).slice(0, -1), channel: { ...base, health: () => health } }];
      },
    };
  };
  const byKind = Object.fromEntries(CHANNELS.map(kind => [kind, channelOf(kind)])) as Record<ChannelKind, Channel>;
  const engine = startEngine({
    pool: world.store.pool,
    bus: createLocalBus(),
    channels: { byKind, unconfigured: [], lacks: LACKS },
    seal: world.seal,
    links: { wayBackOf: () => null, tokenOf: id => id },
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => engine.close());
  return { asked, drain: () => engine.drain() };
}

/** Random numbers that are the same in every run. */
function createDice(seed: number): (below: number) => number {
  let state = seed * 7_919;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
