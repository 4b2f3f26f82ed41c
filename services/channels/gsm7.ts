/** The characters that take one place in GSM 03.38, and those that take two. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '\f^{}\\[~]|€';

const PLACES: ReadonlyMap<string, number> = new Map([
  ...[...BASIC].map(letter => [letter, 1] as const),
  ...[...EXTENDED].map(letter => [letter, 2] as const),
]);

/** The room in a single-part text, and in each part of a longer one. */
const GSM7 = { alone: 160, each: 153 };
const UCS2 = { alone: 70, each: 67 };

/**
 * Returns the number of parts in which carriers send and charge a text: in GSM 03.38 if it has all the characters,
 * otherwise in UCS-2 with less than half the room. A character of two places is never split between parts.
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

/** Tells whether all characters of a text are in GSM 03.38. */
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

/** Characters with a lookalike in GSM 03.38: a single one of them would halve the room of a whole text. */
const ALIKE: ReadonlyMap<string, string> = new Map([
  ...[...'‘’‚‛′`´'].map(sign => [sign, "'"] as const),
  ...[...'“”„‟″«»'].map(sign => [sign, '"'] as const),
  ...[...'‐‑‒–—―−'].map(sign => [sign, '-'] as const),
  ...[...'\u00a0\u2009\u202f\u2007'].map(sign => [sign, ' '] as const),
  ['…', '...'],
  ['•', '-'],
]);

/** Replaces a text's punctuation, not its letters, by lookalikes in GSM 03.38. */
export function withPlainSigns(text: string): string {
  return [...text].map(letter => ALIKE.get(letter) ?? letter).join('');
}
