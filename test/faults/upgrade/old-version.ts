import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { onTestFinished } from 'vitest';
import type { Action } from '../../../services/domain/action.ts';
import { type Decision, decide } from '../../../services/domain/decide.ts';
import type { ModeId } from '../../../services/domain/mode.ts';
import type { Verb } from '../../../services/domain/source.ts';
import { session } from '../../../services/store/session.ts';
import { inTransaction, run } from '../../../services/store/statement.ts';
import { actionOf, changeOf, factsOf, iso, openingOf, type Row, stateOf } from './old-rows.ts';
import { OLD } from './old-statements.ts';
import { endOnce, patientPool } from './rig.ts';

/** A call of a machine as the version before asked its database. */
export interface OldCall {
  digest: Buffer;
  kind?: 'alarm' | 'panic';
  sourceId: string;
  verb: Verb;
  named?: ModeId;
  traceId?: string;
}

/** An action of a person as the version before stored it. */
export interface OldOwnAction {
  account_id: string;
  source_id: string;
  verb: Action['verb'];
  actor: string;
  trace_id?: string;
  incident_id?: string;
  mode?: ModeId;
  environment?: 'live' | 'test';
}

/**
 * A process of the version before, as far as its database can tell: its statements in its transactions, with the rules of
 * services/domain between them. Policies are left out, so that its incidents alert nobody.
 */
export interface OldVersion {
  pool: Pool;
  /** Accepts calls in one statement; gives the verdicts. */
  accept(...calls: OldCall[]): Promise<string[]>;
  /** Stores actions of people. */
  own(...actions: OldOwnAction[]): Promise<void>;
  /** Keeps refused calls in the log. */
  refuse(
    ...calls: { account_id: string; key_id: string; source_id: string; verb: string; outcome: string }[]
  ): Promise<void>;
  /** Applies what waits and what is due in one transaction; gives how many sources it looked at. */
  apply(): Promise<number>;
  /** Applies until nothing waits and nothing is due. */
  applyAll(): Promise<void>;
  /** Closes its connections, as its end would. */
  stop(): Promise<void>;
}

/** Connects it to a database; it ends with the test. `idleS`: how long it may leave a transaction open, in seconds. */
export function startOldVersion(url: string, { idleS = 10 } = {}): OldVersion {
  const options = `${session(5_000)} -c tocsin.words= -c idle_in_transaction_session_timeout=${idleS}s`;
  const pool = patientPool(url, options);
  onTestFinished(() => endOnce(pool));

  const apply = () =>
    inTransaction(pool, async client => {
      const locked = await run<Locked>(client, OLD.lockDue, [1_000]);
      if (locked.length > 0) await applyLocked(client, locked);
      return locked.length;
    });
  return {
    pool,
    async accept(...calls) {
      return (await run<{ verdict: string }>(pool, OLD.accept, askedBy(calls))).map(({ verdict }) => verdict);
    },
    async own(...actions) {
      const asked = actions.map(action => ({ trace_id: randomUUID(), ...action }));
      await run(pool, OLD.enqueueOwn, [JSON.stringify(asked)]);
    },
    async refuse(...calls) {
      const asked = calls.map(call => ({ trace_id: randomUUID(), mode: null, ...call }));
      await run(pool, OLD.keepRefusals, [JSON.stringify(asked)]);
    },
    apply,
    async applyAll() {
      for (;;) if ((await apply()) === 0) return;
    },
    stop: () => endOnce(pool),
  };
}

/** The values of the accept statement. */
export function askedBy(calls: readonly OldCall[]): unknown[] {
  return [
    calls.map(({ digest }) => digest),
    calls.map(({ kind }) => kind ?? 'alarm'),
    calls.map(({ sourceId }) => sourceId),
    calls.map(({ verb }) => verb),
    calls.map(({ named }) => named ?? null),
    calls.map(({ traceId }) => traceId ?? randomUUID()),
    calls.map(() => 'settled'),
  ];
}

/** A source whose row is locked by its transaction. */
export interface Locked {
  account_id: string;
  source_id: string;
}

/** What follows once sources are locked. */
export async function applyLocked(client: PoolClient, locked: readonly Locked[]): Promise<void> {
  const columns = [locked.map(row => row.account_id), locked.map(row => row.source_id)];
  const rows = await run<Row>(client, OLD.readSources, columns);
  const waiting = await run<Row>(client, OLD.readActions, [...columns, 500]);
  for (const row of rows) {
    const actions = waiting.filter(({ source_id }) => source_id === row.source_id).map(actionOf);
    await write(client, row, decide(factsOf(row), stateOf(row), actions, row.now.getTime()));
  }
}

/** Writes what was decided about one source, in the order of the version before. */
async function write(client: PoolClient, row: Row, decision: Decision): Promise<void> {
  const { account_id, source_id } = row;
  const put = async (statement: keyof typeof OLD, rows: readonly object[]) => {
    if (rows.length > 0) await run(client, OLD[statement], [JSON.stringify(rows)]);
  };
  const { pending, armedMode } = decision.state;
  await put('writeStates', [
    {
      account_id,
      source_id,
      armed_mode: armedMode,
      pending_id: pending?.id ?? null,
      pending_due_at: iso(pending?.dueAt),
      pending_mode: pending?.mode ?? null,
      pending_environment: pending?.environment ?? null,
      pending_trace_id: pending?.traceId ?? null,
      pending_count: pending?.triggerCount ?? null,
      pending_last_at: iso(pending?.lastTriggerAt),
    },
  ]);
  const incidents = [...decision.incidents.values()];
  const changed = incidents
    .filter(({ isNew }) => !isNew)
    .map(({ incident }) => ({ account_id, ...changeOf(incident) }));
  await put('changeIncidents', changed);
  for (const { incident, isNew } of incidents) {
    if (isNew) await put('openIncidents', [{ ...openingOf(row, incident), ...changeOf(incident) }]);
  }
  await put(
    'writeEntries',
    decision.entries.map(({ incidentId: incident_id, at, kind, detail }) => ({
      account_id,
      incident_id,
      at: iso(at),
      kind,
      detail,
    })),
  );
  await put(
    'writeOutcomes',
    decision.outcomes.map(({ actionId: id, outcome, incidentId: incident_id, pendingId: pending_id }) => ({
      account_id,
      source_id,
      id,
      outcome,
      incident_id,
      pending_id,
    })),
  );
  await put(
    'settlePending',
    decision.settled.map(({ pendingId: pending_id, incidentId: incident_id, traceId: trace_id }) => ({
      account_id,
      pending_id,
      incident_id,
      trace_id,
    })),
  );
}
