import { type Ended, lineLost, type Op, ops, toEnd, waitingForLocks, within } from './client.ts';
import { count, type Life, ownerOf, say } from './life.ts';
import { harm, kill, MADE_GOOD_MS } from './running.ts';
import { quiesce, time } from './virtual.ts';

/** What happens to a statement. `cut_before`: it never reaches the server; after COMMIT, `cut_after` leaves its end unknown. */
export type Fate = 'runs' | 'cut_before' | 'cut_after' | 'dies_after';

/** A statement that waits for a lock is asked about for so long after the lock may be free, in milliseconds. */
const UNLOCKED_MS = 3;

/** Returns the first statement of each connection whose process is up. */
export function nextStatements(life: Life): Op[] {
  const seen = new Set(life.parked.map(({ op }) => op.client));
  return ops.filter(({ client }) => {
    if (seen.has(client)) return false;
    seen.add(client);
    return client.of.state === 'up';
  });
}

/** Lets one statement go. */
export async function letGo(life: Life, op: Op, fate: Fate): Promise<void> {
  ops.splice(ops.indexOf(op), 1);
  const { name } = op.client.of;
  if (fate === 'cut_before') {
    say(life, `${name} CUT BEFORE ${op.label}`);
    await cut(life, op);
    return settleParked(life);
  }
  const end = await toEnd(op);
  if (end.state === 'waits') {
    say(life, `${name} waits in ${op.label}`);
    count(life, 'waited for a lock');
    life.parked.push({ op, later: end.later });
    return;
  }
  if (fate === 'cut_after') {
    say(life, `${name} CUT AFTER ${op.label}`);
    note(life, op, end);
    await cut(life, op);
  } else if (fate === 'dies_after') {
    say(life, `${name} DIES AFTER ${op.label}`);
    note(life, op, end);
    await kill(life, ownerOf(life, op.client));
  } else {
    say(life, `${name} ${op.label}${end.state === 'failed' ? ` FAILED: ${(end.error as Error).message}` : ''}`);
    finish(life, op, end);
  }
  await settleParked(life);
}

async function cut(life: Life, op: Op): Promise<void> {
  harm(life, 'cut', ownerOf(life, op.client), time.now + MADE_GOOD_MS);
  await op.client.cut();
  op.done(lineLost());
}

function finish(life: Life, op: Op, end: Ended): void {
  if (/^BEGIN/.test(op.label)) op.client.idleEndsS = /SET LOCAL idle/.test(op.label) ? 2 : 10;
  if (/^(COMMIT|ROLLBACK$)/.test(op.label)) op.client.idleEndsS = 0;
  note(life, op, end);
  op.done(end);
}

/** Notes what a statement did that is not cut before: even where nobody learns of it. */
function note(life: Life, op: Op, end: Ended): void {
  const { client, label, name } = op;
  if (end.state === 'failed') return;
  if (name === 'lease_deliveries') noteLeases(life, op, end);
  // The traces are the fourth of its lists (store/statements/log.ts).
  else if (name === 'log_calls') client.applied.push(...tracesIn(op.values[3]));
  else if (name === 'mark_clock') life.markedAt = time.now;
  else if (label === 'COMMIT') {
    for (const trace of client.applied) life.lived.committed.set(trace, life.step);
  }
  if (/^(BEGIN|COMMIT|ROLLBACK$)/.test(label)) client.applied = [];
}

function tracesIn(list: unknown): string[] {
  return String(list).slice(1, -1).split(',');
}

function noteLeases(life: Life, op: Op, end: Extract<Ended, { state: 'done' }>): void {
  const { inHands, leased } = ownerOf(life, op.client);
  const { rows } = end.result as { rows: { id: string; attempt: number }[] };
  for (const { id, attempt } of rows) {
    inHands.set(`${id}/${attempt}`, id);
    leased.set(`${id}/${attempt}`, life.step);
  }
}

/** Hands out the answers of statements that have their lock by now. */
export async function settleParked(life: Life): Promise<void> {
  for (let moved = true; moved && life.parked.length > 0; ) {
    moved = false;
    const waiting = await waitingForLocks(life.parked.map(({ op }) => op.client.pid));
    for (const one of [...life.parked]) {
      if (waiting.has(one.op.client.pid)) continue;
      moved = true;
      const end = await within(one.later, UNLOCKED_MS);
      if (end === null) continue;
      life.parked.splice(life.parked.indexOf(one), 1);
      say(life, `${one.op.client.of.name} goes on after ${one.op.label}`);
      finish(life, one.op, end);
      await quiesce();
    }
  }
}
