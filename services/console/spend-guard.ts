import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import type { AttemptOutcome, ChannelKind } from '../domain/delivery.ts';
import { dollars, isCharged, spendVerdict } from '../domain/spend.ts';
import { addSpend, spentToday } from '../store/spend-statements.ts';
import { type Connection, inTransaction } from '../store/statement.ts';

/**
 * Refuses a drill, a rehearsed message or a verification code over a channel that costs money once the account's daily cap is
 * spent (proto Account.daily_spend_cap_cents). Messages of live incidents never ask. Two that ask at the same instant may both
 * pass: the cap is met by estimate anyway. Throws RESOURCE_EXHAUSTED.
 */
export async function refuseOverCap(on: Connection, accountId: string, channel: ChannelKind): Promise<void> {
  if (!isCharged(channel)) return;
  const today = await spentToday(on, accountId);
  if (today === null || spendVerdict(today.cents, today.capCents) !== 'spend_capped') return;
  const until = `${today.resetsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const message =
    `spend_capped: texts and calls have cost ${dollars(today.cents)} today by estimate, and the cap of a day is ` +
    `${dollars(today.capCents)}. Nothing but live incidents goes out by ${channel} until ${until}. ` +
    'Raise the cap (daily_spend_cap_cents; tocsin accounts update --daily-spend-cap-cents), or take another channel.';
  throw new ConnectError(message, Code.ResourceExhausted);
}

/** Adds a message that belongs to no incident, a drill or a code, to what its account spent today, where it went out. */
export async function countSpend(
  pool: Pool,
  accountId: string,
  channel: ChannelKind,
  outcome: AttemptOutcome,
): Promise<void> {
  if (!isCharged(channel) || (outcome.kind !== 'sent' && outcome.kind !== 'delivered')) return;
  await inTransaction(pool, client => addSpend(client, { accountId, channel, units: outcome.units ?? 1 }));
}
