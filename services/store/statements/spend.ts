import type { ChannelKind } from '../../domain/delivery.ts';
import { countedUnits, isCharged, priceCents, type SpendVerdict, spendVerdict } from '../../domain/spend.ts';
import { newId } from '../id.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { noWrites, writeAll } from './write.ts';

/** What a message added to its account's day. Amounts in cents, estimated. */
export interface Spent {
  accountId: string;
  beforeCents: number;
  afterCents: number;
  /** 0 for no cap. */
  capCents: number;
  verdict: SpendVerdict;
}

interface SpentRow {
  day: string;
  now: Date;
  afterCents: number;
  capCents: number;
}

const addStatement: Statement<SpentRow> = {
  name: 'add_spend',
  text: `
WITH payer AS MATERIALIZED (
  SELECT id, daily_spend_cap_cents AS cap_cents, tocsin_now() AS now FROM account WHERE id = $1
),
spent AS (
  INSERT INTO spend AS s (account_id, day, text_parts, calls, cents)
  SELECT id, (now AT TIME ZONE 'UTC')::date, $2::int, $3::int, $4::int FROM payer
  ON CONFLICT (account_id, day) DO UPDATE SET text_parts = s.text_parts + EXCLUDED.text_parts,
    calls = s.calls + EXCLUDED.calls, cents = s.cents + EXCLUDED.cents
  RETURNING s.day, s.cents
),
-- After the account's row, so that two recorders never deadlock.
of_sources AS (
  INSERT INTO source_spend AS s (account_id, source_id, day, cents)
  SELECT $1, r.source_id, spent.day, r.cents FROM spent CROSS JOIN json_to_recordset($5::json) AS r (source_id text, cents int)
  ON CONFLICT (account_id, day, source_id) DO UPDATE SET cents = s.cents + EXCLUDED.cents
),
told AS (
  INSERT INTO source_told (account_id, source_id, day, contact_id, channel)
  SELECT DISTINCT $1, r.source_id, spent.day, r.contact_id, r.channel
  FROM spent CROSS JOIN json_to_recordset($6::json) AS r (source_id text, contact_id text, channel text)
  ON CONFLICT DO NOTHING
)
SELECT spent.day::text AS day, payer.now, spent.cents AS "afterCents", payer.cap_cents AS "capCents" FROM spent CROSS JOIN payer`,
};

/** A message that went out. `units`: parts of an SMS, 1 for a call. */
export interface Charged {
  accountId: string;
  /** The source it is about, and whom it told; null for a drill or a code. */
  about: { sourceId: string; contactId: string } | null;
  channel: ChannelKind;
  units: number;
}

/**
 * Adds a message that went out to what its account spent today (UTC), and notifies the owner when that reaches 80 % of
 * the cap, and the cap: each once a day. Call it in the transaction that records the message. Returns null if the
 * channel costs nothing, or the account is gone.
 */
export async function addSpend(db: Connection, message: Charged): Promise<Spent | null> {
  const [spent] = await addSpends(db, [message]);
  return spent ?? null;
}

/**
 * Like addSpend for many messages at once: one row for each account that pays for any of them. In the order of
 * accounts, so that two recorders never deadlock.
 */
export async function addSpends(db: Connection, messages: readonly Charged[]): Promise<Spent[]> {
  const byAccount = Map.groupBy(messages, ({ accountId }) => accountId);
  const spent: Spent[] = [];
  for (const accountId of [...byAccount.keys()].sort()) {
    const one = await addForAccount(db, accountId, byAccount.get(accountId)!);
    if (one !== null) spent.push(one);
  }
  return spent;
}

async function addForAccount(db: Connection, accountId: string, messages: readonly Charged[]): Promise<Spent | null> {
  const [textParts, calls] = (['text', 'call'] as const).map(charged =>
    messages.reduce((sum, { channel, units }) => sum + (channel === charged ? countedUnits(units) : 0), 0),
  ) as [number, number];
  const cents = priceCents('text', textParts) + priceCents('call', calls);
  if (cents === 0) return null;
  const values = [
    accountId,
    textParts,
    calls,
    cents,
    JSON.stringify(bySource(messages)),
    JSON.stringify(chargedPeople(messages)),
  ];
  const [row] = await run(db, addStatement, values);
  if (row === undefined) return null;
  const { afterCents, capCents } = row;
  const verdict = spendVerdict(afterCents, capCents);
  if (verdict !== 'within_cap') await noticeSpend(db, accountId, verdict, row);
  return { accountId, beforeCents: afterCents - cents, afterCents, capCents, verdict };
}

