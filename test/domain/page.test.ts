import { expect, test } from 'vitest';
import {
  callsOffered,
  LINK_LASTS_MS,
  type Listed,
  linkAt,
  listedOf,
  OFFERED,
  pageState,
} from '../../services/domain/page.ts';

test('a page is open, acknowledged or closed, and offers what means something then', () => {
  expect(pageState({ acknowledgedAt: null, closedAt: null })).toBe('open');
  expect(pageState({ acknowledgedAt: 1, closedAt: null })).toBe('acknowledged');
  expect(pageState({ acknowledgedAt: null, closedAt: 2 })).toBe('closed');
  expect(pageState({ acknowledgedAt: 1, closedAt: 2 })).toBe('closed');
  expect(OFFERED).toEqual({
    open: ['acknowledge', 'decline', 'next_step', 'hand_over', 'note', 'close'],
    acknowledged: ['hand_over', 'note', 'close'],
    closed: [],
  });
});

test('a link leads to its page until a day after its incident closed', () => {
  expect(linkAt(Number.MAX_SAFE_INTEGER, { closedAt: null })).toBe('leads');
  expect(linkAt(1_000 + LINK_LASTS_MS - 1, { closedAt: 1_000 })).toBe('leads');
  expect(linkAt(1_000 + LINK_LASTS_MS, { closedAt: 1_000 })).toBe('ended');
});

test('a page lists the last twelve that were told and the next six, and none that was called off untried', () => {
  const messages = (count: number, status: Listed['status'], tries: number) =>
    Array.from({ length: count }, (_, n) => ({ status, tries, n }));
  const sent = messages(20, 'sent', 1);
  const next = messages(20, 'scheduled', 0);
  expect(listedOf([...sent, ...messages(5, 'cancelled', 0), ...next])).toEqual([...sent.slice(8), ...next.slice(0, 6)]);
  expect(listedOf(messages(2, 'cancelled', 1))).toHaveLength(2);
  expect(listedOf(messages(20, 'suppressed', 0))).toHaveLength(6);
});

test('calls are offered by the page of a live incident that is open, and by no other', () => {
  const open = { acknowledgedAt: null, closedAt: null };
  const acknowledged = { acknowledgedAt: 1, closedAt: null };
  const closed = { acknowledgedAt: 1, closedAt: 2 };
  expect([open, acknowledged, closed].map(facts => callsOffered('live', facts))).toEqual([
    'offered',
    'offered',
    'not_offered',
  ]);
  for (const environment of ['test', 'drill'] as const) {
    expect(callsOffered(environment, open), environment).toBe('not_offered');
  }
});
