import { TELEGRAM_PREFIX } from '../../process/vocabulary.ts';

/** What the button of a message sends back begins with; its token follows. 64 bytes at most. */
export const PRESSED = 'a:';

/** The longest text, in UTF-16 units. */
const LONGEST = 4_096;

/** Returns the chat of an address. */
export function chatIdOf(address: string): number {
  return Number(address.slice(TELEGRAM_PREFIX.length));
}

/** Returns the address of a person, by the id that Telegram gives them. */
export function addressOf(id: number): string {
  return `${TELEGRAM_PREFIX}${id}`;
}

export function cutText(text: string): string {
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
