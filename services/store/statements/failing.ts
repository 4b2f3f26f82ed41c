import type { ChannelKind } from '../../domain/delivery.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { FAILING } from './turn.ts';

/**
 * How many failing messages one that was taken brings forward. Each of those brings as many: a carrier that is back gets
 * few at first, and only what it takes makes it more.
 */
const AT_ONCE = 10;

/** What waits for the same carrier, as far as is known: the messages of an account on a channel. */
interface Line {
  accountId: string;
  channel: ChannelKind;
}

const forwardStatement: Statement<{ line: string }> = {
  name: 'bring_failing_forward',
  text: `
WITH t AS MATERIALIZED (SELECT tocsin_now() AS now),
newest AS MATERIALIZED (
  SELECT d.* FROM unnest($1::text[]) AS r (line) CROSS JOIN LATERAL (
    SELECT ctid AS tid, r.line FROM delivery
    WHERE status = 'scheduled' AND ${FAILING} AND ((channel || '/' || account_id) COLLATE "C") = r.line COLLATE "C"
      AND due_at > (SELECT now FROM t)
    ORDER BY planned_at DESC LIMIT ${AT_ONCE} FOR NO KEY UPDATE SKIP LOCKED
  ) d
)
UPDATE delivery d SET due_at = t.now FROM newest, t WHERE d.ctid = newest.tid AND d.status = 'scheduled' RETURNING newest.line`,
};

/** Names a line. */
export function lineOf({ accountId, channel }: Line): string {
  return `${channel}/${accountId}`;
}

/**
 * Makes failing messages due now, newest first, since their carrier took another one that it had failed to take before
 * (DECISIONS.md "A passing failure"). Returns the lines in which there were any.
 */
export async function bringFailingForward(on: Connection, backAt: readonly Line[]): Promise<string[]> {
  const lines = [...new Set(backAt.map(lineOf))].sort();
  if (lines.length === 0) return [];
  return (await run(on, forwardStatement, [lines])).map(({ line }) => line);
}
