import type { Pool } from 'pg';
import { type Bus, subjects } from '../changes/bus.ts';
import { pause } from '../rpc/stream.ts';
import { recentChanges } from '../store/statements/recent-changes.ts';

/** What can have changed: tocsin.common.v1.Change. */
export const KINDS = ['inventory', 'state'] as const;

export type ChangeKind = (typeof KINDS)[number];

/** A signal as it travels on the bus. */
export interface ChangeSignal {
  kind: ChangeKind;
  /** The one alarm concerned; empty: not about one alarm. */
  alarmId: string;
}

/** The same signals, at most one of each kind: of one alarm where all of that kind are of that one. */
export function merged(signals: readonly ChangeSignal[]): ChangeSignal[] {
  return [...Map.groupBy(signals, ({ kind }) => kind)].map(([kind, same]) => {
    const { alarmId } = same[0]!;
    return { kind, alarmId: same.every(one => one.alarmId === alarmId) ? alarmId : '' };
  });
}

/** What one key may hear of, gathered until somebody takes it. */
export interface News {
  /** Resolves when there is something to take, or the key was revoked, or after `ms`, or on abort. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** What changed since the last take: at most one signal of each kind. */
  take(): ChangeSignal[];
  end(): void;
}

/**
 * Listens on behalf of a key: to its account, or to one alarm of it (DECISIONS.md "Channel"). A connection of the bus that
 * was lost and came back counts as a change of everything, because nobody knows what was missed.
 */
export function listenForNews(bus: Bus, key: { accountId: string; alarmId: string | null; keyId: string }): News {
  let waiting: ChangeSignal[] = [];
  let ended: 'maybe' | 'no' = 'no';
  let wake = () => {};

  function add(...signals: ChangeSignal[]): void {
    waiting = merged([...waiting, ...signals]);
    wake();
  }

  const ends = [
    bus.subscribe(subjects.change(key.accountId), payload => {
      const signal = signalOf(payload);
      if (signal !== null && concerns(signal, key.alarmId)) add(signal);
    }),
    bus.subscribe(subjects.keyRevoked(key.keyId), () => {
      ended = 'maybe';
      wake();
    }),
    bus.onReconnect(() => {
      add(...KINDS.map(kind => ({ kind, alarmId: '' })));
    }),
  ];
  return {
    async wait(ms, signal) {
      if (waiting.length === 0 && ended === 'no') {
        await pause(ms, signal, resolve => {
          wake = resolve;
        });
      }
      ended = 'no';
    },
    take() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    end() {
      for (const end of ends) end();
    },
  };
}

/** Anybody on the bus could have written it: what is no signal is none. */
function signalOf(payload: unknown): ChangeSignal | null {
  if (typeof payload !== 'object' || payload === null) return null;
  const { kind, alarmId = '' } = payload as Partial<Record<string, unknown>>;
  const known = KINDS.find(one => one === kind);
  return known === undefined || typeof alarmId !== 'string' ? null : { kind: known, alarmId };
}

function concerns({ alarmId }: ChangeSignal, scopedTo: string | null): boolean {
  return scopedTo === null || alarmId === '' || alarmId === scopedTo;
}

/** The signals that the changes of the last so many seconds deserve, whoever made them (changes/catch-up.ts). */
export async function signalsOfRecent(pool: Pool, seconds: number) {
  const changes = await recentChanges(pool, seconds);
  return changes.map(({ account_id, kind }) => ({
    subject: subjects.change(account_id),
    payload: { kind, alarmId: '' },
  }));
}
