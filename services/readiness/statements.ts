import type { PolicyCopy } from '../domain/escalation.ts';
import type { ModeId } from '../domain/mode.ts';
import { type Environment, type SourceKind, TURNED_AWAY, type TurnedAway } from '../domain/source.ts';
import { LEADS_TO, MODE_ORDER } from '../store/source-sql.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import { copyOf, PEOPLE, POLICY, type PolicyRow } from '../store/statements/policy.ts';

/** What sources are selected by: themselves, or something they depend on. */
export type ConcernedBy = 'location' | 'contact' | 'policy' | 'source';

/** Which sources of an account: those concerned by something, or all. Never deleted ones. */
export type Concerned = { by: ConcernedBy; id: string } | 'all';

/** A source as its owner configured it, with its location. */
export interface OwnedSource {
  id: string;
  key: string;
  name: string;
  kind: SourceKind;
  test: boolean;
  disabled: boolean;
  deactivated: boolean;
  onlyWhenArmed: boolean;
  /** Of a panic button. */
  policyId: string | null;
  armedMode: ModeId | null;
  location: { id: string; key: string; name: string; address: string; test: boolean };
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
    AND jsonb_path_exists(p.steps, '$[*].contacts[*] ? (@.contactId == $id)', jsonb_build_object('id', $2::text))`),
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
SELECT s.id, s.key, s.name, s.kind, s.test, s.disabled, s.deactivated, s.only_when_armed AS "onlyWhenArmed",
  s.policy_id AS "policyId", st.armed_mode AS "armedMode",
  json_build_object('id', l.id, 'key', l.key, 'name', l.name, 'address', l.address, 'test', l.test) AS location,
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
): Promise<Map<string, PolicyCopy>> {
  const rows = ids.size === 0 ? [] : await run(db, policiesStatement, [accountId, [...ids]]);
  return new Map(rows.map(row => [row.id, copyOf(row, row.id)]));
}

const turnedAwayStatement: Statement<{ sourceId: string; outcome: TurnedAway; calls: number }> = {
  name: 'readiness_turned_away',
  text: `
SELECT s.id AS "sourceId", c.outcome, sum(c.times)::float8 AS calls
FROM logged_call c JOIN source s ON s.seq = c.source_seq AND s.account_id = $1
WHERE c.account_seq = (SELECT seq FROM account WHERE id = $1) AND c.applied_at IS NULL AND c.outcome = ANY ($2::text[])
  AND c.at > tocsin_now() - interval '1 day'
GROUP BY 1, 2`,
};

/** Returns how many calls to each source of an account were turned away within the last day; none: absent. */
export async function readTurnedAway(
  db: Connection,
  accountId: string,
): Promise<Map<string, Record<TurnedAway, number>>> {
  const found = new Map<string, Record<TurnedAway, number>>();
  for (const { sourceId, outcome, calls } of await run(db, turnedAwayStatement, [accountId, [...TURNED_AWAY]])) {
    found.set(sourceId, { limited: 0, shed: 0, ...found.get(sourceId), [outcome]: calls });
  }
  return found;
}

/** The situation that a trigger would meet now. */
export interface Situation {
  /** The armed mode after all accepted calls, applied or not, as the accept statement sees it. */
  armedMode: ModeId | null;
  /** Of the pending trigger; null if there is none. */
  pendingEnvironment: Environment | null;
  /** Of the open incident; null if there is none. An incident whose auto-close is due counts as closed. */
  incidentEnvironment: Environment | null;
}

const situationStatement: Statement<Situation> = {
  name: 'readiness_situation',
  text: `
SELECT ${LEADS_TO} AS "armedMode", st.pending_environment AS "pendingEnvironment", i.environment AS "incidentEnvironment"
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
