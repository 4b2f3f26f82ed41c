import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Channel } from '../channels/channel.ts';
import { alertOf, copiedContact, type WayBack } from '../domain/alert.ts';
import type { AfterAttempt, AttemptOutcome, ChannelKind } from '../domain/delivery.ts';
import { type ContactCopy, obstacle } from '../domain/escalation.ts';
import { planFacts } from '../domain/plan.ts';
import { throttle } from '../domain/throttle.ts';
import { placesForAlerts } from '../domain/turns.ts';
import type { Answers } from '../domain/way-back.ts';
import { recordSpan } from '../process/traces.ts';
import type { Seal } from '../store/seal.ts';
import { findDueDeliveries, type LeasedDelivery, leaseDeliveries } from '../store/statements/delivery.ts';
import { judgeReached } from '../store/statements/unreached.ts';
import { type Costed, createCeiling } from './ceiling.ts';
import { carrierFaults, deliveredAfter, deliveries, firstAttempt, sendTime } from './metrics.ts';
import { createRecorder } from './record.ts';
import { type SendWorker, startSendWorker } from './send-worker.ts';
import { spanOfAttempt } from './spans.ts';

/** What sending on a channel needs. */
export interface DeliveryOptions {
  channel: Channel;
  pool: Pool;
  seal: Seal;
  log: Logger;
  /** Tells whether replies by SMS reach this deployment. */
  textReplies(wayBack: WayBack | null): Answers;
  /** Where replies to a message lead (services/responder/links.ts). */
  links: { wayBackOf(deliveryId: string, attempt: number): WayBack | null };
  /** Called when a message switches to this channel. */
  onScheduled(channel: ChannelKind): void;
  /** Called when the owner has to be notified: of a charge, or of a message stopped because of what others cost. */
  onNotice(): void;
}

/**
 * Starts sending the messages of incidents on one channel (send-worker.ts). A message that fails for good switches to
 * another channel. Each channel has a worker of its own, so that a slow one never delays the others.
 */
export function startDelivering(engine: DeliveryOptions): SendWorker {
  const { channel, pool, log } = engine;
  const record = createRecorder(pool, log);
  const ceiling = createCeiling({ pool, log, onNotice: engine.onNotice });
  const placeOf = createHandOvers();
  const underWay = createMessagesUnderWay();

  async function attempt(delivery: Costed): Promise<AttemptOutcome> {
    const place = placeOf(delivery);
    try {
      const kept = await keptBack(delivery);
      await place.comes;
      return await (kept ?? send(delivery, place.passes));
    } finally {
      place.passes();
    }
  }

  /** Returns why a message does not go out now; null if it goes. */
  async function keptBack(delivery: Costed): Promise<AttemptOutcome | null> {
    const contact = contactOf(delivery);
    const { now, incident } = delivery;
    const account = planFacts(delivery.plan, delivery.accountCreatedAt);
    const inTheWay = obstacle(contact, delivery.channel, account, now);
    if (inTheWay !== null) return { kind: 'obstacle', reason: inTheWay };
    const throttled = throttle({
      kind: delivery.kind,
      channel: delivery.channel,
      place: delivery.place,
      alarm: delivery.alarm,
      openedAt: incident.openedAt,
      recentAt: delivery.recentAt,
      underWay: underWay.count(delivery),
      now,
    });
    if (throttled !== 'goes') return { kind: 'put_off', reason: 'throttled', afterS: throttled.waitsS };
    underWay.begin(delivery);
    return (await ceiling.verdict(delivery)) === 'goes' ? null : { kind: 'obstacle', reason: 'spend_ceiling' };
  }

  /** Calls `onBegun` once the message is with the carrier or on its way there, before the carrier answers. */
  async function send(delivery: LeasedDelivery, onBegun: () => void): Promise<AttemptOutcome> {
    const contact = contactOf(delivery);
    const { address } = contact.addresses.find(known => known.channel === delivery.channel)!;
    const wayBack = engine.links.wayBackOf(delivery.id, delivery.attempt);
    const alert = alertOf(delivery, contact, wayBack, engine.textReplies(wayBack));
    const opened = engine.seal.open(address);
    const began = performance.now();
    const count = (kind: AttemptOutcome['kind']) => countAttempt(delivery, kind, performance.now() - began);
    const sending = channel.send(opened, alert);
    onBegun();
    try {
      const outcome = await sending;
      count(outcome.kind);
      return outcome;
    } catch (error) {
      // Tried again as any other (send-worker.ts).
      count('temporary_fault');
      throw error;
    }
  }

  async function recordAndTell(delivery: LeasedDelivery, after: AfterAttempt): Promise<void> {
    const { written, failover, spent } = await record(delivery, after).finally(() => underWay.end(delivery));
    const { id, incident, channel, attempt } = delivery;
    deliveries.inc({ channel, status: written });
    log.info(
      { delivery: id, incident: incident.id, channel, attempt, status: written, failover },
      written === 'superseded' ? 'a message was tried, and something newer is recorded already' : 'a message was tried',
    );
    if (failover !== null) engine.onScheduled(failover);
    else if (mayBeNews(delivery, written)) await tellIfReached(delivery);
    if (spent === 'over_threshold') engine.onNotice();
  }

  /** What is recorded stays recorded, even if this fails. */
  async function tellIfReached({ accountId, incident: { id } }: LeasedDelivery): Promise<void> {
    try {
      const became = await judgeReached(pool, accountId, id);
      if (became === 'nobody_reached') log.error({ incident: id }, 'nobody was reached so far');
      if (became === 'nobody_reached') engine.onNotice();
    } catch (error) {
      log.error({ err: error, incident: id }, 'it could not be said whether anybody was reached');
    }
  }

  return startSendWorker(
    {
      name: `deliver ${channel.kind}`,
      places: placesForAlerts(channel.kind, channel.atOnce),
      findDue: from => findDueDeliveries(pool, channel.kind, from),
      lease: async (turns, found) => ceiling.read(await leaseDeliveries(pool, channel.kind, turns, found)),
      attempt,
      record: recordAndTell,
    },
    log,
  );
}

