import { pageOf } from '../rpc/pages.ts';
import type { Seal } from '../store/seal.ts';
import { type Connection, run } from '../store/statement.ts';
import type { Document, Resource, Stored } from './resource.ts';

/** A page: what it holds, and the token of the next one; empty after the last. */
export interface Page<T> {
  things: T[];
  nextPageToken: string;
}

/** All living things of one kind in the order of creation. */
export function readAll<Doc extends Document>(on: Connection, resource: Resource<Doc>, accountId: string, seal: Seal) {
  return read(on, resource, seal, { name: 'all', tail: 'ORDER BY t.seq' }, [accountId]);
}

/** One thing by its id or its key; null where there is none in this account. An id goes before an equal key. */
export async function readOne<Doc extends Document>(
  on: Connection,
  resource: Resource<Doc>,
  accountId: string,
  seal: Seal,
  named: string,
): Promise<Stored<Doc> | null> {
  const tail = 'AND (t.id = $2 OR t.key = $2) ORDER BY t.id = $2 DESC LIMIT 1';
  const [found] = await read(on, resource, seal, { name: 'one', tail }, [accountId, named]);
  return found ?? null;
}

/** Those after the place that `after` names (a `seq`), narrowed to a location where `locationId` is not empty. */
export async function readPage<Doc extends Document>(
  on: Connection,
  resource: Resource<Doc>,
  accountId: string,
  seal: Seal,
  page: { after: string; size: number; locationId?: string },
): Promise<Page<Stored<Doc>>> {
  const { after, size, locationId = '' } = page;
  const values: unknown[] = [accountId, after, size + 1];
  let tail = 'AND t.seq > $2 ORDER BY t.seq LIMIT $3';
  if (locationId !== '') {
    tail = `AND t.location_id = $4 ${tail}`;
    values.push(locationId);
  }
  const found = await read(on, resource, seal, { name: locationId === '' ? 'page' : 'page_of_location', tail }, values);
  const { page: things, nextPageToken } = pageOf(found, size, ({ seq }) => seq);
  return { things, nextPageToken };
}

async function read<Doc extends Document>(
  on: Connection,
  resource: Resource<Doc>,
  seal: Seal,
  narrowing: { name: string; tail: string },
  values: readonly unknown[],
): Promise<Stored<Doc>[]> {
  const statement = {
    name: `console_${resource.kind}_${narrowing.name}`,
    text: `${resource.select} ${narrowing.tail}`,
  };
  const rows = await run<Stored<Doc>>(on, statement, values);
  return rows.map(row => ({ ...row, doc: resource.opened?.(row.doc, seal) ?? row.doc }));
}
