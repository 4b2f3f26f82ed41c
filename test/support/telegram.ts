import type { ServerResponse } from 'node:http';
import { type Heard, type Peer, startPeer } from './peer.ts';
import { eventually } from './wait.ts';

/** The token of the operator's bot, its name, and the people who have pressed Start there. */
export const BOT_TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw';
export const BOT_NAME = 'tocsin_test_bot';
export const ANNAS_ID = 123_456_789;
export const BENS_ID = 987_654_321;

interface Button {
  text: string;
  callback_data?: string;
  url?: string;
}

/** A message in a chat, as it is now (https://core.telegram.org/bots/api). */
export interface Chatted {
  chatId: number;
  id: number;
  text: string;
  buttons: Button[];
  /** How often it was edited. */
  edits: number;
}

/** An answer to whoever pressed. */
export interface Toast {
  id: string;
  text: string;
  isAlert: boolean;
}

type Turn =
  | 'ok'
  /** Takes messages and says nothing. */
  | 'breaks_off'
  | 'no_id'
  | 'refuses_edits'
  | 'webhook_set'
  | { status: number; description: string; parameters?: Record<string, number> };

/** A server that does what Telegram does with a bot, its messages and its updates. */
export interface Telegram extends Peer {
  /** What `createChannels` takes. */
  settings: { token: string; apiUrl: string };
  /** Every message that was taken, as it is now. */
  chats: readonly Chatted[];
  /** Every answer to a press. */
  toasts: readonly Toast[];
  next(wanted?: (message: Chatted) => boolean): Promise<Chatted>;
  /** What sendMessage and editMessageText do from now on; `times`: for so many requests. */
  turns(how: Turn, times?: number): void;
  /** Somebody presses the first button; by default whom it went to. Returns the id of the press. */
  press(message: Chatted, on?: { by?: number; data?: string }): string;
  /** The same press once more, under a number of its own. */
  again(press: string): void;
  /** Somebody writes to the bot. */
  write(from: number, text: string, on?: { chat?: 'private' | 'group'; language?: string }): void;
  /** Something that this version knows nothing of. */
  oddity(update: Record<string, unknown>): void;
  /** Resolves once the press was answered. */
  answered(press: string): Promise<Toast>;
  /** Resolves once everything said so far was confirmed: it does not come again. */
  confirmed(): Promise<void>;
  /** How many updates wait to be confirmed. */
  unconfirmed(): number;
  /** The person has blocked the bot, or never pressed Start, from now on. */
  blocks(id: number): void;
  forgets(id: number): void;
  /** Every question for updates, by the offset it came with. */
  asked: readonly { offset: number | null }[];
  /** Whether nobody waits for updates. */
  unasked(): boolean;
  /** Somebody else asks for updates: whoever waits is told so. */
  readByAnother(): void;
}

