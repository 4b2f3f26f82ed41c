import { suggestion } from '../../process/suggest.ts';
import { shown } from '../fields.ts';
import type { NounKind, ReferredKind } from '../noun.ts';
import { nounOf } from '../nouns.ts';
import { MOST_PROBLEMS, type Problem } from './problem.ts';
import type { FileThing } from './things.ts';
import { takingTurns } from './turns.ts';

/** The ids of the things of each kind, by key: of what is stored and of what is yet to be made. */
export type Ids = ReadonlyMap<NounKind, ReadonlyMap<string, string>>;

/** What the file names and what is not there, with what was probably meant. */
export async function unknownReferences(things: readonly FileThing[], ids: Ids, prune: Prune): Promise<Problem[]> {
  const turn = takingTurns();
  const problems: Problem[] = [];
  for (const { named } of things) {
    for (const { kind, field, key, line, column } of named) {
      const known = ids.get(kind)!;
      if (known.has(key)) continue;
      const problem = `takes the key of ${aThing(kind)} ${WHERE[prune]}, got ${shown(key)}.`;
      problems.push({ line, column, field, problem, didYouMean: suggestion(key, known.keys()) });
      if (problems.length > MOST_PROBLEMS) return problems;
    }
    await turn();
  }
  return problems;
}

/** Whether what the file does not name goes or stays. */
export type Prune = 'prune' | 'keep';

const WHERE: Record<Prune, string> = {
  keep: 'of this file or this account',
  prune: 'of this file (what it does not name is deleted)',
};

function aThing(kind: ReferredKind): string {
  return `${kind === 'alarm' ? 'an' : 'a'} ${nounOf(kind).word}`;
}

/** Puts ids in the place of the keys of a document that names nothing unknown. */
export function takeIds({ kind, doc }: FileThing, ids: Ids): void {
  for (const reference of nounOf(kind).references(doc!)) {
    reference.take(ids.get(reference.kind)!.get(reference.named)!);
  }
}
