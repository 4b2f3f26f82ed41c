import type { KeyDigests } from '../engine/accept/key-digests.ts';
import { createGroupCommit } from '../engine/group-commit.ts';
import { createLru } from '../process/lru.ts';

/** For how long a credential that was found is not looked for again, in milliseconds. */
const FOUND_FOR_MS = 5_000;

/** How many found ones are remembered. */
const REMEMBERED = 20_000;

/** How long a look-up may wait for its turn, in milliseconds. */
const WAIT_MS = 1_000;

/** Whose keys, or tokens, are. What opens what is asked of the database by each call itself; this is for doors. */
export interface Lookups<Found> {
  /** Whose it was when it was last looked for, without asking; null: never, or nobody's. It may have ended since. */
  recall(secret: string): Found | null;
  /** Whose it is, seen within the last 5 s; null: nobody's. `address` is where it came from. */
  find(secret: string, address: string): Promise<Found | null>;
  /** It opened nothing. */
  forget(secret: string): void;
}

interface Asked {
  digest: Buffer;
  address: string;
}

/**
 * Looks credentials up, all of one moment in one statement and one statement after the other, so that thousands of made-up
 * ones cost the database a few. Those that were good before have a line of their own, and in the other one addresses take
 * turns: whoever makes credentials up is waited for by nobody else. `read` answers in the order of the digests.
 */
export function createLookups<Found extends object>(
  digests: Pick<KeyDigests, 'digestOf' | 'markUnknown'>,
  read: (digests: Buffer[]) => Promise<(Found | null)[]>,
): Lookups<Found> {
  const found = createLru<string, { at: number; who: Found }>(REMEMBERED);
  const ask = (asked: Asked[]) => read(asked.map(({ digest }) => digest));
  const again = createGroupCommit(ask, WAIT_MS, { atOnce: 1 });
  const anew = createGroupCommit(ask, WAIT_MS, { atOnce: 1, turnOf: ({ address }) => address });

  return {
    recall: secret => found.get(secret)?.who ?? null,
    async find(secret, address) {
      const known = found.get(secret);
      if (known !== undefined && performance.now() - known.at < FOUND_FOR_MS) return known.who;
      const digest = digests.digestOf(secret);
      if (digest === null) return null;
      const who = await (known === undefined ? anew : again)({ digest, address });
      if (who === null) {
        found.delete(secret);
        digests.markUnknown(digest);
      } else found.set(secret, { at: performance.now(), who });
      return who;
    },
    forget: secret => found.delete(secret),
  };
}
