import { describe, expect, test } from 'vitest';
import { type ArmedMode, armedAfter, type ShownState, shownState } from '../../services/domain/arming.ts';
import { MODES, type ModeId } from '../../services/domain/mode.ts';

const STATES: readonly ArmedMode[] = [null, ...MODES];

describe('SPEC.md 3: alarm arming state', () => {
  test.each(MODES)('armed in %s, arm without a mode: the same, it is armed again', mode => {
    expect(armedAfter(mode, { verb: 'arm', named: null }, MODES)).toBe(mode);
  });

  test('disarmed, arm without a mode: away', () => {
    expect(armedAfter(null, { verb: 'arm', named: null }, MODES)).toBe('away');
  });

  test.each<[ModeId, readonly ModeId[]]>([
    ['home', ['away', 'night']],
    ['vacation', ['home']],
    ['away', ['home']],
  ])('armed in %s that was deleted since (left: %j), arm without a mode: away', (mode, left) => {
    expect(armedAfter(mode, { verb: 'arm', named: null }, left)).toBe('away');
  });

  test('DECISIONS.md "Bare arm, disarmed": away even where the alarm has no away', () => {
    expect(armedAfter(null, { verb: 'arm', named: null }, ['home'])).toBe('away');
  });

  test.each(STATES)('%s, disarm: disarmed', from => {
    expect(armedAfter(from, { verb: 'disarm' }, MODES)).toBeNull();
  });

  test.each(
    STATES.flatMap(from => MODES.map(mode => [from, mode] as const)),
  )('DECISIONS.md "arm/{modeId}": %s, arm in %s: that mode', (from, mode) => {
    expect(armedAfter(from, { verb: 'arm', named: mode }, MODES)).toBe(mode);
  });
});

describe('SPEC.md 4: what state says', () => {
  test.each<[ArmedMode, 'open' | 'none', ShownState]>([
    [null, 'none', 'disarmed'],
    ['home', 'none', 'home'],
    ['away', 'none', 'away'],
    ['night', 'none', 'night'],
    ['vacation', 'none', 'vacation'],
    [null, 'open', 'triggered'],
    ['home', 'open', 'triggered'],
    ['vacation', 'open', 'triggered'],
  ])('armed in %s, incident %s: %s', (armedMode, incident, shown) => {
    expect(shownState(armedMode, incident === 'open')).toBe(shown);
  });
});
