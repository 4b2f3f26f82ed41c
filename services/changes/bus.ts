/**
 * The interface through which processes tell each other that something changed. Every message is a hint: a lost one
 * leaves its reader briefly stale, never wrong, because every reader also polls or re-reads (SPEC.md 6).
 */
export interface Bus {
  /**
   * Sends a message to all subscribers of a subject, in this process and others. Never waits, never throws and never
   * runs a subscriber before it returns. While the connection is down the message is dropped and counted.
   */
  publish(subject: string, payload?: unknown): void;

  /**
   * Receives the messages of a subject published from now on; `*` as the last token matches any one token. The payload
   * is what was published, after JSON; `undefined` if there was none. A subscriber that throws is logged and keeps
   * receiving. Returns the function that ends the subscription, which may be called twice. Throws if the subject is
   * malformed. On a closed bus it never receives.
   */
  subscribe(subject: string, receive: Receive): () => void;

  /**
   * Resolves when every subscription made so far receives and what this process published before has reached its own
   * subscribers. Waits for the connection while it is down. Rejects when the bus is closed.
   */
  flush(): Promise<void>;

  /**
   * Calls back after the connection was lost, has returned, and all subscriptions receive again: messages of the last
   * `awayS` seconds may have been missed. Never for the local bus. Returns the function that ends it.
   */
  onReconnect(callback: (awayS: number) => void): () => void;

  /** How many messages were not sent: no connection, an unresponsive server, or not JSON. */
  readonly dropped: number;

  /** How many messages arrived that were not JSON and so reached nobody. */
  readonly malformed: number;

  /** Whether messages can be sent now. */
  readonly connected: boolean;

  /** Ends all subscriptions and the connection, within 3 s. May be called twice. */
  close(): Promise<void>;
}

/** Receives a message: its payload, and the subject it was published on. */
export type Receive = (payload: unknown, subject: string) => void;

/** The subjects. Ids are 32 lower-case letters and digits, so that none can widen a subject. */
export const subjects = {
  /** Something readable changed in an account. Payload: tocsin.common.v1.Change as JSON. */
  change: (accountId: string) => `tocsin.change.${accountId}`,
  /**
   * Calls of an account came, were refused or wait in a window: it changes nothing that a key reads, but what owners look at. Payload:
   * `alarmId`, the alarm or panic button concerned; empty if it is not a single one.
   */
  calls: (accountId: string) => `tocsin.calls.${accountId}`,
  /** A key was revoked, rotated or changed: check again whether its grants are still valid. No payload. */
  keyRevoked: (keyId: string) => `tocsin.key.revoked.${keyId}`,
  /** API keys or their secrets were created or changed: what was unknown may be known now. No payload. */
  keys: 'tocsin.keys',
  /** Something was set up for the whole deployment: read it anew. No payload. */
  settings: 'tocsin.settings',
};

/** Reads which alarm a hint is about; empty: none alone. Anybody on the bus could have written it: what is no hint is about everything. */
export function alarmOf(payload: unknown): string {
  const { alarmId } = Object(payload) as Partial<Record<string, unknown>>;
  return typeof alarmId === 'string' ? alarmId : '';
}

/** Says once for each account that calls came; of one source if all of them were. `sourceId` empty: none that is known. */
export function tellOfCalls(bus: Bus, calls: readonly { accountId: string; sourceId: string }[]): void {
  for (const [accountId, own] of Map.groupBy(calls, call => call.accountId)) {
    const { sourceId } = own[0]!;
    const alarmId = own.every(call => call.sourceId === sourceId) ? sourceId : '';
    bus.publish(subjects.calls(accountId), { alarmId });
  }
}
