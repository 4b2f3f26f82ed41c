import type { ChannelKind } from '../../domain/delivery.ts';
import { DRILL_EVERY_MS, type LastDrill } from '../../domain/drill.ts';
import type { ContactCopy } from '../../domain/escalation.ts';
import type { Plan } from '../../domain/plan.ts';
import { ms } from '../columns.ts';
import { LOCKS } from '../lock.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { PLACES } from './journal.ts';

/** A person with what is known about their drills. Times in milliseconds since 1970. */
export interface DrilledContact {
  accountId: string;
  plan: Plan;
  accountCreatedAt: number;
  /** With all addresses that are used. */
  contact: Omit<ContactCopy, 'channels'>;
  last: LastDrill | null;
  incident: 'open' | 'none';
  lastIncidentAt: number | null;
  now: number;
}

/** The contact `c` as an incident copies it; its channels are for whoever plans. */
const CONTACT = `json_build_object('id', c.id, 'key', c.key, 'name', c.name, 'locale', c.locale, 'timeZone', c.time_zone,
  'voice', c.voice, 'addresses', (
    SELECT coalesce(json_agg(json_build_object('channel', cc.channel, 'slot', cc.slot, 'via', cc.via, 'address', cc.address, 'verification',
        CASE WHEN cc.verified_at IS NULL THEN 'not_verified' ELSE 'verified' END) ORDER BY cc.position), '[]')
    FROM contact_channel cc WHERE cc.account_id = c.account_id AND cc.contact_id = c.id AND cc.disabled_reason IS NULL
  ))`;

/** Whether the person of a drill answered it: in the console somebody else may have done so. */
function answered(of: string): string {
  return `(${of}.acknowledged_at IS NOT NULL AND ${of}.acknowledged_via <> 'console')`;
}

/**
 * The last drill of the contact `c`: its hidden source bears the contact's id. Where the incident is gone, the report
 * still knows when it was. It is the second of two if the one before was not answered either.
 */
const LAST = `
LEFT JOIN LATERAL (
  SELECT i.id AS "incidentId", ${ms('i.opened_at')} AS at, d.channel, i.status AS state,
    CASE WHEN EXISTS (
      SELECT FROM incident p WHERE p.account_id || p.source_id = c.account_id || c.id AND p.environment = 'drill'
        AND p.opened_at < i.opened_at AND p.opened_at > i.opened_at - interval '${DRILL_EVERY_MS} ms'
        AND NOT ${answered('p')} AND p.close_reason = 'auto_close'
    ) THEN 1 ELSE 0 END AS round,
    CASE WHEN ${answered('i')} OR EXISTS (
      SELECT FROM contact_channel p
      WHERE p.account_id = c.account_id AND p.contact_id = c.id AND p.proven_at >= i.opened_at
    ) THEN 'answered' ELSE 'none' END AS answer
  FROM incident i
  LEFT JOIN LATERAL (
    SELECT o.channel FROM delivery o WHERE o.account_id = i.account_id AND o.incident_id = i.id ORDER BY o.seq LIMIT 1
  ) d ON true
  WHERE i.account_id || i.source_id = c.account_id || c.id AND i.environment = 'drill'
  ORDER BY i.opened_at DESC, i.seq DESC LIMIT 1
) drilled ON true
LEFT JOIN LATERAL (
  SELECT r.incident_id AS "incidentId", ${ms('r.asked_at')} AS at, r.channel, 1 AS round, 'closed' AS state, 'answered' AS answer
  FROM proof r
  WHERE drilled."incidentId" IS NULL AND r.account_id = c.account_id AND r.contact_id = c.id AND r.occasion = 'drill'
  ORDER BY r.asked_at DESC LIMIT 1
) reported ON true`;

const LAST_JSON = `coalesce(CASE WHEN drilled."incidentId" IS NOT NULL THEN row_to_json(drilled) END,
  CASE WHEN reported."incidentId" IS NOT NULL THEN row_to_json(reported) END)`;

/** What is live in the account `a`, and when the last of it ended. */
const LIVE = `CASE WHEN EXISTS (
      SELECT FROM incident i WHERE i.account_id = a.id AND i.status = 'open' AND i.environment = 'live')
    OR EXISTS (SELECT FROM source_state s WHERE s.account_id = a.id AND s.pending_due_at IS NOT NULL)
    THEN 'open' ELSE 'none' END AS incident,
  (SELECT ${ms('max(i.closed_at)')} FROM incident i
    WHERE i.account_id = a.id AND i.environment = 'live' AND i.status = 'closed'
      AND i.closed_at > tocsin_now() - interval '2 days') AS "lastIncidentAt"`;

