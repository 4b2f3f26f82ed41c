import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Channel, Route, Within } from '../../channels/channel.ts';
import type { Alert } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import {
  type CarrierTry,
  FIND_S,
  mayGoTwice,
  nextAddress,
  nextCarrier,
  outcomeOfAddresses,
  outcomeOfAll,
  STANDS_BY_AFTER_S,
} from '../../domain/standing-by.ts';
import { inTransaction } from '../../store/statement.ts';
import type { LeasedDelivery } from '../../store/statements/delivery.ts';
import { beginAtNextCarrier, noteSlot } from '../../store/statements/next-carrier.ts';
import { addSpend } from '../../store/statements/spend.ts';
import { stoodBy } from '../metrics.ts';

/** What one message goes through several carriers with. */
export interface Sending {
  delivery: LeasedDelivery;
  /** The contact's addresses of the channel that may be used, in plain text and in their order: one at least. */
  addresses: readonly { address: string; slot: number }[];
  /** Writes the message for an attempt: what comes back names it. */
  alertFor(attempt: number): Alert;
  /** Called for each carrier, once it was asked. */
  onAsked(outcome: AttemptOutcome, tookMs: number): void;
}

/** A carrier that is asked, for one of the contact's addresses. `nth`: which of them in their order, from 1. */
interface Leg extends Route {
  address: string;
  slot: number;
  nth: number;
}

/**
 * Creates a function that sends a message through the carriers of a channel, one after the other, until one has it (DECISIONS.md "Carriers that stand
 * by"), and to one of the contact's addresses after the other ("Several addresses"). It sets the delivery's `attempt` and `slot` to those of the
 * last one, by which the outcome is recorded.
 */
export function createStandingBy(deps: { channel: Channel; pool: Pool; log: Logger }) {
  const { channel, pool, log } = deps;
  const patienceMs = STANDS_BY_AFTER_S[channel.kind] * 1_000;
  const wholeMs = ATTEMPT_TIMEOUT_S[channel.kind] * 1_000;

  return async (sending: Sending): Promise<AttemptOutcome> => {
    const { delivery } = sending;
    const twice = mayGoTwice({ kind: delivery.kind, environment: delivery.incident.environment });
    // What may go once only meets the carriers in the same order each time: another one first could send it again.
    const order = twice === 'rather_twice' ? 'by_health' : 'as_named';
    const legs = legsOf(channel, sending, order);
    await turnTo(legs[0]!, sending);
    if (legs.length === 1) return named(await ask(legs[0]!, sending), legs[0]!);
    const over = legs.every(({ slot }) => slot === delivery.slot) ? 'carriers' : 'addresses';
    const isFirst = delivery.attempt === 1;
    const startedAt = performance.now();
    const said: { outcome: AttemptOutcome; leg: Leg }[] = [];
    for (const [at, leg] of legs.entries()) {
      const following = legs[at + 1];
      const began = performance.now();
      const limitMs = following === undefined || twice === 'once_only' ? wholeMs : patienceMs;
      const outcome = await ask(leg, sending, { limitMs, earlier: isFirst ? 'none' : 'unknown' });
      said.push({ outcome, leg });
      const next = (over === 'addresses' ? nextAddress : nextCarrier)(outcome, twice);
      if (next === 'stays') return named(outcome, leg);
      // Nobody was asked.
      if (outcome.kind === 'kept' || outcome.kind === 'put_off') {
        if (following === undefined) break;
        await turnTo(following, sending);
        continue;
      }
      const isLast = following === undefined;
      const decides = isLast ? decidedBy(said) : leg;
      if (isLast && (over === 'carriers' || decides === leg)) break;
      const found = !isLast && next === 'goes_unless_found' ? await find(leg, sending) : null;
      if (found !== null) return named(found, leg);
      const failed: CarrierTry = {
        carrier: leg.carrier,
        at: Math.round(delivery.now + (began - startedAt)),
        tookMs: Math.round(performance.now() - began),
        reason: 'reason' in outcome ? outcome.reason : '',
        taken: next === 'goes' ? 'no' : 'maybe',
        ...(over === 'addresses' && whichOf(leg, outcome)),
      };
      const isAsked = 'answered' in outcome && outcome.answered === 'at_carrier';
      // After the last one it is with the one that decides: what the last one said is kept all the same, as it may not be asked again.
      const begun = await moveOn(delivery, failed, following ?? decides, isAsked ? leg.carrier : null);
      if (begun === 'no_longer') break;
      if (following !== undefined) tellMoved(delivery, failed, following);
    }
    const all = said.map(({ outcome }) => outcome);
    if (over === 'carriers') return outcomeOfAll(all);
    const leg = decidedBy(said);
    delivery.slot = leg.slot;
    return named(outcomeOfAddresses(all), leg);
  };

  /** Lets the message be where it goes next, before it goes: what is answered or reported meanwhile counts for that address. */
  async function turnTo({ slot }: Leg, { delivery, addresses }: Sending): Promise<void> {
    const was = delivery.slot ?? addresses[0]!.slot;
    delivery.slot = slot;
    if (was === slot) return;
    try {
      await noteSlot(pool, delivery, slot);
    } catch (error) {
      // It goes all the same: that somebody is told counts more than by which address they answer.
      log.error({ err: error, delivery: delivery.id }, 'it could not be recorded to which address a message goes');
    }
  }

  async function ask({ channel, address }: Leg, sending: Sending, within?: Within): Promise<AttemptOutcome> {
    const began = performance.now();
    const outcome = await channel.send(address, sending.alertFor(sending.delivery.attempt), within);
    sending.onAsked(outcome, performance.now() - began);
    return outcome;
  }

  /** Returns what became of a message that a carrier may have; null if it has none, or cannot say. */
  async function find({ channel, address }: Leg, { alertFor, delivery }: Sending): Promise<AttemptOutcome | null> {
    const found = await channel.find?.(address, alertFor(delivery.attempt), FIND_S * 1_000);
    return found?.kind === 'sent' || found?.kind === 'delivered' ? found : null;
  }

  /** `askedOf`: the carrier that did not answer, where it is asked for what people answer in its app. */
  async function moveOn(
    delivery: LeasedDelivery,
    failed: CarrierTry,
    next: Leg,
    askedOf: string | null,
  ): Promise<'begun' | 'no_longer'> {
    const { accountId, contactId, incident, channel, id } = delivery;
    let begun: number | null;
    try {
      begun = await inTransaction(pool, async client => {
        const begun = await beginAtNextCarrier(client, delivery, delivery.attempt, failed, {
          slot: next.slot,
          askedOf,
        });
        // What may have gone out may be charged for.
        if (begun !== null && failed.taken === 'maybe') {
          const about = { sourceId: incident.sourceId, contactId };
          await addSpend(client, { accountId, about, channel, units: 1 });
        }
        return begun;
      });
    } catch (error) {
      // Under the number of the carrier before, what that one reports late would be taken for news of the next one.
      const told = { delivery: id, channel, carrier: failed.carrier, next: next.carrier, taken: failed.taken };
      log.error({ err: error, ...told }, 'the next carrier is not asked before the next try: it could not be recorded');
      return 'no_longer';
    }
    if (begun === null) return 'no_longer';
    delivery.attempt = begun;
    delivery.slot = next.slot;
    return 'begun';
  }

  function tellMoved({ id, channel }: LeasedDelivery, { carrier, taken, refused }: CarrierTry, next: Leg): void {
    // An address that is wrong says nothing about the carrier.
    if (refused === undefined || taken === 'maybe') stoodBy.inc({ channel });
    const told = { delivery: id, channel, carrier, next: next.carrier, taken };
    log.warn(told, 'a carrier did not take a message: the next one is asked');
  }
}

