import { type Connection, run, type Statement } from '../../store/statement.ts';
import type { CallRow } from '../../store/statements/call-row.ts';
import { LOGGED, LOOKED_AT, OF_ACCOUNT } from '../../store/statements/calls.ts';

/**
 * The most calls of an incident other than triggers that joined it. There are only as many as people make, so one page
 * has room for them.
 */
const OTHERS_MOST = 500;

/** Where a page of an incident's calls starts: after the calls with these numbers. */
export interface CallsPlace {
  /** The last trigger that joined it: that folded into it, or waited in the window it opened from. */
  joined: string;
  /** The last one of all others. */
  others: string;
  /** How many triggers that joined it are on the pages before. */
  shown: number;
}

/** The place of the first page. */
export const BEGINNING: CallsPlace = { joined: '0', others: '0', shown: 0 };

/** Calls of an incident in order, and where the next page starts; null if there are no more. */
export interface CallsPage {
  calls: CallRow[];
  next: CallsPlace | null;
}

/**
 * Reads a page of an incident's calls: at most `size` triggers that joined it, which may be any number, and the other
 * calls that belong to it. Reads what is on the page, and at most LOOKED_AT calls of the source if those are not folds.
 */
export async function readCallsOf(
  db: Connection,
  accountId: string,
  incidentId: string,
  size: number,
  after: CallsPlace = BEGINNING,
): Promise<CallsPage> {
  const [scope] = await run(db, scopeStatement, [accountId, incidentId]);
  if (scope === undefined) return { calls: [], next: null };
  const wanted = Math.min(size + 1, Math.max(0, (scope.joined ?? Number.POSITIVE_INFINITY) - after.shown));
  const among = [scope.sourceSeq, after.joined, scope.firstCallId, scope.nextCallId];
  const values = [accountId, ...among, scope.seq, wanted, LOOKED_AT, after.others, OTHERS_MOST + 1];
  const found = await run(db, pageStatement, values);

  const joinedFound = found.filter(hasJoined);
  const lookedTo = joinedFound.length < wanted ? await lookedToAmong(db, among) : null;
  const inLook = ({ id }: CallRow) => lookedTo === null || Number(id) <= Number(lookedTo);
  const joined = joinedFound.filter(inLook).slice(0, size);
  const othersFound = found.filter(call => !hasJoined(call));
  const others = othersFound.slice(0, OTHERS_MOST);
  const goesOn = lookedTo !== null || joinedFound.length > size || othersFound.length > OTHERS_MOST;
  const next = {
    joined: lookedTo ?? joined.at(-1)?.id ?? after.joined,
    others: others.at(-1)?.id ?? after.others,
    shown: after.shown + joined.length,
  };
  return { calls: [...joined, ...others].sort((a, b) => Number(a.id) - Number(b.id)), next: goesOn ? next : null };
}

function hasJoined({ verb, outcome, pendingId }: CallRow): boolean {
  return verb === 'trigger' && (outcome === 'folded' || pendingId !== null);
}

/** Where to find the calls of an incident. */
interface Scope {
  seq: string;
  sourceSeq: string;
  firstCallId: string;
  nextCallId: string;
  /** How many triggers joined it. Null while it is open, because it counts after they were logged. */
  joined: number | null;
}

/**
 * Looks for folds among the calls of the source, up to the call that opened the next incident. A call that only started
 * a window is no limit, because others may still fold into this incident while the window lasts.
 */
const scopeStatement: Statement<Scope> = {
  name: 'scope_of_incident',
  text: `
SELECT i.seq::text AS seq, s.seq::text AS "sourceSeq", i.first_call_id::text AS "firstCallId", coalesce((
    SELECT min(n.first_call_id) FROM incident n
    WHERE n.account_id = i.account_id AND n.source_id = i.source_id AND n.opened_at >= i.closed_at
      AND n.first_call_id > i.first_call_id AND n.window_ended_at IS NULL
  ), 9223372036854775807)::text AS "nextCallId",
  CASE WHEN i.closed_at IS NOT NULL
    THEN i.trigger_count - CASE WHEN i.window_ended_at IS NULL THEN 1 ELSE 0 END
  END AS joined
FROM incident i JOIN source s ON s.account_id = i.account_id AND s.id = i.source_id
WHERE i.account_id = $1 AND i.id = $2`,
};

/**
 * Passes the numbers as one array, so that Postgres reads no other call of the account, whatever its statistics say.
 */
const pageStatement: Statement<CallRow> = {
  name: 'calls_of_incident',
  text: `
SELECT ${LOGGED} FROM call_log c
WHERE ${OF_ACCOUNT} AND c.id = ANY (ARRAY(
  (SELECT l.id FROM logged_call l
    WHERE l.incident_seq = $6 AND l.outcome <> 'folded' AND l.id > $9 ORDER BY l.id LIMIT $10)
  UNION
  (SELECT f.id FROM (
      SELECT l.id, l.incident_seq, l.outcome FROM logged_call l
      WHERE l.source_seq = $2 AND l.id > greatest($3::bigint, $4::bigint) AND l.id < $5 ORDER BY l.id LIMIT $8
    ) f WHERE f.incident_seq = $6 AND f.outcome = 'folded' ORDER BY f.id LIMIT $7)
  UNION
  (SELECT p.id FROM window_end w CROSS JOIN LATERAL (
      SELECT l.id FROM logged_call l
      WHERE l.pending_id = w.pending_id AND l.verb = 'trigger' AND l.id > $3 ORDER BY l.id LIMIT $7
    ) p WHERE w.incident_seq = $6)
)) ORDER BY c.id`,
};

const lookedToStatement: Statement<{ id: string }> = {
  name: 'calls_of_incident_looked_to',
  text: `SELECT l.id::text AS id FROM logged_call l
    WHERE l.source_seq = $1 AND l.id > greatest($2::bigint, $3::bigint) AND l.id < $4 ORDER BY l.id OFFSET $5 LIMIT 1`,
};

/** Returns the call where the search for folds ended; null if none follow those looked at. */
async function lookedToAmong(db: Connection, among: readonly string[]): Promise<string | null> {
  const [row] = await run(db, lookedToStatement, [...among, LOOKED_AT - 1]);
  return row?.id ?? null;
}
