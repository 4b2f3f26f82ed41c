/** The limits of one socket, one key, one address and all together (REALTIME.md 5.11). */
export interface RelayLimits {
  /** Bytes of one message of a client; a longer one ends the socket with 1009. */
  messageBytes: number;
  /**
   * Messages and pings of a client: this many at once, and this many per second in the long run; more end the socket
   * with 1008.
   */
  messageBurst: number;
  messagesPerSecond: number;
  subscriptionsPerSocket: number;
  socketsPerKey: number;
  socketsPerAccount: number;
  socketsPerAddress: number;
  sockets: number;
  /** Bytes that may wait for a slow reader before its socket is dropped. */
  unsentBytes: number;
}

/** The times of the relay, in milliseconds. */
export interface RelayTimes {
  /** At most one signal per account and kind in this time (DECISIONS.md "When"). */
  coalesce: number;
  /** Between two keep-alives of a socket. */
  keepAlive: number;
  /** Between two checks whether the keys of the sockets are still valid. */
  recheck: number;
  /** Between two times that the services are told which sockets live; never more often than `recheck`. */
  alive: number;
  /** How long to keep listening to an account without sockets. */
  linger: number;
  /** How long a subscription waits for the bus before it is granted nevertheless. */
  busPatience: number;
  /**
   * The time over which sockets are closed at the end, and signalled after the bus was away: at most, and for each one.
   */
  spread: number;
  spreadEach: number;
  /** How long a socket may take to close when the process ends, before it is cut off. */
  end: number;
  /** How long a refused client may stay silent before it is told nevertheless. */
  refusedSilence: number;
  /** The age at which a socket is closed so that it reconnects; each one a little earlier than this. */
  age: number;
}

export const LIMITS: RelayLimits = {
  messageBytes: 16 * 1024,
  messageBurst: 50,
  messagesPerSecond: 10,
  subscriptionsPerSocket: 10,
  socketsPerKey: 20,
  socketsPerAccount: 1_000,
  socketsPerAddress: 1_000,
  sockets: 20_000,
  unsentBytes: 64 * 1024,
};

/** The end fits into the 5 s that the facade has (facade/http.ts). */
export const TIMES: RelayTimes = {
  coalesce: 250,
  keepAlive: 30_000,
  recheck: 5_000,
  alive: 15_000,
  linger: 30_000,
  busPatience: 3_000,
  spread: 3_500,
  spreadEach: 2,
  end: 4_500,
  refusedSilence: 1_000,
  age: 24 * 3_600_000,
};
