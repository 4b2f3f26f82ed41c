import pg from 'pg';
import { onTestFinished } from 'vitest';
import { LOCKS } from '../../services/store/lock.ts';
import { PLACES } from '../../services/store/statements/journal.ts';

/*
 * What was accepted and is not applied yet: calls of machines in the groups of the journal, and what stands in the queue by
 * itself. The one place of the tests that knows how both are stored.
 */

/** A call or action that waits. Of a source that is gone, account and source are null. */
export interface WaitingCall extends Record<string, unknown> {
  account_id: string | null;
  source_id: string | null;
  /** Its number, as text: later ones have higher numbers. */
  id: string;
  verb: string;
  mode: string | null;
  environment: string;
  /** In seconds. */
  window_s: number;
  trace_id: string;
}

/** The rows of all that waits, as WaitingCall. `SELECT … FROM (${WAITING_CALLS}) w` asks more of them. */
export const WAITING_CALLS = `
SELECT s.account_id, s.id AS source_id, w.id::text AS id, w.verb, w.mode, w.environment, w.window_s, w.trace_id FROM (
  SELECT (unit ->> 0)::bigint AS source_seq,
    g.id * ${PLACES} + row_number() OVER (PARTITION BY g.id ORDER BY unit_place, call_place) - 1 AS id,
    call ->> 2 AS verb, call ->> 3 AS mode, unit ->> 1 AS environment, (call ->> 4)::int AS window_s,
    (call ->> 0)::uuid AS trace_id
  FROM waiting_group g
  CROSS JOIN json_array_elements(g.calls) WITH ORDINALITY AS u (unit, unit_place)
  CROSS JOIN json_array_elements(unit -> 3) WITH ORDINALITY AS c (call, call_place)
  UNION ALL SELECT source_seq, id, verb, mode, environment, window_s, trace_id FROM queued_action
) w LEFT JOIN source s ON s.seq = w.source_seq`;

/** The incidents and windows that count more than their rows say so far, one row each. */
export const UNWRITTEN_FOLDS = `
SELECT key FROM (SELECT folds FROM journal_cursor ORDER BY id DESC LIMIT 1) c CROSS JOIN json_each(c.folds)`;

/**
 * Keeps every process on this database from applying anything until the function given is called, which may be done twice.
 * What is being applied right now is finished first. Accepting goes on.
 */
export async function holdApplying(databaseUrl: string): Promise<() => Promise<void>> {
  const held = [await holdLock(databaseUrl, LOCKS.apply), await holdLock(databaseUrl, LOCKS.applyQueue)];
  return async () => {
    for (const letGo of held) await letGo();
  };
}

/** Holds one of the LOCKS of the product until the function given is called, which may be done twice, or the test ends. */
export async function holdLock(databaseUrl: string, lock: number): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  let letGo: Promise<void> | undefined;
  const release = () =>
    (letGo ??= (async () => {
      // Said rather than left to the end of the connection, which the server takes note of in its own time.
      await holder.query('SELECT pg_advisory_unlock($1)', [lock]);
      await holder.end();
    })());
  onTestFinished(release);
  // A lock of the session keeps those of transactions waiting like one of its kind.
  await holder.query('SELECT pg_advisory_lock($1)', [lock]);
  return release;
}
