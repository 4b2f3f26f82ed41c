import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Channel } from '../../channels/channel.ts';
import { alertOf, copiedContact, type WayBack } from '../../domain/alert.ts';
import { type AfterAttempt, type AttemptOutcome, type ChannelKind, isFailing } from '../../domain/delivery.ts';
import type { ContactCopy } from '../../domain/escalation.ts';
import { meansOf, usableAddresses, wouldReach } from '../../domain/reach.ts';
import { throttle } from '../../domain/throttle.ts';
import { placesForAlerts } from '../../domain/turns.ts';
import type { Answers } from '../../domain/way-back.ts';
import { recordSpan } from '../../process/traces.ts';
import type { Seal } from '../../store/seal.ts';
import { inTransaction } from '../../store/statement.ts';
import { findDueDeliveries, type LeasedDelivery, leaseDeliveries } from '../../store/statements/delivery.ts';
import { failOver } from '../../store/statements/fail-over.ts';
import { judgeReached } from '../../store/statements/unreached.ts';
import { carrierFaults, deliveredAfter, deliveries, firstAttempt, sendTime } from '../metrics.ts';
import { spanOfAttempt } from '../spans.ts';
import { type Costed, createCeiling } from './ceiling.ts';
import { createMessagesUnderWay } from './messages-under-way.ts';
import { createRecorder } from './record.ts';
import { type KnownTime, type SendWorker, startSendWorker } from './send-worker.ts';
import { createStandingBy } from './stand-by.ts';

/** What sending on a channel needs. */
export interface DeliveryOptions {
  channel: Channel;
  pool: Pool;
  seal: Seal;
  log: Logger;
  /** The channels that have a carrier here. */
  carriers: readonly ChannelKind[];
  /** Tells whether replies by SMS reach this deployment. */
  textReplies(wayBack: WayBack | null): Answers;
  clock: KnownTime;
  /** Where replies to a message lead (services/responder/links.ts). */
  links: { wayBackOf(deliveryId: string, attempt: number): WayBack | null; tokenOf(deliveryId: string): string };
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
  const record = createRecorder(pool, log, engine.carriers);
  const ceiling = createCeiling({ pool, log, onNotice: engine.onNotice });
  const placeOf = createHandOvers();
  const underWay = createMessagesUnderWay();
  const sendThrough = createStandingBy(engine);

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

  /** Returns why a message does not go out now; null if it goes, or its channel keeps it (`no_carrier`). */
  async function keptBack(delivery: Costed): Promise<AttemptOutcome | null> {
    const { now, incident } = delivery;
    const means = { ...meansOf(delivery, engine.carriers), ceiling: ceiling.verdict(delivery) };
    const reach = wouldReach(contactOf(delivery), delivery.channel, means, now);
    if (reach === 'no_carrier') return null;
    // What has to wait in any case is not stopped by what today's messages cost.
    if (reach !== 'goes' && reach !== 'spend_ceiling') return { kind: 'obstacle', reason: reach };
    const throttled = throttle({
      kind: delivery.kind,
      channel: delivery.channel,
      sourceKind: incident.copy.sourceKind,
      place: delivery.place,
      alarm: delivery.alarm,
      openedAt: incident.openedAt,
      recentAt: delivery.recentAt,
      underWay: underWay.count(delivery),
      now,
    });
    if (throttled !== 'goes') return { kind: 'put_off', reason: THROTTLED, afterS: throttled.waitsS };
    underWay.begin(delivery);
    if (reach === 'goes') return null;
    await ceiling.tell(delivery);
    return { kind: 'obstacle', reason: reach };
  }

  /** Calls `onBegun` once the message is with the first carrier or on its way there, before the carrier answers. */
  async function send(delivery: LeasedDelivery, onBegun: () => void): Promise<AttemptOutcome> {
    const contact = contactOf(delivery);
    const addresses = addressesOf(contact, delivery.channel, engine.seal);
    const alertFor = (attempt: number) => {
      const wayBack = engine.links.wayBackOf(delivery.id, attempt);
      const alert = alertOf({ ...delivery, attempt }, contact, wayBack, engine.textReplies(wayBack));
      return { ...alert, token: engine.links.tokenOf(delivery.id) };
    };
    const began = performance.now();
    const onAsked = ({ kind }: AttemptOutcome, tookMs: number) => countAttempt(delivery, kind, tookMs);
    const sending = sendThrough({ delivery, addresses, alertFor, onAsked });
    onBegun();
    try {
      return await sending;
    } catch (error) {
      // Tried again as any other (send-worker.ts).
      countAttempt(delivery, 'temporary_fault', performance.now() - began);
      throw error;
    }
  }

