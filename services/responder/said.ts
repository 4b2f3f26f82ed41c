import { Code, ConnectError } from '@connectrpc/connect';
import type { Bot, Said } from '../channels/channel.ts';
import { copiedContact } from '../domain/alert.ts';
import { linkAt } from '../domain/page.ts';
import { STRANGERS_WRITTEN_BACK, WRITTEN_BACK } from '../domain/reply.ts';
import { STRANGERS_NAME_LENGTH } from '../domain/verification.ts';
import { createRateLimit } from '../limits/times.ts';
import { clean, NAME_LENGTH } from '../process/text.ts';
import { findResponding, type RespondingDelivery } from '../store/statements/responder.ts';
import { languageFor } from '../words/language.ts';
import { named } from '../words/names.ts';
import type { Words } from '../words/types.ts';
import { type AcknowledgeOutcome, storeAcknowledgement } from './act.ts';
import { addressesTold } from './address-told.ts';
import type { Beside } from './beside.ts';
import { chatTextOf } from './chat-text.ts';
import type { ResponderOptions } from './options.ts';
import { recordNews } from './progress.ts';
import { prove } from './proof.ts';
import { createReplies, IN_CHAT } from './replies.ts';

/**
 * Connects whoever opened the link of an account; returns the account's name, and the address whose place was taken, if it was verified; or null if the
 * link is over.
 */
export type Connect = (code: string, address: string) => Promise<{ account: string; replaced: string | null } | null>;

/** What listening to a bot needs. */
export type ListeningOn = Pick<
  ResponderOptions,
  'store' | 'seal' | 'links' | 'log' | 'bus' | 'nudge' | 'carriers' | 'scheduled' | 'reported'
>;

/** How long an acknowledgement may take to be applied, in milliseconds. */
const ACT_MS = 5_000;

/**
 * Returns the function that does what somebody said to a bot; it resolves once that is stored, and the answer goes beside. A press counts only from
 * whom the message went to; whoever else presses is told so, and nothing changes. Throws if it could not be stored. `ending`: nobody waits for an
 * outcome any more.
 */
export function createSaid(
  deps: ListeningOn,
  { carrier, bot }: { carrier: string; bot: Bot },
  connect: Connect,
  beside: Beside,
  ending: AbortSignal,
): (said: Said) => Promise<void> {
  const { store, seal, links, log } = deps;
  const writtenBack = createRateLimit(WRITTEN_BACK);
  const strangers = createRateLimit(STRANGERS_WRITTEN_BACK);
  const replies = createReplies(deps, IN_CHAT);

  async function pressed(said: Extract<Said, { kind: 'pressed' }>): Promise<void> {
    const { from, locale, press, token } = said;
    const delivery = await pressedOf(token);
    const { chat } = languageFor(locale).words;
    const refuse = (text: string) => beside.run(from, () => bot.answer(press, text, 'loud'));
    if (delivery === null) return refuse(chat.over);
    if (!addressesTold(seal, delivery).includes(from)) return refuse(chat.notYours);
    const outcome = await storeAcknowledgement(deps, delivery, 'chat');
    beside.run(delivery.accountId, () => answer(said, delivery, outcome));
  }

  async function answer(
    { from, locale, press, message }: Extract<Said, { kind: 'pressed' }>,
    delivery: RespondingDelivery,
    outcomeIn: (signal: AbortSignal) => Promise<AcknowledgeOutcome>,
  ): Promise<void> {
    const outcome = await outcomeIn(AbortSignal.any([ending, AbortSignal.timeout(ACT_MS)])).catch(error => {
      // It is stored, and applied later.
      if (ConnectError.from(error).code !== Code.DeadlineExceeded) throw error;
      return 'applied_later' as const;
    });
    const now = (await findResponding(store.pool, delivery.id)) ?? delivery;
    const { id, channel, incident } = delivery;
    log.info({ delivery: id, channel, incident: incident.id, outcome }, 'a message was answered in its chat');
    const words = languageFor(copiedContact(incident.copy, now.contactId, now.step)?.locale ?? locale).words;
    await bot.answer(press, answerTo(outcome, now, words), outcome === 'acknowledged' ? 'soft' : 'loud');
    await prove(deps, delivery, from);
    // Of a message that went twice only one is known by what came back; whichever was pressed is here.
    const isOver = now.incident.acknowledgedBy !== null || now.incident.closedAt !== null;
    if (isOver && message?.address === from) await bot.rewrite({ ...message, ...chatTextOf(links, now) });
  }

  /** Returns the message that a token was made for; null if there is none, or its incident is long over. */
  async function pressedOf(token: string): Promise<RespondingDelivery | null> {
    const id = links.deliveryOf(token);
    const delivery = id === null ? null : await findResponding(store.pool, id);
    return delivery === null || linkAt(delivery.now, delivery.incident) === 'ended' ? null : delivery;
  }

  async function wrote({ from, locale }: Said): Promise<void> {
    writeBack(from, languageFor(locale).words.chat.address(from));
  }

  async function started({ from, locale, code }: Extract<Said, { kind: 'started' }>): Promise<void> {
    const { chat } = languageFor(locale).words;
    const connected = await connect(code, from);
    if (connected === null) return writeBack(from, `${chat.linkOver}\n\n${chat.address(from)}`);
    const account = clean(connected.account, STRANGERS_NAME_LENGTH);
    writeBack(from, chat.connected(account));
    const { replaced } = connected;
    if (replaced !== null) beside.run(replaced, () => bot.write(replaced, chat.replaced(account)));
  }

  async function replied({ from, text }: Extract<Said, { kind: 'replied' }>): Promise<void> {
    const { outcome, answer } = await replies.answer({ from, text }, AbortSignal.timeout(ACT_MS));
    log.info({ carrier, outcome }, 'somebody wrote in a chat');
    if (answer.kind !== 'write') return;
    beside.run(from, async () => bot.writeBack?.(from, answer));
  }

  async function arrived(said: Extract<Said, { kind: 'arrived' }>): Promise<void> {
    await recordNews(deps, said, { kind: 'arrived', providerRef: said.providerRef }, carrier);
  }

  /** Two bots that answer each other would never stop. */
  function writeBack(from: string, text: string): void {
    const now = performance.now();
    if (writtenBack.take(from, now).kind !== 'taken' || strangers.take('all', now).kind !== 'taken') return;
    beside.run(from, () => bot.write(from, text));
  }

  return said => {
    switch (said.kind) {
      case 'pressed':
        return pressed(said);
      case 'started':
        return started(said);
      case 'wrote':
        return wrote(said);
      case 'replied':
        return replied(said);
      case 'arrived':
        return arrived(said);
    }
  };
}

/** `now`: the message and its incident afterwards. */
function answerTo(
  outcome: AcknowledgeOutcome | 'applied_later',
  { incident, contactId }: RespondingDelivery,
  words: Words,
): string {
  const { sms, chat } = words;
  switch (outcome) {
    case 'acknowledged':
      return incident.environment === 'drill' ? sms.drillAnswered : sms.youAcknowledged;
    case 'already_acknowledged':
      if (incident.acknowledgedContactId === contactId) return sms.youAcknowledged;
      return sms.alreadyAcknowledged(named(incident.acknowledgedBy ?? '', words, NAME_LENGTH));
    case 'already_closed':
      return sms.alreadyClosed;
    case 'applied_later':
      return chat.appliedLater;
  }
}
