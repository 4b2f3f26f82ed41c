/** How much one socket, one key, one address and all together may take (REALTIME.md 5.11). */
export interface RelayLimits {
  /** Bytes of one message of a client; a longer one ends the socket with 1009. */
  messageBytes: number;
  /** Messages and pings of a client: so many at once, and so many per second in the long run; more end the socket with 1008. */
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
  /** Between two questions whether the keys of the sockets are still good. */
  recheck: number;
  /** How long an account without sockets is still listened to. */
  linger: number;
  /** How long a subscription waits for the bus before it is granted all the same. */
  busPatience: number;
  /** Over how much time sockets are closed at the end, and signalled after the bus was away: at most, and for each one. */
  spread: number;
  spreadEach: number;
  /** After how long at the end of the process a socket that does not close is cut off. */
  end: number;
  /** How long a refused client has to speak before it is told all the same. */
  refusedSilence: number;
  /** After how long a socket is closed so that it connects anew; every one a little earlier than this. */
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

/** The end fits into the 5 s that the facade gives itself (facade/http.ts). */
export const TIMES: RelayTimes = {
  coalesce: 250,
  keepAlive: 30_000,
  recheck: 5_000,
  linger: 30_000,
  busPatience: 3_000,
  spread: 3_500,
  spreadEach: 2,
  end: 4_500,
  refusedSilence: 1_000,
  age: 24 * 3_600_000,
};
