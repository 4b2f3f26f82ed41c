import { keyIn } from './credentials.ts';
import { refusal, UNAUTHORIZED, unsubscribeSuccess, type WireError } from './protocol.ts';

/** What the relay does about a message of a client. */
export type Step =
  /** Greet it: acknowledge the connection, followed at once by a keep-alive. */
  | { kind: 'greet' }
  | { kind: 'answer'; text: string }
  /** Ask the services whether the key may listen to the channel. */
  | { kind: 'authorize'; id: string; channel: string; key: string }
  | { kind: 'leave'; id: string; text: string };

/** The present state of a socket. */
export interface Session {
  /** Ids of its subscriptions, including those not granted yet. */
  subscriptions: { has(id: string): boolean; readonly size: number };
  /** How many it may have. */
  mostSubscriptions: number;
}

/** The rules of the conversation (REALTIME.md 2), without a socket: what follows a message of the client. Pure. */
export function stepOn(text: string, session: Session): Step {
  const message = parse(text);
  const id = typeof message?.id === 'string' && ID.test(message.id) ? message.id : null;
  switch (message?.type) {
    case 'connection_init':
      return { kind: 'greet' };
    case 'subscribe':
      return subscribe(message, id, session);
    case 'unsubscribe':
      if (id === null) return answer('error', null, badId);
      if (!session.subscriptions.has(id)) return answer('unsubscribe_error', id, unknownId);
      return { kind: 'leave', id, text: unsubscribeSuccess(id) };
    case 'publish':
      return answer('publish_error', id, { errorType: 'UnauthorizedException', message: 'Nobody may publish here.' });
    default:
      return answer('error', id, { errorType: 'UnsupportedOperation', message: 'This message is not understood.' });
  }
}

function subscribe(message: Message, id: string | null, { subscriptions, mostSubscriptions }: Session): Step {
  if (id === null) return answer('error', null, badId);
  if (subscriptions.has(id)) return answer('subscribe_error', id, usedId);
  const channel = readChannel(message.channel);
  if (channel === null) return answer('subscribe_error', id, badChannel);
  const key = keyIn(message.authorization);
  if (key === null || isWildcard(channel)) return answer('subscribe_error', id, UNAUTHORIZED);
  if (subscriptions.size >= mostSubscriptions) return answer('subscribe_error', id, tooMany(mostSubscriptions));
  return { kind: 'authorize', id, channel, key };
}

/** REALTIME.md 2 "Grammar". */
const ID = /^[a-zA-Z0-9\-_+]{1,128}$/;

interface Message {
  type?: unknown;
  id?: unknown;
  channel?: unknown;
  authorization?: unknown;
}

/** Returns null for anything but a JSON object. Unknown fields are ignored: Amplify sends some. */
function parse(text: string): Message | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function answer(type: Parameters<typeof refusal>[0], id: string | null, error: WireError): Step {
  return { kind: 'answer', text: refusal(type, id, error) };
}

const badId: WireError = {
  errorType: 'BadRequestException',
  message: 'An id is 1 to 128 letters, digits, dashes, underscores and pluses.',
};
const usedId: WireError = {
  errorType: 'DuplicatedOperationError',
  message: 'A subscription of this socket has this id already. That one goes on.',
};
const unknownId: WireError = {
  errorType: 'UnknownOperationError',
  message: 'No subscription of this socket has this id.',
};
const badChannel: WireError = {
  errorType: 'BadRequestException',
  message: 'A channel is 1 to 5 segments of 1 to 50 letters, digits and inner dashes, with slashes between.',
};
const tooMany = (most: number): WireError => ({
  errorType: 'MaxSubscriptionsReachedError',
  message: `A socket has at most ${most} subscriptions.`,
});

/**
 * Reads the name of a channel (REALTIME.md 2 "Grammar"): 1 to 5 segments of 1 to 50 letters, digits and inner dashes,
 * with or without a leading and trailing slash; `*` may be the last. Returns it with a leading slash and no trailing
 * one; null for anything else, in particular an empty text, which the services would take for a question about the key
 * alone.
 */
export function readChannel(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > LONGEST) return null;
  const path = CHANNEL.exec(text)?.groups?.path;
  return path === undefined ? null : `/${path}`;
}

/** Tells whether it stands for many channels. No key has more than its own, so none may use such a name. */
function isWildcard(channel: string): boolean {
  return channel.endsWith('*');
}

const LONGEST = 256;
const SEGMENT = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,48}[A-Za-z0-9])?';
const CHANNEL = new RegExp(`^/?(?<path>(?:${SEGMENT}/){0,4}(?:${SEGMENT}|\\*))/?$`);
