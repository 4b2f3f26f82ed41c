/**
 * Reads the name of a channel (REALTIME.md 2 "Grammar"): 1 to 5 segments of 1 to 50 letters, digits and inner dashes, with
 * or without a slash before and behind; `*` may be the last. Gives it with a slash before and none behind; null for
 * anything else, above all for nothing: the services take an empty channel for a question about the key alone.
 */
export function readChannel(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > LONGEST) return null;
  const path = CHANNEL.exec(text)?.groups?.path;
  return path === undefined ? null : `/${path}`;
}

/** Whether it stands for many channels. No key has more than its own, so none may use such a name. */
export function isWildcard(channel: string): boolean {
  return channel.endsWith('*');
}

const LONGEST = 256;
const SEGMENT = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,48}[A-Za-z0-9])?';
const CHANNEL = new RegExp(`^/?(?<path>(?:${SEGMENT}/){0,4}(?:${SEGMENT}|\\*))/?$`);
