import type { ChannelKind } from '../domain/delivery.ts';
import type { PolicyNow } from '../domain/duty-told.ts';
import type { ModeId } from '../domain/mode.ts';
import type { Rhythm } from '../domain/rhythm.ts';
import { type Environment, type SourceKind, TURNED_AWAY, type TurnedAway } from '../domain/source.ts';
import { ms } from '../store/columns.ts';
import { inTest, LEADS_TO, MODE_ORDER } from '../store/source-sql.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import { copyOf, PEOPLE, POLICY, type PolicyRow } from '../store/statements/policy.ts';

/** What sources are selected by: themselves, or something they depend on. */
export type ConcernedBy = 'location' | 'contact' | 'duty' | 'policy' | 'source';

/** Which sources of an account: those concerned by something, or all. Never deleted ones. */
export type Concerned = { by: ConcernedBy; id: string } | 'all';

/** A source as its owner configured it, with its location. */
export interface OwnedSource {
  id: string;
  key: string;
  name: string;
  kind: SourceKind;
  test: boolean;
  /** When its test ends by itself, in milliseconds since 1970; null: its owner lets it go live. */
  testUntil: number | null;
  disabled: boolean;
  deactivated: boolean;
  onlyWhenArmed: boolean;
  /** Of a panic button. */
  policyId: string | null;
  armedMode: ModeId | null;
  location: { id: string; key: string; name: string; address: string; test: boolean; testUntil: number | null };
  /** In the order home, away, night, vacation. */
  modes: { id: ModeId; name: string; policyId: string | null; windowS: number }[];
}

/** The rows of the sources of account $1 that are concerned; $2 is the id of what concerns them. */
const CONCERNED: Record<ConcernedBy | 'all', string> = {
  all: 'SELECT s.* FROM source s WHERE s.account_id = $1 AND s.deleted_at IS NULL',
  source: byId('SELECT $2::text AS id'),
  location: 'SELECT s.* FROM source s WHERE s.account_id = $1 AND s.location_id = $2 AND s.deleted_at IS NULL',
  policy: boundTo('SELECT $2::text AS id'),
  contact: boundTo(`SELECT p.id FROM policy p WHERE p.account_id = $1
    AND (jsonb_path_exists(p.steps, '$[*].contacts[*] ? (@.contactId == $id)', jsonb_build_object('id', $2::text))
      OR EXISTS (SELECT FROM duty d WHERE d.account_id = $1 AND d.contact_ids @> ARRAY[$2::text]
        AND jsonb_path_exists(p.steps, '$[*].contacts[*] ? (@.dutyId == $id)', jsonb_build_object('id', d.id))))`),
  duty: boundTo(`SELECT p.id FROM policy p WHERE p.account_id = $1
    AND jsonb_path_exists(p.steps, '$[*].contacts[*] ? (@.dutyId == $id)', jsonb_build_object('id', $2::text))`),
};

function boundTo(policies: string): string {
  return byId(`
    SELECT source_id FROM mode WHERE account_id = $1 AND policy_id IN (${policies})
    UNION
    SELECT id FROM source WHERE account_id = $1 AND policy_id IN (${policies})`);
}

function byId(ids: string): string {
  return `SELECT s.* FROM source s WHERE s.account_id = $1 AND s.id = ANY (ARRAY(${ids})) AND s.deleted_at IS NULL`;
}

/**
 * A hand-written statement, although entities usually read owners' rows: for ten thousand sources it takes a sixth of
 * the processor time.
 */
function sourcesStatement(by: ConcernedBy | 'all'): Statement<OwnedSource> {
  return {
    name: `readiness_of_${by}`,
    text: `
WITH concerned AS MATERIALIZED (${CONCERNED[by]})
SELECT s.id, s.key, s.name, s.kind, ${inTest('s')} AS test, ${ms('s.test_until')} AS "testUntil", s.disabled, s.deactivated, s.only_when_armed AS "onlyWhenArmed",
  s.policy_id AS "policyId", st.armed_mode AS "armedMode",
  json_build_object('id', l.id, 'key', l.key, 'name', l.name, 'address', l.address, 'test', ${inTest('l')}, 'testUntil', ${ms('l.test_until')}) AS location,
  coalesce((
    SELECT json_agg(json_build_object('id', m.id, 'name', m.name, 'policyId', m.policy_id, 'windowS', m.window_s)
      ORDER BY ${MODE_ORDER})
    FROM mode m WHERE m.account_id = s.account_id AND m.source_id = s.id
  ), '[]') AS modes
FROM concerned s
JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
JOIN source_state st ON st.account_id = s.account_id AND st.source_id = s.id
ORDER BY s.seq`,
  };
}

/** Returns the sources that are concerned, in the order of creation. */
export function readOwnedSources(db: Connection, accountId: string, concerned: Concerned): Promise<OwnedSource[]> {
  if (concerned === 'all') return run(db, sourcesStatement('all'), [accountId]);
  return run(db, sourcesStatement(concerned.by), [accountId, concerned.id]);
}

const policiesStatement: Statement<PolicyRow & { id: string }> = {
  name: 'readiness_policies',
  text: `
SELECT ${POLICY}
FROM policy p${PEOPLE}
WHERE p.account_id = $1 AND p.id = ANY ($2::text[])`,
};

/** Reads policies with the people they name, each once however many sources are bound to it. */
export async function readPoliciesById(
  db: Connection,
  accountId: string,
  ids: ReadonlySet<string>,
): Promise<Map<string, PolicyNow>> {
  const rows = ids.size === 0 ? [] : await run(db, policiesStatement, [accountId, [...ids]]);
  return new Map(rows.map(row => [row.id, copyOf(row, row.id)]));
}

