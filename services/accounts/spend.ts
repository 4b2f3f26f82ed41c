import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import { invalidField, noSuch } from '../configuration/errors.ts';
import type { AttemptOutcome, ChannelKind } from '../domain/delivery.ts';
import { isCharged, limitReached } from '../domain/spend.ts';
import { shownDate } from '../process/wall-clock.ts';
import { say } from '../rpc/reader.ts';
import { type Connection, inTransaction } from '../store/statement.ts';
import { addSpend, spendOfDays, spentToday } from '../store/statements/spend.ts';

/**
 * Refuses a drill or a verification code over a channel that costs money once the account's daily cap or its ceiling is
 * reached (proto Account.daily_spend_cap_cents). Messages of live incidents are checked in engine/send/ceiling.ts. Two
 * requests at the same instant may both pass: the cap is an estimate anyway. Throws RESOURCE_EXHAUSTED.
 */
export async function refuseOverCap(db: Connection, accountId: string, channel: ChannelKind): Promise<void> {
  if (!isCharged(channel)) return;
  const today = await spentToday(db, accountId);
  if (today === null) return;
  const limit = limitReached(today);
  if (limit === 'none') return;
  const over = { limit, most: limit === 'ceiling' ? today.ceilingCents : today.capCents };
  const until = `${shownDate(today.resetsAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const message = say().refusals.overSpend({ ...over, spent: today.cents, channel, until });
  throw new ConnectError(message, Code.ResourceExhausted);
}

/** Adds a sent message that belongs to no incident, a drill or a code, to what its account spent today. */
export async function countSpend(
  pool: Pool,
  accountId: string,
  channel: ChannelKind,
  outcome: AttemptOutcome,
): Promise<void> {
  if (!isCharged(channel) || (outcome.kind !== 'sent' && outcome.kind !== 'delivered')) return;
  await inTransaction(pool, client => addSpend(client, { accountId, about: null, channel, units: outcome.units ?? 1 }));
}

const DAYS = { most: 90, usual: 7 } as const;

/** Returns what texts and calls of the last `days` cost an account; 0 means 7. Throws INVALID_ARGUMENT, NOT_FOUND. */
export async function spendView(db: Connection, accountId: string, days: number) {
  if (days < 0 || days > DAYS.most) {
    throw invalidField('days', say().accepts.days(DAYS.most, DAYS.usual), days);
  }
  const today = await spentToday(db, accountId);
  if (today === null) throw noSuch('account');
  const { capCents, ceilingCents } = today;
  return { days: await spendOfDays(db, accountId, days === 0 ? DAYS.usual : days), capCents, ceilingCents };
}
