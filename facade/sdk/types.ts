import type { TocsinError, UnauthorizedError } from './errors.ts';

/** The modes that an alarm can be armed in. */
export type Mode = 'home' | 'away' | 'night' | 'vacation';

/** What an accepted call answers. It says that the call is stored and will be applied, not that an alert went out. */
export interface Receipt {
  /** In test everything is recorded and nobody is alerted. */
  environment: 'live' | 'test';
  /** Where the alarm or panic button is, when it has a location. */
  location?: { id: string; name: string };
  /** Names this one call, for your log: its owner finds the call by it. */
  traceId: string;
}

/** What the key sees, by location. Show names from here, and offer the modes that are here. */
export interface Inventory {
  version: string;
  locations: InventoryLocation[];
  /** Where changes are signalled; absent where this deployment has no realtime. */
  realtime?: Realtime;
}

export interface InventoryLocation {
  id: string;
  name: string;
  alarms: { id: string; name: string; modes: { id: Mode; name: string }[] }[];
  panicButtons: { id: string; name: string }[];
}

/** The recipe for the socket that `watch` opens. */
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

/** What a watch tells. All of them may be left out. */
export interface WatchEvents {
  /** The state as it is now: at first, after each change, and now and then without one. */
  onState?(state: State): void;
  /** The inventory as it is now: as above. */
  onInventory?(inventory: Inventory): void;
  /** Whether changes come at once (`up`) or are polled for (`down`, with the reason). Reconnecting goes on by itself. */
  onLink?(status: 'up' | 'down', why: string | null): void;
  /** A read failed. It is tried again by itself. */
  onProblem?(error: TocsinError): void;
  /** The key is not or no longer valid. The watch has ended for good. */
  onStop?(error: UnauthorizedError): void;
}

export interface Watch {
  /** Ends it. Nothing more is told. */
  close(): void;
}