/**
 * Returns the carriers to be asked, of one address after the other. One that refused this message for good is left out while there are others; by
 * health, whichever fails comes last.
 */
function legsOf(channel: Channel, { addresses, delivery }: Sending, order: 'by_health' | 'as_named'): Leg[] {
  const numbered = addresses.map((one, at) => ({ ...one, nth: at + 1 }));
  const open = numbered.filter(({ slot }) => !delivery.refusedAt.includes(slot));
  const legs = (open.length === 0 ? numbered : open).flatMap(one => {
    const routes = channel.routes?.(order, one.address) ?? [{ carrier: '', channel }];
    return routes.map((route): Leg => ({ ...one, ...route }));
  });
  if (addresses.length === 1 || order === 'as_named') return legs;
  const now = legs.map(leg => ({ leg, health: leg.channel.health?.() ?? 'closed' }));
  return (['closed', 'open'] as const).flatMap(is => now.filter(({ health }) => health === is).map(({ leg }) => leg));
}

/** Returns the carrier at one of several addresses by whose word it goes. */
function decidedBy(said: readonly { outcome: AttemptOutcome; leg: Leg }[]): Leg {
  const outcome = outcomeOfAddresses(said.map(one => one.outcome));
  return said.findLast(one => one.outcome === outcome)!.leg;
}

/** Says of a try at which of several addresses it was. What it may have taken and does not find again would double there. */
function whichOf({ slot, nth }: Leg, outcome: AttemptOutcome): Pick<CarrierTry, 'slot' | 'nth' | 'refused'> {
  const isRefused = outcome.kind === 'permanent_fault' && (outcome.carrier === undefined || outcome.taken === 'maybe');
  return { slot, nth, ...(isRefused && { refused: 'for_good' }) };
}

/** Says whose word it is: of what is decided, and of what may have been taken by one that is asked for answers. */
function named(outcome: AttemptOutcome, { carrier }: Route): AttemptOutcome {
  const { kind } = outcome;
  const isDecided = kind === 'sent' || kind === 'delivered' || kind === 'permanent_fault';
  const mayHaveIt = kind === 'temporary_fault' && outcome.answered !== undefined;
  return (isDecided || mayHaveIt) && carrier !== '' ? { ...outcome, carriedBy: carrier } : outcome;
}
