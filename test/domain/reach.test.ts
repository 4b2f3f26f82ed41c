import { describe, expect, test } from 'vitest';
import { CHANNELS, type ChannelKind } from '../../services/domain/delivery.ts';
import {
  type Means,
  messagesOf,
  type Reach,
  type Reachable,
  standIn,
  wouldReach,
} from '../../services/domain/reach.ts';
import { means, NOW } from './readiness-rig.ts';

const free = { plan: 'free', trialEndsAt: NOW } as const;
const at = (channel: ChannelKind, verification?: 'not_verified') => ({
  channel,
  address: 'somewhere',
  ...(verification && { verification }),
});

describe('DECISIONS.md "Would it reach": the first reason against it', () => {
  const noText: ChannelKind[] = ['call', 'email', 'push', 'webhook'];
  test.each<[string, Reachable, ChannelKind, Means, Reach]>([
    ['all is well', { addresses: [at('text')] }, 'text', means(), 'goes'],
    ['no address for the channel', { addresses: [at('email')] }, 'text', means(), 'no_address'],
    ['no address at all', { addresses: [] }, 'email', means(), 'no_address'],
    ['switched off', { addresses: [at('email')], disabled: ['text'] }, 'text', means(), 'disabled'],
    ['not verified', { addresses: [at('text', 'not_verified')] }, 'text', means(), 'not_verified'],
    ['not in the plan: text', { addresses: [at('text')] }, 'text', means({ account: free }), 'plan_required'],
    ['not in the plan: call', { addresses: [at('call')] }, 'call', means({ account: free }), 'plan_required'],
    ['always in the plan: email', { addresses: [at('email')] }, 'email', means({ account: free }), 'goes'],
    ['no carrier', { addresses: [at('text')] }, 'text', means({ carriers: noText }), 'no_carrier'],
    ['over the ceiling', { addresses: [at('text')] }, 'text', { ...means(), ceiling: 'over_ceiling' }, 'spend_ceiling'],
    ['within it', { addresses: [at('text')] }, 'text', { ...means(), ceiling: 'goes' }, 'goes'],
    ['neither address nor plan', { addresses: [] }, 'text', means({ account: free }), 'no_address'],
    [
      'neither verified, nor plan, nor carrier',
      { addresses: [at('text', 'not_verified')] },
      'text',
      means({ account: free, carriers: [] }),
      'not_verified',
    ],
    [
      'neither plan nor carrier',
      { addresses: [at('text')] },
      'text',
      means({ account: free, carriers: noText }),
      'plan_required',
    ],
  ])('%s', (_what, contact, channel, by, expected) => {
    expect(wouldReach(contact, channel, by, NOW)).toBe(expected);
  });

  test('the plan is judged at the time of the message', () => {
    const trial = means({ account: { plan: 'free', trialEndsAt: NOW + 1 } });
    expect(wouldReach({ addresses: [at('text')] }, 'text', trial, NOW)).toBe('goes');
    expect(wouldReach({ addresses: [at('text')] }, 'text', trial, NOW + 1)).toBe('plan_required');
  });
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

test('all orders of five channels, whatever is wrong with each and whichever the step names: whoever has one working way is told', () => {
  let people = 0;
  let told = 0;
  for (const states of everyState()) {
    const carriers = CHANNELS.filter(channel => states[channel] !== 'no carrier');
    // Text and call share one plan: one of them alone without it cannot be.
    const isFree = CHANNELS.some(channel => states[channel] === 'not in the plan');
    if (isFree && ['text', 'call'].some(channel => ['works', 'refuses'].includes(states[channel as ChannelKind])))
      continue;
    const by = isFree ? means({ account: free, carriers }) : means({ carriers });
    const works = CHANNELS.filter(channel => states[channel] === 'works');
    for (const order of ORDERS) {
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
  expect(people).toBeGreaterThan(300_000);
  expect(told).toBeGreaterThan(people / 4);
});

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
