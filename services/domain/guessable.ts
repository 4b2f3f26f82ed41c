/**
 * The fewest distinct characters, and the most neighbours that are equal or consecutive, for a text to count as random.
 * Of 30 random letters and digits about 24 are distinct and one pair of neighbours is consecutive; one random key in
 * five million fails the test and is refused too.
 */
const DIFFERENT_LEAST = 14;
const STEPS_MOST = 11;

/**
 * Tells whether letters and digits that somebody chose can be guessed, as far as that can be seen: too few distinct
 * ones, runs such as `abcdef` or `111111`, or letters of one case only. `text`: the random part of a key, 30 characters
 * (DECISIONS.md "Key format"). Does not detect words that are well mixed.
 */
export function isGuessable(text: string): boolean {
  const codes = [...text].map(one => one.codePointAt(0)!);
  const steps = codes.filter((code, at) => at > 0 && Math.abs(code - codes[at - 1]!) <= 1).length;
  const ofOneCase = text === text.toLowerCase() || text === text.toUpperCase();
  return new Set(codes).size < DIFFERENT_LEAST || steps > STEPS_MOST || ofOneCase;
}
