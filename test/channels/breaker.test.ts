import { expect, test } from 'vitest';
import { createBreaker } from '../../services/channels/breaker.ts';
import type { AttemptOutcome } from '../../services/domain/delivery.ts';

const SENT: AttemptOutcome = { kind: 'sent', providerRef: 'a' };
const AWAY: AttemptOutcome = { kind: 'temporary_fault', reason: 'could not be reached', carrier: 'away' };
const REFUSED: AttemptOutcome = { kind: 'temporary_fault', reason: 'busy' };
const NUMBER: AttemptOutcome = { kind: 'permanent_fault', reason: 'invalid number' };

function aBreaker() {
  let now = 0;
  const breaker = createBreaker(() => now);
  const passes = (s: number) => {
    now += s * 1_000;
  };
  return { ...breaker, passes };
}

test('a carrier that is away comes last for 15 s, then one message tries it', () => {
  const { state, learn, passes } = aBreaker();
  expect(state()).toBe('closed');
  learn(AWAY);
  passes(14.9);
  expect(state()).toBe('open');
  passes(0.1);
  expect([state(), state(), state()]).toEqual(['closed', 'open', 'open']);
  learn(SENT);
  expect([state(), state()]).toEqual(['closed', 'closed']);
});

test('each time that it fails again it rests twice as long, two minutes at most', () => {
  const { state, learn, passes } = aBreaker();
  learn(AWAY);
  for (const restS of [15, 30, 60, 120, 120]) {
    passes(restS - 0.001);
    expect(state()).toBe('open');
    passes(0.001);
    expect(state()).toBe('closed');
    learn(AWAY);
  }
});

test('of many that fail at once the first one says it for all', () => {
  const { state, learn, passes } = aBreaker();
  for (let nth = 0; nth < 64; nth++) learn(AWAY);
  passes(15);
  expect(state()).toBe('closed');
});

test('one that refuses for now comes last after three refusals in a row', () => {
  const { state, learn } = aBreaker();
  learn(REFUSED);
  learn(REFUSED);
  learn(SENT);
  learn(REFUSED);
  learn(REFUSED);
  expect(state()).toBe('closed');
  learn(REFUSED);
  expect(state()).toBe('open');
});

test('what is wrong with an address says nothing of the carrier', () => {
  const { state, learn } = aBreaker();
  for (let nth = 0; nth < 10; nth++) learn(NUMBER);
  expect(state()).toBe('closed');
  for (let nth = 0; nth < 10; nth++) learn({ ...REFUSED, about: 'address' });
  expect(state()).toBe('closed');
});
