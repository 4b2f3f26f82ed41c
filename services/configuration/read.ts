import type { EntityManager, EntityName, FilterQuery } from '@mikro-orm/postgresql';
import { pageOf } from '../rpc/pages.ts';
import type { Seal } from '../store/seal.ts';
import type { Document, Living, OwnedRow, ReadParts, Resource, Stored } from './resource.ts';

/** A page: its things, and the token of the next one; empty after the last. */
export interface Page<T> {
  things: T[];
  nextPageToken: string;
}

/** Where and how things are read. */
export interface ReadOn {
  em: EntityManager;
  accountId: string;
  seal: Seal;
}

/** How many rows become objects before other work of this process gets a turn. */
const AT_ONCE = 500;

/** Reads all existing things of one kind in the order of creation. */
export async function readAll<Doc extends Document, Row extends OwnedRow>(
  deps: ReadOn,
  resource: Resource<Doc, Row>,
): Promise<Stored<Doc>[]> {
  const all: Stored<Doc>[] = [];
  for (;;) {
    const after = all.at(-1)?.seq ?? '0';
    const some = await read(deps, resource, { seq: { $gt: after } }, { orderBy: { seq: 'asc' }, limit: AT_ONCE });
    all.push(...some);
    if (some.length < AT_ONCE) return all;
  }
}

/** Reads one thing by its id or key; null if this account has none. An id takes precedence over an equal key. */
export async function readOne<Doc extends Document, Row extends OwnedRow>(
  deps: ReadOn,
  resource: Resource<Doc, Row>,
  named: string,
): Promise<Stored<Doc> | null> {
  const found = await read(deps, resource, { $or: [{ id: named }, { key: named }] }, {});
  return found.find(({ id }) => id === named) ?? found[0] ?? null;
}

/**
 * Reads those after the place that `after` names (a `seq`): at a location, and with names that contain `search`, unless
 * these are empty.
 */
export async function readPage<Doc extends Document, Row extends OwnedRow>(
  deps: ReadOn,
  resource: Resource<Doc, Row>,
  { after, size, locationId = '', search = '' }: { after: string; size: number; locationId?: string; search?: string },
): Promise<Page<Stored<Doc>>> {
  const where = {
    seq: { $gt: after },
    ...(locationId === '' ? {} : { locationId }),
    ...(search === '' ? {} : { name: { $ilike: `%${search.replace(/[\\%_]/g, '\\$&')}%` } }),
  };
  const found = await read(deps, resource, where, { orderBy: { seq: 'asc' }, limit: size + 1 });
  const { page: things, nextPageToken } = pageOf(found, size, ({ seq }) => seq);
  return { things, nextPageToken };
}

/** Returns existing things by their id and key. */
export function readKeys<Row extends OwnedRow>(
  { em, accountId }: Pick<ReadOn, 'em' | 'accountId'>,
  of: Living<Row>,
  where: FilterQuery<OwnedRow>,
  more: Pick<Asked, 'orderBy' | 'limit'> = {},
): Promise<Pick<OwnedRow, 'id' | 'key'>[]> {
  return find(em, of.entity, living(of, accountId, where as object), { ...more, fields: ['id', 'key'] });
}

async function read<Doc extends Document, Row extends OwnedRow>(
  { em, accountId, seal }: ReadOn,
  resource: Resource<Doc, Row>,
  where: object,
  more: Asked,
): Promise<Stored<Doc>[]> {
  const rows = await find(em, resource.entity, living(resource, accountId, where), more);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const parts: ReadParts = async (entity, of, { narrowed = {}, orderBy } = {}) => {
    const within = { accountId, [of]: { $in: ids }, ...(narrowed as object) };
    const found = await find(em, entity, within as never, { ...(orderBy && { orderBy }) });
    return Map.groupBy(found, row => row[of] as string);
  };
  const open = await resource.reader(parts, seal);
  return rows.map(row => ({ id: row.id, seq: row.seq, version: row.version, ...open(row) }));
}

interface Asked {
  orderBy?: object;
  limit?: number;
  fields?: readonly string[];
}

/** Reads rows as stored at that moment, as plain objects: creating managed ones takes five times as long. */
function find<Row extends object>(
  em: EntityManager,
  entity: EntityName<Row>,
  where: FilterQuery<Row>,
  { orderBy = {}, limit, fields = ['*'] }: Asked,
): Promise<Row[]> {
  const query = em
    .createQueryBuilder(entity)
    .select(fields as never)
    .where(where as never)
    .orderBy(orderBy);
  return (limit === undefined ? query : query.limit(limit)).execute('all') as unknown as Promise<Row[]>;
}

function living<Row extends OwnedRow>(of: Living<Row>, accountId: string, where: object): FilterQuery<Row> {
  return { ...(of.living as object), ...where, accountId } as FilterQuery<Row>;
}
