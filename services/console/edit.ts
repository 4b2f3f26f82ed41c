import type { Document, OwnedRow, Resource, Stored } from './resource.ts';

/** One thing that is made, changed or deleted. `before` is what was read under the account's lock. */
export interface Edit {
  resource: Resource;
  action: 'create' | 'update' | 'delete';
  id: string;
  before: Stored | null;
  after: Document | null;
}

/** An edit of one resource among edits of all: `before` null creates, `after` null deletes. */
export function editOf<Doc extends Document, Row extends OwnedRow>(
  resource: Resource<Doc, Row>,
  id: string,
  before: Stored<Doc> | null,
  after: Doc | null,
): Edit {
  const action = before === null ? 'create' : after === null ? 'delete' : 'update';
  // Safe, because a resource is only ever given documents of its own edits.
  return { resource: resource as unknown as Resource, action, id, before, after };
}
