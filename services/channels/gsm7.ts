/** The letters of a text that take one place in GSM 03.38, and those that take two. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '\f^{}\\[~]|€';

const PLACES: ReadonlyMap<string, number> = new Map([
  ...[...BASIC].map(letter => [letter, 1] as const),
  ...[...EXTENDED].map(letter => [letter, 2] as const),
]);

/** Room in the one part of a short text, and in each part of a longer one. */
const GSM7 = { alone: 160, each: 153 };
const UCS2 = { alone: 70, each: 67 };

/**
 * As how many parts carriers send and charge a text: in GSM 03.38 where all its letters are in there, else in UCS-2 with
 * less than half the room. What takes two places is never divided between two parts.
 */
export function partsOf(text: string): number {
  const letters = [...text];
  if (!isGsm7(text)) {
    return partsIn(
      letters.map(letter => letter.length),
      UCS2,
    );
  }
  return partsIn(
    letters.map(letter => PLACES.get(letter) ?? 1),
    GSM7,
  );
}

/** Whether all letters of a text are in GSM 03.38. */
export function isGsm7(text: string): boolean {
  return [...text].every(letter => PLACES.has(letter));
}

function partsIn(places: readonly number[], room: { alone: number; each: number }): number {
  if (places.reduce((sum, place) => sum + place, 0) <= room.alone) return 1;
  let parts = 1;
  let taken = 0;
  for (const place of places) {
    if (taken + place > room.each) {
      parts++;
      taken = 0;
    }
    taken += place;
  }
  return parts;
}

/** Signs that look the same in GSM 03.38: one of them would halve the room of a whole text. */
const ALIKE: ReadonlyMap<string, string> = new Map([
  ...[...'‘’‚‛′`´'].map(sign => [sign, "'"] as const),
  ...[...'“”„‟″«»'].map(sign => [sign, '"'] as const),
  ...[...'‐‑‒–—―−'].map(sign => [sign, '-'] as const),
  ...[...'\u00a0\u2009\u202f\u2007'].map(sign => [sign, ' '] as const),
  ['…', '...'],
  ['•', '-'],
]);

/** A text with its signs, not its letters, written as GSM 03.38 has them. */
export function withPlainSigns(text: string): string {
  return [...text].map(letter => ALIKE.get(letter) ?? letter).join('');
}
