import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Channel, Route, Within } from '../../channels/channel.ts';
import type { Alert } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import {
  type CarrierTry,
  FIND_S,
  mayGoTwice,
  nextCarrier,
  outcomeOfAll,
  STANDS_BY_AFTER_S,
} from '../../domain/standing-by.ts';
import { inTransaction } from '../../store/statement.ts';
import type { LeasedDelivery } from '../../store/statements/delivery.ts';
import { beginAtNextCarrier } from '../../store/statements/next-carrier.ts';
import { addSpend } from '../../store/statements/spend.ts';
import { stoodBy } from '../metrics.ts';

/** What one message goes through several carriers with. */
export interface Sending {
  delivery: LeasedDelivery;
  /** In plain text. */
  address: string;
  /** Writes the message for an attempt: what comes back names it. */
  alertFor(attempt: number): Alert;
  /** Called for each carrier, once it was asked. */
  onAsked(outcome: AttemptOutcome, tookMs: number): void;
}

/**
 * Creates a function that sends a message through the carriers of a channel, one after the other, until one has it (DECISIONS.md "Carriers that stand
 * by"). It sets the delivery's `attempt` to that of the last carrier, by which the outcome is recorded.
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
    const routes: readonly Route[] = channel.routes?.(order) ?? [{ carrier: '', channel }];
    if (routes.length === 1) return named(await ask(routes[0]!, sending), routes[0]!);
    const isFirst = delivery.attempt === 1;
    const startedAt = performance.now();
    const said: AttemptOutcome[] = [];
    for (const [nth, route] of routes.entries()) {
      const isLast = nth === routes.length - 1;
      const began = performance.now();
      const at = Math.round(delivery.now + (began - startedAt));
      const limitMs = isLast || twice === 'once_only' ? wholeMs : patienceMs;
      const outcome = await ask(route, sending, { limitMs, earlier: isFirst ? 'none' : 'unknown' });
      said.push(outcome);
      const next = nextCarrier(outcome, twice);
      if (next === 'stays') return named(outcome, route);
      if (isLast) break;
      const found = next === 'goes_unless_found' ? await find(route, sending) : null;
      if (found !== null) return named(found, route);
      const taken = next === 'goes' ? 'no' : 'maybe';
      const reason = 'reason' in outcome ? outcome.reason : '';
      const tookMs = Math.round(performance.now() - began);
      const failed: CarrierTry = { carrier: route.carrier, at, tookMs, reason, taken };
      if ((await moveOn(delivery, failed, routes[nth + 1]!.carrier)) === 'no_longer') break;
    }
    return outcomeOfAll(said);
  };

  async function ask(route: Route, sending: Sending, within?: Within): Promise<AttemptOutcome> {
    const began = performance.now();
    const outcome = await route.channel.send(sending.address, sending.alertFor(sending.delivery.attempt), within);
    sending.onAsked(outcome, performance.now() - began);
    return outcome;
  }

  /** Returns what became of a message that a carrier may have; null if it has none, or cannot say. */
  async function find({ channel }: Route, { address, alertFor, delivery }: Sending): Promise<AttemptOutcome | null> {
    const found = await channel.find?.(address, alertFor(delivery.attempt), FIND_S * 1_000);
    return found?.kind === 'sent' || found?.kind === 'delivered' ? found : null;
  }

  async function moveOn(delivery: LeasedDelivery, failed: CarrierTry, next: string): Promise<'begun' | 'no_longer'> {
    const { accountId, contactId, incident, channel, id } = delivery;
    const told = { delivery: id, channel, carrier: failed.carrier, next, taken: failed.taken };
    let begun: number | null;
    try {
      begun = await inTransaction(pool, async client => {
        const begun = await beginAtNextCarrier(client, delivery, delivery.attempt, failed);
        // What may have gone out may be charged for.
        if (begun !== null && failed.taken === 'maybe') {
          const about = { sourceId: incident.sourceId, contactId };
          await addSpend(client, { accountId, about, channel, units: 1 });
        }
        return begun;
      });
    } catch (error) {
      // Under the number of the carrier before, what that one reports late would be taken for news of the next one.
      log.error({ err: error, ...told }, 'the next carrier is not asked before the next try: it could not be recorded');
      return 'no_longer';
    }
    if (begun === null) return 'no_longer';
    delivery.attempt = begun;
    stoodBy.inc({ channel });
    log.warn(told, 'a carrier did not take a message: the next one is asked');
    return 'begun';
  }
}

function named(outcome: AttemptOutcome, { carrier }: Route): AttemptOutcome {
  const { kind } = outcome;
  const isDecided = kind === 'sent' || kind === 'delivered' || kind === 'permanent_fault';
  return isDecided && carrier !== '' ? { ...outcome, carriedBy: carrier } : outcome;
}
