import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Channel } from '../channels/channel.ts';
import { alertOf, copiedContact, type WayBack } from '../domain/alert.ts';
import {
  type AfterAttempt,
  type AttemptOutcome,
  afterAttempt,
  type ChannelKind,
  failoverChannel,
} from '../domain/delivery.ts';
import { type ContactCopy, obstacle } from '../domain/escalation.ts';
import { type PlanFacts, trialEndsAt } from '../domain/plan.ts';
import { isCharged } from '../domain/spend.ts';
import { throttle } from '../domain/throttle.ts';
import {
  channelsUsed,
  dropAbandoned,
  failOver,
  type LeasedDelivery,
  leaseDue,
  markArrived,
  nextDeliveryInMs,
  recordAttempt,
} from '../store/delivery-statements.ts';
import { newId } from '../store/id.ts';
import type { Seal } from '../store/seal.ts';
import { addSpend } from '../store/spend-statements.ts';
import { type Connection, inTransaction } from '../store/statement.ts';
import { type LookAgain, type Loop, startLoop } from './loop.ts';

/**
 * How many messages one channel sends at once. Each channel has its own, so that a slow one never delays the others; and in
 * each the first messages of incidents have some that nothing else takes.
 */
const AT_ONCE = { first: 8, others: 24 } as const;

/** Sends what is due on one channel. */
export interface Lane extends Pick<Loop, 'nudge' | 'close'> {
  /** Resolves when nothing is due and nothing is being sent, and says whether anything was. */
  drain(): Promise<'worked' | 'idle'>;
}

/** What a lane stands on. */
export interface LaneOptions {
  channel: Channel;
  pool: Pool;
  seal: Seal;
  log: Logger;
  /** Where the answers to a message lead (services/links.ts). */
  links: { wayBackOf(deliveryId: string, attempt: number): WayBack | null };
  /** A message goes over to this channel. */
  onScheduled(channel: ChannelKind): void;
  /** What went out was charged for, and the owner has to be told what was spent. */
  onNotice(): void;
}

/**
 * Starts sending on one channel: lease what is due, send it outside any transaction, record what came of it, and retry or
 * go over to another channel. A worker that dies loses its leases (domain/delivery.ts `leaseS`) and another one sends again:
 * rather a rare duplicate, with the same id, than a message that never goes out.
 */
export function startLane(engine: LaneOptions): Lane {
  const { channel, pool, log } = engine;
  const underWay = new Map<Promise<void>, LeasedDelivery['way']>();
  let ended = 0;

  async function look(): Promise<LookAgain> {
    const free = freeSlots([...underWay.values()]);
    if (free.first === 0 && free.others === 0) return { inMs: Number.POSITIVE_INFINITY };
    const leased = await leaseDue(pool, channel.kind, free);
    for (const delivery of leased) {
      const sending = deliver(delivery).finally(() => {
        underWay.delete(sending);
        ended++;
        loop.nudge();
      });
      underWay.set(sending, delivery.way);
    }
    if (leased.length > 0) return 'now';
    const inMs = (await nextDeliveryInMs(pool, channel.kind)) ?? Number.POSITIVE_INFINITY;
    // Due, and not to be leased: its incident is over, or only slots for first messages are left.
    if (inMs <= 0) await dropAbandoned(pool, channel.kind);
    return { inMs };
  }

  async function deliver(delivery: LeasedDelivery): Promise<void> {
    try {
      const outcome = await attemptSafely(delivery);
      await record(delivery, afterAttempt(outcome, delivery.tries + 1));
    } catch (error) {
      // The lease runs out and the message is sent again.
      log.error({ err: error, delivery: delivery.id }, 'what came of a message could not be recorded');
    }
  }

  async function attempt(delivery: LeasedDelivery): Promise<AttemptOutcome> {
    const contact = contactOf(delivery);
    const inTheWay = obstacle(contact, delivery.channel, planOf(delivery), delivery.now.getTime());
    if (inTheWay !== null) return { kind: 'obstacle', reason: inTheWay };
    const throttled = throttle({
      kind: delivery.kind,
      channel: delivery.channel,
      place: delivery.place,
      nthRecentAt: delivery.nth_recent_at?.getTime() ?? null,
      now: delivery.now.getTime(),
    });
    if (throttled !== 'goes') return { kind: 'put_off', reason: 'throttled', afterS: throttled.waitsS };
    const { address } = contact.addresses.find(known => known.channel === delivery.channel)!;
    const wayBack = engine.links.wayBackOf(delivery.id, delivery.attempt);
    return channel.send(engine.seal.open(address), alertOf(factsOf(delivery), contact, wayBack));
  }

  /** What cannot even be prepared (an address sealed with another key) is tried as often as anything else, then fails. */
  async function attemptSafely(delivery: LeasedDelivery): Promise<AttemptOutcome> {
    try {
      return await attempt(delivery);
    } catch (error) {
      log.error({ err: error, delivery: delivery.id }, 'a message could not be prepared');
      return { kind: 'temporary_fault', reason: error instanceof Error ? error.message : 'could not be prepared' };
    }
  }

  async function record(delivery: LeasedDelivery, after: AfterAttempt): Promise<void> {
    const { written, failover, spent } = await (entails(delivery, after)
      ? inTransaction(pool, client => recordAll(client, delivery, after))
      : recordAlone(pool, delivery, after));
    const { id, incident_id, attempt } = delivery;
    log.info(
      { delivery: id, incident: incident_id, channel: delivery.channel, attempt, status: written, failover },
      written === 'superseded' ? 'a message was tried, and something newer is recorded already' : 'a message was tried',
    );
    if (failover !== null) engine.onScheduled(failover);
    if (spent === 'over_threshold') engine.onNotice();
  }

  const loop = startLoop(`deliver ${channel.kind}`, look, log);

  return {
    nudge: loop.nudge,
    async drain() {
      // What was under way when this was asked counts too: where it fails, another channel has work.
      const before = ended;
      await loop.drain();
      await Promise.all(underWay.keys());
      return ended > before ? 'worked' : 'idle';
    },
    async close() {
      await loop.close();
      await Promise.all(underWay.keys());
    },
  };
}