/** The accounts `a` with what holds for all of their people: it is asked once for each account. */
function accountsOf(from: string): string {
  return `accounts AS MATERIALIZED (SELECT a.id, a.plan, a.created_at, ${LIVE} FROM ${from})`;
}

const COLUMNS = `a.id AS "accountId", a.plan, ${ms('a.created_at')} AS "accountCreatedAt", ${CONTACT} AS contact,
  ${LAST_JSON} AS last, a.incident, a."lastIncidentAt", ${ms('tocsin_now()')} AS now`;

/**
 * The next people of accounts that are drilled by themselves, whether a policy names them or not: a page has an end that
 * way, however few are named.
 */
const pageStatement: Statement<DrillPlace & { accountId: string; contactId: string }> = {
  name: 'page_to_drill',
  text: `
SELECT a.seq::text AS "accountSeq", c.seq::text AS "contactSeq", a.id AS "accountId", c.id AS "contactId"
FROM account a
CROSS JOIN LATERAL (
  SELECT o.seq, o.id FROM contact o
  WHERE o.account_id = a.id AND o.seq > CASE a.seq WHEN $1::bigint THEN $2::bigint ELSE 0 END
  ORDER BY o.seq LIMIT $3
) c
WHERE a.drills <> 'off' AND a.seq >= $1::bigint
ORDER BY a.seq, c.seq LIMIT $3`,
};

/** Those of a page whom a policy names, themselves or through a duty. */
const planStatement: Statement<DrilledContact & DrillPlace> = {
  name: 'people_to_drill',
  text: `
WITH page AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::text[]) AS page (account_id, contact_id)),
${accountsOf('account a WHERE a.id = ANY ($1::text[])')},
named AS MATERIALIZED (
  SELECT p.account_id, told ->> 'contactId' AS contact_id
  FROM accounts a JOIN policy p ON p.account_id = a.id
  CROSS JOIN LATERAL jsonb_path_query(p.steps, '$[*].contacts[*]') AS told
  UNION
  SELECT d.account_id, unnest(d.contact_ids)
  FROM accounts a JOIN policy p ON p.account_id = a.id
  CROSS JOIN LATERAL jsonb_path_query(p.steps, '$[*].contacts[*].dutyId ? (@ != "")') AS told
  JOIN duty d ON d.account_id = a.id AND d.id = told #>> '{}'
)
SELECT o.seq::text AS "accountSeq", c.seq::text AS "contactSeq", ${COLUMNS}
FROM page
JOIN named ON named.account_id = page.account_id AND named.contact_id = page.contact_id
JOIN accounts a ON a.id = page.account_id
JOIN account o ON o.id = page.account_id
JOIN contact c ON c.account_id = page.account_id AND c.id = page.contact_id
${LAST}
ORDER BY o.seq, c.seq`,
};

const oneStatement: Statement<DrilledContact> = {
  name: 'person_to_drill',
  text: `
WITH ${accountsOf('account a WHERE a.id = $1')}
SELECT ${COLUMNS}
FROM accounts a JOIN contact c ON c.account_id = a.id
${LAST}
WHERE c.account_id = $1 AND c.id = $2`,
};

/**
 * Makes the hidden source of a person's drills, once: deleted and disabled, so that no list shows it and nothing else
 * fires it. Nothing in an account without a location, which has no alarm either.
 */
const sourceStatement: Statement<never> = {
  name: 'make_drill_source',
  text: `
WITH made AS (
  INSERT INTO source (account_id, id, kind, key, location_id, name, test, disabled, response_kind, deleted_at)
  SELECT $1, $2, 'panic_button', $2, l.id, 'Drill', true, true, 'other', tocsin_now()
  FROM location l JOIN contact c ON c.account_id = l.account_id AND c.id = $2
  WHERE l.account_id = $1 ORDER BY l.seq LIMIT 1
  ON CONFLICT (account_id, id) DO NOTHING
  RETURNING account_id, id
)
INSERT INTO source_state (account_id, source_id) SELECT account_id, id FROM made`,
};

