import { MODES } from '../process/vocabulary.ts';

export { MODES };

export type ModeId = (typeof MODES)[number];

/** The display names of the modes of a new alarm (DECISIONS.md "A new alarm"). */
export const MODE_NAMES: Record<ModeId, string> = { home: 'Home', away: 'Away', night: 'Night', vacation: 'Vacation' };

/** The mode that a bare arm or trigger falls back to (SPEC.md 3 and 4). */
export const FALLBACK_MODE: ModeId = 'away';

/** Tells whether a word from outside is one of the four modes. Exact match: no other case, no blanks. */
export function isMode(word: string): word is ModeId {
  return (MODES as readonly string[]).includes(word);
}

/**
 * Returns the mode that a call acts on (SPEC.md 3 and 4, DECISIONS.md "Bare arm, disarmed", "Bare trigger"):
 *
 * - a named mode, whatever the alarm is armed in;
 * - without a name, the armed mode; `away` if disarmed or if the armed mode was deleted since.
 *
 * `modes` are those the alarm has. Whether the result is among them is a separate question: see `judge` in source.ts.
 */
export function effectiveMode(named: ModeId | null, armedMode: ModeId | null, modes: readonly ModeId[]): ModeId {
  if (named !== null) return named;
  if (armedMode !== null && modes.includes(armedMode)) return armedMode;
  return FALLBACK_MODE;
}