/** Returns the cost per source, leaving out messages without one. */
function bySource(messages: readonly Charged[]): { source_id: string; cents: number }[] {
  const costing = messages.flatMap(({ about, channel, units }) =>
    about !== null && isCharged(channel)
      ? [{ sourceId: about.sourceId, cents: priceCents(channel, countedUnits(units)) }]
      : [],
  );
  return [...Map.groupBy(costing, ({ sourceId }) => sourceId)].map(([source_id, costs]) => ({
    source_id,
    cents: costs.reduce((sum, { cents }) => sum + cents, 0),
  }));
}

/** Returns who got a message that costs something, and about which source. */
function chargedPeople(messages: readonly Charged[]) {
  return messages.flatMap(({ about, channel }) =>
    about !== null && isCharged(channel) ? [{ source_id: about.sourceId, contact_id: about.contactId, channel }] : [],
  );
}

/**
 * Checks every message over a threshold, not only the one that crosses it: the owner may have lowered the cap
 * meanwhile.
 */
async function noticeSpend(
  db: Connection,
  accountId: string,
  kind: Exclude<SpendVerdict, 'within_cap'>,
  { day, now, afterCents, capCents }: SpentRow,
): Promise<void> {
  const about = { cents: afterCents, capCents };
  const notice = { accountId, id: newId(), kind, once: day, incidentId: null, about, at: now.getTime() };
  await writeAll(db, { ...noWrites(), notices: [notice] });
}

/** What an account has spent today, and when the next day (UTC) begins. */
export interface SpentToday {
  cents: number;
  /** 0 for none. */
  capCents: number;
  /** 0 for none. */
  ceilingCents: number;
  resetsAt: Date;
}

const todayStatement: Statement<SpentToday> = {
  name: 'spent_today',
  text: `
SELECT coalesce(s.cents, 0) AS cents, a.daily_spend_cap_cents AS "capCents",
  a.daily_spend_ceiling_cents AS "ceilingCents", (t.day + 1)::timestamp AT TIME ZONE 'UTC' AS "resetsAt"
FROM account a
CROSS JOIN (SELECT (tocsin_now() AT TIME ZONE 'UTC')::date AS day) t
LEFT JOIN spend s ON s.account_id = a.id AND s.day = t.day
WHERE a.id = $1`,
};

/** Returns null if there is no such account. */
export async function spentToday(db: Connection, accountId: string): Promise<SpentToday | null> {
  const [row] = await run(db, todayStatement, [accountId]);
  return row ?? null;
}

const sourceTodayStatement: Statement<{ cents: number }> = {
  name: 'source_spent_today',
  text: `
SELECT cents FROM source_spend WHERE account_id = $1 AND source_id = $2 AND day = (tocsin_now() AT TIME ZONE 'UTC')::date`,
};

/** Returns what messages about a source cost today, in cents. */
export async function sourceSpentToday(db: Connection, accountId: string, sourceId: string): Promise<number> {
  const [row] = await run(db, sourceTodayStatement, [accountId, sourceId]);
  return row?.cents ?? 0;
}

/** One day (UTC) on which something was sent, `2026-11-22`. */
export interface SpendDay {
  day: string;
  textParts: number;
  calls: number;
  cents: number;
}

const daysStatement: Statement<SpendDay> = {
  name: 'spend_days',
  text: `
SELECT day::text AS day, text_parts AS "textParts", calls, cents FROM spend
WHERE account_id = $1 AND day > (tocsin_now() AT TIME ZONE 'UTC')::date - $2::int
ORDER BY spend.day DESC`,
};

/** Returns what was spent on the last days, including today, newest first. */
export function spendOfDays(db: Connection, accountId: string, days: number): Promise<SpendDay[]> {
  return run(db, daysStatement, [accountId, days]);
}
