import { describe, expect, test, vi } from 'vitest';
import { Coalescer } from '../../facade/realtime/hub.ts';
import { spread } from '../../facade/realtime/spread.ts';
import { Wheel } from '../../facade/realtime/wheel.ts';
import { spend } from '../../services/limits/allowance.ts';

test('an allowance is spent, and grows back to what it was and no further', () => {
  const allowance = { left: 2, countedAt: 0 };
  const rate = { burst: 2, perSecond: 10 };
  const at = (now: number) => spend(allowance, now, rate);
  expect([at(0), at(0), at(0), at(99)]).toEqual(['within', 'within', 'over', 'over']);
  expect([at(100), at(100)]).toEqual(['within', 'over']);
  expect([at(60_000), at(60_000), at(60_000)]).toEqual(['within', 'within', 'over']);
});

describe('with the time in hand', () => {
  test('the first signal goes at once, then one in every window while there are more', () => {
    vi.useFakeTimers();
    const sent: [number, string[]][] = [];
    const start = Date.now();
    const coalescer = new Coalescer(250, alarms => sent.push([Date.now() - start, [...alarms].sort()]));
    coalescer.signal('a');
    for (let n = 0; n < 50; n += 1) {
      coalescer.signal(n % 2 === 0 ? 'b' : '');
      vi.advanceTimersByTime(10);
    }
    vi.advanceTimersByTime(10_000);
    coalescer.signal('c');
    expect(sent).toEqual([
      [0, ['a']],
      [250, ['', 'b']],
      [500, ['', 'b']],
      [10_500, ['c']],
    ]);
    coalescer.signal('d');
    coalescer.stop();
    vi.advanceTimersByTime(10_000);
    expect(sent).toHaveLength(4);
    vi.useRealTimers();
  });

  test('what is spread is done once each, in order, within the time; few at once; and can be stopped', () => {
    vi.useFakeTimers();
    const run = (count: number) => {
      const done: [number, number][] = [];
      const start = Date.now();
      const items = Array.from({ length: count }, (_, n) => n);
      const stop = spread(items, { mostMs: 1_000, eachMs: 2 }, item => done.push([Date.now() - start, item]));
      return { done, stop };
    };
    expect(run(0).done).toEqual([]);
    expect(run(3).done).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
    ]);
    const many = run(5_000);
    expect(many.done.length).toBe(250);
    vi.advanceTimersByTime(1_000);
    expect(many.done.map(([, item]) => item)).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
    expect(new Set(many.done.map(([at]) => at)).size).toBe(20);
    const stopped = run(5_000);
    stopped.stop();
    vi.advanceTimersByTime(1_000);
    expect(stopped.done).toHaveLength(250);
    vi.useRealTimers();
  });

  test('the wheel visits each once in every period, not all together, and no more once removed', () => {
    vi.useFakeTimers();
    const visits: string[] = [];
    let together = 0;
    const wheel = new Wheel<string>(30_000, item => visits.push(item));
    const names = Array.from({ length: 60 }, (_, n) => `peer ${n}`);
    const slots = names.map(name => wheel.add(name));
    for (let second = 0; second < 30; second += 1) {
      const before = visits.length;
      vi.advanceTimersByTime(1_000);
      together = Math.max(together, visits.length - before);
    }
    expect(visits.toSorted()).toEqual(names.toSorted());
    expect(together).toBe(2);
    wheel.remove('peer 7', slots[7]!);
    wheel.remove('peer 8', -1);
    vi.advanceTimersByTime(30_000);
    expect(visits.filter(name => name === 'peer 7')).toHaveLength(1);
    expect(visits.filter(name => name === 'peer 8')).toHaveLength(2);
    wheel.stop();
    vi.advanceTimersByTime(30_000);
    expect(visits).toHaveLength(119);
    vi.useRealTimers();
  });
});
