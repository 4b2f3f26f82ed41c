import type { EntityManager, EntitySchema } from '@mikro-orm/postgresql';
import type { PoolClient } from 'pg';
import { Account } from './entities/account.ts';
import { Audit } from './entities/audit.ts';
import { Contact, ContactChannel } from './entities/contact.ts';
import { Duty } from './entities/duty.ts';
import { ApiKey, ApiKeySecret, ConsoleToken } from './entities/key.ts';
import { Location } from './entities/location.ts';
import { Member } from './entities/member.ts';
import { Policy } from './entities/policy.ts';
import { Mode, Source, SourceState } from './entities/source.ts';
import { run, type Statement } from './statement.ts';

/** Rows of one entity, keyed by property names; all name the same properties. */
export interface Rows {
  entity: EntitySchema;
  rows: readonly object[];
  /**
   * The properties set only for a new row and left alone by later writes; `all`: a row that exists already is refused.
   */
  once: readonly string[] | 'all';
}

/** Returns rows of an entity, type-checked against its properties. */
export function rowsOf<Row extends object, Name extends keyof Row & string>(
  entity: { '~entity': Row },
  rows: readonly Pick<Row, Name>[],
  once: readonly Name[] = [],
): Rows {
  return { entity: entity as unknown as EntitySchema, rows, once };
}

/** Like rowsOf, for rows that do not exist yet. */
export function newRowsOf<Row extends object, Name extends keyof Row & string>(
  entity: { '~entity': Row },
  rows: readonly Pick<Row, Name>[],
): Rows {
  return { entity: entity as unknown as EntitySchema, rows, once: 'all' };
}

/** The order in which tables are written, so that two writers never deadlock. */
const ORDER: readonly unknown[] = [
  Account,
  Location,
  Contact,
  ContactChannel,
  Duty,
  Policy,
  Source,
  Mode,
  SourceState,
  ApiKey,
  ApiKeySecret,
  ConsoleToken,
  Member,
  Audit,
];

/** Limits the size of one statement. */
const CHUNK = 1_000;

/**
 * Stores new and changed rows with a few statements per table, derived from its entity; every write increments the
 * version if the entity has one. Does not use the mapper's unit of work, which puts values into the text of its
 * statements: people's names would appear in the server's log when one fails. Call it inside the transaction of
 * `client`, to which `em` belongs.
 */
export async function saveRows(client: PoolClient, em: EntityManager, saved: readonly Rows[]): Promise<void> {
  const byEntity = Map.groupBy(saved, ({ entity }) => entity as unknown);
  for (const ofEntity of ORDER.flatMap(entity => [byEntity.get(entity) ?? []])) {
    const rows = ofEntity.flatMap(one => one.rows);
    if (rows.length === 0) continue;
    const { statement, columns } = saveStatement(em, ofEntity[0]!, Object.keys(rows[0]!));
    for (let at = 0; at < rows.length; at += CHUNK) {
      await run(client, statement, [JSON.stringify(rows.slice(at, at + CHUNK).map(row => renameFields(row, columns)))]);
    }
  }
}

/** Removes rows that match: by their whole key, or a prefix of it. */
export async function removeRows(em: EntityManager, removed: readonly Rows[]): Promise<void> {
  for (const [entity, ofEntity] of Map.groupBy(removed, ({ entity }) => entity)) {
    const rows = ofEntity.flatMap(one => one.rows);
    if (rows.length > 0) await em.nativeDelete(entity, { $or: rows });
  }
}

/** The types of the columns are those of the table. */
function saveStatement(em: EntityManager, { entity, once }: Rows, names: readonly string[]) {
  const { tableName, properties, primaryKeys, versionProperty } = em.getMetadata().get(entity);
  const named = Object.values(properties).filter(({ name }) => names.includes(name));
  const columns = new Map(named.map(({ name, fieldNames }) => [name as string, fieldNames[0]!]));
  const all = [...columns.values()].join(', ');
  const changed = [...columns].filter(([name]) => !primaryKeys.includes(name as never) && !once.includes(name));
  const changes = changed.map(([, column]) => `${column} = EXCLUDED.${column}`);
  if (versionProperty !== undefined) changes.push('version = t.version + 1');
  const key = primaryKeys.map(name => columns.get(name));
  const onConflict = `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changes.join(', ')}`;
  const statement: Statement<never> = {
    name: `save_${tableName}`,
    text: `
INSERT INTO ${tableName} AS t (${all})
SELECT ${all} FROM json_populate_recordset(NULL::${tableName}, $1::json)
${once === 'all' ? '' : onConflict}`,
  };
  return { statement, columns };
}

function renameFields(row: object, columns: ReadonlyMap<string, string>): object {
  const text = (value: unknown) => (value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : value);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [columns.get(name), text(value)]));
}
