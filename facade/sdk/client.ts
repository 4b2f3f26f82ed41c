import { type Call, createCall } from './call.ts';
import { type Clock, type Fetch, systemClock, type WebSocketClass } from './platform.ts';
import type { Inventory, Mode, Receipt, State, Watch, WatchEvents } from './types.ts';
import { startWatch } from './watch.ts';

export type { TocsinError } from './errors.ts';
export {
  NetworkError,
  NotFoundError,
  UnauthorizedError,
  UnavailableError,
  UnexpectedAnswerError,
  UnknownModeError,
} from './errors.ts';
export type { Clock, Fetch, FetchAnswer, FetchInit, Socket, WebSocketClass } from './platform.ts';
export type { Inventory, InventoryLocation, Mode, Realtime, Receipt, State, Watch, WatchEvents } from './types.ts';

export interface ClientOptions {
  /** The address of the service, such as `https://alarm.example.com`, with the path where a proxy has put one before it. */
  url: string;
  /** The API key. */
  key: string;
  /** Replaces the global one. */
  fetch?: Fetch;
  /**
   * Replaces the global one, which Node has from 22 on; for earlier versions pass the class of the package ws. Null:
   * poll only.
   */
  WebSocket?: WebSocketClass | null;
  /** How long to wait for an answer, in milliseconds; 15,000 if absent. */
  timeoutMs?: number;
  /** Replaces the time of the machine and Math.random, for tests. */
  clock?: Clock;
  random?: () => number;
}

/** Every method of `/v1` as a function, and `watch`. All reject with a TocsinError. */
export interface Client {
  /** Arms in this mode; without one in the mode it was armed in; if disarmed, in away. */
  arm(alarmId: string, mode?: Mode): Promise<Receipt>;
  disarm(alarmId: string): Promise<Receipt>;
  /** Triggers the policy of this mode; without one that of the armed mode; if disarmed, that of away. */
  trigger(alarmId: string, mode?: Mode): Promise<Receipt>;
  /** Ends the open incident. */
  clear(alarmId: string): Promise<Receipt>;
  panic: {
    trigger(panicId: string): Promise<Receipt>;
    clear(panicId: string): Promise<Receipt>;
  };
  /** Returns what exists, to build pickers from. It rarely changes. */
  describe(): Promise<Inventory>;
  state(): Promise<State>;
  /** Follows state and inventory until it is closed or the key ends. Throws if there is no WebSocket at all. */
  watch(events: WatchEvents): Watch;
}

/** Creates a client. Throws a TypeError for an invalid URL or key; sends nothing yet. */
export function createClient(options: ClientOptions): Client {
  const url = baseOf(options.url);
  const { key, clock = systemClock, random = Math.random, timeoutMs = 15_000 } = options;
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('The key must be the API key alone, without blanks around it.');
  const fetch = options.fetch ?? (globalThis.fetch.bind(globalThis) as Fetch);
  const call = createCall({ url, key, fetch, clock, timeoutMs });
  const act = async (...segments: string[]) => readReceipt(await call(pathOf(segments)));
  const describe = (cancel?: AbortSignal) => read<Inventory>(call, '/v1/integration/describe', cancel);
  const state = (cancel?: AbortSignal) => read<State>(call, '/v1/integration/state', cancel);
  const inMode = (mode: Mode | undefined) => (mode === undefined ? [] : [mode]);

  return {
    arm: (alarmId, mode) => act('alarm', alarmId, 'arm', ...inMode(mode)),
    disarm: alarmId => act('alarm', alarmId, 'disarm'),
    trigger: (alarmId, mode) => act('alarm', alarmId, 'trigger', ...inMode(mode)),
    clear: alarmId => act('alarm', alarmId, 'clear'),
    panic: {
      trigger: panicId => act('panic', panicId, 'trigger'),
      clear: panicId => act('panic', panicId, 'clear'),
    },
    describe: () => describe(),
    state: () => state(),
    watch(events) {
      const { WebSocket = globalThis.WebSocket as WebSocketClass | undefined } = options;
      if (WebSocket === undefined) {
        throw new TypeError('There is no global WebSocket here. Hand one in, as of the package ws; or null, to poll.');
      }
      return startWatch(
        {
          url,
          key,
          WebSocket,
          clock,
          random,
          readState: cancel => state(cancel),
          readInventory: cancel => describe(cancel),
        },
        events,
      );
    },
  };
}

async function read<T>(call: Call, path: string, cancel?: AbortSignal): Promise<T> {
  const { data } = await call(path, cancel && { cancel });
  return data as T;
}

function readReceipt({ data, traceId }: Awaited<ReturnType<Call>>): Receipt {
  const { environment, location } = data as unknown as Receipt;
  return { environment, ...(location && { location }), traceId };
}

/** An empty segment or dots would change the path and so the call: `arm` out of `arm/..`. */
function pathOf(segments: string[]): string {
  for (const segment of segments) {
    if (typeof segment !== 'string' || /^\.{0,2}$/.test(segment)) {
      throw new TypeError(`"${segment}" is neither an ID nor a mode.`);
    }
  }
  return `/v1/${segments.map(encodeURIComponent).join('/')}`;
}

/** A path is one that a proxy has put before ours. */
function baseOf(url: string): string {
  const base = url.replace(/\/+$/, '');
  if (!/^https?:\/\/[^/?#\s]+(\/[^?#\s]*)?$/i.test(base) || base.endsWith('/v1')) {
    throw new TypeError(`The URL must be as https://alarm.example.com, not ${JSON.stringify(url)}.`);
  }
  return base;
}
