import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type AfterAttempt, type ChannelKind, FAILING_AFTER, isFailing } from '../../domain/delivery.ts';
import { backoffMs } from '../../process/backoff.ts';
import { type Connection, inTransaction, isRefusedForGood } from '../../store/statement.ts';
import {
  bringDeliveriesForward,
  type LeasedDelivery,
  lineOf,
  markArrived,
  recordAttempts,
} from '../../store/statements/delivery.ts';
import { failOver } from '../../store/statements/fail-over.ts';
import { addSpends, type Charged } from '../../store/statements/spend.ts';
import { createGroupCommit } from '../group-commit.ts';

/** How long an outcome may wait for its turn, in milliseconds; then it is recorded alone. */
const WAIT_MS = 5_000;

/**
 * How long recording is retried while the database is away, in milliseconds: within the margin of the lease
 * (domain/delivery.ts `leaseS`). Not every carrier detects duplicates, so an unrecorded message may go out twice.
 */
const AGAIN_MS = 12_000;

/** The pauses between retries, in milliseconds. */
const BACKOFF = { firstMs: 100, mostMs: 2_000 };

/** The result of recording an attempt. */
export interface Recorded {
  /** The status written; `superseded`: another worker has the delivery, or its carrier has reported meanwhile. */
  written: string;
  /** The channel that the message switches to. */
  failover: ChannelKind | null;
  /** Whether failing messages of the account over this channel were brought forward: its carrier is back. */
  broughtForward: 'some' | 'none';
  spent: 'within_cap' | 'over_threshold';
}

interface Attempted {
  delivery: LeasedDelivery;
  after: AfterAttempt;
}

/**
 * Records the results of attempts. Those that end at the same moment share one transaction: under load a carrier
 * answers faster than each could be committed, and all of them update the one row of their account's spending.
 * `carriers`: the channels that have one here.
 */
export function createRecorder(
  pool: Pool,
  log: Logger,
  carriers: readonly ChannelKind[],
): (delivery: LeasedDelivery, after: AfterAttempt) => Promise<Recorded> {
  const together = (attempts: readonly Attempted[]) =>
    inTransaction(pool, client => recordAll(client, attempts, carriers));
  const inGroups = createGroupCommit(together, WAIT_MS);
  return async (delivery, after) => {
    const attempted = { delivery, after };
    try {
      return await inGroups(attempted);
    } catch (error) {
      // A sent message must not be sent again because of a failure of others recorded with it.
      log.warn({ err: error, delivery: delivery.id }, 'outcomes could not be recorded together; each goes alone');
      return alone(attempted);
    }
  };

  async function alone(attempted: Attempted): Promise<Recorded> {
    const until = performance.now() + AGAIN_MS;
    for (let failures = 1; ; failures++) {
      try {
        const [recorded] = await together([attempted]);
        return recorded!;
      } catch (error) {
        const pauseMs = backoffMs(failures, BACKOFF);
        if (error instanceof TypeError || isRefusedForGood(error) || performance.now() + pauseMs > until) throw error;
        // A process that ends does not wait for it: its lease runs out.
        await setTimeout(pauseMs, undefined, { ref: false });
      }
    }
  }
}

async function recordAll(
  client: Connection,
  attempts: readonly Attempted[],
  carriers: readonly ChannelKind[],
): Promise<Recorded[]> {
  const written = new Map((await recordAttempts(client, attempts)).map(({ id, status }) => [id, status]));
  const statusOf = ({ delivery }: Attempted) => written.get(delivery.id) ?? 'superseded';

  const arrived = attempts.filter(one => statusOf(one) === 'delivered').map(({ delivery }) => delivery);
  await markArrived(client, ...arrived);
  const charged = attempts.flatMap(one => chargeOf(one, statusOf(one)));
  const spent = await addSpends(client, charged);
  const overThreshold = new Set(
    spent.filter(({ verdict }) => verdict !== 'within_cap').map(({ accountId }) => accountId),
  );

  const backOn = attempts.filter(one => isBack(one, statusOf(one))).map(({ delivery }) => lineOf(delivery));
  const broughtForward = new Set(await bringDeliveriesForward(client, backOn));

  const recorded: Recorded[] = [];
  for (const one of attempts) {
    const status = statusOf(one);
    const { delivery } = one;
    recorded.push({
      written: status,
      failover: goesOver(one, status) ? await failOver(client, delivery, delivery.incident.copy, carriers) : null,
      broughtForward: broughtForward.has(lineOf(delivery)) ? 'some' : 'none',
      spent: overThreshold.has(delivery.accountId) ? 'over_threshold' : 'within_cap',
    });
  }
  return recorded;
}

/** Tells whether the contact's next channel goes now: what was called off meanwhile needs none. */
function goesOver({ after }: Attempted, status: string): boolean {
  return status === 'failed' || status === 'no_carrier' || (status === 'scheduled' && isFailing(after));
}

/** Tells whether a carrier took what it had failed to take before: it is back. */
function isBack({ delivery }: Attempted, status: string): boolean {
  return delivery.tries >= FAILING_AFTER && (status === 'sent' || status === 'delivered');
}

/**
 * Returns what a sent message costs, whatever its carrier has reported meanwhile: that report counted one unit, not
 * knowing how many there were (services/responder/progress.ts).
 */
function chargeOf({ delivery, after }: Attempted, status: string): Charged[] {
  if (!('units' in after)) return [];
  const units = status === 'superseded' ? after.units - 1 : after.units;
  const about = { sourceId: delivery.incident.sourceId, contactId: delivery.contactId };
  return units > 0 ? [{ accountId: delivery.accountId, about, channel: delivery.channel, units }] : [];
}
