import type { Document, OwnedRow, Resource, Stored } from './resource.ts';

/** One thing to be created, changed or deleted. `before` was read under the account's lock. */
export interface Edit {
  resource: Resource;
  action: 'create' | 'update' | 'delete';
  id: string;
  before: Stored | null;
  after: Document | null;
}

/** Returns an edit of one resource for a list of edits of all: `before` null creates, `after` null deletes. */
export function editOf<Doc extends Document, Row extends OwnedRow>(
  resource: Resource<Doc, Row>,
  id: string,
  before: Stored<Doc> | null,
  after: Doc | null,
): Edit {
  const action = before === null ? 'create' : after === null ? 'delete' : 'update';
  // Safe, because a resource only receives documents of its own edits.
  return { resource: resource as unknown as Resource, action, id, before, after };
}
