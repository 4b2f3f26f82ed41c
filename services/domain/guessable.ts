/**
 * The fewest different characters that count as random, and the most neighbours that are equal or follow one another. Of 30
 * random letters and digits 24 are different and one neighbour follows; one key in five million falls outside and is refused
 * too.
 */
const DIFFERENT_LEAST = 14;
const STEPS_MOST = 11;

/**
 * Whether letters and digits that somebody chose can be guessed, as far as that can be seen: too few different ones, a row
 * such as `abcdef` or `111111`, or letters of one case only. `text`: what is random of a key, 30 characters (DECISIONS.md
 * "Key format"). Says nothing of words that are well mixed.
 */
export function isGuessable(text: string): boolean {
  const codes = [...text].map(one => one.codePointAt(0)!);
  const steps = codes.filter((code, at) => at > 0 && Math.abs(code - codes[at - 1]!) <= 1).length;
  const ofOneCase = text === text.toLowerCase() || text === text.toUpperCase();
  return new Set(codes).size < DIFFERENT_LEAST || steps > STEPS_MOST || ofOneCase;
}
