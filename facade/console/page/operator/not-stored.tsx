import type { ComponentChildren } from 'preact';
import { type Doing, Refused } from '../forms/edit.tsx';
import { wordsOf } from '../words.ts';

/** Says why what the operator typed is not stored: somebody else was first, a field is wrong, or it was tried and does not work. */
export function NotStored(on: {
  doing: Doing;
  /** The fields that say themselves what is wrong with them. */
  fields: readonly string[];
  /** What came of trying it, in words, where it can be stored all the same; null: nothing did. */
  problem?: string | null;
  /** What stands before that. */
  children?: ComponentChildren;
  storeAnyway?(): void;
}) {
  const { doing, problem = null } = on;
  return (
    <>
      {doing.refusal?.kind === 'conflict' && (
        <p class="notice" role="alert">
          {doing.refusal.message}
        </p>
      )}
      <Refused on={doing} shown={on.fields} />
      {problem !== null && (
        <div class="notice bad" role="alert">
          <div>
            {on.children} <span dir="auto">{problem}</span>
            <p>
              <button type="button" class="button bare" onClick={on.storeAnyway}>
                {wordsOf('operator').carriers.storeAnyway}
              </button>
            </p>
          </div>
        </div>
      )}
    </>
  );
}
