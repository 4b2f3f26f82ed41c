import { expect, test } from 'vitest';
import type { AttemptOutcome } from '../../services/domain/delivery.ts';
import { mayGoTwice, nextCarrier, outcomeOfAll } from '../../services/domain/standing-by.ts';

const PASSING = { kind: 'temporary_fault', reason: 'no answer' } as const;

test.for<[AttemptOutcome, ReturnType<typeof nextCarrier>]>([
  [{ kind: 'sent', providerRef: 'a' }, 'stays'],
  [{ kind: 'delivered', providerRef: 'a' }, 'stays'],
  [{ kind: 'kept', reason: 'placeholder', message: 'a' }, 'stays'],
  [{ kind: 'put_off', reason: 'busy', afterS: 1 }, 'stays'],
  [{ kind: 'asked_to_wait', reason: 'later', afterS: 60 }, 'stays'],
  [{ kind: 'obstacle', reason: 'plan_required' }, 'stays'],
  [{ kind: 'permanent_fault', reason: 'invalid number' }, 'stays'],
  [{ kind: 'permanent_fault', reason: 'refused the login', carrier: 'away' }, 'goes'],
  [{ ...PASSING, taken: 'no' }, 'goes'],
  [{ ...PASSING, taken: 'no', carrier: 'away' }, 'goes'],
  [{ ...PASSING, taken: 'no', about: 'address' }, 'stays'],
  [PASSING, 'goes_unless_found'],
  [{ ...PASSING, carrier: 'away' }, 'goes_unless_found'],
  [{ kind: 'permanent_fault', reason: 'opted out', carrier: 'cannot' }, 'goes'],
])('after %j the next carrier %s', ([outcome, next]) => {
  expect(nextCarrier(outcome, 'rather_twice')).toBe(next);
});

test.for([
  { kind: 'alert', environment: 'drill' },
  { kind: 'alert', environment: 'test' },
  { kind: 'acknowledged', environment: 'live' },
  { kind: 'still_happening', environment: 'live' },
] as const)('nothing but a live alert goes out twice: %j', about => {
  const twice = mayGoTwice(about);
  expect(nextCarrier(PASSING, twice)).toBe('stays');
  expect(nextCarrier({ ...PASSING, taken: 'no' }, twice)).toBe('goes');
  expect(mayGoTwice({ kind: 'alert', environment: 'live' })).toBe('rather_twice');
});

const LOGIN: AttemptOutcome = { kind: 'permanent_fault', reason: 'refused the login', carrier: 'away' };
const NUMBER: AttemptOutcome = { kind: 'permanent_fault', reason: 'invalid number' };

test.for<[string, AttemptOutcome[], AttemptOutcome]>([
  ['what passes is tried again, whatever is wrong with the one that stands by', [PASSING, LOGIN], PASSING],
  [
    'where all refuse for good, it is over',
    [LOGIN, { ...LOGIN, reason: 'no money' }],
    { ...LOGIN, reason: 'no money' },
  ],
  ['a number that does not exist does so with every carrier', [PASSING, NUMBER], NUMBER],
])('%s', ([, said, became]) => {
  expect(outcomeOfAll(said)).toEqual(became);
});
