import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Channel } from '../channels/channel.ts';
import { alertOf, copiedContact, type WayBack } from '../domain/alert.ts';
import { type AfterAttempt, type AttemptOutcome, afterAttempt, type ChannelKind } from '../domain/delivery.ts';
import { type ContactCopy, obstacle } from '../domain/escalation.ts';
import { planFacts } from '../domain/plan.ts';
import { throttle } from '../domain/throttle.ts';
import { alertFacts } from '../store/alert-row.ts';
import { dropAbandoned, type LeasedDelivery, leaseDue, nextDeliveryInMs } from '../store/delivery-statements.ts';
import type { Seal } from '../store/seal.ts';
import { endInGrace } from './grace.ts';
import { type LookAgain, type Loop, startLoop } from './loop.ts';
import { createRecorder } from './record.ts';

/**
 * How many messages one channel sends at once. Each channel has its own, so that a slow one never delays the others; and in
 * each the first messages of incidents have some that nothing else takes.
 */
const AT_ONCE = { first: 8, others: 24 } as const;

/** Between two leases, in milliseconds: under load each takes more messages with it and costs each of them less. */
const MAX_REST_MS = 10;

/** From how many messages on a lease is large. */
const MANY = 8;

/** Sends what is due on one channel. */
export interface Lane extends Pick<Loop, 'nudge'> {
  /** Resolves when nothing is due and nothing is being sent, and says whether anything was. */
  drain(): Promise<'worked' | 'idle'>;
  /** Leases nothing more and waits for what is being sent, as long as grace.ts allows. */
  close(): Promise<void>;
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
  const record = createRecorder(pool, log);
  const underWay = new Map<Promise<void>, LeasedDelivery['way']>();
  let ended = 0;
  let leftBehind: 'nothing' | 'sends' = 'nothing';

  async function look(): Promise<LookAgain> {
    const free = freeSlots([...underWay.values()]);
    if (free.first === 0 && free.others === 0) return { inMs: Number.POSITIVE_INFINITY };
    const leased = await leaseDue(pool, channel.kind, free);
    for (const delivery of leased) {
      const sending = deliver(delivery).then(next => {
        const { first, others } = freeSlots([...underWay.values()]);
        underWay.delete(sending);
        ended++;
        // Whatever else is due was seen by the last look: there were slots left for it.
        if (first === 0 || others === 0 || next === 'again') loop.nudge();
      });
      underWay.set(sending, delivery.way);
    }
    if (leased.length >= MANY) return 'after_rest';
    // What else is due waits for one of the others to end, which looks again.
    if (free.others === 0) return { inMs: Number.POSITIVE_INFINITY };
    const inMs = (await nextDeliveryInMs(pool, channel.kind)) ?? Number.POSITIVE_INFINITY;
    if (inMs > 0) return { inMs };
    if (leased.length > 0) return 'now';
    // Due, and not to be leased: its incident is over.
    await dropAbandoned(pool, channel.kind);
    return { inMs };
  }

  /** Says whether this message has to be tried again here. */
  async function deliver(delivery: LeasedDelivery): Promise<'again' | 'done'> {
    try {
      const outcome = await attemptSafely(delivery);
      // What the end of this process does to a send is no answer of its carrier's.
      if (leftBehind === 'sends') return 'done';
      const after = afterAttempt(outcome, delivery.tries + 1);
      await recordAndTell(delivery, after);
      return after.status === 'scheduled' ? 'again' : 'done';
    } catch (error) {
      // The lease runs out and the message is sent again.
      log.error({ err: error, delivery: delivery.id }, 'what came of a message could not be recorded');
      return 'again';
    }
  }

  async function attempt(delivery: LeasedDelivery): Promise<AttemptOutcome> {
    const contact = contactOf(delivery);
    const now = delivery.now.getTime();
    const account = planFacts(delivery.plan, delivery.account_created_at.getTime());
    const inTheWay = obstacle(contact, delivery.channel, account, now);
    if (inTheWay !== null) return { kind: 'obstacle', reason: inTheWay };
    const throttled = throttle({
      kind: delivery.kind,
      channel: delivery.channel,
      place: delivery.place,
      nthRecentAt: delivery.nth_recent_at?.getTime() ?? null,
      now,
    });
    if (throttled !== 'goes') return { kind: 'put_off', reason: 'throttled', afterS: throttled.waitsS };
    const { address } = contact.addresses.find(known => known.channel === delivery.channel)!;
    const wayBack = engine.links.wayBackOf(delivery.id, delivery.attempt);
    return channel.send(
      engine.seal.open(address),
      alertOf(alertFacts(delivery, delivery.first_attempt_at), contact, wayBack),
    );
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

  async function recordAndTell(delivery: LeasedDelivery, after: AfterAttempt): Promise<void> {
    const { written, failover, spent } = await record(delivery, after);
    const { id, incident_id, attempt } = delivery;
    log.info(
      { delivery: id, incident: incident_id, channel: delivery.channel, attempt, status: written, failover },
      written === 'superseded' ? 'a message was tried, and something newer is recorded already' : 'a message was tried',
    );
    if (failover !== null) engine.onScheduled(failover);
    if (spent === 'over_threshold') engine.onNotice();
  }

  const loop = startLoop(`deliver ${channel.kind}`, look, log, MAX_REST_MS);

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
      if ((await endInGrace(`deliver ${channel.kind}`, underWay.keys(), log)) === 'left') leftBehind = 'sends';
    },
  };
}

function freeSlots(taken: readonly LeasedDelivery['way'][]): { first: number; others: number } {
  const first = taken.filter(way => way === 'first').length;
  return { first: AT_ONCE.first - first, others: AT_ONCE.others - (taken.length - first) };
}

/** The contact of a delivery as it was when the incident opened. */
function contactOf({ id, copy, contact_id }: LeasedDelivery): ContactCopy {
  const contact = copiedContact(copy, contact_id);
  if (contact === null) throw new Error(`Delivery ${id} names a contact that its incident does not know.`);
  return contact;
}
