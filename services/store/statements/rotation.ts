import type { PoolClient } from 'pg';
import { LOCKS } from '../lock.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** A secret of the deployment that can be changed. */
export type Rotated = 'DATA_KEY' | 'KEY_PEPPER';

/** Where something sealed stands: a table, its key in order, and the columns that are sealed or hold sealed texts. */
interface Place {
  table: string;
  key: readonly string[];
  columns: readonly string[];
  type: 'text' | 'jsonb';
  /** How many rows one transaction looks at. */
  rows: number;
}

/** Every column that holds what seal.ts sealed. */
export const SEALED_PLACES: readonly Place[] = [
  {
    table: 'contact_channel',
    key: ['account_id', 'contact_id', 'channel', 'slot'],
    columns: ['address'],
    type: 'text',
    rows: 500,
  },
  { table: 'member', key: ['account_id', 'id'], columns: ['email'], type: 'text', rows: 500 },
  { table: 'account', key: ['id'], columns: ['owner_email'], type: 'text', rows: 500 },
  { table: 'unshown', key: ['id'], columns: ['sealed'], type: 'text', rows: 500 },
  { table: 'deployment_setting', key: ['id'], columns: ['sealed'], type: 'text', rows: 500 },
  { table: 'web_push_key', key: ['id'], columns: ['sealed'], type: 'text', rows: 1 },
  { table: 'web_push_device', key: ['account_id', 'id'], columns: ['subscription'], type: 'text', rows: 500 },
  { table: 'incident', key: ['account_id', 'id'], columns: ['copy'], type: 'jsonb', rows: 200 },
  { table: 'audit', key: ['account_id', 'id'], columns: ['before', 'after'], type: 'jsonb', rows: 200 },
];

/** Makes sure that one transaction at a time moves anything, over all processes; call it at the beginning. */
export async function beginMoving(db: Connection): Promise<'begun' | 'busy'> {
  const { rows } = await db.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCKS.rotation}) AS held`);
  return rows[0]!.held ? 'begun' : 'busy';
}

/** Returns the proof of a secret: it tells which one the deployment writes with. */
export async function readProof(db: Connection, what: Rotated): Promise<string> {
  const { rows } = await db.query<{ proof: string }>('SELECT proof FROM secret_proof WHERE name = $1', [what]);
  return rows[0]?.proof ?? '';
}

/**
 * Seals anew what stands in the rows of a place after `after`, as many as one transaction looks at. Returns how many rows
 * it changed, and the key of the last one it looked at; null if there are no more. A row that changes meanwhile is left
 * to whoever changes it.
 */
export async function resealRows(
  client: PoolClient,
  { table, key, columns, type, rows: limit }: Place,
  after: readonly string[] | null,
  reseal: (text: string) => string,
): Promise<{ moved: number; last: string[] | null }> {
  const keys = key.join(', ');
  const from = key.map((name, nth) => `$${nth + 1}::${typeOfKey(table, name)}`);
  const { rows } = await client.query<string[]>({
    text: `SELECT ${[...key, ...columns].map(name => `${name}::text`).join(', ')} FROM ${table}
      ${after === null ? '' : `WHERE (${keys}) > (${from.join(', ')})`} ORDER BY ${keys} LIMIT ${limit}`,
    values: after === null ? [] : [...after],
    rowMode: 'array',
  });
  const changed = rows.flatMap(row => {
    const had: (string | null)[] = row.slice(key.length);
    const has = had.map(text => (text === null ? null : reseal(text)));
    return has.some((text, nth) => text !== had[nth]) ? [{ key: row.slice(0, key.length), had, has }] : [];
  });
  const moved = changed.length === 0 ? 0 : await write(client, { table, key, columns, type }, changed);
  return { moved, last: rows.length < limit ? null : rows.at(-1)!.slice(0, key.length) };
}

/** Keys are texts but for these. */
function typeOfKey(table: string, name: string): 'text' | 'smallint' | 'bigint' {
  if (name === 'slot') return 'smallint';
  return table === 'audit' && name === 'id' ? 'bigint' : 'text';
}

interface Changed {
  key: string[];
  had: (string | null)[];
  has: (string | null)[];
}

async function write(
  client: PoolClient,
  { table, key, columns, type }: Pick<Place, 'table' | 'key' | 'columns' | 'type'>,
  changed: readonly Changed[],
): Promise<number> {
  const valueIn = (text: string | null) => (text === null || type === 'text' ? text : JSON.parse(text));
  const rows = changed.map(({ key: at, had, has }) =>
    Object.fromEntries([
      ...key.map((name, nth) => [name, at[nth]]),
      ...columns.map((name, nth) => [name, valueIn(had[nth]!)]),
      ...columns.map((name, nth) => [`new_${name}`, valueIn(has[nth]!)]),
    ]),
  );
  if (table === 'audit') {
    const result = await client.query<{ moved: number }>('SELECT tocsin_reseal_audit($1::json) AS moved', [
      JSON.stringify(rows),
    ]);
    return result.rows[0]!.moved;
  }
  const record = [
    ...key.map(name => `${name} ${typeOfKey(table, name)}`),
    ...columns.flatMap(name => [`${name} ${type}`, `new_${name} ${type}`]),
  ];
  const { rowCount } = await client.query(
    `UPDATE ${table} t SET ${columns.map(name => `${name} = r.new_${name}`).join(', ')}
     FROM json_to_recordset($1::json) AS r (${record.join(', ')})
     WHERE ${key.map(name => `t.${name} = r.${name}`).join(' AND ')}
       AND ${columns.map(name => `t.${name} IS NOT DISTINCT FROM r.${name}`).join(' AND ')}`,
    [JSON.stringify(rows)],
  );
  return rowCount ?? 0;
}

const noteStatement: Statement<never> = {
  name: 'note_rotation',
  text: `
