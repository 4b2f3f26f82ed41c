import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { inTransaction } from '../../store/statement.ts';
import {
  type AgingTable,
  BATCH,
  beginRemoving,
  findOld,
  type Old,
  removeNameless,
  removeOld,
} from '../../store/statements/retention.ts';
import { type LookAgain, startLoop } from '../loop.ts';
import { rowsRemoved } from '../metrics.ts';
import { type DayTable, removeOldDays } from './statements/retention-days.ts';
import { removeIncidents } from './statements/retention-incidents.ts';

/** How many days something is kept. */
export type Keep = number | 'forever';

/** What is kept for how long (DECISIONS.md "Retention"). */
export interface Retention {
  calls: Keep;
  /** Counted from their close, each with its messages and timeline; also other notices to owners and daily costs. */
  incidents: Keep;
  audit: Keep;
}

/** Between two looks at sources or accounts, in milliseconds: the next thousand are not urgent. */
const PAGE_MS = 500;

/** Between two passes over all of them, in milliseconds. */
const SWEEP_MS = 60_000;

/**
 * The longest rest after a transaction, in milliseconds. While there is much to remove, it rests as long as the
 * transaction took.
 */
const MAX_REST_MS = 500;

/** How long to wait while another process removes rows, in milliseconds. */
const BUSY_MS = 2_000;

/**
 * The position in one step of a sweep: the last source or account looked at, and which of those before still have rows
 * that are too old.
 */
interface Place {
  after: string;
  old: Old[];
}

/** The result of one transaction; `next` null: the step is done. */
interface Done {
  rows: number;
  next: Place | null;
}

/** How long daily counts are kept, in days: yesterday's stay, so that no look around midnight misses them. */
const COUNTS_DAYS = 1;

/** What is removed, for the metric. */
type What = keyof Retention | 'counts';

/** One of the things a sweep goes through. */
interface Step {
  what: What;
  days: number;
  work(client: PoolClient, place: Place, days: number): Promise<Done>;
}

const BEGIN: Place = { after: '0', old: [] };

export interface Removing {
  /** Resolves when everything that is too old is removed. */
  sweep(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Removes what is older than its retention, continuously and a little at a time: in sweeps over all sources and
 * accounts, in transactions of at most a thousand rows, one at a time over all processes. Never touches what is not
 * over.
 */
export function startRetention({ pool, keep, log }: { pool: Pool; keep: Retention; log: Logger }): Removing {
  const steps = stepsOf(keep);
  let at = 0;
  let place = BEGIN;
  let pace: 'steady' | 'hurried' = 'steady';
  let asked: 'nothing' | 'sweep' = 'nothing';
  let rows: Partial<Record<What, number>> = {};

  async function look(): Promise<LookAgain> {
    if (asked === 'sweep') {
      begin();
      asked = 'nothing';
      pace = 'hurried';
    }
    const step = steps[at];
    if (step === undefined) return endSweep();
    const done = await workSafely(step);
    if (done === 'busy') return { inMs: BUSY_MS };
    if (done.rows > 0) {
      rowsRemoved.inc({ of: step.what }, done.rows);
      rows[step.what] = (rows[step.what] ?? 0) + done.rows;
    }
    place = done.next ?? BEGIN;
    if (done.next === null) at++;
    if (place.old.length > 0) return { restMs: MAX_REST_MS };
    return pace === 'hurried' ? 'now' : { inMs: PAGE_MS };
  }

  /** A failing step is skipped until the next sweep, so that the others still run. */
  async function workSafely(step: Step): Promise<Done | 'busy'> {
    try {
      return await inTransaction(pool, async client => {
        if ((await beginRemoving(client)) === 'busy') return 'busy';
        return step.work(client, place, step.days);
      });
    } catch (error) {
      at++;
      place = BEGIN;
      throw error;
    }
  }

  function endSweep(): LookAgain {
    if (Object.keys(rows).length > 0) log.info({ rows }, 'what was kept for long enough was removed');
    begin();
    return { inMs: SWEEP_MS };
  }

  function begin(): void {
    at = 0;
    place = BEGIN;
    pace = 'steady';
    rows = {};
  }

  const loop = startLoop('retention', look, log, SWEEP_MS);
  return {
    sweep() {
      asked = 'sweep';
      return loop.drain();
    },
    close: loop.close,
  };
}

function stepsOf(keep: Retention): Step[] {
  const steps: { what: What; work: Step['work'] }[] = [
    { what: 'calls', work: aging('logged_call') },
    { what: 'calls', work: nameless },
    { what: 'incidents', work: incidents },
    { what: 'incidents', work: aging('notice') },
    { what: 'incidents', work: ofDays('spend') },
    { what: 'audit', work: aging('audit') },
    { what: 'counts', work: ofDays('source_spend') },
    { what: 'counts', work: ofDays('source_told') },
    { what: 'counts', work: ofDays('unverified_sent') },
    // A code that ended a day ago no longer counts toward a person's limit.
    { what: 'counts', work: ofDays('sign_in_asker') },
    { what: 'counts', work: ofDays('sign_in_link') },
    { what: 'counts', work: ofDays('console_session') },
  ];
  const daysOf: Record<What, Keep> = { ...keep, counts: COUNTS_DAYS };
  return steps.flatMap(({ what, work }) => {
    const days = daysOf[what];
    return days === 'forever' ? [] : [{ what, days, work }];
  });
}

/** Finds sources or accounts with rows that are too old, then removes those in as many transactions as it takes. */
function aging(table: AgingTable): Step['work'] {
  return async (client, { after, old }, days) => {
    if (old.length === 0) {
      const found = await findOld(client, table, after, days);
      return { rows: 0, next: found.last === null ? null : { after: found.last, old: found.old } };
    }
    const { rows, old: left } = await removeOld(client, table, old, days);
    return { rows, next: { after, old: left } };
  };
}

function ofDays(table: DayTable): Step['work'] {
  return async (client, place, days) => {
    const rows = await removeOldDays(client, table, days);
    return { rows, next: rows < BATCH ? null : place };
  };
}

async function nameless(client: PoolClient, place: Place, days: number): Promise<Done> {
  const rows = await removeNameless(client, days);
  return { rows, next: rows < BATCH ? null : place };
}

async function incidents(client: PoolClient, { after }: Place, days: number): Promise<Done> {
  const { last, rows, left } = await removeIncidents(client, after, days);
  return { rows, next: last === null ? null : { after: left === 'some' ? after : last, old: [] } };
}
