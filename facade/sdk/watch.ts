import type { TocsinError } from './errors.ts';
import { Keeper } from './keeper.ts';
import type { Clock, WebSocketClass } from './platform.ts';
import { Reader } from './reader.ts';
import type { Inventory, State, Watch, WatchEvents } from './types.ts';

/** How often state is read without a signal (SPEC.md 6), and describe (SPEC.md 4), in milliseconds. */
const POLL_MS = { up: 300_000, down: 60_000 };
const INVENTORY_MS = 3_600_000;

/** The random share of these times, so that clients that read together once do not do so forever. */
const CHANCE = 0.1;

export interface WatchOptions {
  url: string;
  key: string;
  /** Null: there is no socket, and changes are polled for. */
  WebSocket: WebSocketClass | null;
  clock: Clock;
  random: () => number;
  readState(cancel: AbortSignal): Promise<State>;
  readInventory(cancel: AbortSignal): Promise<Inventory>;
}

/**
 * Follows what a key sees. Signals carry nothing, so anything that arrives over the socket only leads to a full read;
 * what a client knows may be a little old, but never wrong (SPEC.md 6).
 */
export function startWatch(deps: WatchOptions, events: WatchEvents): Watch {
  const { WebSocket, clock, random } = deps;
  const cancel = new AbortController();
  const reading = { clock, random, failed };

  const state = new Reader<State>({
    ...reading,
    read: () => deps.readState(cancel.signal),
    everyMs: () => POLL_MS[keeper?.status ?? 'down'] * (1 - CHANCE * random()),
    got: value => tell(() => events.onState?.(value)),
  });
  const inventory = new Reader<Inventory>({
    ...reading,
    read: () => deps.readInventory(cancel.signal),
    everyMs: () => INVENTORY_MS * (1 + CHANCE * random()),
    got(value) {
      keeper?.follow(value.realtime ?? null);
      tell(() => events.onInventory?.(value));
    },
  });
  const keeper = WebSocket && new Keeper({ ...deps, WebSocket }, { up, down, signal });

  function signal(what: 'state' | 'inventory' | 'anything'): void {
    // What exists decides what has a state.
    if (what !== 'state') inventory.want();
    state.want();
  }

  function up(): void {
    signal('anything');
    tell(() => events.onLink?.('up', null));
  }

  function down(how: 'refused' | 'lost', why: string): void {
    // Whether the key is at fault is for /v1 to say: a 401 ends the watch, and a new recipe leads elsewhere.
    if (how === 'refused') signal('anything');
    else state.intervalChanged();
    tell(() => events.onLink?.('down', why));
  }

  function failed(error: TocsinError): void {
    if (error.kind === 'unauthorized') {
      close();
      tellAlways(() => events.onStop?.(error));
    } else {
      tell(() => events.onProblem?.(error));
    }
  }

  function tell(act: () => void): void {
    if (!cancel.signal.aborted) tellAlways(act);
  }

  function close(): void {
    cancel.abort();
    state.stop();
    inventory.stop();
    keeper?.close();
  }

  signal('anything');
  return { close };
}

/** An error thrown by a listener is its own problem: it is reported like that of any event, and the watch goes on. */
function tellAlways(act: () => void): void {
  try {
    act();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
