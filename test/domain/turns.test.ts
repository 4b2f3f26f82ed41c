import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../services/domain/delivery.ts';
import {
  AT_ONCE,
  mayTake,
  placesForAlerts,
  placesForNotices,
  type Queue,
  takeTurns,
  type Way,
} from '../../services/domain/turns.ts';

describe('places on a channel', () => {
  test.each<[held: number, free: number, may: boolean]>([
    [0, 1, true],
    [0, 0, false],
    [1, 1, false],
    [31, 33, true],
    [32, 32, false],
  ])('who holds %i while %i are free may take one more: %s', (held, free, may) => {
    expect(mayTake(held, free)).toBe(may);
  });

  test.each<[atOnce: number, notices: number, alerts: number]>([
    [AT_ONCE.email, 6, 42],
    [16, 2, 14],
    [5, 1, 4],
    [2, 1, 1],
    [1, 1, 1],
  ])('of %i mails at once %i are owners’ notices and %i those of incidents', (atOnce, notices, alerts) => {
    expect([placesForNotices(atOnce), placesForAlerts('email', atOnce)]).toEqual([notices, alerts]);
  });

  test.each(CHANNELS.filter(channel => channel !== 'email'))('%s has all its places for incidents', channel => {
    expect(placesForAlerts(channel, AT_ONCE[channel])).toBe(AT_ONCE[channel]);
  });
});

const MANY = 1_000;

/** What an account has due, and what it has under way and when it had its last turn on each way. */
interface Account {
  first?: number;
  failing?: number;
  all: number;
  held?: Partial<Record<Way, number>>;
  last?: Partial<Record<Way, number>>;
}

/** What each account gets of the free places: `A 2+3` are two first messages and three others, `A 2+3+4` four failing ones beside. */
function shared(free: number, accounts: Record<string, Account>): string {
  const due: Queue[] = Object.entries(accounts).map(([accountId, { first = 0, failing = 0, all }]) => ({
    accountId,
    first,
    failing,
    all,
  }));
  const turns = takeTurns(free, due, {
    held: (accountId, way) => accounts[accountId]!.held?.[way] ?? 0,
    lastTurn: (accountId, way) => accounts[accountId]!.last?.[way] ?? 0,
  });
  return turns
    .map(
      ({ accountId, first, others, failing }) => `${accountId} ${first}+${others}${failing === 0 ? '' : `+${failing}`}`,
    )
    .join(', ');
}

describe('accounts take turns', () => {
  test.each<[what: string, free: number, accounts: Record<string, Account>, gets: string]>([
    ['nobody has anything due', 8, {}, ''],
    ['little is due: all of it goes', 64, { A: { first: 1, all: 3 }, B: { all: 2 } }, 'A 1+2, B 0+2'],
    ['one alone, with later steps only, gets half', 64, { A: { all: MANY } }, 'A 0+32'],
    ['one alone with both gets two thirds', 64, { A: { first: MANY, all: MANY } }, 'A 22+21'],
    ['one who holds half of all gets no more', 32, { A: { all: MANY, held: { others: 32 } } }, ''],
    ['its first messages still find a place then', 32, { A: { first: 1, all: MANY, held: { others: 32 } } }, 'A 1+0'],
    ['another finds as many beside it', 32, { A: { all: MANY, held: { others: 32 } }, B: { all: MANY } }, 'B 0+16'],
    [
      'one that has everything under way that it may have leaves room for both messages of another',
      21,
      { A: { first: MANY, all: MANY, held: { first: 22, others: 21 } }, B: { first: 1, all: 2 } },
      'B 1+1',
    ],
    [
      'several share, and as much stays free',
      8,
      { A: { all: MANY }, B: { all: MANY }, C: { all: MANY } },
      'A 0+2, B 0+2, C 0+2',
    ],
    ['the few go first, whatever the many have', 4, { A: { all: MANY, held: { others: 3 } }, B: { all: 1 } }, 'B 0+1'],
    [
      'of equals the one goes whose turn is longest ago',
      1,
      { A: { all: 9, last: { others: 7 } }, B: { all: 9, last: { others: 6 } } },
      'B 0+1',
    ],
    ['who had none lately goes before', 1, { A: { all: 9, last: { others: 7 } }, B: { all: 9 } }, 'B 0+1'],
    ['of one account both ways take turns', 1, { A: { first: 9, all: 9, last: { first: 7, others: 6 } } }, 'A 0+1'],
    ['of those who had none the one goes that waits longest', 1, { A: { all: 9 }, B: { all: 9 } }, 'A 0+1'],
    ['a first message is not counted twice', 64, { A: { first: 1, all: 1 } }, 'A 1+0'],
    ['what is failing has its own share', 64, { A: { failing: MANY, all: MANY + 2 } }, 'A 0+2+31'],
    [
      'what is failing leaves room for a message of its own account, and for others',
      32,
      { A: { failing: MANY, all: MANY + 1, held: { failing: 32 } }, B: { all: 1 } },
      'A 0+1, B 0+1',
    ],
    ['nothing is free', 0, { A: { all: 1 } }, ''],
  ])('%s', (_what, free, accounts, gets) => {
    expect(shared(free, accounts)).toBe(gets);
  });

  test('however many want places, one is left until all are held, and none gets more than those with fewer', () => {
    for (let count = 1; count <= 80; count++) {
      const accounts = Object.fromEntries(Array.from({ length: count }, (_, n) => [`A${n}`, { all: MANY }]));
      const given = shared(64, accounts)
        .split(', ')
        .map(one => Number(one.split('+')[1]));
      const sum = given.reduce((one, other) => one + other, 0);
      expect(sum).toBeLessThanOrEqual(64);
      expect(64 - sum).toBeGreaterThanOrEqual(count < 64 ? Math.floor(64 / (count + 1)) : 0);
      expect(Math.max(...given) - Math.min(...given)).toBeLessThanOrEqual(1);
    }
  });
});
