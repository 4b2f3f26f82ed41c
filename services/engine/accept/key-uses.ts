import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type KeyUse, stampKeyUses } from '../../store/statements/key.ts';
import { collect } from './collect.ts';

/** How long uses are collected before they are written together, in milliseconds. */
const COLLECT_MS = 5_000;

/**
 * How many keys may wait to be written: more than one process has sockets and keys that call within `COLLECT_MS`. Further
 * ones are recorded at their next call, or when their socket answers next.
 */
const MAX_WAITING = 100_000;

/** How many are written by one statement. */
const WRITTEN_MOST = 10_000;

/**
 * Records when, from where and by what each key was last used (DECISIONS.md "Key format"), and that its sender lives
 * (DECISIONS.md "Supervised senders"), off the request path.
 */
export interface KeyUses {
  /** A call with the key. `from` is only asked for the first one of each key in each group. */
  note(key: Pick<KeyUse, 'accountId' | 'keyId'>, from: () => Pick<KeyUse, 'address' | 'agent'>): void;
  /** A socket that listens with the key has answered. */
  answered(key: Pick<KeyUse, 'accountId' | 'keyId'>): void;
  /** Writes everything that waits and may be written. */
  flush(): Promise<void>;
  /** Writes everything. */
  close(): Promise<void>;
}

/** A failed write is logged and made again: no call waits for it, and a sender that is heard seldom must not seem silent. */
export function createKeyUses(pool: Pool, log: Logger): KeyUses {
  let waiting = new Map<string, KeyUse>();
  /** What was too early to be written, and when it may be, by this process's clock. */
  const held = new Map<string, { use: KeyUse; dueAt: number }>();
  let soon: NodeJS.Timeout | undefined;

  async function write(which: 'due' | 'now' | 'all'): Promise<void> {
    const late = performance.now();
    for (const [keyId, { use, dueAt }] of held) {
      if (which === 'due' && dueAt > late && !waiting.has(keyId)) continue;
      held.delete(keyId);
      if (!waiting.has(keyId)) waiting.set(keyId, use);
    }
    const uses = [...waiting.values()];
    waiting = new Map();
    for (let from = 0; from < uses.length; from += WRITTEN_MOST) {
      await stamp(uses.slice(from, from + WRITTEN_MOST), which === 'all' ? 'all' : 'due');
    }
  }

  async function stamp(uses: readonly KeyUse[], which: 'due' | 'all'): Promise<void> {
    try {
      hold(uses, await stampKeyUses(pool, uses, which));
    } catch (error) {
      log.warn({ err: error, keys: uses.length }, 'the last use of keys could not be written');
      if (which !== 'all') putBack(uses);
    }
  }

  function putBack(uses: readonly KeyUse[]): void {
    for (const use of uses) {
      if (waiting.size >= MAX_WAITING) break;
      if (!waiting.has(use.keyId)) waiting.set(use.keyId, use);
    }
    collected.soon();
  }

  function hold(uses: readonly KeyUse[], early: Awaited<ReturnType<typeof stampKeyUses>>): void {
    const byKey = new Map(uses.map(use => [use.keyId, use]));
    for (const { keyId, at, inMs } of early) {
      held.set(keyId, { use: { ...byKey.get(keyId)!, at }, dueAt: performance.now() + inMs });
    }
    clearTimeout(soon);
    if (held.size === 0) return;
    const next = Math.min(...[...held.values()].map(({ dueAt }) => dueAt)) - performance.now();
    soon = setTimeout(collected.soon, Math.max(COLLECT_MS, next));
    soon.unref();
  }

  let which: 'due' | 'now' | 'all' = 'due';
  const collected = collect(() => {
    const asked = which;
    which = 'due';
    return write(asked);
  }, COLLECT_MS);

  function wait(use: KeyUse): void {
    waiting.set(use.keyId, use);
    collected.soon();
  }

  return {
    note({ accountId, keyId }, from) {
      const by = waiting.get(keyId)?.by;
      if (by === 'call' || (by === undefined && waiting.size >= MAX_WAITING)) return;
      wait({ accountId, keyId, by: 'call', ...from(), at: null });
    },
    answered({ accountId, keyId }) {
      if (waiting.has(keyId) || waiting.size >= MAX_WAITING) return;
      wait({ accountId, keyId, by: 'socket', address: '', agent: '', at: null });
    },
    flush() {
      which = 'now';
      return collected.flush();
    },
    close() {
      clearTimeout(soon);
      which = 'all';
      return collected.flush();
    },
  };
}
