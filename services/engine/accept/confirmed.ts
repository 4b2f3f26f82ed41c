import type { ClientBase, Pool } from 'pg';
import type { Logger } from 'pino';
import { newId } from '../../store/id.ts';
import { isRefusedForGood } from '../../store/statement.ts';
import { type AskedUnit, acceptGroup } from '../../store/statements/journal.ts';
import { countLostCalls, readLost, readStanding, type UnitStanding } from '../../store/statements/went-back.ts';
import { noWrites, writeAll } from '../../store/statements/write.ts';
import type { StoredGroup } from './accept.ts';
import { createConfirmedMemory, type Remembered } from './confirmed-memory.ts';
import { callsStoredAgain } from './metrics.ts';

/** How many units are asked about at once. */
const ASKED = 1_000;

/** How often a group is tried where its account changes at the same time. */
const TRIES = 5;

/** What this process has confirmed to callers lately. */
export interface Confirmed {
  /** To be called with each group that was committed, before its callers are answered. */
  remember(group: StoredGroup): void;
}

/** What was missing. */
interface Lost {
  again: { unit: AskedUnit; confirmedAt: number }[];
  /** Calls of accounts and sources that are not there any more, and those that the database refused. */
  notStored: number;
  /** The deployment's time when the last of them was stored again, in milliseconds since 1970. */
  at: number;
}

/**
 * Remembers what was confirmed, and stores again what the database has lost: a failover may lose commits, confirmed ones too
 * where a cluster elects wrongly (DECISIONS.md "The database went back"). No server can lose what it had without taking all
 * connections along. So each new connection of `pool`, with which calls are accepted, is asked first whether the last
 * group is still there, and no call is accepted with it before all that is missing is stored again, in the order in which this
 * process confirmed it. Other processes see to what they confirmed. `meet` is called first, and puts the time right by which
 * they are stored; `onStored` is called after each group, `onNotice` when owners are to be told.
 */
export function createConfirmed(deps: {
  pool: Pool;
  log: Logger;
  meet(client: ClientBase): Promise<void>;
  onStored(): void;
  onNotice(): void;
}): Confirmed {
  const { pool, log, meet } = deps;
  const memory = createConfirmedMemory();
  let state: 'complete' | 'missing_some' = 'complete';
  let looking: Promise<void> | null = null;

  async function look(client: ClientBase): Promise<void> {
    await meet(client);
    const last = memory.last();
    if (last === null) return;
    if (state === 'complete' && (await readLost(client, [last])).length === 0) return;
    state = 'missing_some';
    const lost: Lost = { again: [], notStored: 0, at: 0 };
    try {
      for (const group of (await missing(client)).values()) await storeAgain(client, group, lost);
      // Whatever ends this early, the next connection goes on with what is missing then.
      state = 'complete';
    } finally {
      await tell(client, lost);
    }
  }

  /** Returns the units that are missing by the number of their group, in the order in which they were confirmed. */
  async function missing(client: ClientBase): Promise<Map<number, Remembered[]>> {
    const all = memory.units();
    const lost: Remembered[] = [];
    for (let from = 0; from < all.length; from += ASKED) {
      const asked = all.slice(from, from + ASKED);
      for (const place of await readLost(client, asked)) lost.push(asked[place]!);
    }
    return Map.groupBy(lost, ({ number }) => number);
  }

  async function storeAgain(client: ClientBase, group: readonly Remembered[], lost: Lost): Promise<void> {
    let left = group;
    const before = lost.again.length;
    for (let tries = 0; left.length > 0 && tries < TRIES; tries++) {
      const standing = await readStanding(
        client,
        left.map(({ unit }) => unit),
        keysOf(left),
      );
      const there = left.flatMap((one, place) => unitAgain(one, standing[place]!));
      if (there.length === 0) break;
      const accepted = await acceptGroup(
        client,
        there.map(({ unit }) => unit),
        null,
      ).catch(error => {
        if (isRefusedForGood(error)) return log.error({ err: error }, 'calls could not be stored again');
        throw error;
      });
      if (accepted === undefined) break;
      const { number, at, stale } = accepted;
      const stored = there.filter((_, place) => !stale.has(place));
      if (number !== null) {
        memory.remember({ number, at, units: stored.map(({ unit }) => unit) });
        lost.again.push(...stored.map(({ one, unit }) => ({ unit, confirmedAt: one.at })));
        lost.at = at;
        deps.onStored();
      }
      left = there.filter((_, place) => stale.has(place)).map(({ one }) => one);
    }
    memory.forget(group);
    lost.notStored += callsIn(group) - callsIn(lost.again.slice(before));
  }

  async function tell(client: ClientBase, { again, notStored, at }: Lost): Promise<void> {
    if (again.length + notStored === 0) return;
    const calls = callsIn(again);
    const [from, to] = [iso(again[0]?.confirmedAt), iso(again.at(-1)?.confirmedAt)];
    log.error({ calls, notStored, from, to }, 'the database had lost calls that were confirmed: they are stored again');
    callsStoredAgain.inc(calls);
    const notices = [...Map.groupBy(again, ({ unit }) => unit.accountId)].map(([accountId, ofAccount]) => ({
      accountId,
      id: newId(),
      kind: 'calls_stored_again' as const,
      once: ofAccount[0]!.unit.unit[3][0]![0],
      incidentId: null,
      about: { calls: callsIn(ofAccount), lateS: Math.ceil((at - ofAccount[0]!.confirmedAt) / 1_000) },
      at,
    }));
    try {
      await countLostCalls(client, calls, notStored);
      await writeAll(client, { ...noWrites(), notices });
      deps.onNotice();
    } catch (error) {
      log.error({ err: error, calls, notStored }, 'owners could not be told of calls that were stored again');
    }
  }

  pool.options.onConnect = client => {
    looking ??= look(client).finally(() => {
      looking = null;
    });
    return looking;
  };
  return { remember: memory.remember };
}

/** Returns a unit as it is stored again: by the facts of now, of which none keeps a call out that was confirmed. */
function unitAgain(one: Remembered, { version, keySeqs }: UnitStanding): { one: Remembered; unit: AskedUnit }[] {
  if (version === null) return [];
  const [sourceSeq, environment, gate, calls] = one.unit.unit;
  const again = calls.map(
    ([traceId, keySeq, verb, mode, windowS, parentTraceId = null, confirmedAt = one.at]): (typeof calls)[number] => [
      traceId,
      // A key that is gone has no number, and what has its number now is another.
      keySeqs.includes(keySeq) ? keySeq : 0,
      verb,
      mode,
      windowS,
      parentTraceId,
      confirmedAt,
    ],
  );
  const unit: AskedUnit = {
    ...one.unit,
    version,
    until: null,
    assumed: undefined,
    unit: [sourceSeq, environment, gate, again],
  };
  return [{ one, unit }];
}

function keysOf(units: readonly Remembered[]): number[] {
  return [...new Set(units.flatMap(({ unit }) => unit.unit[3].map(([, keySeq]) => keySeq)))];
}

function callsIn(units: readonly { unit: AskedUnit }[]): number {
  return units.reduce((calls, { unit }) => calls + unit.unit[3].length, 0);
}

function iso(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : new Date(at).toISOString();
}
