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
