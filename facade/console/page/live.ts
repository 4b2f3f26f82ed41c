import { effect, signal } from '@preact/signals';
import { faultOf, incidents, sessions } from './rpc.ts';
import { lost, session } from './session.ts';
import { createTruth, type Reading, UNPROVEN_MS } from './truth.ts';

/** How true the screen is: `live` as long as changes arrive, `reconnecting` as long as it is only read again and again. */
export interface Freshness {
  is: 'live' | 'reconnecting' | 'stale';
  /** Where it is stale: when the screen was last known to be true. */
  since: Date;
}

export const freshness = signal<Freshness>({ is: 'reconnecting', since: new Date() });

/** Counts the reasons to read anew: whatever is shown reads again when it grows. */
export const pulse = signal(0);

/** The same for what is costly to ask, and changes seldom. */
export const slowPulse = signal(0);

/** What happens in a storm is read once in this time. */
const GATHER_MS = 120;

/** What no stream tells, such as an arming, is seen by reading again after this time. */
const READ_AGAIN_MS = 5_000;

const READ_SLOWLY_MS = 30_000;

const LOOK_MS = 500;

/** Where nothing was heard for so long, the services are asked whether they are there; they have as long to answer. */
const PROBE_MS = 2_000;

/** Whoever comes back to the page waits so long for the services before they are told that it is old. */
const RETURN_MS = 1_000;

/** A stream that has not begun by then is opened anew. */
const READY_MS = 6_000;

const WAITS_MS = [300, 700, 1_500, 3_000];

const truth = createTruth(() => Date.now());

let stream: AbortController | null = null;
let gathers = false;
let probes = false;

/** Whether what happens is told to this tab as it happens. */
let told = false;

/** Whether this tab is the one that holds the stream. */
let holds = false;

let lookedAt = Date.now();
let returnedAt = Date.now();
let openedAt = 0;

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
  if (isShared()) {
    tabs.onmessage = ({ data }: MessageEvent<Told>) => {
      if (stream === null || data.of !== nameHere()) return;
      if (data.is === 'live') alive();
      if (data.is === 'broke') broke();
      if (data.is === 'asks' && holds && told) tell('live');
    };
  }
  let name = '';
  effect(() => {
    const before = name;
    name = session.value.is === 'signed_in' ? nameHere() : '';
    if (name === before) return;
    truth.heard();
    restart();
  });
  document.addEventListener('visibilitychange', comeBack);
  addEventListener('offline', () => restart());
  addEventListener('online', () => void probe());
  setInterval(look, LOOK_MS);
  setInterval(() => {
    if (isFollowed() && Date.now() - truth.heardAt() <= UNPROVEN_MS) readAgain();
  }, READ_AGAIN_MS);
  setInterval(() => {
    if (isFollowed()) slowPulse.value++;
  }, READ_SLOWLY_MS);
}

function isFollowed(): boolean {
  return session.peek().is === 'signed_in' && document.visibilityState === 'visible';
}

function isShared(): boolean {
  return navigator.locks !== undefined;
}

/** The reader, or the machine that slept, is there again. */
function comeBack(): void {
  if (session.peek().is !== 'signed_in') return;
  returnedAt = lookedAt = Date.now();
  restart();
  if (isFollowed()) void probe();
}

/** Whether the screen is still known to be true. */
function look(): void {
  const slept = Date.now() - lookedAt > UNPROVEN_MS;
  lookedAt = Date.now();
  if (!isFollowed()) return;
  if (slept) comeBack();
  if (Date.now() - truth.heardAt() >= PROBE_MS) void probe();
  if (told && Date.now() - truth.heardAt() > UNPROVEN_MS) restart();
  say();
}

/** Asks for as little as there is. */
async function probe(): Promise<void> {
  if (probes) return;
  probes = true;
  try {
    await sessions.getSession({}, { timeoutMs: PROBE_MS });
    if (truth.heard()) catchUp();
  } catch (fault) {
    if (faultOf(fault).kind === 'signed_out' && isFollowed()) lost();
  } finally {
    probes = false;
    say();
  }
}

/** Something is on the screen from now on, until the function that it returns is called. */
export const showReading = (one: Reading) => truth.show(one);

/** A read was answered. */
export function wasRead(one: Reading): void {
  if (truth.wasRead(one)) catchUp();
  say();
}

/** A read was not answered, or not as it should. `of`: when what is shown of it was read. */
export function wasNotRead(one: Reading, of: number): void {
  truth.wasNotRead(one, of);
  say();
}

/** The services are there again: what was open before may be dead. */
function catchUp(): void {
  restart();
  readAgain();
}

/** A read failed: the stream may be dead without knowing it. */
export function suspect(): void {
  if (stream !== null && Date.now() - openedAt > READ_AGAIN_MS) restart();
}

export function readAgain(): void {
  if (gathers) return;
  gathers = true;
  setTimeout(() => {
    gathers = false;
    pulse.value++;
  }, GATHER_MS);
}

/** Ends the stream, or the wait for the one of another tab, and begins anew where somebody looks. */
function restart(): void {
  stream?.abort();
  stream = null;
  broke();
  if (isFollowed()) void follow();
}

async function follow(): Promise<void> {
  const own = new AbortController();
  stream = own;
  openedAt = Date.now();
  if (!isShared()) return hold(own);
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
    const attempt = new AbortController();
    const end = () => attempt.abort();
    own.signal.addEventListener('abort', end);
    const late = setTimeout(end, READY_MS);
    try {
      for await (const { kind } of incidents.watchIncidents({}, { signal: attempt.signal })) {
        if (kind === 'ready') failures = 0;
        clearTimeout(late);
        truth.heard();
        alive();
        tell('live');
      }
    } catch (fault) {
      if (faultOf(fault).kind === 'signed_out' && stream === own) return lost();
    } finally {
      clearTimeout(late);
      own.signal.removeEventListener('abort', end);
    }
    if (stream !== own) return;
    broke();
    tell('broke');
    await pause(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)]!, own.signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function tell(is: Told['is']): void {
  if (isShared()) tabs.postMessage({ of: nameHere(), is } satisfies Told);
}

/** Who looks at which account: tabs may differ in both. */
function nameHere(): string {
  const now = session.peek();
  return now.is === 'signed_in' ? `${now.account.id} ${now.who.session?.id ?? ''}` : '';
}

function alive(): void {
  told = true;
  say();
  readAgain();
}

function broke(): void {
  told = false;
  say();
}

function say(): void {
  const since = truth.trueAt();
  const is = freshnessAt(Date.now(), since);
  const before = freshness.peek();
  if (is !== before.is || (is === 'stale' && since !== before.since.getTime()))
    freshness.value = { is, since: new Date(since) };
}

function freshnessAt(now: number, since: number): Freshness['is'] {
  if (now - since <= UNPROVEN_MS) return told ? 'live' : 'reconnecting';
  return now - returnedAt > RETURN_MS ? 'stale' : 'reconnecting';
}
