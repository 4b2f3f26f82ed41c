/** A place in a file. Line 0: the file as a whole. */
export interface FilePlace {
  line: number;
  column: number;
}

/** One problem of a file. Never contains a secret. */
export interface Problem extends FilePlace {
  /** Path by the file's own names, such as `alarms[3].modes[0].windowS`. */
  field: string;
  /** What is accepted and what was got. */
  problem: string;
  /** What was probably meant; empty if nothing comes near. */
  didYouMean: string;
}

/** How many problems of a file are reported. */
export const MOST_PROBLEMS = 200;

/** Returns a problem of a field at its place. */
export function problemAt({ line, column }: FilePlace, field: string, problem: string, didYouMean = ''): Problem {
  return { line, column, field, problem, didYouMean };
}

/** Returns a problem of the file as a whole. */
export function ofWholeFile(problem: string): Problem {
  return problemAt({ line: 0, column: 0 }, '', problem);
}

/** Sorts problems by their place in the file and cuts them to as many as are reported. */
export function inOrder(problems: readonly Problem[]): Problem[] {
  const sorted = problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return sorted.slice(0, MOST_PROBLEMS);
}

/** Removes what looks like a secret of this product, wherever somebody wrote it by mistake. */
export function withoutSecrets(sentence: string): string {
  return sentence.replaceAll(/\b(toc|tcn)_[0-9A-Za-z]+/g, '$1_…');
}

/** Tells whether a path names a field or something in it. */
export function isWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

/** Returns an arbitrary name as a path may show it. */
export function namePart(name: string): string {
  return withoutSecrets(name.slice(0, 64)).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '');
}
