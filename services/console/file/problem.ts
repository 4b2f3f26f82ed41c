/** A place in a file. Line 0: the file as a whole. */
export interface Place {
  line: number;
  column: number;
}

/** One thing that is wrong in a file. Never holds a secret. */
export interface Problem extends Place {
  /** Path by the file's own names, such as `alarms[3].modes[0].windowS`. */
  field: string;
  /** What is accepted and what was got. */
  problem: string;
  /** What was probably meant; empty: nothing comes near. */
  didYouMean: string;
}

/** How many problems of a file are told. */
export const MOST_PROBLEMS = 200;

export const WHOLE_FILE: Place = { line: 0, column: 0 };

/** A problem of the file as a whole. */
export function ofWholeFile(problem: string): Problem {
  return { ...WHOLE_FILE, field: '', problem, didYouMean: '' };
}

/** In the order of the file, no more than are told. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return sorted.slice(0, MOST_PROBLEMS);
}

/** What looks like a secret of this product is never repeated, wherever somebody wrote it by mistake. */
export function withoutSecrets(sentence: string): string {
  return sentence.replaceAll(/\b(toc|tcn)_[0-9A-Za-z]+/g, '$1_…');
}

/** A name that somebody made up, as a path may show it. */
export function namePart(name: string): string {
  return withoutSecrets(name.slice(0, 64)).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
}
