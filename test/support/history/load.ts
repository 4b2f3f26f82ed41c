import { type History, type Incident, type Logged, type Message, NOTHING } from '../history.ts';
import { eventually } from '../wait.ts';
import { UNWRITTEN_FOLDS, WAITING_CALLS } from '../waiting.ts';

/** What stands in a database of the product, for the checker: the one place that knows its tables. */

/** Asks the database of a deployment. */
export type Rows = <Row extends Record<string, unknown>>(sql: string, values?: unknown[]) => Promise<Row[]>;

/** What is left to do, in words: accepted calls, folds to write, windows and messages, due or not. */
const UNDONE = `
SELECT 'call ' || trace_id AS what FROM (${WAITING_CALLS}) w
UNION ALL SELECT 'fold ' || key FROM (${UNWRITTEN_FOLDS}) f
UNION ALL SELECT 'window of ' || source_id FROM source_state WHERE pending_id IS NOT NULL
UNION ALL SELECT 'message ' || id FROM delivery WHERE status IN ('scheduled', 'sending')`;

/** Waits until nothing is left to do. `but`: what may be left, such as `message` of later steps. */
export async function nothingUndone(
  rows: Rows,
  { within = 30_000, but = [] as readonly string[] } = {},
): Promise<void> {
  const left = async () =>
    (await rows<{ what: string }>(UNDONE)).filter(({ what }) => !but.includes(what.split(' ')[0]!));
  await eventually(async () => isEmpty(await left()), { what: 'nothing to be left undone', within });
}

function isEmpty(left: readonly { what: string }[]): true {
  if (left.length === 0) return true;
  throw new Error(`${left.length} are left, such as: ${left[0]!.what}`);
}

/** What a test adds to the rows: all but what they tell. */
export type Recorded = Partial<Omit<History, 'logged' | 'incidents' | 'messages' | 'undone'>>;

/**
 * Reads the history of what was recorded out of the database. Times of rows come on the clock of the recorder, unless somebody
 * set or moved theirs. `since`: by that clock, what was opened or called before is left out; all there is where it is absent.
 */
export async function loadHistory(
  rows: Rows,
  recorded: Recorded,
  { since = Number.NEGATIVE_INFINITY, but = [] as readonly string[] } = {},
): Promise<History> {
  const shift = (recorded.clock ?? 'steady') !== 'steady' ? 0 : await clockAhead(rows);
  const [logged, incidents, messages, undone] = await Promise.all([
    rows<LoggedRow>(LOGGED),
    rows<Timed<Incident>>(INCIDENTS),
    rows<Timed<Message>>(MESSAGES),
    rows<{ what: string }>(UNDONE),
  ]);
  const told = incidents.map(row => shifted(row, shift, INCIDENT_TIMES)).filter(({ openedAt }) => openedAt >= since);
  const ids = new Set(told.map(({ id }) => id));
  return {
    ...NOTHING,
    ...recorded,
    logged: logged
      .map(row => ({ ...shifted(row, shift, ['at', 'appliedAt']), id: BigInt(row.id) }) as Logged)
      .filter(({ at, incidentId }) => at >= since || ids.has(incidentId ?? '')),
    incidents: told as Incident[],
    messages: messages.filter(({ incidentId }) => ids.has(incidentId)).map(row => shifted(row, shift, MESSAGE_TIMES)),
    undone: undone.map(({ what }) => what).filter(what => !but.includes(what.split(' ')[0]!)),
  };
}

type Timed<Row> = Row & Record<string, unknown>;

type LoggedRow = Timed<Omit<Logged, 'id'> & { id: string }>;

const INCIDENT_TIMES = ['openedAt', 'appliedAt', 'acknowledgedAt', 'closedAt'] as const;

const MESSAGE_TIMES = ['plannedAt', 'movedFrom', 'dueAt', 'firstAttemptAt'] as const;

/** Whole ones: the product keeps time by them. */
const ms = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`;

/** A call that the database lost and that was stored again was made when it was answered. */
const LOGGED = `
SELECT id::text, account_id AS "accountId", source_id AS "sourceId", trace_id AS "traceId", environment, outcome,
  incident_id AS "incidentId", ${ms('coalesce(confirmed_at, at)')} AS at, ${ms('applied_at')} AS "appliedAt"
FROM call_log`;

const INCIDENTS = `
SELECT id, account_id AS "accountId", source_id AS "sourceId", mode, environment, status, trigger_count AS "triggerCount",
  trace_id AS "traceId", ${ms('opened_at')} AS "openedAt", ${ms('applied_at')} AS "appliedAt",
  ${ms('acknowledged_at')} AS "acknowledgedAt", ${ms('closed_at')} AS "closedAt"
FROM incident`;

const MESSAGES = `
SELECT id, account_id AS "accountId", incident_id AS "incidentId", kind, round, step, contact_id AS "contactId", channel,
  status, instead_of AS "insteadOf", ${ms('planned_at')} AS "plannedAt", ${ms('moved_from')} AS "movedFrom",
  ${ms('due_at')} AS "dueAt", ${ms('first_attempt_at')} AS "firstAttemptAt"
FROM delivery`;

/** How far the clock of the rows is ahead of the recorder's, in milliseconds: of three looks, the quickest. */
async function clockAhead(rows: Rows): Promise<number> {
  const looks: { tookMs: number; aheadMs: number }[] = [];
  for (const _ of [1, 2, 3]) {
    const asked = performance.now();
    const [row] = await rows<{ now: number }>(`SELECT ${ms('tocsin_now()')} AS now`);
    const tookMs = performance.now() - asked;
    looks.push({ tookMs, aheadMs: row!.now - asked - tookMs / 2 });
  }
  return looks.toSorted((a, b) => a.tookMs - b.tookMs)[0]!.aheadMs;
}

function shifted<Row extends Record<string, unknown>>(
  row: Row,
  by: number,
  times: readonly (keyof Row & string)[],
): Row {
  const moved = times.map(name => [name, typeof row[name] === 'number' ? row[name] - by : row[name]]);
  return { ...row, ...Object.fromEntries(moved) };
}
