import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type KeyUse, stampKeyUses } from '../../store/statements/key.ts';
import { collect } from './collect.ts';

/** How long uses are collected before they are written together, in milliseconds. */
const COLLECT_MS = 5_000;

/** How many keys may wait to be written; further ones are recorded at their next call. */
const MAX_WAITING = 10_000;

/** Records when, from where and by what each key was last used (DECISIONS.md "Key format"), off the request path. */
export interface KeyUses {
  /** `from` is only asked for the first use of a key in each group. */
  note(key: Pick<KeyUse, 'accountId' | 'keyId'>, from: () => Pick<KeyUse, 'address' | 'agent'>): void;
  /** Writes everything that waits. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** A failed write is only logged: no call waits for it, and the next use makes up for it. */
export function createKeyUses(pool: Pool, log: Logger): KeyUses {
  let waiting = new Map<string, KeyUse>();

  async function write(): Promise<void> {
    const uses = [...waiting.values()];
    waiting = new Map();
    if (uses.length === 0) return;
    await stampKeyUses(pool, uses).catch(error => {
      log.warn({ err: error, keys: uses.length }, 'the last use of keys could not be written');
    });
  }

  const collected = collect(write, COLLECT_MS);
  return {
    note({ accountId, keyId }, from) {
      if (waiting.has(keyId) || waiting.size >= MAX_WAITING) return;
      waiting.set(keyId, { accountId, keyId, ...from() });
      collected.soon();
    },
    flush: collected.flush,
    close: collected.flush,
  };
}
