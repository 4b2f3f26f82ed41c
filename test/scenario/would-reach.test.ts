import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLocalBus } from '../../services/changes/local.ts';
import type { Channel } from '../../services/channels/channel.ts';
import { CHANNELS, type ChannelKind } from '../../services/domain/delivery.ts';
import { type Means, messagesOf, type StepContact } from '../../services/domain/reach.ts';
import { AT_ONCE } from '../../services/domain/turns.ts';
import { startEngine } from '../../services/engine/engine.ts';
import { advanceClock } from '../support/database.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Would it reach": whoever has one working way is told, and what was predicted is what happens. */
vi.setConfig({ testTimeout: 120_000 });

/** What may be the matter with an address; whether its channel has a carrier and is in the plan, the deployment says. */
const STATES = ['works', 'works', 'refuses', 'not verified', 'disabled', 'none'] as const;
type State = (typeof STATES)[number];

interface Person {
  id: string;
  name: string;
  named: ChannelKind[];
  order: ChannelKind[];
  states: Record<ChannelKind, State>;
}

const PEOPLE = 60;

test.each<[string, ChannelKind[], 'paid' | 'free']>([
  ['all carriers', [...CHANNELS], 'paid'],
  ['no carrier for text', ['call', 'email', 'push', 'webhook'], 'paid'],
  ['text and webhook alone', ['text', 'webhook'], 'paid'],
  ['text and call not in the plan, no carrier for push', ['text', 'call', 'email', 'webhook'], 'free'],
  ['email alone', ['email'], 'free'],
])('%s: of %j, people with their channels in any order are told as soon as one way works', async (_what, set, plan) => {
  const world = await startWorld();
  const owner = await world.account({ plan });
  const dice = createDice(set.length * 7 + plan.length);
  const people: Person[] = [];
  for (let nth = 0; nth < PEOPLE; nth++) people.push(await aPerson(world, owner, `p${nth}`, dice));
  const contacts = people.map(({ id, named }) => ({ contactId: id, channels: named }));
  const policyId = await owner.policy([{ delayS: 60, contacts }]);
  await world.rows("UPDATE account SET created_at = created_at - interval '30 days'");
  const button = await owner.panicButton({ policyId });
  expect((await world.get(`/v1/panic/${button}/trigger`, await owner.key())).status).toBe(202);
  await world.settle();
  await world.services.close();
  await advanceClock(world.store.pool, 60);
  await send(world, set);

  const means: Means = { account: { plan, trialEndsAt: 0 }, carriers: set };
  const rows = await world.rows<{ contact_id: string; channel: ChannelKind; status: string; instead_of: string }>(
    'SELECT contact_id, channel, status, instead_of FROM delivery ORDER BY seq',
  );
  let told = 0;
  for (const person of people) {
    const theirs = rows.filter(({ contact_id }) => contact_id === person.id);
    const works = person.order.filter(
      channel =>
        person.states[channel] === 'works' &&
        set.includes(channel) &&
        (plan === 'paid' || (channel !== 'text' && channel !== 'call')),
    );
    const sent = theirs.filter(({ status }) => status === 'sent').map(({ channel }) => channel);
    const all = JSON.stringify({ person, theirs });
    expect(sent.length > 0, all).toBe(works.length > 0);
    if (sent.length > 0) told++;
    // Nothing is left to be sent, nothing is sent twice, and whatever the step did not name stands in for something.
    expect(theirs.filter(({ status }) => status === 'scheduled' || status === 'sending')).toEqual([]);
    expect(new Set(theirs.map(({ channel }) => channel)).size, all).toBe(theirs.length);
    for (const { channel, instead_of } of theirs)
      expect(instead_of !== null, all).toBe(!person.named.includes(channel));
    if (Object.values(person.states).includes('refuses')) continue;
    const predicted = messagesOf(copyOf(person), means, 0);
    expect(sent.toSorted(), all).toEqual(goesOf(predicted).toSorted());
    expect(theirs.map(({ channel }) => channel).toSorted(), all).toEqual(predicted.map(one => one.channel).toSorted());
  }
  expect(told).toBeGreaterThan(5);
  expect(told).toBeLessThan(PEOPLE);
});

const goesOf = (messages: ReturnType<typeof messagesOf>) =>
  messages.filter(({ reach }) => reach === 'goes').map(({ channel }) => channel);

function copyOf({ named, order, states }: Person): StepContact {
  return {
    channels: named,
    addresses: order
      .filter(channel => states[channel] !== 'none' && states[channel] !== 'disabled')
      .map(channel => {
        const verification = states[channel] === 'not verified' ? ('not_verified' as const) : ('verified' as const);
        return { channel, address: 'sealed', verification };
      }),
    disabled: order.filter(channel => states[channel] === 'disabled'),
  };
}

async function aPerson(
  world: World,
  owner: Awaited<ReturnType<World['account']>>,
  name: string,
  dice: (below: number) => number,
): Promise<Person> {
  const shuffled = () => {
    const left = [...CHANNELS];
    return CHANNELS.map(() => left.splice(dice(left.length), 1)[0]!);
  };
  const order = shuffled();
  const states = Object.fromEntries(CHANNELS.map(kind => [kind, STATES[dice(STATES.length)]!])) as Person['states'];
  const has = order.filter(kind => states[kind] !== 'none');
  const id = await owner.contact(name, Object.fromEntries(has.map(kind => [kind, `${states[kind]} ${name}`])));
  const those = (state: State) => has.filter(kind => states[kind] === state);
  await world.rows('UPDATE contact_channel SET verified_at = NULL WHERE contact_id = $1 AND channel = ANY ($2)', [
    id,
    those('not verified'),
  ]);
  await world.rows(
    "UPDATE contact_channel SET disabled_reason = 'moved' WHERE contact_id = $1 AND channel = ANY ($2)",
    [id, those('disabled')],
  );
  return { id, name, order, states, named: shuffled().slice(0, 1 + dice(2)) };
}

/** Sends all that is due, with carriers for these channels that refuse what is addressed so. */
async function send(world: World, set: readonly ChannelKind[]): Promise<void> {
  const channelOf = (kind: ChannelKind): Channel => ({
    kind,
    atOnce: AT_ONCE[kind],
    async send(to, { deliveryId }) {
      if (!set.includes(kind)) return { kind: 'kept', reason: 'nothing is set up', message: 'the text' };
      if (to.startsWith('refuses')) return { kind: 'permanent_fault', reason: 'refused' };
      if (!to.startsWith('works')) throw new Error(`${to} was asked`);
      return { kind: 'sent', providerRef: deliveryId };
    },
    async close() {},
  });
  const byKind = Object.fromEntries(CHANNELS.map(kind => [kind, channelOf(kind)])) as Record<ChannelKind, Channel>;
  const engine = startEngine({
    pool: world.store.pool,
    bus: createLocalBus(),
    channels: { byKind, unconfigured: CHANNELS.filter(kind => !set.includes(kind)) },
    seal: world.seal,
    links: { wayBackOf: () => null, tokenOf: id => id },
    log: pino({ level: 'silent' }),
  });
  onTestFinished(() => engine.close());
  await engine.drain();
}

/** Random numbers that are the same in every run. */
function createDice(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
