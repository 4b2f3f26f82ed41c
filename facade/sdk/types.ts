import type { TocsinError, UnauthorizedError } from './errors.ts';

/** The modes that an alarm can be armed in. */
export type Mode = 'home' | 'away' | 'night' | 'vacation';

/** The answer to an accepted call. It says that the call is stored and will be applied, not that an alert went out. */
export interface Receipt {
  /** In test everything is recorded and nobody is alerted. */
  environment: 'live' | 'test';
  /** Where the alarm or panic button is, if it has a location. */
  location?: { id: string; name: string };
  /** Identifies this one call, for your log: its owner can look the call up by it. */
  traceId: string;
}

/** What the key sees, by location. Show names from here, and offer the modes listed here. */
export interface Inventory {
  version: string;
  locations: InventoryLocation[];
  /** Where changes are signalled; absent if this deployment has no realtime. */
  realtime?: Realtime;
}

export interface InventoryLocation {
  id: string;
  name: string;
  alarms: { id: string; name: string; modes: { id: Mode; name: string }[] }[];
  panicButtons: { id: string; name: string }[];
}

/** How `watch` opens its socket. */
export interface Realtime {
  httpHost: string;
  realtimeHost: string;
  channel: string;
}

/** The state of every alarm that the key sees. */
export interface State {
  version: string;
  alarms: { id: string; state: Mode | 'disarmed' | 'triggered' }[];
}

/** The events of a watch, all optional. */
export interface WatchEvents {
  /** The state as it is now: at first, after each change, and now and then without one. */
  onState?(state: State): void;
  /** The inventory as it is now; called like onState. */
  onInventory?(inventory: Inventory): void;
  /**
   * Whether changes arrive at once (`up`) or are polled for (`down`, with the reason). Reconnecting goes on by itself.
   */
  onLink?(status: 'up' | 'down', why: string | null): void;
  /** A read failed. It is retried automatically. */
  onProblem?(error: TocsinError): void;
  /** The key is not valid, or no longer. The watch has ended for good. */
  onStop?(error: UnauthorizedError): void;
}

export interface Watch {
  /** Ends it. No further events follow. */
  close(): void;
}