/** Starts one. It knows BOT_TOKEN, and ANNAS_ID and BENS_ID have pressed Start. */
export async function startTelegram(): Promise<Telegram> {
  const chats: Chatted[] = [];
  const toasts: Toast[] = [];
  const asked: { offset: number | null }[] = [];
  const known = new Set([ANNAS_ID, BENS_ID]);
  const blocked = new Set<number>();
  let updates: { update_id: number; [kind: string]: unknown }[] = [];
  // Its numbers begin anywhere.
  let lastUpdate = 400_000_000;
  let lastMessage = 10;
  let presses = 0;
  let how: Turn = 'ok';
  let left = Number.POSITIVE_INFINITY;
  let waiting: { offset: number | null; response: ServerResponse; timer: NodeJS.Timeout } | null = null;

  function turn(): Turn {
    if (left <= 0) how = 'ok';
    left--;
    return how;
  }

  function send(said: Record<string, unknown>, response: ServerResponse): void {
    const now = turn();
    if (typeof now === 'object') return void refuse(response, now.status, now.description, now.parameters);
    const { chat_id: chatId, text } = said as { chat_id: number; text: string };
    if (typeof text !== 'string' || text === '')
      return void refuse(response, 400, 'Bad Request: message text is empty');
    if (text.length > 4_096) return void refuse(response, 400, 'Bad Request: message is too long');
    if (blocked.has(chatId)) return void refuse(response, 403, 'Forbidden: bot was blocked by the user');
    if (!known.has(chatId)) return void refuse(response, 400, 'Bad Request: chat not found');
    const buttons = buttonsOf(said);
    const wrong = wrongWith(buttons);
    if (wrong !== null) return void refuse(response, 400, wrong);
    const message: Chatted = { chatId, id: ++lastMessage, text, buttons, edits: 0 };
    chats.push(message);
    if (now === 'breaks_off') return void response.socket?.resetAndDestroy();
    take(response, now === 'no_id' ? {} : { message_id: message.id, chat: { id: chatId, type: 'private' }, text });
  }

  function edit(said: Record<string, unknown>, response: ServerResponse): void {
    if (turn() === 'refuses_edits') return void refuse(response, 500, 'Internal Server Error');
    const message = chats.find(({ id, chatId }) => id === said.message_id && chatId === said.chat_id);
    if (message === undefined) return void refuse(response, 400, 'Bad Request: message to edit not found');
    const [text, buttons] = [String(said.text), buttonsOf(said)];
    if (message.text === text && JSON.stringify(message.buttons) === JSON.stringify(buttons)) {
      return void refuse(response, 400, 'Bad Request: message is not modified');
    }
    Object.assign(message, { text, buttons, edits: message.edits + 1 });
    take(response, { message_id: message.id });
  }

  function giveUpdates(said: Record<string, unknown>, response: ServerResponse): void {
    const offset = typeof said.offset === 'number' ? said.offset : null;
    asked.push({ offset });
    if (how === 'webhook_set') {
      const why =
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first";
      return void refuse(response, 409, why);
    }
    readByAnother();
    if (offset !== null) updates = updates.filter(({ update_id: id }) => id >= offset);
    const timer = setTimeout(flush, Number(said.timeout ?? 0) * 1_000);
    waiting = { offset, response, timer };
    response.once('close', () => {
      clearTimeout(timer);
      if (waiting?.response === response) waiting = null;
    });
    if (updates.length > 0) flush(Number(said.limit ?? 100));
  }

  function flush(limit = 100): void {
    if (waiting === null) return;
    const { response, timer } = waiting;
    clearTimeout(timer);
    waiting = null;
    take(response, updates.slice(0, limit));
  }

  function readByAnother(): void {
    if (waiting === null) return;
    const { response, timer } = waiting;
    clearTimeout(timer);
    waiting = null;
    const why = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
    refuse(response, 409, why);
  }

  function say(update: Record<string, unknown>): void {
    lastUpdate += 1 + (lastUpdate % 3);
    updates.push({ ...update, update_id: lastUpdate });
    flush();
  }

  const peer = await startPeer(({ path, body }: Heard, response) => {
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path) ?? [];
    if (token !== BOT_TOKEN) return void refuse(response, 401, 'Unauthorized');
    const said = JSON.parse(body || '{}') as Record<string, unknown>;
    switch (method) {
      case 'getMe':
        return void take(response, { id: 110_201_543, is_bot: true, username: BOT_NAME });
      case 'sendMessage':
        return send(said, response);
      case 'editMessageText':
        return edit(said, response);
      case 'getUpdates':
        return giveUpdates(said, response);
      case 'answerCallbackQuery': {
        const id = String(said.callback_query_id);
        if (toasts.some(toast => toast.id === id)) {
          return void refuse(
            response,
            400,
            'Bad Request: query is too old and response timeout expired or query ID is invalid',
          );
        }
        const text = String(said.text ?? '');
        if (text.length > 200) return void refuse(response, 400, 'Bad Request: MESSAGE_TOO_LONG');
        toasts.push({ id, text, isAlert: said.show_alert === true });
        return void take(response, true);
      }
      default:
        return void refuse(response, 404, 'Not Found');
    }
  });

  const pressed = new Map<string, Record<string, unknown>>();
  return {
    ...peer,
    settings: { token: BOT_TOKEN, apiUrl: peer.url },
    chats,
    toasts,
    asked,
    next: (wanted = () => true) => eventually(() => chats.find(wanted), { what: 'a message at Telegram' }),
    turns(next, times = Number.POSITIVE_INFINITY) {
      how = next;
      left = times;
    },
    press(message, { by = message.chatId, data = message.buttons[0]?.callback_data ?? 'none' } = {}) {
      const id = `press${++presses}`;
      const callback = {
        id,
        from: { id: by, is_bot: false, first_name: 'Somebody' },
        message: { message_id: message.id, date: 1, chat: { id: message.chatId, type: 'private' } },
        chat_instance: '1',
        data,
      };
      pressed.set(id, callback);
      say({ callback_query: callback });
      return id;
    },
    again: press => say({ callback_query: pressed.get(press) }),
    write(from, text, { chat = 'private', language = 'en' } = {}) {
      known.add(from);
      say({
        message: {
          message_id: ++lastMessage,
          from: { id: from, is_bot: false, first_name: 'Somebody', language_code: language },
          chat: { id: chat === 'private' ? from : -from, type: chat },
          text,
        },
      });
    },
    oddity: say,
    answered: press =>
      eventually(() => toasts.find(({ id }) => id === press), { what: 'an answer to whoever pressed' }),
    confirmed: () =>
      eventually(() => (waiting !== null && updates.length === 0 ? true : null), {
        what: 'that what was said is confirmed',
      }).then(() => {}),
    unconfirmed: () => updates.length,
    blocks: id => void blocked.add(id),
    forgets: id => void known.delete(id),
    unasked: () => waiting === null,
    readByAnother,
    async stop() {
      if (waiting !== null) clearTimeout(waiting.timer);
      await peer.stop();
    },
  };
}

function buttonsOf(said: Record<string, unknown>): Button[] {
  const markup = said.reply_markup as { inline_keyboard?: Button[][] } | undefined;
  return markup?.inline_keyboard?.flat() ?? [];
}

/** What Telegram says is wrong with buttons; null: nothing. */
function wrongWith(buttons: readonly Button[]): string | null {
  for (const { callback_data: data, url } of buttons) {
    if (data !== undefined && Buffer.byteLength(data) > 64) return 'Bad Request: BUTTON_DATA_INVALID';
    if (url !== undefined && !new URL(url).hostname.includes('.')) {
      return `Bad Request: inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`;
    }
  }
  return null;
}

function take(response: ServerResponse, result: unknown): void {
  answer(response, 200, { ok: true, result });
}

function refuse(
  response: ServerResponse,
  status: number,
  description: string,
  parameters?: Record<string, number>,
): void {
  answer(response, status, { ok: false, error_code: status, description, ...(parameters && { parameters }) });
}

function answer(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}
