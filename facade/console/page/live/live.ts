import { effect, signal } from '@preact/signals';
import { faultOf, sessions } from '../rpc/rpc.ts';
import { lost, session, whoLooks } from '../rpc/session.ts';
import { createFreshness, type Reading, UNPROVEN_MS } from './freshness.ts';
import { createStream } from './stream.ts';

/** Whether the screen is up to date: `live` while changes arrive over the stream, `reconnecting` while it is only read again and again. */
export interface Freshness {
  is: 'live' | 'reconnecting' | 'stale';
  /** Where it is stale: when the screen was last known to be true. */
  since: Date;
}

export const freshness = signal<Freshness>({ is: 'reconnecting', since: new Date() });

/** Counts the reasons to read again: every query reads again when it grows. */
export const pulse = signal(0);

/** The same for queries that are costly and seldom change. */
export const slowPulse = signal(0);

/** Changes that arrive within this time cause one read. */
const GATHER_MS = 120;

/** What no stream tells, as what time alone brings about, and what a hint that got lost would have told, is seen by reading again. */
const READ_AGAIN_MS = 5_000;

const READ_SLOWLY_MS = 30_000;

const LOOK_MS = 500;

/** Where nothing was heard for so long, the services are asked whether they are there; they have as long to answer. */
const PROBE_MS = 2_000;

/** Whoever comes back to the page waits so long for the services before they are told that it is old. */
const RETURN_MS = 1_000;

const fresh = createFreshness(() => Date.now());

/** As the changes come. */
const stream = createStream({ isWanted: isFollowed, heard, isLive, broke });

let gathers = false;
let probes = false;

/** Whether what happens is told to this tab as it happens. */
let told = false;

let lookedAt = Date.now();
let returnedAt = Date.now();
let suspectedAt = 0;

/** After every break everything is read anew. */
export function startLive(): void {
  let name = '';
  effect(() => {
    const before = name;
    name = whoLooks();
    if (name === before) return;
    fresh.heard();
    stream.restart();
  });
  document.addEventListener('visibilitychange', comeBack);
  addEventListener('offline', () => stream.restart());
  addEventListener('online', () => void probe());
  setInterval(look, LOOK_MS);
  setInterval(() => {
    if (isFollowed() && Date.now() - fresh.heardAt() <= UNPROVEN_MS) readAgain();
  }, READ_AGAIN_MS);
  setInterval(() => {
    if (isFollowed()) slowPulse.value++;
  }, READ_SLOWLY_MS);
}

function isFollowed(): boolean {
  return session.peek().is === 'signed_in' && document.visibilityState === 'visible';
}

/** Runs when the reader, or the machine after a sleep, is back. */
function comeBack(): void {
  if (session.peek().is !== 'signed_in') return;
  returnedAt = lookedAt = Date.now();
  stream.restart();
  if (isFollowed()) void probe();
}

/** Works out whether the screen is still known to be up to date. */
function look(): void {
  const slept = Date.now() - lookedAt > UNPROVEN_MS;
  lookedAt = Date.now();
  if (!isFollowed()) return;
  if (slept) comeBack();
  if (Date.now() - fresh.heardAt() >= PROBE_MS) void probe();
  if (told && Date.now() - fresh.heardAt() > UNPROVEN_MS) stream.restart();
  say();
}

/** Asks the services for as little as possible, to learn whether they are there. */
async function probe(): Promise<void> {
  if (probes) return;
  probes = true;
  try {
    await sessions.getSession({}, { timeoutMs: PROBE_MS });
    if (fresh.heard()) catchUp();
  } catch (fault) {
    if (faultOf(fault).kind === 'signed_out' && isFollowed()) lost();
  } finally {
    probes = false;
    say();
  }
}

/** Marks a query as shown on the screen, until the function that it returns is called. */
export const showReading = (one: Reading) => fresh.show(one);

/** Notes that a query was answered. */
export function wasRead(one: Reading): void {
  if (fresh.wasRead(one)) catchUp();
  say();
}

/** Notes that a query failed. `of`: when what is shown of it was read. */
export function wasNotRead(one: Reading, of: number): void {
  fresh.wasNotRead(one, of);
  say();
}

/** Reads everything again once the services are back: connections from before may be dead. */
function catchUp(): void {
  stream.restart();
  readAllAgain();
}

/** The stream itself may be what is back first. */
function heard(): void {
  if (fresh.heard()) readAllAgain();
}

function readAllAgain(): void {
  slowPulse.value++;
  readAgain();
}

/** Suspects the stream after a failed read: it may be dead without knowing it. */
export function suspect(): void {
  if (Date.now() - suspectedAt < READ_AGAIN_MS) return;
  suspectedAt = Date.now();
  stream.restart();
}

export function readAgain(): void {
  if (gathers) return;
  gathers = true;
  setTimeout(() => {
    gathers = false;
    pulse.value++;
  }, GATHER_MS);
}

function isLive(): void {
  told = true;
  say();
  readAgain();
}

function broke(): void {
  told = false;
  say();
}

function say(): void {
  const since = fresh.trueAt();
  const is = freshnessAt(Date.now(), since);
  const before = freshness.peek();
  if (is !== before.is || (is === 'stale' && since !== before.since.getTime()))
    freshness.value = { is, since: new Date(since) };
}

function freshnessAt(now: number, since: number): Freshness['is'] {
  if (now - since <= UNPROVEN_MS) return told ? 'live' : 'reconnecting';
  return now - returnedAt > RETURN_MS ? 'stale' : 'reconnecting';
}
