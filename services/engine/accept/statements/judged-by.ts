import type { ArmedMode } from '../../../domain/arming.ts';
import type { ModeId } from '../../../domain/mode.ts';
import type { Environment, SourceKind } from '../../../domain/source.ts';
import { ms } from '../../../store/columns.ts';
import { environmentAt, LEADS_TO, testEndsAt } from '../../../store/source-sql.ts';
import { type Connection, run, type Statement } from '../../../store/statement.ts';
import { KEY_FAULT } from '../../../store/statements/key.ts';

/** A key and a source as a call names them. */
export interface NamedByCall {
  digest: Buffer;
  kind: SourceKind;
  sourceId: string;
}

/** A source as its calls are judged. */
export interface JudgedSource {
  seq: number;
  disabled: boolean;
  onlyWhenArmed: boolean;
  environment: Environment;
  /** When it runs live by itself, in milliseconds since 1970; null: not by itself. */
  testUntil: number | null;
  location: { id: string; name: string };
  /** The false-alarm windows of its modes, in seconds. */
  windows: Partial<Record<ModeId, number>>;
  armedMode: ArmedMode;
}

/** What calls with one key to one source are judged by, at one moment. */
export interface JudgedBy {
  /** Why the key is not valid; null if it is. */
  fault: 'key_unknown' | 'key_revoked' | 'key_expired' | null;
  accountId: string | null;
  /** Changes as soon as any of these facts do, except for the armed mode and what ends by time. */
  version: string | null;
  keyId: string | null;
  keySeq: number | null;
  /** When the key or its secret expires, in milliseconds since 1970; null if neither does. */
  keyUntil: number | null;
  /** Null if the key reaches no such source. */
  source: JudgedSource | null;
}

const judgedByStatement: Statement<JudgedBy> = {
  name: 'judged_by',
  text: `
SELECT ${KEY_FAULT} AS fault, k.account_id AS "accountId", v.version, k.id AS "keyId", k.seq::float8 AS "keySeq",
  (extract(epoch FROM least(x.ends_at, k.expires_at)) * 1000)::float8 AS "keyUntil",
  CASE WHEN s.id IS NOT NULL THEN json_build_object('seq', s.seq, 'disabled', s.disabled OR s.deactivated,
    'onlyWhenArmed', s.only_when_armed, 'environment', ${environmentAt('t.now')},
    'testUntil', ${ms(testEndsAt('t.now'))},
    'location', json_build_object('id', l.id, 'name', l.name),
    'windows', (SELECT coalesce(json_object_agg(m.id, m.window_s), '{}') FROM mode m
      WHERE m.account_id = s.account_id AND m.source_id = s.id),
    'armedMode', ${LEADS_TO}
  ) END AS source
FROM unnest($1::bytea[], $2::text[], $3::text[]) WITH ORDINALITY AS c (digest, kind, source_id, n)
CROSS JOIN (SELECT tocsin_now() AS now) t
LEFT JOIN api_key_secret x ON x.digest = c.digest
LEFT JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id
LEFT JOIN account_version v ON v.account_id = k.account_id
LEFT JOIN source s ON s.account_id = k.account_id AND s.id = c.source_id AND (s.kind = 'alarm') = (c.kind = 'alarm')
  AND (k.alarm_id IS NULL OR k.alarm_id = s.id)
LEFT JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
ORDER BY c.n`,
};

/** Reads what calls are judged by, in the order of `named`: one statement for all, so all as of one moment. */
export function readJudgedBy(db: Connection, named: readonly NamedByCall[]): Promise<JudgedBy[]> {
  return run(db, judgedByStatement, [
    named.map(({ digest }) => digest),
    named.map(({ kind }) => kind),
    named.map(({ sourceId }) => sourceId),
  ]);
}
