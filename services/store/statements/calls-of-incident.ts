import { type Connection, run, type Statement } from '../statement.ts';
import type { CallRow } from './call-row.ts';
import { LOGGED, LOOKED_AT, OF_ACCOUNT } from './calls.ts';

/** What belongs to an incident besides the triggers that joined it is as much as people do: so many of it are on one page. */
const OTHERS_MOST = 500;

/** Where a page of an incident's calls begins: after the calls of these numbers. */
export interface CallsPlace {
  /** The last trigger that joined it: that folded into it, or waited in the false-alarm window that it opened from. */
  joined: string;
  /** The last one of all others. */
  others: string;
  /** How many triggers that joined it stand on the pages before. */
  shown: number;
}

/** The place of the first page. */
export const BEGINNING: CallsPlace = { joined: '0', others: '0', shown: 0 };

/** Calls of an incident in order, and where the next page begins; null: there are no more. */
export interface CallsPage {
  calls: CallRow[];
  next: CallsPlace | null;
}

/**
 * A page of the calls of an incident: at most `size` triggers that joined it, of which there is no end, and what else
 * belongs to it. Costs what stands on it, and a look at LOOKED_AT calls of the source at most where those are not folds.
 */
export async function readCallsOf(
  on: Connection,
  accountId: string,
  incidentId: string,
  size: number,
  after: CallsPlace = BEGINNING,
): Promise<CallsPage> {
  const [scope] = await run(on, scopeStatement, [accountId, incidentId]);
  if (scope === undefined) return { calls: [], next: null };
  const wanted = Math.min(size + 1, Math.max(0, (scope.joined ?? Number.POSITIVE_INFINITY) - after.shown));
  const among = [scope.sourceSeq, after.joined, scope.firstCallId, scope.nextCallId];
  const values = [accountId, ...among, scope.seq, wanted, LOOKED_AT, after.others, OTHERS_MOST + 1];
  const found = await run(on, pageStatement, values);

  const joinedFound = found.filter(hasJoined);
  const lookedTo = joinedFound.length < wanted ? await lookedToAmong(on, among) : null;
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

/** Where the calls of an incident are found. */
interface Scope {
  seq: string;
  sourceSeq: string;
  firstCallId: string;
  nextCallId: string;
  /** How many triggers joined it. Null: it is open, and counts after they were logged. */
  joined: number | null;
}

/**
 * Folds are looked for among the calls of the source, up to the one that opened the next incident. Not up to one that began
 * a window: others may fold into this incident while that lasts.
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

/** By their numbers, as one array: whatever Postgres knows of the table, it then reads no call of the account but these. */
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

/** The call where the look for folds ended; null: there are none after those that were looked at. */
async function lookedToAmong(on: Connection, among: readonly string[]): Promise<string | null> {
  const [row] = await run(on, lookedToStatement, [...among, LOOKED_AT - 1]);
  return row?.id ?? null;
}
