import type { ModeId } from '../../domain/mode.ts';
import type { SourceKind } from '../../domain/source.ts';
import { kindOf, MODE_ORDER } from '../source-sql.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { READING_KEY } from './key.ts';

/** The key that a digest belongs to and why it may be invalid. No row at all: the digest is unknown. */
export interface KeyRow {
  accountId: string;
  keyId: string;
  keySeq: number;
  alarmId: string | null;
  fault: 'key_revoked' | 'key_expired' | null;
}

/** A visible source with its place; one row with nulls if the key sees nothing. */
export interface DescribeRow extends KeyRow {
  locationId: string | null;
  locationName: string;
  id: string;
  kind: SourceKind;
  name: string;
  modes: { id: ModeId; name: string }[];
}

/** A visible alarm with the parts of its state; one row with nulls if the key sees none. */
export interface StateRow extends KeyRow {
  id: string | null;
  armedMode: ModeId | null;
  incident: 'open' | 'none';
}

/** What a key reaches: enabled sources of its account, or its one alarm. */
const REACHED = `s.account_id = key."accountId" AND (key."alarmId" IS NULL OR s.id = key."alarmId")
  AND NOT s.disabled AND NOT s.deactivated AND key.fault IS NULL`;

const keyStatement: Statement<KeyRow> = { name: 'check_key', text: READING_KEY };

/** In the order of creation; modes in the order home, away, night, vacation (DECISIONS.md "Lists"). */
const describeStatement: Statement<DescribeRow> = {
  name: 'describe',
  text: `
WITH key AS (${READING_KEY})
SELECT key.*, l.id AS "locationId", l.name AS "locationName", s.id, ${kindOf('s.kind')} AS kind, s.name,
  coalesce((
    SELECT json_agg(json_build_object('id', m.id, 'name', m.name)
      ORDER BY ${MODE_ORDER})
    FROM mode m WHERE m.account_id = s.account_id AND m.source_id = s.id
  ), '[]') AS modes
FROM key
LEFT JOIN source s ON ${REACHED}
LEFT JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
ORDER BY l.seq, s.seq`,
};

/** An incident whose auto-close is due counts as closed: the state never lags behind the clock. */
const stateStatement: Statement<StateRow> = {
  name: 'get_state',
  text: `
WITH key AS (${READING_KEY})
SELECT key.*, s.id, st.armed_mode AS "armedMode", CASE WHEN i.id IS NULL THEN 'none' ELSE 'open' END AS incident
FROM key
LEFT JOIN source s ON ${REACHED} AND s.kind = 'alarm'
LEFT JOIN source_state st ON st.account_id = s.account_id AND st.source_id = s.id
LEFT JOIN incident i ON i.account_id = s.account_id AND i.source_id = s.id AND i.status = 'open'
  AND i.auto_close_at > (SELECT tocsin_now())
ORDER BY s.seq`,
};

export function readKey(on: Connection, digest: Buffer): Promise<KeyRow[]> {
  return run(on, keyStatement, [digest]);
}

export function readInventory(on: Connection, digest: Buffer): Promise<DescribeRow[]> {
  return run(on, describeStatement, [digest]);
}

export function readState(on: Connection, digest: Buffer): Promise<StateRow[]> {
  return run(on, stateStatement, [digest]);
}
