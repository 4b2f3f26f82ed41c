import { effect, signal } from '@preact/signals';
import { faultOf, incidents } from './rpc.ts';
import { lost, session } from './session.ts';

/** How true the screen is: `live` as long as changes arrive. */
export interface Freshness {
  is: 'live' | 'reconnecting' | 'stale';
  /** When the screen was last known to be true. */
  since: Date;
}

export const freshness = signal<Freshness>({ is: 'reconnecting', since: new Date() });

/** Counts the reasons to read anew: whatever is shown reads again when it grows. */
export const pulse = signal(0);

/** After a break of this length the screen says that it is not up to date, in milliseconds. */
const STALE_AFTER_MS = 2_000;

/** What happens in a storm is read once in this time. */
const GATHER_MS = 120;

/** What no stream tells, such as an arming, is seen by reading again after this time. */
const READ_AGAIN_MS = 5_000;

const WAITS_MS = [300, 700, 1_500, 3_000];

let stream: AbortController | null = null;
let gathers = false;

/** Whether this tab is the one that holds the stream. */
let holds = false;

/** What the tab that holds the stream tells the others: that something came or that it broke; `asks`: one that wants to know. */
interface Told {
  /** Whose stream it is: nameHere. */
  of: string;
  is: 'live' | 'broke' | 'asks';
}

const tabs = new BroadcastChannel('tocsin.live');

/**
 * One stream for all tabs of this browser that look at an account, while somebody looks at one of them: browsers hold six
 * connections to a place over HTTP/1.1, and with a stream in each of six tabs none would be left to read with. The tab that has
 * the lock holds it. Over a line that is not encrypted there are no locks: there each tab in front holds its own. After every
 * break everything is read anew.
 */
export function startLive(): void {
  tabs.onmessage = ({ data }: MessageEvent<Told>) => {
    if (stream === null || data.of !== nameHere()) return;
    if (data.is === 'live') alive();
    if (data.is === 'broke') broke();
    if (data.is === 'asks' && holds && freshness.peek().is === 'live') tell('live');
  };
  effect(() => {
    const follows = session.value.is === 'signed_in';
    stream?.abort();
    stream = null;
    if (follows && document.visibilityState === 'visible') void follow();
  });
  document.addEventListener('visibilitychange', () => {
    if (session.peek().is !== 'signed_in') return;
    stream?.abort();
    stream = null;
    if (document.visibilityState === 'visible') void follow();
  });
  addEventListener('offline', () => suspect());
  setInterval(() => {
    if (freshness.peek().is === 'live' && document.visibilityState === 'visible') readAgain();
  }, READ_AGAIN_MS);
}

/** A read failed: the stream may be dead without knowing it. */
export function suspect(): void {
  if (stream === null) return;
  stream.abort();
  stream = null;
  if (session.peek().is === 'signed_in') void follow();
}

export function readAgain(): void {
  if (gathers) return;
  gathers = true;
  setTimeout(() => {
    gathers = false;
    pulse.value++;
  }, GATHER_MS);
}

async function follow(): Promise<void> {
  const own = new AbortController();
  stream = own;
  if (navigator.locks === undefined) return hold(own);
  tell('asks');
  try {
    await navigator.locks.request(`tocsin.live ${nameHere()}`, { signal: own.signal }, () => hold(own));
  } catch (fault) {
    if (!own.signal.aborted) throw fault;
  }
}

async function hold(own: AbortController): Promise<void> {
  holds = true;
  try {
    await holdOn(own);
  } finally {
    holds = false;
  }
}

/** Ends when another stream takes the place of this one. */
async function holdOn(own: AbortController): Promise<void> {
  for (let failures = 0; stream === own; failures++) {
    try {
      for await (const { kind } of incidents.watchIncidents({}, { signal: own.signal })) {
        if (kind === 'ready') failures = 0;
        alive();
        tell('live');
      }
    } catch (fault) {
      if (faultOf(fault).kind === 'signed_out' && stream === own) return lost();
    }
    if (stream !== own) return;
    broke();
    tell('broke');
    await new Promise(resolve => setTimeout(resolve, WAITS_MS[Math.min(failures, WAITS_MS.length - 1)]));
  }
}

function tell(is: Told['is']): void {
  tabs.postMessage({ of: nameHere(), is } satisfies Told);
}

/** Who looks at which account: tabs may differ in both. */
function nameHere(): string {
  const now = session.peek();
  return now.is === 'signed_in' ? `${now.account.id} ${now.who.session?.id ?? ''}` : '';
}

function alive(): void {
  freshness.value = { is: 'live', since: new Date() };
  readAgain();
}

function broke(): void {
  if (freshness.peek().is !== 'live') return;
  freshness.value = { is: 'reconnecting', since: new Date() };
  setTimeout(() => {
    const { is, since } = freshness.peek();
    if (is === 'reconnecting') freshness.value = { is: 'stale', since };
  }, STALE_AFTER_MS);
}
