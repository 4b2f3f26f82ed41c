import type { ModeId } from '../../../domain/mode.ts';
import type { Silence, SilenceState, WatchedKey } from '../../../domain/supervision.ts';
import { JOINS_MS, TELL_AFTER_MS } from '../../../domain/supervision.ts';
import { type Columns, ms, rowsOf } from '../../../store/columns.ts';
import { LOCKS } from '../../../store/lock.ts';
import { environmentAt, LEADS_TO } from '../../../store/source-sql.ts';
import { type Connection, run, type Statement } from '../../../store/statement.ts';
import { ACCEPTING_SINCE } from '../../../store/statements/accepting.ts';

/** How many of the things that a key reaches are named in a notice. */
const NAMED_MOST = 3;

const lockStatement: Statement<{ locked: boolean }> = {
  name: 'lock_senders',
  text: `SELECT pg_try_advisory_xact_lock(${LOCKS.senders}) AS locked`,
};

/** Tells whether this transaction is the only one that judges senders. */
export async function lockSenders(db: Connection): Promise<boolean> {
  const [row] = await run(db, lockStatement, []);
  return row!.locked;
}

/** What the sources of $account that $which names are called where they are armed and live; the first few. */
function armedOf(account: string, which: string): string {
  return `ARRAY(
    SELECT s.name FROM source s
    JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
    LEFT JOIN source_state st ON st.account_id = s.account_id AND st.source_id = s.id AND s.kind = 'alarm'
    WHERE s.account_id = ${account}${which} AND NOT (s.disabled OR s.deactivated) AND ${environmentAt('(SELECT now FROM n)')} = 'live'
      AND (s.kind = 'panic_button' OR st.armed_mode IS NOT NULL)
    LIMIT ${NAMED_MOST}
  )`;
}

interface SendersRow extends Omit<WatchedKey, 'keyId' | 'armed'> {
  now: number;
  acceptingSince: number;
  supervisedInAll: number;
  /** When the next key has to be judged; null: none is waited for. */
  nextAt: number | null;
  /** Of its account. */
  supervised: number;
  accountId: string;
  /** Null: no key is silent or late. */
  keyId: string | null;
  armed: string[];
}

/**
 * One walk over the supervised keys; only for those that are silent or late is looked up what they reach. What the keys
 * of a whole account reach is looked up once for each account.
 */
function readStatement(of: 'all' | 'accounts'): Statement<SendersRow> {
  return {
    name: `read_senders_of_${of}`,
    text: `
WITH n AS MATERIALIZED (SELECT tocsin_now() AS now),
since AS MATERIALIZED (SELECT ${ACCEPTING_SINCE} AS at),
k AS MATERIALIZED (
  SELECT k.account_id, k.id, k.label, k.alarm_id, k.supervision_s, k.silence, k.silent_since, k.silent_at, k.told_at, k.told_with,
    k.silences, k.on_silence, k.alert, h.heard_at, greatest(h.heard_at, since.at) + k.supervision_s * interval '1 second' AS deadline
  FROM api_key k CROSS JOIN n CROSS JOIN since
  CROSS JOIN LATERAL (SELECT greatest(k.alive_at, k.supervised_at, k.created_at) AS heard_at) h
  WHERE ${of === 'all' ? '' : 'k.account_id = ANY ($1::text[]) AND '}k.supervision_s > 0 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > n.now)
),
every AS MATERIALIZED (
  SELECT count(*)::int AS supervised,
    min(k.deadline) FILTER (WHERE k.silent_since IS NULL) + interval '${TELL_AFTER_MS} milliseconds' AS next_at
  FROM k
),
late AS MATERIALIZED (
  SELECT k.* FROM k CROSS JOIN n
  WHERE k.silent_since IS NOT NULL OR k.deadline <= n.now - interval '${JOINS_MS} milliseconds'
),
whole AS MATERIALIZED (
  SELECT a.account_id, ${armedOf('a.account_id', '')} AS armed
  FROM (SELECT DISTINCT account_id FROM late WHERE alarm_id IS NULL) a
),
counted AS MATERIALIZED (
  SELECT account_id, count(*)::int AS supervised FROM k WHERE account_id IN (SELECT account_id FROM late) GROUP BY 1
)
SELECT ${ms('n.now')} AS now, ${ms('since.at')} AS "acceptingSince", e.supervised AS "supervisedInAll",
  ${ms('e.next_at')} AS "nextAt", c.supervised, late.account_id AS "accountId", late.id AS "keyId", late.label,
  late.supervision_s AS "supervisionS", ${ms('late.heard_at')} AS "heardAt", late.silence, ${ms('late.silent_since')} AS "silentSince",
  ${ms('late.silent_at')} AS "silentAt", ${ms('late.told_at')} AS "toldAt", ${ms('late.told_with')} AS "toldWith", late.silences,
  late.on_silence AS "onSilence", late.alert,
  CASE WHEN late.alarm_id IS NULL THEN w.armed ELSE ${armedOf('late.account_id', ' AND s.id = late.alarm_id')} END AS armed
FROM n CROSS JOIN since CROSS JOIN every e
LEFT JOIN late ON true
LEFT JOIN whole w ON w.account_id = late.account_id
LEFT JOIN counted c ON c.account_id = late.account_id
ORDER BY late.account_id, late.deadline, late.id`,
  };
}

