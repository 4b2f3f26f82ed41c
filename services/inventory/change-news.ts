import type { Pool } from 'pg';
import { type Bus, subjects } from '../changes/bus.ts';
import { type Listener, listen } from '../rpc/stream.ts';
import { recentChanges } from './statements.ts';

/** What can have changed: tocsin.common.v1.Change. */
export const KINDS = ['inventory', 'state'] as const;

export type ChangeKind = (typeof KINDS)[number];

/** A signal as sent over the bus. */
export interface ChangeSignal {
  kind: ChangeKind;
  /** The alarm concerned; empty if it is not about a single alarm. */
  alarmId: string;
}

/** Merges signals to at most one of each kind: for one alarm if all of that kind are for that one. */
export function mergeSignals(signals: readonly ChangeSignal[]): ChangeSignal[] {
  return [...Map.groupBy(signals, ({ kind }) => kind)].map(([kind, same]) => {
    const { alarmId } = same[0]!;
    return { kind, alarmId: same.every(one => one.alarmId === alarmId) ? alarmId : '' };
  });
}

/** Signals for one key, collected until they are taken. */
export interface News extends Listener {
  /** Returns what changed since the last take: at most one signal of each kind. */
  take(): ChangeSignal[];
}

/**
 * Listens on behalf of a key: to its account, or to one alarm of it (DECISIONS.md "Channel"). A lost and restored bus
 * connection counts as a change of everything, because nobody knows what was missed.
 */
export function listenForNews(bus: Bus, key: { accountId: string; alarmId: string | null; keyId: string }): News {
  let waiting: ChangeSignal[] = [];
  const add = (...signals: ChangeSignal[]) => {
    waiting = mergeSignals([...waiting, ...signals]);
  };
  const { wait, end } = listen(bus, key.accountId, {
    hear(payload) {
      const signal = signalOf(payload);
      if (signal === null || !concerns(signal, key.alarmId)) return 'ignored';
      add(signal);
      return 'concerns';
    },
    missed: () => add(...KINDS.map(kind => ({ kind, alarmId: '' }))),
    also: [{ subject: subjects.keyRevoked(key.keyId) }],
  });
  return {
    wait,
    take() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    end,
  };
}

/** Anybody on the bus could have written it, so ignore what is not a signal. */
function signalOf(payload: unknown): ChangeSignal | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { kind, alarmId = '' } = payload as Partial<Record<string, unknown>>;
  const known = KINDS.find(one => one === kind);
  return known === undefined || typeof alarmId !== 'string' ? null : { kind: known, alarmId };
}

function concerns({ alarmId }: ChangeSignal, scopedTo: string | null): boolean {
  return scopedTo === null || alarmId === '' || alarmId === scopedTo;
}

/** Returns the signals for the changes of the last so many seconds, whoever made them (changes/catch-up.ts). */
export async function signalsOfRecent(pool: Pool, seconds: number) {
  const changes = await recentChanges(pool, seconds);
  return changes.map(({ accountId, kind }) => ({
    subject: subjects.change(accountId),
    payload: { kind, alarmId: '' },
  }));
}
