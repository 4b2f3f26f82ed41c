import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Alert, Channel } from '../channels/channel.ts';
import { type AfterAttempt, type AttemptOutcome, afterAttempt, failoverChannel, LEASE_S } from '../domain/delivery.ts';
import { type ContactCopy, obstacle } from '../domain/escalation.ts';
import { channelInPlan, type PlanFacts, trialEndsAt } from '../domain/plan.ts';
import {
  channelsUsed,
  dropAbandoned,
  failOver,
  type LeasedDelivery,
  leaseDue,
  nextDeliveryInMs,
  recordAttempt,
} from '../store/delivery-statements.ts';
import { newId } from '../store/id.ts';
import type { Seal } from '../store/seal.ts';
import { inTransaction } from '../store/statement.ts';
import { type LookAgain, type Loop, startLoop } from './loop.ts';

/** How many messages one channel sends at once. Each channel has its own: a slow one never delays the others. */
const AT_ONCE = 20;

/** Sends what is due on one channel. */
export interface Lane extends Pick<Loop, 'nudge' | 'close'> {
  /** Resolves when nothing is due and nothing is being sent, and says whether anything was. */
  drain(): Promise<'worked' | 'idle'>;
}

/**
 * Starts sending on one channel: lease what is due, send it outside any transaction, record what came of it, and retry or
 * go over to another channel. A worker that dies loses its leases after 45 s and another one sends again: rather a rare
 * duplicate, with the same id, than a message that never goes out. `onScheduled` is called with the channel that took over.
 */
export function startLane(engine: {
  channel: Channel;
  pool: Pool;
  seal: Seal;
  log: Logger;
  onScheduled(delivery: { channel: LeasedDelivery['channel'] }): void;
}): Lane {
  const { channel, pool, log } = engine;
  const underWay = new Set<Promise<void>>();
  let ended = 0;

  async function look(): Promise<LookAgain> {
    const free = AT_ONCE - underWay.size;
    if (free === 0) return { inMs: Number.POSITIVE_INFINITY };
    const leased = await leaseDue(pool, channel.kind, free, LEASE_S);
    for (const delivery of leased) {
      const sending = deliver(delivery).finally(() => {
        underWay.delete(sending);
        ended++;
        loop.nudge();
      });
      underWay.add(sending);
    }
    if (leased.length > 0) return 'now';
    const inMs = (await nextDeliveryInMs(pool, channel.kind)) ?? Number.POSITIVE_INFINITY;
    // Due, and not to be leased: its incident is over.
    if (inMs <= 0) await dropAbandoned(pool, channel.kind);
    return { inMs };
  }

  async function deliver(delivery: LeasedDelivery): Promise<void> {
    try {
      const outcome = await attemptSafely(delivery);
      await record(delivery, afterAttempt(outcome, delivery.attempt));
    } catch (error) {
      // The lease runs out and the message is sent again.
      log.error({ err: error, delivery: delivery.id }, 'what came of a message could not be recorded');
    }
  }

  async function attempt(delivery: LeasedDelivery): Promise<AttemptOutcome> {
    const contact = contactOf(delivery);
    const inTheWay = obstacle(contact, delivery.channel, planOf(delivery), delivery.now.getTime());
    if (inTheWay !== null) return { kind: 'permanent_fault', reason: inTheWay };
    const { address } = contact.addresses.find(known => known.channel === delivery.channel)!;
    return channel.send(engine.seal.open(address), alertOf(delivery, contact));
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
    const next = await inTransaction(pool, async client => {
      const written = await recordAttempt(client, delivery, {
        status: after.status,
        reason: 'reason' in after ? after.reason : null,
        providerRef: after.status === 'sent' ? after.providerRef : null,
        message: after.status === 'outbox' ? after.message : null,
        retryS: after.status === 'scheduled' ? after.retryAfterS : null,
      });
      if (written !== 'failed') return null;
      const other = failoverChannel(usableChannels(delivery), await channelsUsed(client, delivery));
      if (other !== null) await failOver(client, delivery, newId(), other);
      return other;
    });
    const { id, incident_id, attempt } = delivery;
    log.info(
      { delivery: id, incident: incident_id, channel: delivery.channel, attempt, status: after.status, failover: next },
      'a message was tried',
    );
    if (next !== null) engine.onScheduled({ channel: next });
  }

  const loop = startLoop(`deliver ${channel.kind}`, look, log);

  return {
    nudge: loop.nudge,
    async drain() {
      // What was under way when this was asked counts too: where it fails, another channel has work.
      const before = ended;
      await loop.drain();
      await Promise.all(underWay);
      return ended > before ? 'worked' : 'idle';
    },
    async close() {
      await loop.close();
      await Promise.all(underWay);
    },
  };
}

/** The contact as it was when the incident opened. */
function contactOf(delivery: LeasedDelivery): ContactCopy {
  const contacts = delivery.copy.policy?.steps.flatMap(step => step.contacts) ?? [];
  const contact = contacts.find(copied => copied.id === delivery.contact_id);
  if (contact === undefined)
    throw new Error(`Delivery ${delivery.id} names a contact that its incident does not know.`);
  return contact;
}

/** The channels over which the contact can be told now: those with an address that the plan covers, in the contact's order. */
function usableChannels(delivery: LeasedDelivery): LeasedDelivery['channel'][] {
  const account = planOf(delivery);
  return contactOf(delivery)
    .addresses.map(known => known.channel)
    .filter(channel => channelInPlan(account, channel, delivery.now.getTime()) === 'in_plan');
}

function planOf(delivery: LeasedDelivery): PlanFacts {
  return { plan: delivery.plan, trialEndsAt: trialEndsAt(delivery.account_created_at.getTime()) };
}

function alertOf(delivery: LeasedDelivery, contact: ContactCopy): Alert {
  const { copy } = delivery;
  return {
    deliveryId: delivery.id,
    incidentId: delivery.incident_id,
    contactName: contact.name,
    locale: contact.locale,
    timeZone: contact.timeZone,
    environment: delivery.environment,
    sourceKind: copy.sourceKind,
    sourceName: copy.sourceName,
    responseKind: copy.responseKind,
    modeName: copy.modeName,
    locationName: copy.locationName,
    locationAddress: copy.locationAddress,
    policyName: copy.policy?.name ?? '',
    openedAt: delivery.opened_at.getTime(),
    step: delivery.step + 1,
    steps: copy.policy?.steps.length ?? 0,
    round: delivery.round + 1,
    rounds: (copy.policy?.repeat ?? 0) + 1,
  };
}
