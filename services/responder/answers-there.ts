import type { AnswersThere } from '../channels/channel.ts';
import { copiedContact } from '../domain/alert.ts';
import { findResponding, type RespondingDelivery } from '../store/statements/responder.ts';
import { acknowledgeAs } from './act.ts';
import { type Answerable, claimAnswerable, settleAnswerable } from './answers-there-statements.ts';
import type { ResponderOptions } from './options.ts';
import { prove } from './proof.ts';

/** Between two looks, in milliseconds: how much later than it could an answer is seen. */
const LOOK_MS = 1_000;

/**
 * Returns the look function of a loop that asks carriers for what people answered in their apps (DECISIONS.md "Answered in the app"). Each message is
 * asked for by one process at a time, the newest first; one that nobody needs to answer any more is quieted, whoever ended it.
 */
export function createAnswersLook(
  deps: Pick<ResponderOptions, 'store' | 'seal' | 'log' | 'bus' | 'nudge'>,
  carriers: ReadonlyMap<string, AnswersThere>,
): () => Promise<{ inMs: number }> {
  return async () => {
    for (const [name, carrier] of carriers) {
      for (const message of await claimAnswerable(deps.store.pool, name, carrier)) {
        // Whoever does not answer one question answers none of the next ones either.
        if ((await see(message, carrier)) === 'no_answer') break;
      }
    }
    return { inMs: LOOK_MS };
  };

  async function see(message: Answerable, carrier: AnswersThere): Promise<'seen' | 'no_answer'> {
    const delivery = await findResponding(deps.store.pool, message.id);
    const address = delivery === null ? null : addressOf(delivery);
    const became =
      message.wanted === 'quiet' || delivery === null || address === null
        ? await carrier.quiet(message.id)
        : await carrier.ask(message.providerRef, address);
    deps.log.debug({ delivery: message.id, wanted: message.wanted, became }, 'a carrier was asked about a message');
    if (became === 'no_answer') return 'no_answer';
    if (became === 'acknowledged') await acknowledged(delivery!);
    if (became !== 'not_yet') await settleAnswerable(deps.store.pool, message);
    return 'seen';
  }

  async function acknowledged(delivery: RespondingDelivery): Promise<void> {
    const signal = AbortSignal.timeout(ACT_MS);
    const outcome = await acknowledgeAs(deps, delivery, 'push', signal).finally(() => prove(deps, delivery));
    const { id, channel, incident } = delivery;
    deps.log.info({ delivery: id, channel, incident: incident.id, outcome }, 'a message was answered in its app');
  }

  /** In plain text; null if the person has no such address in this incident. */
  function addressOf({ contactId, channel, step, incident }: RespondingDelivery): string | null {
    const { addresses } = copiedContact(incident.copy, contactId, step) ?? { addresses: [] };
    const told = addresses.find(one => one.channel === channel)?.address;
    return told === undefined ? null : deps.seal.open(told);
  }
}

/** How long an acknowledgement may take to be applied, in milliseconds; it is asked for again otherwise. */
const ACT_MS = 10_000;
