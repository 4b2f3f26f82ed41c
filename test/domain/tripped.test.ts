import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../../services/domain/decide.ts';
import { trippedAlso, trippedBy } from '../../services/domain/tripped.ts';
import { alarm, at, incident, seconds, state } from '../support/decide.ts';

describe('DECISIONS.md "What tripped": the first key, then the last three others that joined', () => {
  test.each<[string, (number | null)[], number[]]>([
    ['nothing', [], []],
    ['one', [1], [1]],
    ['one, however often', [1, 1, 1], [1]],
    ['two', [1, 2], [1, 2]],
    ['five: the second is not told any more', [1, 2, 3, 4, 5], [1, 3, 4, 5]],
    ['the first again: it is told as the first', [1, 2, 3, 1], [1, 2, 3]],
    ['one that joined, again: it is the latest', [1, 2, 3, 4, 2], [1, 3, 4, 2]],
    ['one that was not told any more, again', [1, 2, 3, 4, 5, 2], [1, 4, 5, 2]],
    ['a trigger with nobody’s key changes nothing', [null, 1, null, 2, null], [1, 2]],
  ])('%s', (_what, keys, told) => {
    expect(keys.reduce<readonly number[]>(trippedAlso, [])).toEqual(told);
  });

  test('whoever triggers, in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 40 }), keys => {
        const [first] = keys;
        const others = [...new Set(keys.toReversed())].filter(key => key !== first);
        expect(keys.reduce<readonly number[]>(trippedAlso, [])).toEqual([first, ...others.slice(0, 3).reverse()]);
      }),
    );
  });

  test('what says nothing new is the same list, so that nothing is written for it', () => {
    const keys = [1, 2, 3];
    for (const key of [1, 3, null]) expect(trippedAlso(keys, key)).toBe(keys);
  });
});

describe('an incident knows whose triggers it counts', () => {
  test('of the trigger that opens it, and of those that join it', () => {
    const actions = [7, 9, 7, 8].map((keySeq, s) => at(s).trigger({ keySeq }));
    expect(decide(alarm(), state(), actions, seconds(5)).state.incident?.trippedKeys).toEqual([7, 9, 8]);
  });

  test('of the trigger that began its window, even where another one shortened it, and of those that joined meanwhile', () => {
    const actions = [
      at(0).trigger({ keySeq: 7, windowS: 60 }),
      at(10).trigger({ keySeq: 8, windowS: 60 }),
      at(20).trigger({ keySeq: 9, mode: 'night', windowS: 10 }),
    ];
    const { state: now } = decide(alarm(), state(), actions, seconds(40));
    expect(now.incident).toMatchObject({ mode: 'night', trippedKeys: [7, 8, 9] });
  });

  test('the next one begins with nobody', () => {
    const actions = [at(0).trigger({ keySeq: 7 }), at(1).clear(), at(2).trigger({ keySeq: 8 })];
    expect(decide(alarm(), state(), actions, seconds(3)).state.incident?.trippedKeys).toEqual([8]);
  });

  test('a person who rehearses is no key; a device that joins the rehearsal is', () => {
    const rehearsed = at(0).trigger({ actor: 'anna', environment: 'test' });
    const { state: now } = decide(alarm(), state(), [rehearsed], seconds(1));
    expect(now.incident?.trippedKeys).toEqual([]);
    const joined = decide(alarm(), now, [at(2).trigger({ environment: 'test', keySeq: 7 })], seconds(3));
    expect(joined.state.incident?.trippedKeys).toEqual([7]);
  });

  test('nothing but a trigger changes it', () => {
    const open = state({ incident: incident({ trippedKeys: [7] }) });
    const actions = [at(1).arm('night'), at(2).acknowledge('open-1'), at(3).disarm()].map(action => ({
      ...action,
      keySeq: 9,
    }));
    expect(decide(alarm(), open, actions, seconds(4)).state.incident?.trippedKeys).toEqual([7]);
  });
});

describe('what is told: the label of each, the first key’s first', () => {
  test.each<[string, number[], Record<string, string>, string[]]>([
    ['in the order of the keys, whatever the order of the numbers', [9, 7], { 7: 'Hall', 9: 'Door' }, ['Door', 'Hall']],
    ['two keys of one label are one thing to whoever reads it', [7, 8], { 7: 'Camera', 8: 'Camera' }, ['Camera']],
    ['a key without a label is left out', [7, 8], { 8: 'Hall' }, ['Hall']],
    ['nothing', [], {}, []],
  ])('%s', (_what, keys, labels, told) => {
    expect(trippedBy(keys, labels)).toEqual(told);
  });
});
