import type { Document, Noun, Stored } from './noun.ts';

/** One thing that is made, changed or deleted. `before` is what was read under the account's lock. */
export interface Edit {
  noun: Noun;
  action: 'create' | 'update' | 'delete';
  id: string;
  before: Stored | null;
  after: Document | null;
}

/** An edit of one noun among edits of all: `before` null creates, `after` null deletes. */
export function editOf<Doc extends Document>(
  noun: Noun<Doc>,
  id: string,
  before: Stored<Doc> | null,
  after: Doc | null,
): Edit {
  const action = before === null ? 'create' : after === null ? 'delete' : 'update';
  // Safe, because a noun is only ever given documents of its own edits.
  return { noun: noun as unknown as Noun, action, id, before, after };
}
