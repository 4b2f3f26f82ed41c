/** The exit codes of `tocsin`. Scripts rely on the numbers, so their meaning never changes. */
export const EXIT = {
  ok: 0,
  refused: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  unreachable: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The table that `tocsin --help` prints. */
export const EXIT_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT.ok, 'done'],
  [EXIT.refused, 'refused by a rule, or something was found: problems in a file, findings with --strict'],
  [EXIT.usage, 'wrong usage, or a value that is not accepted'],
  [EXIT.notFound, 'no such thing in this account'],
  [EXIT.notAllowed, 'no token, a wrong one, or one that may not do this'],
  [EXIT.conflict, 'changed by somebody else, taken already, still in use, or more than the plan covers'],
  [EXIT.unreachable, 'Tocsin cannot be reached or does not answer in time'],
  [EXIT.interrupted, 'interrupted'],
];

/**
 * An end with a reason, as a sentence: what was wrong, what was got, what is accepted, what to do. Never contains a
 * secret.
 */
export class CliFault extends Error {
  override readonly name = 'CliFault';
  readonly exit: ExitCode;

  constructor(exit: ExitCode, sentence: string) {
    super(sentence);
    this.exit = exit;
  }
}

/** Wrong usage: what was typed cannot be understood. */
export function usageFault(sentence: string): CliFault {
  return new CliFault(EXIT.usage, sentence);
}
