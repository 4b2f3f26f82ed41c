import { describe, expect, test } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { type Means, type Reach, type Reachable, wouldReach } from '../../services/domain/reach.ts';
import { at, everybody, free } from './reach-rig.ts';
import { means, NOW } from './readiness-rig.ts';

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

test('some orders of five channels, whatever is wrong with each and whichever the step names: whoever has one working way is told', () => {
  const { people, told } = everybody(12);
  expect(people).toBeGreaterThan(25_000);
  expect(told).toBeGreaterThan(people / 4);
});