const READ = { all: readStatement('all'), accounts: readStatement('accounts') };

/** Whose keys are looked at: those of all accounts, or of these. */
export type Looked = 'all' | readonly string[];

/** What a look at senders sees. */
export interface SeenSenders {
  now: number;
  acceptingSince: number;
  /** How many supervised keys were looked at. */
  supervised: number;
  nextAt: number | null;
  accounts: { accountId: string; supervised: number; keys: WatchedKey[] }[];
}

/** Reads which supervised keys are silent or past their deadline. */
export async function readSenders(db: Connection, of: Looked): Promise<SeenSenders> {
  const rows = of === 'all' ? await run(db, READ.all, []) : await run(db, READ.accounts, [of]);
  const [first] = rows;
  const late = rows.filter(row => row.keyId !== null) as (SendersRow & { keyId: string; silence: Silence })[];
  const { now, acceptingSince, supervisedInAll: supervised, nextAt } = first!;
  return {
    now,
    acceptingSince,
    supervised,
    nextAt,
    accounts: [...Map.groupBy(late, ({ accountId }) => accountId)].map(([accountId, keys]) => ({
      accountId,
      supervised: keys[0]!.supervised,
      keys,
    })),
  };
}

const STATE: Columns<SilenceState & { accountId: string }> = {
  accountId: 'text',
  keyId: 'text',
  silence: 'text',
  silentSince: 'time',
  silentAt: 'time',
  toldAt: 'time',
  toldWith: 'time',
  silences: 'int',
  alert: 'text',
};

const writeStatement: Statement<never> = {
  name: 'write_silences',
  text: `
UPDATE api_key k SET silence = r.silence, silent_since = r.silent_since, silent_at = r.silent_at, told_at = r.told_at,
  told_with = r.told_with, silences = r.silences, alert = r.alert
FROM ${rowsOf(STATE)} WHERE k.account_id = r.account_id AND k.id = r.key_id AND k.supervision_s > 0`,
};

/** Stores what became of the silence of keys. */
export async function writeSilences(
  db: Connection,
  states: readonly (SilenceState & { accountId: string })[],
): Promise<void> {
  if (states.length > 0) await run(db, writeStatement, [JSON.stringify(states)]);
}

/** A key that triggers its alarm because it is silent, since when (milliseconds since 1970). */
export interface SilentSender {
  accountId: string;
  keyId: string;
  silentSince: number;
}

const SILENT: Columns<SilentSender> = { accountId: 'text', keyId: 'text', silentSince: 'time' };

/** The alarm of such a key, armed and live after all calls accepted so far. */
interface ArmedAlarm extends SilentSender {
  sourceId: string;
  armedMode: ModeId;
  modes: { id: ModeId; windowS: number }[];
}

const alarmsStatement: Statement<ArmedAlarm> = {
  name: 'alarms_of_silent_senders',
  text: `
SELECT r.account_id AS "accountId", r.key_id AS "keyId", ${ms('r.silent_since')} AS "silentSince", s.id AS "sourceId",
  a.armed_mode AS "armedMode", coalesce((
    SELECT json_agg(json_build_object('id', m.id, 'windowS', m.window_s)) FROM mode m
    WHERE m.account_id = s.account_id AND m.source_id = s.id), '[]') AS modes
FROM ${rowsOf(SILENT)}
JOIN api_key k ON k.account_id = r.account_id AND k.id = r.key_id
JOIN source s ON s.account_id = k.account_id AND s.id = k.alarm_id
JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
CROSS JOIN LATERAL (SELECT ${LEADS_TO} AS armed_mode) a
WHERE a.armed_mode IS NOT NULL AND NOT (s.disabled OR s.deactivated) AND s.deleted_at IS NULL AND ${environmentAt()} = 'live'`,
};

/** Returns the alarms of keys; none of those that are disarmed, disabled or in test by now. */
export async function readAlarmsOf(db: Connection, of: readonly SilentSender[]): Promise<ArmedAlarm[]> {
  return of.length === 0 ? [] : run(db, alarmsStatement, [JSON.stringify(of)]);
}
