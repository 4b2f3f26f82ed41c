import type { Logger } from 'pino';
import type { Receive } from './bus.ts';

/** Where a bus logs what went wrong. */
export type BusLog = Pick<Logger, 'info' | 'warn' | 'error'>;

export interface Subscription {
  readonly receive: Receive;
  state: 'active' | 'ended';
}

/** The subscriptions of a bus: the part that all adapters share. */
export interface Subscribers {
  /** Adds one; throws if the subject is malformed. Returns the function that removes it. */
  add(pattern: string, receive: Receive): () => void;
  /** The subscriptions made with exactly this pattern. */
  of(pattern: string): readonly Subscription[];
  /** The subscriptions that a message on this subject is for. */
  matching(subject: string): readonly Subscription[];
  /** Every pattern with a subscription. */
  patterns(): Iterable<string>;
  /** Delivers a message. A subscriber that throws neither stops the others nor misses its next message. */
  deliver(to: readonly Subscription[], text: string, subject: string): void;
  readonly malformed: number;
}

/** What a subject may contain. Anything else could widen it, or end the line that carries it. */
const SUBJECT = /^[\w-]+(\.[\w-]+)*$/;
const PATTERN = /^[\w-]+(\.[\w-]+)*(\.\*)?$/;

/**
 * Encodes a payload as JSON; as an empty string for `undefined`. Returns null if the subject is malformed or the payload
 * has no JSON form.
 */
export function messageText(subject: string, payload: unknown, log: BusLog): string | null {
  try {
    if (!SUBJECT.test(subject)) throw new TypeError(`"${subject}" is not a subject`);
    return payload === undefined ? '' : (JSON.stringify(payload) ?? '');
  } catch (err) {
    log.error({ err, subject }, 'A message could not be written and was dropped.');
    return null;
  }
}

/** Creates an empty register. */
export function createSubscribers(log: BusLog): Subscribers {
  const byPattern = new Map<string, Set<Subscription>>();
  let malformed = 0;
  return {
    add(pattern, receive) {
      if (!PATTERN.test(pattern)) {
        throw new TypeError(
          `Cannot subscribe to "${pattern}": a subject is letters, digits, _ and - in tokens separated by dots, the last of which may be *.`,
        );
      }
      const subscription: Subscription = { receive, state: 'active' };
      const ofPattern = byPattern.get(pattern) ?? new Set();
      byPattern.set(pattern, ofPattern.add(subscription));
      return () => {
        subscription.state = 'ended';
        ofPattern.delete(subscription);
        if (ofPattern.size === 0 && byPattern.get(pattern) === ofPattern) byPattern.delete(pattern);
      };
    },
    of: pattern => [...(byPattern.get(pattern) ?? [])],
    matching(subject) {
      const anyLastToken = `${subject.slice(0, subject.lastIndexOf('.') + 1)}*`;
      return [...(byPattern.get(subject) ?? []), ...(byPattern.get(anyLastToken) ?? [])];
    },
    patterns: () => byPattern.keys(),
    deliver(to, text, subject) {
      let payload: unknown;
      try {
        payload = text === '' ? undefined : JSON.parse(text);
      } catch {
        malformed += 1;
        if (malformed === 1)
          log.warn({ subject }, 'A message was not JSON and was dropped. Further ones are only counted.');
        return;
      }
      for (const subscription of to) {
        if (subscription.state === 'ended') continue;
        try {
          subscription.receive(payload, subject);
        } catch (err) {
          log.error({ err, subject }, 'A subscriber failed on a message; the others received it.');
        }
      }
    },
    get malformed() {
      return malformed;
    },
  };
}
