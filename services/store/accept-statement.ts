import type { ModeId } from '../domain/mode.ts';
import type { Environment, SourceKind, Verb, Verdict } from '../domain/source.ts';
import { KEY_FAULT } from './key-statement.ts';
import { type Connection, run, type Statement } from './statement.ts';

/** A call as it is asked: nothing of it has been believed yet. */
export interface AskedCall {
  digest: Buffer;
  kind: SourceKind;
  sourceId: string;
  verb: Verb;
  named: ModeId | 'unknown' | null;
  traceId: string;
  /** `settled`: the source's earlier calls were applied since this call came, so the gate may be read from its state. */
  gate: 'unsettled' | 'settled';
}

/** What became of it. `unsettled`: the gate cannot be judged while earlier calls of the source wait to be applied. */
export interface JudgedCall {
  verdict: Verdict | 'unsettled';
  account_id: string | null;
  key_id: string | null;
  environment: Environment | null;
  location_id: string | null;
  location_name: string | null;
}

/**
 * Accepts all calls of a tick in one statement: judges each, stores the accepted ones, tells what became of every one.
 * When it returns, what it stored is committed.
 *
 * It carries `judge`, `effectiveMode` and `environment` of services/domain in SQL, because a rule that is asked after a
 * round trip could be asked about a state that is gone. test/rpc/accept-parity.test.ts holds the two together.
 *
 * The armed mode is the one to which all calls accepted so far lead: that of the last waiting arm or disarm, else the
 * applied one. The order of ids is the order of accepting, so the calls of one tick are stored in the order they came.
 */
const acceptStatement: Statement<JudgedCall> = {
  name: 'accept',
  text: `
WITH call AS MATERIALIZED (
  SELECT c.*, t.now
  FROM unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[])
    WITH ORDINALITY AS c (digest, kind, source_id, verb, named, trace_id, gate, n)
  CROSS JOIN (SELECT tocsin_now() AS now) t
),
found AS (
  SELECT c.n, c.verb, c.named, c.trace_id, c.gate, c.now,
    ${KEY_FAULT.replaceAll('t.now', 'c.now')} AS key_fault,
    k.account_id, k.id AS key_id,
    s.id AS source_id, s.kind, s.disabled OR s.deactivated AS disabled, s.only_when_armed,
    CASE WHEN s.test OR l.test THEN 'test' ELSE 'live' END AS environment,
    l.id AS location_id, l.name AS location_name,
    st.pending_id,
    CASE WHEN waiting.verb IS NULL THEN st.armed_mode ELSE waiting.mode END AS armed_mode
  FROM call c
  LEFT JOIN api_key_secret x ON x.digest = c.digest
  LEFT JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id
  LEFT JOIN source s ON s.account_id = k.account_id AND s.id = c.source_id AND s.kind = c.kind
    AND (k.alarm_id IS NULL OR k.alarm_id = s.id)
  LEFT JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
  LEFT JOIN source_state st ON st.account_id = s.account_id AND st.source_id = s.id
  LEFT JOIN LATERAL (
    SELECT a.verb, a.mode FROM action a
    WHERE a.account_id = s.account_id AND a.source_id = s.id AND a.verb IN ('arm', 'disarm')
    ORDER BY a.id DESC LIMIT 1
  ) waiting ON s.kind = 'alarm' AND c.verb IN ('arm', 'trigger') AND (c.named IS NULL OR s.only_when_armed)
),
aimed AS (
  SELECT f.*, m.id AS mode, m.window_s,
    CASE WHEN f.kind = 'alarm' AND f.verb IN ('arm', 'trigger') THEN aim.mode END AS effective
  FROM found f
  LEFT JOIN mode armed ON f.named IS NULL
    AND armed.account_id = f.account_id AND armed.source_id = f.source_id AND armed.id = f.armed_mode
  CROSS JOIN LATERAL (SELECT coalesce(f.named, armed.id, 'away') AS mode) aim
  LEFT JOIN mode m ON m.account_id = f.account_id AND m.source_id = f.source_id AND m.id = aim.mode
),
judged AS MATERIALIZED (
  SELECT a.*, CASE
    WHEN a.key_fault IS NOT NULL THEN a.key_fault
    WHEN a.source_id IS NULL THEN 'not_found'
    WHEN a.disabled THEN 'source_disabled'
    WHEN a.named = 'unknown' THEN 'unknown_mode'
    WHEN a.effective IS NOT NULL AND a.mode IS NULL AND (a.verb = 'trigger' OR a.named IS NOT NULL) THEN 'mode_missing'
    WHEN a.verb <> 'trigger' OR a.kind <> 'alarm' OR NOT a.only_when_armed THEN 'accepted'
    WHEN a.gate = 'unsettled' AND EXISTS (
      SELECT FROM action w
      WHERE w.account_id = a.account_id AND w.source_id = a.source_id
    ) THEN 'unsettled'
    WHEN a.armed_mode IS NULL AND a.pending_id IS NULL AND NOT EXISTS (
      SELECT FROM incident i
      WHERE i.account_id = a.account_id AND i.source_id = a.source_id AND i.status = 'open' AND i.auto_close_at > a.now
    ) THEN 'held_by_gate'
    ELSE 'accepted' END AS verdict
  FROM aimed a
),
stored AS (
  INSERT INTO action
    (account_id, source_id, verb, mode, environment, window_s, only_when_armed, trace_id, key_id, accepted_at)
  SELECT account_id, source_id, verb, effective, environment, CASE WHEN verb = 'trigger' THEN coalesce(window_s, 0) ELSE 0 END,
    only_when_armed, trace_id, key_id, now
  FROM judged WHERE verdict = 'accepted' ORDER BY n
)
SELECT verdict, account_id, key_id, environment, location_id, location_name FROM judged ORDER BY n`,
};

/** Runs the statement for the calls of a tick; the answers are in the order of the calls. */
export function acceptCalls(on: Connection, calls: readonly AskedCall[]): Promise<JudgedCall[]> {
  return run(on, acceptStatement, [
    calls.map(call => call.digest),
    calls.map(call => call.kind),
    calls.map(call => call.sourceId),
    calls.map(call => call.verb),
    calls.map(call => call.named),
    calls.map(call => call.traceId),
    calls.map(call => call.gate),
  ]);
}
