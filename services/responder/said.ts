import { Code, ConnectError } from '@connectrpc/connect';
import type { Bot, Said } from '../channels/channel.ts';
import { copiedContact } from '../domain/alert.ts';
import { linkAt } from '../domain/page.ts';
import { STRANGERS_WRITTEN_BACK, WRITTEN_BACK } from '../domain/reply.ts';
import { createRateLimit } from '../limits/times.ts';
import { clean, NAME_LENGTH } from '../process/text.ts';
import { findResponding, type RespondingDelivery } from '../store/statements/responder.ts';
import { languageFor } from '../words/language.ts';
import { named } from '../words/names.ts';
import type { Words } from '../words/types.ts';
import { acknowledgeAs } from './act.ts';
import { addressTold } from './address-told.ts';
import { chatTextOf } from './chat-text.ts';
import type { ResponderOptions } from './options.ts';
import { prove } from './proof.ts';

/** Connects whoever opened the link of an account; returns the account's name, or null if the link is over. */
export type Connect = (code: string, address: string) => Promise<string | null>;

/** How long an acknowledgement may take to be applied, in milliseconds. */
const ACT_MS = 5_000;

/**
 * Returns the function that does what somebody said to a bot, and answers. A press counts only from whom the message went to; whoever else presses
 * is told so, and nothing changes. Throws if it could not be stored.
 */
export function createSaid(
  deps: Pick<ResponderOptions, 'store' | 'seal' | 'links' | 'log' | 'bus' | 'nudge'>,
  bot: Bot,
  connect: Connect,
): (said: Said) => Promise<void> {
  const { store, seal, links, log } = deps;
  const writtenBack = createRateLimit(WRITTEN_BACK);
  const strangers = createRateLimit(STRANGERS_WRITTEN_BACK);

  async function pressed({ from, locale, press, token, message }: Extract<Said, { kind: 'pressed' }>): Promise<void> {
    const delivery = await pressedOf(token);
    const { chat } = languageFor(locale).words;
    if (delivery === null) return bot.answer(press, chat.over, 'loud');
    if (addressTold(seal, delivery) !== from) return bot.answer(press, chat.notYours, 'loud');
    const outcome = await acknowledged(delivery);
    const now = (await findResponding(store.pool, delivery.id)) ?? delivery;
    const { id, channel, incident } = delivery;
    log.info({ delivery: id, channel, incident: incident.id, outcome }, 'a message was answered in its chat');
    const words = languageFor(copiedContact(incident.copy, now.contactId, now.step)?.locale ?? locale).words;
    await bot.answer(press, answerTo(outcome, now, words), outcome === 'acknowledged' ? 'soft' : 'loud');
    // Of a message that went twice only one is known by what came back; whichever was pressed is here.
    const isOver = now.incident.acknowledgedBy !== null || now.incident.closedAt !== null;
    if (isOver && message?.address === from) await bot.rewrite({ ...message, text: chatTextOf(now) });
  }

  /** Returns the message that a token was made for; null if there is none, or its incident is long over. */
  async function pressedOf(token: string): Promise<RespondingDelivery | null> {
    const id = links.deliveryOf(token);
    const delivery = id === null ? null : await findResponding(store.pool, id);
    return delivery === null || linkAt(delivery.now, delivery.incident) === 'ended' ? null : delivery;
  }

  async function acknowledged(delivery: RespondingDelivery) {
    const acting = acknowledgeAs(deps, delivery, 'chat', AbortSignal.timeout(ACT_MS)).catch(error => {
      // It is stored, and applied later.
      if (ConnectError.from(error).code !== Code.DeadlineExceeded) throw error;
      return 'try_again' as const;
    });
    return await acting.finally(() => prove(deps, delivery));
  }

  async function wrote({ from, locale }: Said): Promise<void> {
    if (goesBack(from)) await bot.write(from, languageFor(locale).words.chat.address(from));
  }

  async function started({ from, locale, code }: Extract<Said, { kind: 'started' }>): Promise<void> {
    const { chat } = languageFor(locale).words;
    const account = await connect(code, from);
    if (account !== null) return bot.write(from, chat.connected(clean(account, NAME_LENGTH)));
    if (goesBack(from)) await bot.write(from, `${chat.linkOver}\n\n${chat.address(from)}`);
  }

  /** Two bots that answer each other would never stop. */
  function goesBack(from: string): boolean {
    const now = performance.now();
    return writtenBack.take(from, now).kind === 'taken' && strangers.take('all', now).kind === 'taken';
  }

  return said => {
    switch (said.kind) {
      case 'pressed':
        return pressed(said);
      case 'started':
        return started(said);
      case 'wrote':
        return wrote(said);
    }
  };
}

/** `now`: the message and its incident afterwards. */
function answerTo(
  outcome: 'acknowledged' | 'already_acknowledged' | 'already_closed' | 'try_again',
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
    case 'try_again':
      return chat.tryAgain;
  }
}
