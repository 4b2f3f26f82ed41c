import { PAGE_SIZE } from '../../rpc/pages.ts';
import { type Connection, run, type Statement } from '../../store/statement.ts';

/** A place among the incidents of an account, which are in the order of these two. `openedAt`: as the database takes a time. */
export interface IncidentPlace {
  openedAt: string;
  id: string;
}

/** What to search for. Null: no restriction. */
export interface IncidentSearch {
  /** The id of an API key. */
  keyId: string | null;
  contactId: string | null;
  sourceId: string | null;
  locationId: string | null;
  status: string | null;
  /** Null: all but drills. */
  environment: string | null;
}

/** The incidents found, and the last one looked at if more may follow; null if there are no more. */
export interface FoundIncidents {
  found: IncidentPlace[];
  lookedTo: IncidentPlace | null;
}

/** How many incidents are searched for one page: what no index answers must not take longer as they become more. */
export const INCIDENTS_LOOKED_AT = 20_000;

/**
 * Searches the incidents of an account below one place and from another on, newest first, for those of a key or a contact: the
 * newest INCIDENTS_LOOKED_AT of them. An index would cost each incident a row for each of its people and keys.
 */
export async function searchIncidents(
  db: Connection,
  accountId: string,
  search: IncidentSearch,
  within: { below: IncidentPlace; from: IncidentPlace },
  limit: number,
): Promise<FoundIncidents> {
  const { below } = within;
  const span = [accountId, below.openedAt, below.id];
  const [last] = await run(db, lastStatement, [...span, within.from.openedAt, within.from.id, INCIDENTS_LOOKED_AT - 1]);
  const from = last ?? within.from;
  const values: unknown[] = [...span, from.openedAt, from.id, limit];
  const names: string[] = [];
  const conditions = Object.entries(CONDITIONS).map(([field, condition]) => {
    const value = search[field as keyof IncidentSearch];
    if (value === null) return field === 'environment' ? " AND i.environment <> 'drill'" : '';
    values.push(value);
    names.push(field.toLowerCase());
    return ` AND ${condition.replaceAll('?', `$${values.length}`)}`;
  });
  const statement: Statement<IncidentPlace> = {
    name: ['search_incidents', ...names].join('_'),
    text: `SELECT * FROM (
  SELECT ${PLACE} FROM incident i WHERE ${WITHIN}${conditions.join('')}
  ORDER BY i.opened_at DESC, i.id DESC LIMIT ${MOST}
) newest LIMIT $6`,
  };
  const found = await run(db, statement, values);
  return { found, lookedTo: found.length < limit ? (last ?? null) : null };
}

/**
 * The most that is found for one page, which is one more than it holds. Written out within, it has the index walked until enough is found, whatever the values: planned
 * for any limit, a statement finds all of the part first, and sorts it.
 */
const MOST = PAGE_SIZE.most + 1;

const PLACE = `to_json(i.opened_at)#>>'{}' AS "openedAt", i.id`;

/** What walks the index incident_newest, and nothing else. */
const WITHIN = `i.account_id = $1 AND (i.opened_at, i.id) < ($2::timestamptz, $3) AND (i.opened_at, i.id) >= ($4::timestamptz, $5)`;

/**
 * Whom a message was to reach: it was tried, or was due and had nowhere to go. What was called off before its time reached nobody, nor
 * has what test has planned for later: all of it is suppressed from the opening on.
 * OFFSET 0 keeps it a look at the messages of each incident: joined, all messages of the contact would be read.
 */
const ALERTED = `EXISTS (
  SELECT FROM delivery d WHERE d.account_id = i.account_id AND d.incident_id = i.id AND d.contact_id = ?
    AND (d.first_attempt_at IS NOT NULL OR d.status NOT IN ('scheduled', 'cancelled', 'suppressed')
      OR (d.status = 'suppressed' AND d.due_at <= (SELECT tocsin_now()))) OFFSET 0
)`;

const CONDITIONS: Readonly<Record<keyof IncidentSearch, string>> = {
  sourceId: 'i.source_id = ?',
  locationId: 'i.location_id = ?',
  status: 'i.status = ?',
  environment: 'i.environment = ?',
  keyId: 'i.tripped_keys @> (SELECT to_jsonb(k.seq) FROM api_key k WHERE k.account_id = $1 AND k.id = ?)',
  contactId: `(i.acknowledged_contact_id = ? OR ${ALERTED})`,
};

const lastStatement: Statement<IncidentPlace> = {
  name: 'incidents_looked_to',
  text: `SELECT ${PLACE} FROM incident i WHERE ${WITHIN}
ORDER BY i.opened_at DESC, i.id DESC OFFSET $6 LIMIT 1`,
};
