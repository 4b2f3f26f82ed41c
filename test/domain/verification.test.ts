import { describe, expect, test } from 'vitest';
import { CHANNELS, type ChannelKind } from '../../services/domain/delivery.ts';
import {
  digitsOf,
  type GuessVerdict,
  judgeGuess,
  mayReach,
  maySend,
  placeOf,
  type SendVerdict,
  verifiedWhenStored,
  vouchedBy,
  withThisOne,
} from '../../services/domain/verification.ts';

const NOW = Date.UTC(2026, 0, 15, 20);
const ago = (...seconds: number[]) => seconds.map(one => NOW - one * 1000);

describe('who vouches for an address', () => {
  test.each([
    ['required', 'not_vouched'],
    ['trusted', 'vouched'],
  ] as const)('with contact verification %s, whoever types it, the operator too: %s', (setting, expected) => {
    expect(vouchedBy(setting)).toBe(expected);
  });

  test.each(CHANNELS)('%s: a vouched address is verified when it is stored', channel => {
    expect(verifiedWhenStored(channel, 'vouched')).toBe('verified');
  });

  test.each<[ChannelKind, string]>([
    ['text', 'not_verified'],
    ['call', 'not_verified'],
    ['email', 'not_verified'],
    ['push', 'not_verified'],
    ['webhook', 'verified'],
  ])('%s: one that nobody vouches for is %s', (channel, expected) => {
    expect(verifiedWhenStored(channel, 'not_vouched')).toBe(expected);
  });
});

describe('how many codes an address takes', () => {
  const minute = { most: 1, per: 'minute' } as const;
  const hour = { most: 5, per: 'hour' } as const;
  test.each<[string, number[], SendVerdict]>([
    ['none was sent', [], { kind: 'may_send' }],
    ['one this instant', ago(0), { kind: 'too_many', ...minute, retryAfterS: 60 }],
    ['one 59.001 s ago', ago(59.001), { kind: 'too_many', ...minute, retryAfterS: 1 }],
    ['one a minute ago', ago(60), { kind: 'may_send' }],
    ['four within the hour', ago(60, 120, 180, 240), { kind: 'may_send' }],
    ['five within the hour', ago(3000, 240, 180, 120, 60), { kind: 'too_many', ...hour, retryAfterS: 600 }],
    ['the limit that lasts longer', ago(5, 10, 15, 20, 3590), { kind: 'too_many', ...minute, retryAfterS: 55 }],
    ['the first of five an hour ago', ago(3600, 240, 180, 120, 60), { kind: 'may_send' }],
    ['six, in whatever order', ago(60, 3000, 120, 180, 2000, 240), { kind: 'too_many', ...hour, retryAfterS: 1600 }],
    [
      'ten within the day',
      Array.from({ length: 10 }, (_, nth) => NOW - (nth + 1) * 7_200_000),
      { kind: 'too_many', most: 10, per: 'day', retryAfterS: 14_400 },
    ],
  ])('%s', (_what, sent, expected) => {
    expect(maySend(sent, NOW)).toEqual(expected);
  });

  test('only what counts still is kept', () => {
    expect(withThisOne(ago(172_800, 86_400, 86_399, 60), NOW)).toEqual(ago(86_399, 60, 0));
  });
});

describe('a code that is told back', () => {
  const code = { expiresAt: NOW + 1, guesses: 0 };
  test.each<[string, Parameters<typeof judgeGuess>[0], 'same' | 'different', GuessVerdict]>([
    ['right', code, 'same', 'right'],
    ['wrong', code, 'different', 'wrong'],
    ['right at the fifth guess', { ...code, guesses: 4 }, 'same', 'right'],
    ['wrong at the fifth guess', { ...code, guesses: 4 }, 'different', 'wrong'],
    ['right after five wrong ones', { ...code, guesses: 5 }, 'same', 'too_many_guesses'],
    ['right the moment it ends', { ...code, expiresAt: NOW }, 'same', 'expired'],
    ['wrong, too late and once too often', { expiresAt: NOW, guesses: 5 }, 'different', 'expired'],
    ['where none was sent', null, 'different', 'none_sent'],
  ])('%s', (_what, sent, guess, expected) => {
    expect(judgeGuess(sent, guess, NOW)).toBe(expected);
  });
});

test.each([
  ['123456', '123456'],
  ['123 456', '123456'],
  [' 12-34-56\t', '123456'],
  ['000000', '000000'],
  ['12345', null],
  ['1234567', null],
  ['12345a', null],
  ['１２３４５６', null],
  ['123456\n', null],
  ['', null],
  ['1'.repeat(10_000), null],
])('the digits of %j', (text, digits) => {
  expect(digitsOf(text)).toBe(digits);
});

describe('what an address takes that nobody has shown to be theirs (DECISIONS.md "Unverified addresses")', () => {
  const times = (account: string, count: number) => Array.from({ length: count }, () => account);
  test.each<[string, string[], ReturnType<typeof mayReach>]>([
    ['nothing went there', [], 'may_reach'],
    ['nine of its own', times('a', 9), 'may_reach'],
    ['ten of its own', times('a', 10), 'address_limit'],
    ['ten of another', times('b', 10), 'may_reach'],
    ['19 of all', [...times('b', 10), ...times('a', 9)], 'may_reach'],
    ['20 of all, few of its own', [...times('b', 10), ...times('c', 9), 'a'], 'address_limit'],
  ])('%s', (_what, accounts, verdict) => {
    expect(mayReach(accounts, 'a')).toBe(verdict);
  });

  test.each<[ChannelKind, string, string]>([
    ['text', '+12025550111', 'phone +12025550111'],
    ['call', '+12025550111', 'phone +12025550111'],
    ['email', 'Anna+alarm+x@Example.com', 'email anna@example.com'],
    ['email', 'anna@example.com', 'email anna@example.com'],
    ['push', 'Annas+Phone', 'push annas+phone'],
  ])('%s %s is %s', (channel, address, place) => {
    expect(placeOf(channel, address)).toBe(place);
  });
});
