/**
 * The port over which processes tell each other that something changed. Everything on it is a hint: a lost message leaves
 * its reader briefly stale, never wrong, because every reader also polls or re-reads (SPEC.md 6).
 */
export interface Bus {
  /**
   * Sends a message to all subscribers of a subject, in this process and others. Never waits, never throws and never runs
   * a subscriber before it returns: while the connection is down the message is dropped and counted.
   */
  publish(subject: string, payload?: unknown): void;

  /**
   * Receives the messages of a subject that are published from now on; `*` as the last token takes any one token. The
   * payload is what was published, after JSON; `undefined` where there was none. A subscriber that throws is logged and
   * goes on receiving. Gives the function that ends it; calling that twice is fine. Throws on anything that is not a
   * subject. On a closed bus it never receives.
   */
  subscribe(subject: string, receive: Receive): () => void;

  /**
   * Resolves when every subscription made so far receives and what this process published before has reached its own
   * subscribers. While the connection is down it waits for it. Rejects when the bus is closed.
   */
  flush(): Promise<void>;

  /**
   * Calls back after the connection was lost and came back and all subscriptions receive again: messages of the last
   * `awayS` seconds may have been missed. Never for the local bus. Gives the function that ends it.
   */
  onReconnect(callback: (awayS: number) => void): () => void;

  /** How many messages were not sent: no connection, a server that stopped answering, or not JSON. */
  readonly dropped: number;

  /** How many messages came that were not JSON and so reached nobody. */
  readonly malformed: number;

  /** Whether messages can be sent now. */
  readonly connected: boolean;

  /** Ends all subscriptions and the connection, after at most 3 s. Twice is fine. */
  close(): Promise<void>;
}

/** Takes a message: what was published, and the subject it was published on. */
export type Receive = (payload: unknown, subject: string) => void;

/** The subjects. Ids are 32 lower-case letters and digits, so that none can widen a subject. */
export const subjects = {
  /** Something readable changed in an account. Payload: tocsin.common.v1.Change as JSON. */
  change: (accountId: string) => `tocsin.change.${accountId}`,
  /** A key was revoked, rotated or changed: ask again whether a grant of it still opens anything. No payload. */
  keyRevoked: (keyId: string) => `tocsin.key.revoked.${keyId}`,
  /** API keys, or their secrets, were made or changed: what was unknown a moment ago may be known now. No payload. */
  keys: 'tocsin.keys',
};