/** The outcomes of an attempt for which no carrier was asked. */
const NOT_ASKED: readonly AttemptOutcome['kind'][] = ['put_off', 'kept', 'obstacle'];

/** `tookMs`: how long the carrier took to answer. */
function countAttempt(delivery: LeasedDelivery, kind: AttemptOutcome['kind'], tookMs: number): void {
  if (NOT_ASKED.includes(kind)) return;
  recordSpan?.(spanOfAttempt(delivery, kind, tookMs));
  const tookS = tookMs / 1000;
  const { channel, now, firstAttemptAt, incident } = delivery;
  sendTime.observe({ channel }, tookS);
  if (isFirstAttempt(delivery)) firstAttempt.observe({ channel }, Math.max(0, now - incident.openedAt) / 1000);
  if (kind === 'delivered') deliveredAfter.observe({ channel }, (now - firstAttemptAt) / 1000 + tookS);
  else if (kind === 'temporary_fault' || kind === 'permanent_fault') carrierFaults.inc({ channel, kind });
}

/** Tells whether an incident begins with this attempt: one that the first step names, not one in place of what failed. */
function isFirstAttempt({ kind, round, step, tries, contactId, channel, incident }: LeasedDelivery): boolean {
  if (kind !== 'alert' || round > 0 || step > 0 || tries > 0) return false;
  const named = incident.copy.policy?.steps[0]?.contacts.find(({ id }) => id === contactId);
  return named?.channels.includes(channel) ?? false;
}

/** Tells whether this record may change who an incident reached: nobody, or somebody after all. */
function mayBeNews({ kind, incident }: LeasedDelivery, written: string): boolean {
  if (kind !== 'alert') return false;
  return incident.unreachedAt === null
    ? written === 'failed' || written === 'no_carrier'
    : written === 'sent' || written === 'delivered';
}

/** Returns the contact of a delivery as of the moment the incident opened. */
function contactOf({ id, incident, contactId }: LeasedDelivery): ContactCopy {
  const contact = copiedContact(incident.copy, contactId);
  if (contact === null) throw new Error(`Delivery ${id} names a contact that its incident does not know.`);
  return contact;
}

/** A message's place among those of its incident. */
interface Place {
  /** Resolves when every earlier one has started. */
  comes: Promise<unknown>;
  /** Lets the next message start: this one has started, or does not go out. May be called twice. */
  passes(): void;
}

/**
 * Lines up the messages of each incident on a channel, so that they start in the stated order (DECISIONS.md "A step")
 * although the look-ups before a send may finish in another. Call it in that order. No message waits for the answer to
 * another. If two processes share the messages of an incident, the order between them is only approximate.
 */
function createHandOvers(): (message: Pick<LeasedDelivery, 'incident'>) => Place {
  const last = new Map<string, Promise<unknown>>();

  return ({ incident: { id } }) => {
    const earlier = last.get(id);
    const { promise, resolve } = Promise.withResolvers<void>();
    const passed = Promise.all([earlier, promise]).then(() => {
      if (last.get(id) === passed) last.delete(id);
    });
    last.set(id, passed);
    return { comes: Promise.resolve(earlier), passes: resolve };
  };
}

type Reaching = Pick<LeasedDelivery, 'accountId' | 'contactId' | 'id'>;

/** How many messages each person is being sent on a channel, beyond those recorded as sent. */
interface MessagesUnderWay {
  count(message: Reaching): number;
  begin(message: Reaching): void;
  /** The result is recorded. Has no effect for a message that did not begin. */
  end(message: Reaching): void;
}

/**
 * Counts what this process is sending: messages to one person that are due at the same moment must know of each other
 * (DECISIONS.md "Throttle of repeats").
 */
function createMessagesUnderWay(): MessagesUnderWay {
  const byPerson = new Map<string, Set<string>>();
  const personOf = ({ accountId, contactId }: Reaching) => `${accountId}/${contactId}`;

  return {
    count: message => byPerson.get(personOf(message))?.size ?? 0,
    begin(message) {
      const person = personOf(message);
      byPerson.set(person, (byPerson.get(person) ?? new Set()).add(message.id));
    },
    end(message) {
      const person = personOf(message);
      const messages = byPerson.get(person);
      messages?.delete(message.id);
      if (messages?.size === 0) byPerson.delete(person);
    },
  };
}
