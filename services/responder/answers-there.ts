import type { AnswersThere, MessageThere } from '../channels/channel.ts';
import { findResponding, type RespondingDelivery } from '../store/statements/responder.ts';
import { acknowledgeAs } from './act.ts';
import { addressTold } from './address-told.ts';
import { type Answerable, CLAIMED_MOST, claimAnswerable, settleAnswerable } from './answers-there-statements.ts';
import { chatTextOf } from './chat-text.ts';
import type { ResponderOptions } from './options.ts';
import { prove } from './proof.ts';

/** A carrier that does not answer so many questions in a row is away: it is asked again at the next look. */
const AWAY_AFTER = 3;

/** Between two looks, in milliseconds: how much later than it could an answer is seen. */
const LOOK_MS = 1_000;

/**
 * Returns the look function of a loop that asks a carrier for what people answered in its app (DECISIONS.md "Answered in the app"). Each message is
 * asked for by one process at a time, whichever was not for longest; one that nobody needs to answer any more is quieted, whoever ended it.
 */
export function createAnswersLook(
  deps: Pick<ResponderOptions, 'store' | 'seal' | 'links' | 'log' | 'bus' | 'nudge'>,
  name: string,
  carrier: AnswersThere,
): () => Promise<'now' | { inMs: number }> {
  return async () => {
    const messages = await claimAnswerable(deps.store.pool, name, carrier);
    let unanswered = 0;
    for (const message of messages) {
      unanswered = (await see(message)) === 'no_answer' ? unanswered + 1 : 0;
      // One message that nobody can tell of keeps none from the others; a carrier that is away does.
      if (unanswered === AWAY_AFTER) break;
    }
    return messages.length < CLAIMED_MOST ? { inMs: LOOK_MS } : 'now';
  };

  async function see(message: Answerable): Promise<'seen' | 'no_answer'> {
    try {
      return await asked(message);
    } catch (error) {
      deps.log.error(
        { err: error, delivery: message.id },
        'what came of a message in its app was not recorded: it is asked again',
      );
      return 'seen';
    }
  }

  async function asked(message: Answerable): Promise<'seen' | 'no_answer'> {
    const { wanted, id: delivery } = message;
    const answer = wanted === 'quiet' ? 'not_yet' : await answerTo(message);
    deps.log.debug({ delivery, wanted, answer }, 'a carrier was asked about a message');
    if (answer === 'no_answer') return answer;
    // The next look finds that it is over, and ends the ringing of its other tries.
    if (answer === 'acknowledged') return 'seen';
    if (wanted !== 'answer' && (await carrier.quiet(delivery, () => there(message))) === 'no_answer')
      return 'no_answer';
    if (wanted !== 'answer' || answer === 'over') await settleAnswerable(deps.store.pool, message);
    return 'seen';
  }

  async function answerTo(message: Answerable) {
    const delivery = await findResponding(deps.store.pool, message.id);
    const address = delivery === null ? null : addressTold(deps.seal, delivery);
    if (delivery === null || address === null) return 'over';
    if (message.providerRef === null) return 'not_yet';
    const answer = await carrier.ask(message.providerRef, address);
    if (answer === 'acknowledged') await acknowledged(delivery, address);
    return answer;
  }

  async function acknowledged(delivery: RespondingDelivery, address: string): Promise<void> {
    const signal = AbortSignal.timeout(ACT_MS);
    const outcome = await acknowledgeAs(deps, delivery, 'push', signal).finally(() => prove(deps, delivery, address));
    const { id, channel, incident } = delivery;
    deps.log.info({ delivery: id, channel, incident: incident.id, outcome }, 'a message was answered in its app');
  }

  /** Where a message is, and how it stands now. */
  async function there({ id, providerRef }: Answerable): Promise<MessageThere | null> {
    const delivery = await findResponding(deps.store.pool, id);
    const address = delivery === null ? null : addressTold(deps.seal, delivery);
    if (delivery === null || address === null || providerRef === null) return null;
    return { providerRef, address, ...chatTextOf(deps.links, delivery) };
  }
}

/** How long an acknowledgement may take to be applied, in milliseconds; it is asked for again otherwise. */
const ACT_MS = 5_000;
