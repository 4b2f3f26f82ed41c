/**
 * The port over which processes tell each other that something changed. Everything on it is a hint: a lost message leaves
 * its reader briefly stale, never wrong, because every reader also polls or re-reads (SPEC.md 6, DESIGN.md 2 "Subjects").
 */
export interface Bus {
  /**
   * Sends a message to all subscribers of a subject, in this process and others. Never waits and never throws: while the
   * connection is down the message is dropped and counted.
   */
  publish(subject: string, payload?: unknown): void;

  /**
   * Receives the messages of a subject; `*` as the last token takes any one token. The payload is what was published,
   * after JSON. Gives the function that ends it; calling that twice is fine.
   */
  subscribe(subject: string, receive: (payload: unknown, subject: string) => void): () => void;

  /** Resolves when every subscription made so far receives. */
  flush(): Promise<void>;

  /** Calls back after the connection was lost and came back: messages may have been missed. Never for the local bus. */
  onReconnect(callback: () => void): () => void;

  /** How many messages were dropped because there was no connection. */
  readonly dropped: number;

  /** Whether messages can be sent now. */
  readonly connected: boolean;

  /** Ends all subscriptions and the connection. Twice is fine. */
  close(): Promise<void>;
}

/** The subjects (DESIGN.md 2). Ids are 32 lower-case letters and digits, so that none can widen a subject. */
export const subjects = {
  /** Something readable changed in an account. Payload: tocsin.common.v1.Change as JSON. */
  change: (accountId: string) => `tocsin.change.${accountId}`,
  /** An API key was revoked. No payload. */
  keyRevoked: (keyId: string) => `tocsin.key.revoked.${keyId}`,
  /** There is work in the database. No payload. */
  work: 'tocsin.work',
};
