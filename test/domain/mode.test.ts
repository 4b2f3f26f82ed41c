import { describe, expect, test } from 'vitest';
import { effectiveMode, isMode, MODES, type ModeId } from '../../services/domain/mode.ts';

test('SPEC.md 2: the armed modes are home, away, night and vacation, and lists show them in this order', () => {
  expect(MODES).toEqual(['home', 'away', 'night', 'vacation']);
});

describe('SPEC.md 4: a mode is one of the four words, exactly', () => {
  test.each(['home', 'away', 'night', 'vacation'])('%s is one', word => expect(isMode(word)).toBe(true));
  test.each([
    'Home',
    'HOME',
    ' home',
    'home ',
    'disarmed',
    'triggered',
    'none',
    '',
    'constructor',
    'hοme',
    'length',
  ])('%j is none', word => expect(isMode(word)).toBe(false));
});

describe('DECISIONS.md "Bare trigger" and "Bare arm, disarmed": the mode that a call acts on', () => {
  const ALL = MODES;
  test.each<[named: ModeId | null, armedIn: ModeId | null, has: readonly ModeId[], actsOn: ModeId]>([
    // A named mode stands as it is.
    ['night', null, ALL, 'night'],
    ['night', 'home', ALL, 'night'],
    ['night', 'home', ['home'], 'night'],
    // Without a name: the armed mode.
    [null, 'home', ALL, 'home'],
    [null, 'away', ALL, 'away'],
    [null, 'night', ALL, 'night'],
    [null, 'vacation', ALL, 'vacation'],
    [null, 'night', ['night'], 'night'],
    // Disarmed: away, even where the alarm has no away.
    [null, null, ALL, 'away'],
    [null, null, ['home'], 'away'],
    [null, null, [], 'away'],
    // Armed mode deleted since: away.
    [null, 'night', ['home', 'away'], 'away'],
    [null, 'night', ['home'], 'away'],
    [null, 'night', [], 'away'],
  ])('named %s, armed in %s, modes %j: %s', (named, armedIn, has, actsOn) => {
    expect(effectiveMode(named, armedIn, has)).toBe(actsOn);
  });
});
