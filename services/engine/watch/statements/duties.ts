import type { Duty } from '../../../domain/duty.ts';
import { ms } from '../../../store/columns.ts';
import { type Connection, run, type Statement } from '../../../store/statement.ts';

/** A duty on which somebody else may be now. Times are milliseconds since 1970. */
export interface DueDuty {
  accountId: string;
  id: string;
  name: string;
  duty: Duty;
  tell: boolean;
  /** Who was on it when it was last looked at; null: it was not. */
  onDuty: string[] | null;
  /** When it was to be looked at, by clocks. */
  lookAt: number;
  now: number;
  /** The names of those whom it names, by id. */
  people: Record<string, string> | null;
}

const takeStatement: Statement<DueDuty> = {
  name: 'take_due_duties',
  text: `
WITH t AS MATERIALIZED (SELECT tocsin_now() AS now, tocsin_now() - $2::float8 * interval '1 ms' AS shown),
last AS MATERIALIZED (
  SELECT d.look_at, d.account_id FROM duty d, t WHERE d.look_at <= t.shown ORDER BY d.look_at, d.account_id OFFSET $1::int - 1 LIMIT 1
)
SELECT d.account_id AS "accountId", d.id, d.name, d.tell, d.on_duty AS "onDuty", ${ms('d.look_at')} AS "lookAt", ${ms('t.now')} AS now,
  json_build_object('timeZone', d.time_zone, 'hours', d.hours, 'otherwise', d.otherwise, 'except', d.exceptions) AS duty,
  (SELECT json_object_agg(c.id, c.name) FROM contact c
    WHERE c.account_id = d.account_id AND c.id = ANY (d.contact_ids)) AS people
FROM duty d, t WHERE d.look_at <= t.shown AND coalesce((d.look_at, d.account_id) <= (SELECT look_at, account_id FROM last), true)
ORDER BY d.look_at, d.account_id FOR UPDATE OF d SKIP LOCKED`,
};

/**
 * Takes the duties that have to be looked at, longest due first: so many, and the others of an account that are due at the same
 * instant, so that who begins several is told of all at once. Nobody else takes them before the end of the transaction.
 * `aheadMs`: by how many milliseconds the deployment's time is ahead of clocks, by which duties go.
 */
export function takeDueDuties(db: Connection, most: number, aheadMs: number): Promise<DueDuty[]> {
  return run(db, takeStatement, [most, aheadMs]);
}

const keepStatement: Statement<never> = {
  name: 'keep_on_duty',
  text: 'UPDATE duty SET on_duty = $3::text[], look_at = to_timestamp($4::float8 / 1000) WHERE account_id = $1 AND id = $2',
};

/** Keeps who is on duty, and when to look again, by clocks; null: never. */
export async function keepOnDuty(
  db: Connection,
  { accountId, id }: Pick<DueDuty, 'accountId' | 'id'>,
  onDuty: readonly string[] | null,
  lookAt: number | null,
): Promise<void> {
  await run(db, keepStatement, [accountId, id, onDuty, lookAt]);
}

const nextStatement: Statement<{ inMs: number | null }> = {
  name: 'next_due_duty',
  text: `SELECT ${ms("(min(look_at) - tocsin_now() + $1::float8 * interval '1 ms')")} AS "inMs" FROM duty WHERE look_at IS NOT NULL`,
};

/** Returns in how many milliseconds the next one has to be looked at; null: none has. */
export async function nextDueDuty(db: Connection, aheadMs: number): Promise<number | null> {
  const [row] = await run(db, nextStatement, [aheadMs]);
  return row!.inMs;
}
