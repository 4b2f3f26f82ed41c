import { z } from 'zod';
import type { Said } from '../channel.ts';
import { addressOf, PRESSED } from './chat.ts';

const person = z.object({ id: z.int(), language_code: z.string().max(35).optional() });
const chat = z.object({ id: z.int(), type: z.string() });

/** What is asked for; whatever else comes is passed over. */
export const WANTED = ['message', 'callback_query'] as const;

const NUMBER = z.object({ update_id: z.int() });

const UPDATE = z.object({
  message: z.object({ from: person, chat, text: z.string().optional() }).optional(),
  callback_query: z
    .object({
      id: z.string().max(100),
      from: person,
      message: z.object({ message_id: z.int(), chat }).optional().catch(undefined),
      data: z.string().max(64).optional(),
    })
    .optional(),
});

/** `/start` and the code of a link, as the button of the chat sends it. */
const STARTED = /^\/start ([A-Za-z0-9_-]{1,64})$/;

/** Returns the numbers of updates, the highest one first to be confirmed, and what was said that we know. */
export function readUpdates(result: unknown): { last: number | null; said: { nth: number; said: Said }[] } {
  const updates = Array.isArray(result) ? result : [];
  const numbered = updates.flatMap((update: unknown) => {
    const number = NUMBER.safeParse(update);
    return number.success ? [{ nth: number.data.update_id, said: saidIn(update) }] : [];
  });
  const last = numbered.length === 0 ? null : Math.max(...numbered.map(({ nth }) => nth));
  return { last, said: numbered.flatMap(({ nth, said }) => (said === null ? [] : [{ nth, said }])) };
}

/** Null: nothing that concerns us, such as what is said in a group. */
function saidIn(update: unknown): Said | null {
  const read = UPDATE.safeParse(update);
  if (!read.success) return null;
  const { message, callback_query: pressed } = read.data;
  if (pressed !== undefined) {
    const { id: press, from, data = '', message: on } = pressed;
    const token = data.startsWith(PRESSED) ? data.slice(PRESSED.length) : '';
    const where = on === undefined ? null : { providerRef: String(on.message_id), address: addressOf(on.chat.id) };
    return { kind: 'pressed', ...whoIs(from), press, token, message: where };
  }
  if (message === undefined || message.chat.type !== 'private') return null;
  const [, code] = STARTED.exec(message.text ?? '') ?? [];
  return code === undefined
    ? { kind: 'wrote', ...whoIs(message.from) }
    : { kind: 'started', ...whoIs(message.from), code };
}

function whoIs({ id, language_code: locale = 'en' }: z.infer<typeof person>) {
  return { from: addressOf(id), locale };
}
