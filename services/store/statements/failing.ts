import { type Connection, run, type Statement } from '../statement.ts';
import { FAILING, type TurnTable } from './turn.ts';

/**
 * How many failing messages one that was taken brings forward. Each of those brings as many: a carrier that is back gets
 * few at first, and only what it takes makes it more.
 */
const AT_ONCE = 10;

/** Makes the newest failing messages of lines (TurnTable) due now. Returns the lines in which there were any. */
export type BringForward = (db: Connection, lines: readonly string[]) => Promise<string[]>;

/**
 * Returns what makes failing messages of a table due now, newest first, since their carrier took another one of their
 * line that it had failed to take before (DECISIONS.md "A passing failure").
 */
export function bringFailingForward({ name, line, plannedAt }: TurnTable): BringForward {
  const statement: Statement<{ line: string }> = {
    name: `bring_forward_${name}`,
    text: `
WITH t AS MATERIALIZED (SELECT tocsin_now() AS now),
newest AS MATERIALIZED (
  SELECT d.* FROM unnest($1::text[]) AS r (line) CROSS JOIN LATERAL (
    SELECT ctid AS tid, r.line FROM ${name}
    WHERE status = 'scheduled' AND ${FAILING} AND ${line} = r.line COLLATE "C" AND due_at > (SELECT now FROM t)
    ORDER BY ${plannedAt} DESC LIMIT ${AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED
  ) d
)
UPDATE ${name} d SET due_at = t.now FROM newest, t WHERE d.ctid = newest.tid RETURNING newest.line`,
  };
  return async (db, lines) => {
    const distinct = [...new Set(lines)].sort();
    return distinct.length === 0 ? [] : (await run(db, statement, [distinct])).map(({ line }) => line);
  };
}