INSERT INTO rotation AS o (what, key_id, moved) VALUES ($1, $2, $3)
ON CONFLICT (what) DO UPDATE SET key_id = EXCLUDED.key_id,
  moved = CASE WHEN o.key_id = EXCLUDED.key_id THEN o.moved ELSE 0 END + EXCLUDED.moved,
  done_at = CASE WHEN o.key_id = EXCLUDED.key_id AND EXCLUDED.moved = 0 THEN o.done_at END`,
};

/** Records that so many rows were moved to the secret of this id. */
export async function noteMoved(db: Connection, what: Rotated, keyId: string, moved: number): Promise<void> {
  await run(db, noteStatement, [what, keyId, moved]);
}

const doneStatement: Statement<never> = {
  name: 'rotation_done',
  text: `
UPDATE rotation SET done_at = coalesce(done_at, tocsin_now()) WHERE what = $1 AND key_id = $2`,
};

/** Records that a whole pass found nothing left. */
export async function noteAllMoved(db: Connection, what: Rotated, keyId: string): Promise<void> {
  await run(db, doneStatement, [what, keyId]);
}

const readStatement: Statement<{ what: Rotated; keyId: string; moved: number; doneAt: Date | null }> = {
  name: 'read_rotation',
  text: `
SELECT what, key_id AS "keyId", moved::float8 AS moved, done_at AS "doneAt" FROM rotation`,
};

/** Returns how far each secret is that was ever changed. */
export function readRotations(db: Connection) {
  return run(db, readStatement, []);
}

interface StoredPerson {
  accountId: string;
  id: string;
  email: string;
  digest: Buffer;
}

const personsStatement: Statement<StoredPerson> = {
  name: 'persons_to_move',
  text: `
SELECT account_id AS "accountId", id, email, email_digest AS digest FROM member
WHERE (account_id, id) > ($1::text, $2::text) ORDER BY account_id, id LIMIT 200`,
};

/** Everything that is a person's by digest goes at once: sessions are theirs by what members are stored under. */
const movePersonsStatement: Statement<{ moved: number }> = {
  name: 'move_persons',
  text: `
WITH d AS (SELECT * FROM unnest($1::bytea[], $2::bytea[]) AS d (was, is_now)),
m AS (UPDATE member m SET email_digest = d.is_now FROM d WHERE m.email_digest = d.was RETURNING m.id),
s AS (UPDATE console_session s SET person = d.is_now FROM d WHERE s.person = d.was)
SELECT count(*)::int AS moved FROM m`,
};

/**
 * Stores the members after `after` under what `digestOf` returns of their email, as many as one transaction looks at.
 * The email is sealed; null: it cannot be read. Returns how many it changed, and the last one it looked at; null if there are no more.
 */
export async function movePersons(
  client: PoolClient,
  after: readonly string[] | null,
  digestOf: (email: string) => Buffer | null,
): Promise<{ moved: number; last: string[] | null }> {
  const persons = await run(client, personsStatement, after === null ? ['', ''] : [...after]);
  const moves = new Map<string, { was: Buffer; now: Buffer }>();
  for (const { email, digest } of persons) {
    const now = digestOf(email);
    if (now !== null && !now.equals(digest)) moves.set(digest.toString('hex'), { was: digest, now });
  }
  const last = persons.length < 200 ? null : [persons.at(-1)!.accountId, persons.at(-1)!.id];
  if (moves.size === 0) return { moved: 0, last };
  const all = [...moves.values()];
  const [row] = await run(client, movePersonsStatement, [all.map(({ was }) => was), all.map(({ now }) => now)]);
  return { moved: row!.moved, last };
}