  async function recordAndTell(delivery: LeasedDelivery, after: AfterAttempt): Promise<void> {
    const { written, failover, broughtForward, spent } = await record(delivery, after).finally(() =>
      underWay.end(delivery),
    );
    const { id, incident, channel, attempt } = delivery;
    deliveries.inc({ channel, status: written });
    log.info(
      { delivery: id, incident: incident.id, channel, attempt, status: written, failover },
      written === 'superseded' ? 'a message was tried, and something newer is recorded already' : 'a message was tried',
    );
    if (broughtForward === 'some') engine.onScheduled(channel);
    const inPlace = failover ?? (await callInPlace(delivery, after));
    if (inPlace !== null) engine.onScheduled(inPlace);
    else if (mayBeNews(delivery, after, written)) await tellIfReached(delivery);
    if (spent === 'over_threshold') engine.onNotice();
  }

  /**
   * Calls the person where a message of a panic button is held back (DECISIONS.md "Panic buttons"); the message still
   * follows when there is room. Returns the channel on which something is due now.
   */
  async function callInPlace(delivery: LeasedDelivery, after: AfterAttempt): Promise<ChannelKind | null> {
    if (after.status !== 'scheduled' || after.reason !== THROTTLED || delivery.channel === 'call') return null;
    if (delivery.incident.copy.sourceKind !== 'panic_button') return null;
    const calls = engine.carriers.filter(one => one === 'call');
    return await inTransaction(pool, client => failOver(client, delivery, delivery.incident.copy, calls));
  }

  /** What is recorded stays recorded, even if this fails. */
  async function tellIfReached({ accountId, incident: { id } }: LeasedDelivery): Promise<void> {
    try {
      const { became, due } = await judgeReached(pool, accountId, id);
      for (const channel of due) engine.onScheduled(channel);
      if (became === 'nobody_reached') log.error({ incident: id }, 'nobody was reached so far');
      if (became === 'nobody_reached') engine.onNotice();
    } catch (error) {
      log.error({ err: error, incident: id }, 'it could not be said whether anybody was reached');
    }
  }

  return startSendWorker(
    {
      name: `deliver ${channel.kind}`,
      clock: engine.clock,
      places: () => placesForAlerts(channel.kind, channel.atOnce),
      findDue: from => findDueDeliveries(pool, channel.kind, from),
      lease: async (turns, found) => ceiling.read(await leaseDeliveries(pool, channel.kind, turns, found)),
      nthOf: ({ tries, kind, plannedAt, now }) => ({ nth: tries + 1, kind, sinceS: (now - plannedAt) / 1000 }),
      attempt,
      record: recordAndTell,
    },
    log,
  );
}

/** The reason of a message that waits because its person got many (domain/throttle.ts). */
const THROTTLED = 'throttled';

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

/** Tells whether this record may change who an incident reached, or bring its next step forward. */
function mayBeNews({ kind, incident }: LeasedDelivery, after: AfterAttempt, written: string): boolean {
  if (kind !== 'alert') return false;
  if (written === 'failed' || written === 'no_carrier' || (written === 'scheduled' && isFailing(after))) return true;
  return incident.unreachedAt !== null && (written === 'sent' || written === 'delivered');
}

/** Returns the contact of a delivery as of the moment it was planned. */
function contactOf({ id, incident, contactId, step }: LeasedDelivery): ContactCopy {
  const contact = copiedContact(incident.copy, contactId, step);
  if (contact === null) throw new Error(`Delivery ${id} names a contact that its incident does not know.`);
  return contact;
}

/**
 * Returns the addresses of a channel that may be used, in plain text. One that cannot be opened keeps no other one from being tried. Throws
 * if none can be.
 */
function addressesOf(contact: ContactCopy, channel: ChannelKind, seal: Seal): { address: string; slot: number }[] {
  const known = usableAddresses(contact, channel);
  const [first, ...others] = known.flatMap(({ address, slot = 0 }) => {
    try {
      return [{ address: seal.open(address), slot }];
    } catch (fault) {
      if (known.length === 1) throw fault;
      return [];
    }
  });
  if (first === undefined) throw new Error(`No address of ${channel} can be opened.`);
  return [first, ...others];
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