const sourceSeqStatement: Statement<{ seq: number; actionId: string }> = {
  name: 'drill_source',
  text: `
SELECT seq::float8 AS seq, (nextval('journal_number') * ${PLACES})::text AS "actionId" FROM source
WHERE account_id = $1 AND id = $2`,
};

/** A drill that was sent and waited for its answer in vain, and whether its owners and the report know. */
export interface UnansweredDrill {
  contactId: string;
  contactName: string;
  channel: ChannelKind;
  noticed: boolean;
  reported: boolean;
}

const missedStatement: Statement<UnansweredDrill> = {
  name: 'unanswered_drills',
  text: `
SELECT d.contact_id AS "contactId", d.channel, coalesce(c.name, '') AS "contactName",
  EXISTS (SELECT FROM notice n WHERE n.account_id = i.account_id AND n.kind = 'drill_missed' AND n.once = i.id) AS noticed,
  EXISTS (SELECT FROM proof p WHERE p.account_id = i.account_id AND p.incident_id = i.id AND p.kind = 'unanswered') AS reported
FROM incident i
CROSS JOIN LATERAL (
  SELECT contact_id, channel FROM delivery o
  WHERE o.account_id = i.account_id AND o.incident_id = i.id AND o.sent_at IS NOT NULL ORDER BY o.seq LIMIT 1
) d
LEFT JOIN contact c ON c.account_id = i.account_id AND c.id = d.contact_id
WHERE i.account_id = $1 AND i.id = $2 AND i.environment = 'drill' AND i.close_reason = 'auto_close' AND NOT ${answered('i')}`,
};

/** Tries to become the one that plans drills, until the end of the transaction. */
export async function beginDrilling(db: Connection): Promise<'begun' | 'busy'> {
  const { rows } = (await db.query(`SELECT pg_try_advisory_xact_lock(${LOCKS.drills}) AS held`)) as {
    rows: { held: boolean }[];
  };
  return rows[0]!.held ? 'begun' : 'busy';
}

const holdStatement: Statement<{ held: true }> = {
  name: 'hold_account_to_drill',
  text: 'SELECT true AS held FROM account WHERE id = $1 FOR SHARE SKIP LOCKED',
};

/** Keeps an account and its people from being changed or deleted until the end of the transaction, unless that is under way. */
export async function holdAccount(db: Connection, accountId: string): Promise<'held' | 'busy'> {
  return (await run(db, holdStatement, [accountId])).length > 0 ? 'held' : 'busy';
}

/** A place in the order of all people who are drilled by themselves. */
export interface DrillPlace {
  accountSeq: string;
  contactSeq: string;
}

export const FIRST_PLACE: DrillPlace = { accountSeq: '0', contactSeq: '0' };

/**
 * Returns whom a policy names among the next `most` people after a place, and where the next page begins; null: that was
 * the last.
 */
export async function readPeopleToDrill(db: Connection, { accountSeq, contactSeq }: DrillPlace, most: number) {
  const page = await run(db, pageStatement, [accountSeq, contactSeq, most]);
  const ids = [page.map(one => one.accountId), page.map(one => one.contactId)];
  const people = page.length === 0 ? [] : await run(db, planStatement, ids);
  return { people, next: page.length < most ? null : placeOf(page.at(-1)!) };
}

/** Returns the place after a person. */
export function placeOf({ accountSeq, contactSeq }: DrillPlace): DrillPlace {
  return { accountSeq, contactSeq };
}

/** Returns one person; null if the account has no such contact. */
export async function readPersonToDrill(
  db: Connection,
  accountId: string,
  contactId: string,
): Promise<DrilledContact | null> {
  const [row] = await run(db, oneStatement, [accountId, contactId]);
  return row ?? null;
}

/** Returns the number of a person's hidden source, made if it is missing, and that of a new action; null: no location. */
export async function drillSource(db: Connection, accountId: string, contactId: string) {
  await run(db, sourceStatement, [accountId, contactId]);
  const [row] = await run(db, sourceSeqStatement, [accountId, contactId]);
  return row ?? null;
}

/**
 * Returns whom a drill was for, and over what, that was sent and waited for its answer in vain; null for any other: one
 * that nobody got says nothing of the person, nor one that made room for another.
 */
export async function readUnanswered(
  db: Connection,
  accountId: string,
  incidentId: string,
): Promise<UnansweredDrill | null> {
  const [row] = await run(db, missedStatement, [accountId, incidentId]);
  return row ?? null;
}