const zoneStatement: Statement<{ zone: string }> = {
  name: 'readiness_zone',
  text: 'SELECT owner_time_zone AS zone FROM account WHERE id = $1',
};

/** Returns the zone (IANA) in which an account's owner reads times. */
export async function readOwnersZone(db: Connection, accountId: string): Promise<string> {
  const [row] = await run(db, zoneStatement, [accountId]);
  return row?.zone ?? 'UTC';
}

/** How many calls to a source were turned away within the last day. */
interface TurnedAwayRow {
  sourceId: string;
  outcome: TurnedAway;
  calls: number;
}

/** A key that works, as far as readiness needs it. Times are milliseconds since 1970. */
export interface SenderRow extends Rhythm {
  id: string;
  key: string;
  label: string;
  alarmId: string | null;
  supervisionS: number;
  silentSince: number | null;
  now: number;
}

/** When a channel was proven last, over any of its addresses, milliseconds since 1970, and how it rang, where that was a drill and the person said so. */
interface ProvenRow {
  contactId: string;
  channel: ChannelKind;
  provenAt: number;
  ring: 'aloud' | 'silent' | null;
}

const TURNED_AWAY_ROWS = `
  SELECT s.id AS "sourceId", c.outcome, sum(c.times)::float8 AS calls
  FROM logged_call c JOIN source s ON s.seq = c.source_seq AND s.account_id = $1
  WHERE c.account_seq = (SELECT seq FROM account WHERE id = $1) AND c.applied_at IS NULL AND c.outcome = ANY ($2::text[])
    AND c.at > tocsin_now() - interval '1 day'
  GROUP BY 1, 2`;

/** The keys that are supervised, or were heard for a day and more, in the order of creation. */
const SENDER_ROWS = `
  SELECT k.id, k.key, k.label, k.alarm_id AS "alarmId", k.supervision_s AS "supervisionS", k.gaps, ${ms('t.now')} AS now,
    ${ms('k.gaps_since')} AS "gapsSince", ${ms('k.alive_at')} AS "aliveAt", ${ms('k.socket_at')} AS "socketAt",
    ${ms('k.silent_since')} AS "silentSince"
  FROM api_key k CROSS JOIN (SELECT tocsin_now() AS now) t
  WHERE k.account_id = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > t.now)
    AND (k.supervision_s > 0 OR k.gaps_since <= t.now - interval '1 day')
  ORDER BY k.seq`;

const PROVEN_ROWS = `
  SELECT DISTINCT ON (contact_id, channel) contact_id AS "contactId", channel, ${ms('proven_at')} AS "provenAt", ring
  FROM contact_channel WHERE account_id = $1 AND proven_at IS NOT NULL ORDER BY contact_id, channel, proven_at DESC`;

const listOf = (rows: string) => `(SELECT coalesce(json_agg(r), '[]') FROM (${rows}) r)`;

interface OfAccountRow {
  turnedAway: TurnedAwayRow[];
  senders: SenderRow[];
  proven: ProvenRow[];
}

/** One statement, because every change of an owner asks for it. */
const ofAccountStatement: Statement<OfAccountRow> = {
  name: 'readiness_of_account',
  text: `
SELECT ${listOf(TURNED_AWAY_ROWS)} AS "turnedAway", ${listOf(SENDER_ROWS)} AS senders, ${listOf(PROVEN_ROWS)} AS proven`,
};

/**
 * Returns what readiness needs to know of an account besides its sources: how many calls to each source were turned away within
 * the last day (none: absent), the keys that are watched or could be, and the proven addresses.
 */
export async function readOfAccount(db: Connection, accountId: string) {
  const [row] = await run(db, ofAccountStatement, [accountId, [...TURNED_AWAY]]);
  const { turnedAway, senders, proven } = row!;
  const bySource = new Map<string, Record<TurnedAway, number>>();
  for (const { sourceId, outcome, calls } of turnedAway) {
    bySource.set(sourceId, { limited: 0, shed: 0, ...bySource.get(sourceId), [outcome]: calls });
  }
  return { turnedAway: bySource, senders, proven };
}

/** The situation that a trigger would meet now. */
export interface Situation {
  /** The armed mode after all accepted calls, applied or not, as the accept statement sees it. */
  armedMode: ModeId | null;
  /** Of the pending trigger; null if there is none. */
  pendingEnvironment: Environment | null;
  /** Of the open incident; null if there is none. An incident whose auto-close is due counts as closed. */
  incidentEnvironment: Environment | null;
  /** Since when the sender was silent whose silence alone opened it, milliseconds since 1970; null: a trigger did. */
  incidentSilentSince: number | null;
}

const situationStatement: Statement<Situation> = {
  name: 'readiness_situation',
  text: `
SELECT ${LEADS_TO} AS "armedMode", st.pending_environment AS "pendingEnvironment", i.environment AS "incidentEnvironment",
  ${ms('i.silent_since')} AS "incidentSilentSince"
FROM source_state st
JOIN source s ON s.account_id = st.account_id AND s.id = st.source_id
LEFT JOIN incident i ON i.account_id = st.account_id AND i.source_id = st.source_id AND i.status = 'open'
  AND i.auto_close_at > (SELECT tocsin_now())
WHERE st.account_id = $1 AND st.source_id = $2`,
};

/** Returns null if there is no such source in this account. */
export async function readSituation(db: Connection, accountId: string, sourceId: string): Promise<Situation | null> {
  const [row] = await run(db, situationStatement, [accountId, sourceId]);
  return row ?? null;
}
