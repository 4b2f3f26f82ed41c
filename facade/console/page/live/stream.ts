import { faultOf, incidents } from '../rpc/rpc.ts';
import { lost, whoLooks } from '../rpc/session.ts';

/** What the tab that holds the stream tells the others: that something came or that it broke; `asks`: one that wants to know. */
interface Told {
  /** Whose stream it is: whoLooks. */
  of: string;
  is: 'live' | 'broke' | 'asks';
}

/** A stream that has not begun by then is opened anew, in milliseconds. */
const READY_MS = 6_000;

const WAITS_MS = [300, 700, 1_500, 3_000];

/**
 * One stream for all tabs of this browser that look at an account, while somebody looks at one of them: browsers hold six
 * connections to a place over HTTP/1.1, and with a stream in each of six tabs none would be left to read with. The tab that has
 * the lock holds it. Over a line that is not encrypted there are no locks: there each tab in front holds its own.
 */
export function createStream(props: {
  isWanted(): boolean;
  /** Something came in this tab. */
  heard(): void;
  /** What happens is told as it happens, and something did. */
  isLive(): void;
  broke(): void;
}) {
  const isShared = navigator.locks !== undefined;
  const tabs = new BroadcastChannel('tocsin.live');
  let now: AbortController | null = null;
  /** Whether this tab is the one that holds the stream, and something has come. */
  let holdsLive = false;

  if (isShared) {
    tabs.onmessage = ({ data }: MessageEvent<Told>) => {
      if (now === null || data.of !== whoLooks()) return;
      if (data.is === 'live') props.isLive();
      if (data.is === 'broke') props.broke();
      if (data.is === 'asks' && holdsLive) tell('live');
    };
  }

  function tell(is: Told['is']): void {
    if (isShared) tabs.postMessage({ of: whoLooks(), is } satisfies Told);
  }

  async function follow(): Promise<void> {
    const own = new AbortController();
    now = own;
    if (!isShared) return hold(own);
    tell('asks');
    try {
      await navigator.locks.request(`tocsin.live ${whoLooks()}`, { signal: own.signal }, () => hold(own));
    } catch (fault) {
      if (!own.signal.aborted) throw fault;
    }
  }

  /** Ends when another stream takes the place of this one. */
  async function hold(own: AbortController): Promise<void> {
    for (let failures = 0; now === own; failures++) {
      const attempt = new AbortController();
      const end = () => attempt.abort();
      own.signal.addEventListener('abort', end);
      const late = setTimeout(end, READY_MS);
      try {
        for await (const { kind } of incidents.watchIncidents({ besides: 'signals' }, { signal: attempt.signal })) {
          if (now !== own) return;
          if (kind === 'ready') failures = 0;
          clearTimeout(late);
          holdsLive = true;
          props.heard();
          props.isLive();
          tell('live');
        }
      } catch (fault) {
        if (faultOf(fault).kind === 'signed_out' && now === own) return lost();
      } finally {
        clearTimeout(late);
        own.signal.removeEventListener('abort', end);
        if (now === own) holdsLive = false;
      }
      if (now !== own) return;
      props.broke();
      tell('broke');
      await pause(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)]!, own.signal);
    }
  }

  return {
    /** Ends the stream, or the wait for the one of another tab, and begins anew where it is wanted. */
    restart(): void {
      now?.abort();
      now = null;
      holdsLive = false;
      props.broke();
      if (props.isWanted()) void follow();
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
