import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Channel } from '../channels/channel.ts';
import { alertOf, copiedContact, type WayBack } from '../domain/alert.ts';
import type { AfterAttempt, AttemptOutcome, ChannelKind } from '../domain/delivery.ts';
import { type ContactCopy, obstacle } from '../domain/escalation.ts';
import { planFacts } from '../domain/plan.ts';
import { throttle } from '../domain/throttle.ts';
import { placesForAlerts } from '../domain/turns.ts';
import type { Seal } from '../store/seal.ts';
import { alertFacts } from '../store/statements/alert-row.ts';
import { findDueDeliveries, type LeasedDelivery, leaseDeliveries } from '../store/statements/delivery.ts';
import { judgeReached } from '../store/statements/unreached.ts';
import { type Costed, createCeiling } from './ceiling.ts';
import { createHandOvers } from './hand-over.ts';
import { type Lane, startFairLane } from './lane.ts';
import { createRecorder } from './record.ts';
import { createUnderWay } from './under-way.ts';

export type { Lane };

/** What a lane stands on. */
export interface LaneOptions {
  channel: Channel;
  pool: Pool;
  seal: Seal;
  log: Logger;
  /** Whether texts leave here at all. */
  textCarrier: 'there' | 'none';
  /** Where the answers to a message lead (services/responder/links.ts). */
  links: { wayBackOf(deliveryId: string, attempt: number): WayBack | null };
  /** A message goes over to this channel. */
  onScheduled(channel: ChannelKind): void;
  /** What went out was charged for, or stopped because of what others cost, and the owner has to be told. */
  onNotice(): void;
}

/**
 * Starts sending the messages of incidents on one channel (lane.ts); what fails for good goes over to another. Each channel has
 * a lane of its own, so that a slow one never delays the others.
 */
export function startLane(engine: LaneOptions): Lane {
  const { channel, pool, log } = engine;
  const record = createRecorder(pool, log);
  const ceiling = createCeiling({ pool, log, onNotice: engine.onNotice });
  const placeOf = createHandOvers();
  const underWay = createUnderWay();

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

  /** What becomes of a message that does not go out now; null: it goes. */
  async function keptBack(delivery: Costed): Promise<AttemptOutcome | null> {
    const contact = contactOf(delivery);
    const now = delivery.now.getTime();
    const account = planFacts(delivery.plan, delivery.account_created_at.getTime());
    const inTheWay = obstacle(contact, delivery.channel, account, now);
    if (inTheWay !== null) return { kind: 'obstacle', reason: inTheWay };
    const throttled = throttle({
      kind: delivery.kind,
      channel: delivery.channel,
      place: delivery.place,
      // A panic button is pressed by a person, each time.
      alarm: delivery.copy.sourceKind === 'alarm' ? delivery.alarm : 'calm',
      openedAt: delivery.opened_at.getTime(),
      recentAt: delivery.recent_at,
      underWay: underWay.count(delivery),
      now,
    });
    if (throttled !== 'goes') return { kind: 'put_off', reason: 'throttled', afterS: throttled.waitsS };
    underWay.begin(delivery);
    return (await ceiling.verdict(delivery)) === 'goes' ? null : { kind: 'obstacle', reason: 'spend_ceiling' };
  }

  /** `onBegun` is called once the message is in the carrier's hands or on its way there, before it answers. */
  function send(delivery: LeasedDelivery, onBegun: () => void): Promise<AttemptOutcome> {
    const contact = contactOf(delivery);
    const { address } = contact.addresses.find(known => known.channel === delivery.channel)!;
    const wayBack = engine.links.wayBackOf(delivery.id, delivery.attempt);
    const alert = alertOf(alertFacts(delivery, delivery.first_attempt_at), contact, wayBack, engine.textCarrier);
    const sending = channel.send(engine.seal.open(address), alert);
    onBegun();
    return sending;
  }

  async function recordAndTell(delivery: LeasedDelivery, after: AfterAttempt): Promise<void> {
    const { written, failover, spent } = await record(delivery, after).finally(() => underWay.end(delivery));
    const { id, incident_id, attempt } = delivery;
    log.info(
      { delivery: id, incident: incident_id, channel: delivery.channel, attempt, status: written, failover },
      written === 'superseded' ? 'a message was tried, and something newer is recorded already' : 'a message was tried',
    );
    if (failover !== null) engine.onScheduled(failover);
    else if (mayBeNews(delivery, written)) await tellIfReached(delivery);
    if (spent === 'over_threshold') engine.onNotice();
  }

  /** What is recorded stays so, whatever becomes of this. */
  async function tellIfReached({ account_id, incident_id }: LeasedDelivery): Promise<void> {
    try {
      const became = await judgeReached(pool, account_id, incident_id);
      if (became === 'nobody_reached') log.error({ incident: incident_id }, 'nobody was reached so far');
      if (became === 'nobody_reached') engine.onNotice();
    } catch (error) {
      log.error({ err: error, incident: incident_id }, 'it could not be said whether anybody was reached');
    }
  }

  return startFairLane(
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

/** Whether it may have come up that an incident reached nobody, or that it reached somebody after all. */
function mayBeNews({ kind, unreached_at }: LeasedDelivery, written: string): boolean {
  if (kind !== 'alert') return false;
  return unreached_at === null
    ? written === 'failed' || written === 'outbox'
    : written === 'sent' || written === 'delivered';
}

/** The contact of a delivery as it was when the incident opened. */
function contactOf({ id, copy, contact_id }: LeasedDelivery): ContactCopy {
  const contact = copiedContact(copy, contact_id);
  if (contact === null) throw new Error(`Delivery ${id} names a contact that its incident does not know.`);
  return contact;
}
