import { describe, expect, test } from 'vitest';
import {
  type CallFacts,
  environment,
  heldByGate,
  judge,
  type Verb,
  type Verdict,
} from '../../services/domain/source.ts';

describe('SPEC.md 2: runs as test when its own switch or its location’s is on, either alone is enough', () => {
  test.each([
    ['off', 'off', 'live'],
    ['on', 'off', 'test'],
    ['off', 'on', 'test'],
    ['on', 'on', 'test'],
  ])('own switch %s, location’s switch %s: %s', (own, location, runsAs) => {
    expect(environment(own === 'on', location === 'on')).toBe(runsAs);
  });
});

/** A trigger of an enabled, disarmed alarm with all modes and the gate off, with a good key. */
const GOOD: CallFacts = {
  key: 'valid',
  reachable: true,
  disabled: false,
  kind: 'alarm',
  verb: 'trigger',
  named: null,
  effective: 'away',
  modes: ['home', 'away', 'night', 'vacation'],
  onlyWhenArmed: false,
  armedMode: null,
  engaged: false,
};

const VERBS: readonly Verb[] = ['arm', 'disarm', 'trigger', 'clear'];

test.each(VERBS)('a good %s is accepted', verb => {
  expect(judge({ ...GOOD, verb })).toBe('accepted');
});

describe('DECISIONS.md "Order of checks": what is wrong first decides, whatever else is wrong', () => {
  const FAULTS: [Verdict, Partial<CallFacts>][] = [
    ['key_unknown', { key: 'unknown' }],
    ['not_found', { reachable: false }],
    ['source_disabled', { disabled: true }],
    ['unknown_mode', { named: 'unknown' }],
    ['mode_missing', { modes: ['home', 'night'] }],
    ['held_by_gate', { onlyWhenArmed: true }],
  ];
  test.each(FAULTS.map(([verdict], first) => [verdict, first] as const))('%s', (verdict, first) => {
    const worse = FAULTS.slice(first).map(([, fault]) => fault);
    expect(judge({ ...GOOD, ...worse[0] })).toBe(verdict);
    expect(judge(Object.assign({ ...GOOD }, ...worse))).toBe(verdict);
  });

  test.each(['unknown', 'revoked', 'expired'] as const)('a key that is %s is told apart in the log', key => {
    expect(judge({ ...GOOD, key })).toBe(`key_${key}`);
  });

  test.each(VERBS)('DECISIONS.md "Disabled or deactivated source": %s is refused too', verb => {
    expect(judge({ ...GOOD, verb, disabled: true })).toBe('source_disabled');
  });
});

describe('DECISIONS.md: which calls need the mode that they act on', () => {
  const without = { modes: ['home'] as const, effective: 'away' as const };
  test.each<[string, Partial<CallFacts>, Verdict]>([
    ['bare trigger, no away mode', { verb: 'trigger', named: null }, 'mode_missing'],
    ['trigger in a mode that it does not have', { verb: 'trigger', named: 'away' }, 'mode_missing'],
    ['arm in a mode that it does not have', { verb: 'arm', named: 'away' }, 'mode_missing'],
    ['bare arm where there is no away mode', { verb: 'arm', named: null }, 'accepted'],
    ['disarm', { verb: 'disarm', named: null }, 'accepted'],
    ['clear', { verb: 'clear', named: null }, 'accepted'],
    ['trigger in a mode that it has', { verb: 'trigger', named: 'home', effective: 'home' }, 'accepted'],
    ['trigger of a panic button, which has no modes', { kind: 'panic_button', verb: 'trigger', modes: [] }, 'accepted'],
    ['clear of a panic button', { kind: 'panic_button', verb: 'clear', modes: [] }, 'accepted'],
    ['an unknown word on arm', { verb: 'arm', named: 'unknown' }, 'unknown_mode'],
  ])('%s: %s', (_call, facts, verdict) => {
    expect(judge({ ...GOOD, ...without, ...facts })).toBe(verdict);
  });
});

describe('DECISIONS.md "Trigger held back by the gate"', () => {
  test.each([
    // gate, armed in, incident or pending: held?
    ['off', null, 'nothing', 'passes'],
    ['on', null, 'nothing', 'held'],
    ['on', null, 'something', 'passes'],
    ['off', null, 'something', 'passes'],
    ['on', 'home', 'nothing', 'passes'],
    ['on', 'away', 'something', 'passes'],
    ['off', 'night', 'nothing', 'passes'],
  ] as const)('gate %s, armed in %s, %s open or pending: %s', (gate, armedMode, engaged, expected) => {
    const facts = { onlyWhenArmed: gate === 'on', armedMode, engaged: engaged === 'something' };
    expect(heldByGate({ kind: 'alarm', ...facts })).toBe(expected === 'held');
    expect(judge({ ...GOOD, ...facts })).toBe(expected === 'held' ? 'held_by_gate' : 'accepted');
  });

  test('a deleted armed mode still counts as armed', () => {
    expect(judge({ ...GOOD, onlyWhenArmed: true, armedMode: 'night', modes: ['away'] })).toBe('accepted');
  });

  test('SPEC.md 2: panic buttons are never gated', () => {
    expect(heldByGate({ kind: 'panic_button', onlyWhenArmed: true, armedMode: null, engaged: false })).toBe(false);
    expect(judge({ ...GOOD, kind: 'panic_button', modes: [], onlyWhenArmed: true })).toBe('accepted');
  });

  test.each(VERBS.filter(verb => verb !== 'trigger'))('the gate never holds %s', verb => {
    expect(judge({ ...GOOD, verb, onlyWhenArmed: true })).toBe('accepted');
  });
});
