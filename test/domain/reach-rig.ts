import { expect } from 'vitest';
import { CHANNELS, type ChannelKind } from '../../services/domain/delivery.ts';
import { type Means, messagesOf, type Reachable, standIn, wouldReach } from '../../services/domain/reach.ts';
import { means, NOW } from './readiness-rig.ts';

export const free = { plan: 'free', trialEndsAt: NOW } as const;

/** An address of a person, verified unless it is said otherwise. */
export const at = (channel: ChannelKind, verification?: 'not_verified') => ({
  channel,
  address: 'somewhere',
  ...(verification && { verification }),
});

/** What may be wrong with a channel; `refuses`: its carrier does not take the message, which nobody knows ahead. */
const STATES = ['works', 'refuses', 'no carrier', 'not verified', 'not in the plan', 'disabled'] as const;
type State = (typeof STATES)[number];

const ORDERS = permutations(CHANNELS);

/** The plan covers email, push and webhook always. */
const mayBe = (channel: ChannelKind, state: State) =>
  state !== 'not in the plan' || channel === 'text' || channel === 'call';

/**
 * Plays what the engine does with a step that names these channels: each message is judged and sent at its time, and
 * what does not reach is replaced. Returns the channel that got the message through; null: none did.
 */
function played(contact: Reachable, named: readonly ChannelKind[], means: Means, states: Record<ChannelKind, State>) {
  const rows = [...named];
  let through: ChannelKind | null = null;
  for (const channel of rows) {
    const reach = wouldReach(contact, channel, means, NOW);
    if (reach === 'goes' && states[channel] === 'works') {
      through ??= channel;
      continue;
    }
    const other = standIn(contact, rows, means, NOW);
    if (other !== null) rows.push(other);
  }
  return { rows, through };
}

/**
 * Shows that whoever has one working way is told, and that this is what was predicted, for one in so many orders of the channels,
 * others for each of the things that may be wrong with them. Returns how many people that were, and how many were told.
 */
export function everybody(oneIn: number): { people: number; told: number } {
  let [people, told, nth] = [0, 0, 0];
  for (const states of everyState()) {
    nth++;
    const carriers = CHANNELS.filter(channel => states[channel] !== 'no carrier');
    // Text and call share one plan: one of them alone without it cannot be.
    const isFree = CHANNELS.some(channel => states[channel] === 'not in the plan');
    if (isFree && ['text', 'call'].some(channel => ['works', 'refuses'].includes(states[channel as ChannelKind])))
      continue;
    const by = isFree ? means({ account: free, carriers }) : means({ carriers });
    const works = CHANNELS.filter(channel => states[channel] === 'works');
    for (const order of ORDERS.filter((_, place) => place % oneIn === nth % oneIn)) {
      const contact: Reachable = {
        addresses: order
          .filter(channel => states[channel] !== 'disabled')
          .map(channel => at(channel, states[channel] === 'not verified' ? 'not_verified' : undefined)),
        disabled: order.filter(channel => states[channel] === 'disabled'),
      };
      const named = order.slice(0, 1 + (people % 3));
      const { rows, through } = played(contact, named, by, states);
      people++;
      if (through !== null) told++;
      if ((through !== null) !== works.length > 0) expect([order, named, states, rows]).toBe('told');
      if (new Set(rows).size !== rows.length) expect(rows).toBe('each once');
      // Where no carrier refuses, the prediction is what happens.
      if (Object.values(states).includes('refuses')) continue;
      const predicted = messagesOf({ ...contact, channels: named }, by, NOW).map(({ channel }) => channel);
      if (String(predicted.toSorted()) !== String(rows.toSorted())) expect(predicted).toEqual(rows);
    }
  }
  return { people, told };
}

function* everyState(): Generator<Record<ChannelKind, State>> {
  for (let nth = 0; nth < STATES.length ** CHANNELS.length; nth++) {
    const states = CHANNELS.map((channel, place) => {
      return [channel, STATES[Math.floor(nth / STATES.length ** place) % STATES.length]!] as const;
    });
    if (states.every(([channel, state]) => mayBe(channel, state))) {
      yield Object.fromEntries(states) as Record<ChannelKind, State>;
    }
  }
}

function permutations<T>(of: readonly T[]): T[][] {
  if (of.length === 0) return [[]];
  return of.flatMap((one, nth) => permutations(of.toSpliced(nth, 1)).map(rest => [one, ...rest]));
}