function freeSlots(taken: readonly LeasedDelivery['way'][]): { first: number; others: number } {
  const first = taken.filter(way => way === 'first').length;
  return { first: AT_ONCE.first - first, others: AT_ONCE.others - (taken.length - first) };
}

/** What became of recording an attempt. `superseded`: the delivery is another worker's, or its carrier has spoken meanwhile. */
interface Recorded {
  written: string | 'superseded';
  /** The channel that the message goes over to. */
  failover: ChannelKind | null;
  spent: 'within_cap' | 'over_threshold';
}

/** Whether more than its own row follows from an attempt: most messages need no transaction. */
function entails({ channel }: LeasedDelivery, { status }: AfterAttempt): boolean {
  return status === 'failed' || status === 'delivered' || (status === 'sent' && isCharged(channel));
}

async function recordAlone(on: Connection, delivery: LeasedDelivery, after: AfterAttempt): Promise<Recorded> {
  const written = (await recordAttempt(on, delivery, after)) ?? 'superseded';
  return { written, failover: null, spent: 'within_cap' };
}

/** Records an attempt with what it entails: another channel, what it cost, when something last arrived. */
async function recordAll(client: Connection, delivery: LeasedDelivery, after: AfterAttempt): Promise<Recorded> {
  const recorded = await recordAlone(client, delivery, after);
  if (recorded.written === 'failed') return { ...recorded, failover: await failOverFrom(client, delivery) };
  if (after.status !== 'sent' && after.status !== 'delivered') return recorded;
  if (recorded.written === 'delivered') await markArrived(client, delivery);
  // It went out, and costs, whatever its carrier has said of it meanwhile.
  const spend = { accountId: delivery.account_id, channel: delivery.channel, units: after.units };
  const verdict = (await addSpend(client, spend))?.verdict ?? 'within_cap';
  return { ...recorded, spent: verdict === 'within_cap' ? 'within_cap' : 'over_threshold' };
}

async function failOverFrom(client: Connection, delivery: LeasedDelivery): Promise<ChannelKind | null> {
  const other = failoverChannel(usableChannels(delivery), await channelsUsed(client, delivery));
  if (other === null) return null;
  return (await failOver(client, delivery, newId(), other)) === 'scheduled' ? other : null;
}

/** The contact as it was when the incident opened. */
function contactOf({ id, copy, contact_id }: LeasedDelivery): ContactCopy {
  const contact = copiedContact(copy, contact_id);
  if (contact === null) throw new Error(`Delivery ${id} names a contact that its incident does not know.`);
  return contact;
}

/** The channels over which the contact can be told now, in the contact's order. */
function usableChannels(delivery: LeasedDelivery): ChannelKind[] {
  const contact = contactOf(delivery);
  return contact.addresses
    .map(({ channel }) => channel)
    .filter(channel => obstacle(contact, channel, planOf(delivery), delivery.now.getTime()) === null);
}

function planOf(delivery: LeasedDelivery): PlanFacts {
  return { plan: delivery.plan, trialEndsAt: trialEndsAt(delivery.account_created_at.getTime()) };
}

function factsOf(delivery: LeasedDelivery) {
  return {
    id: delivery.id,
    accountId: delivery.account_id,
    kind: delivery.kind,
    attempt: delivery.attempt,
    firstTriedAt: delivery.first_attempt_at.getTime(),
    round: delivery.round,
    step: delivery.step,
    incident: {
      id: delivery.incident_id,
      environment: delivery.environment,
      openedAt: delivery.opened_at.getTime(),
      triggerCount: delivery.trigger_count,
      lastTriggerAt: delivery.last_trigger_at.getTime(),
      acknowledgedBy: delivery.acknowledged_by,
      replyCode: delivery.reply_code,
      copy: delivery.copy,
    },
  };
}
