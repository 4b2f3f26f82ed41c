import { describe, expect, test } from 'vitest';
import { type Seen, WATCH_FAULTS, watchFaults } from '../../services/domain/watch.ts';

const WELL: Seen = {
  beat: { became: 'done', ms: 22 },
  dryLife: { became: 'done', ms: 8 },
  unappliedS: 9.9,
  overdueS: 29.9,
  carriers: ['fails', 'answers'],
  disk: 'roomy',
  clock: 'kept',
  clockSteppedS: 60,
  bus: 'connected',
  ownWay: 'answers',
  senders: 'heard',
};

test('nothing is at fault while a call would alert somebody', () => {
  expect(watchFaults(WELL)).toEqual([]);
  const quiet = { carriers: [], bus: 'not_used', ownWay: 'not_here', clockSteppedS: null } as const;
  expect(watchFaults({ ...WELL, ...quiet, unappliedS: 0, overdueS: 0 })).toEqual([]);
});

describe('each fault is told by its name', () => {
  const faults: Readonly<Record<(typeof WATCH_FAULTS)[number], Partial<Seen>>> = {
    database: { overdueS: null },
    beat: { beat: { became: 'failed' } },
    dry_life: { dryLife: { became: 'failed' } },
    unapplied: { unappliedS: 10 },
    overdue: { overdueS: 30 },
    carriers: { carriers: ['fails', 'fails'] },
    disk: { disk: 'low' },
    clock_lost: { clock: 'lost' },
    clock_stepped: { clockSteppedS: 59.9 },
    bus: { bus: 'disconnected' },
    own_way: { ownWay: 'fails' },
    senders: { senders: 'silent' },
  };

  test.each(WATCH_FAULTS)('%s', fault => {
    expect(watchFaults({ ...WELL, ...faults[fault] })).toEqual([fault]);
  });

  test('all of them, what concerns everybody first', () => {
    const all = Object.assign({}, WELL, ...Object.values(faults)) as Seen;
    expect(watchFaults({ ...all, overdueS: null })).toEqual(WATCH_FAULTS.filter(fault => fault !== 'overdue'));
  });
});
