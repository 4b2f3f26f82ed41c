import { createGroupCommit } from '../engine/group-commit.ts';
import { createLru } from '../process/lru.ts';
import { networkOf } from '../process/network.ts';
import type { KeyDigests } from '../store/key-digests.ts';

/** How many credentials are cached. */
const REMEMBERED = 20_000;

/** How long a look-up may wait for its turn, in milliseconds. */
const WAIT_MS = 1_000;

/** Finds the owners of keys or tokens. */
export interface Lookups<Found> {
  /** Returns the cached owner without asking; null: unknown. The credential may have ended since. */
  recall(secret: string): Found | null;
  /** Returns the owner, as of `foundForMs` ago at most; null: nobody. `address` is where the credential came from. */
  find(secret: string, address: string): Promise<Found | null>;
  /** Drops a credential that opened nothing. */
  forget(secret: string): void;
}

interface Asked {
  digest: Buffer;
  address: string;
}

/**
 * Looks up credentials in batches, one statement at a time, so that thousands of made-up ones cost the database a few statements.
 * Those that were valid before have a queue of their own, in which they take turns; in the other one addresses do, so that nobody waits for
 * whoever makes credentials up. `read` answers in the order of the digests. `foundForMs`: how long an owner who was found is not asked
 * about again; 0 where what is found opens something. `underBoth` looks under the other pepper as well, while it is being changed: processes
 * that write with either one move a token to and fro, so it may be gone from both looks.
 */
export function createLookups<Found extends object>(
  digests: Pick<KeyDigests, 'digestOf' | 'markUnknown' | 'adopt'>,
  read: (digests: Buffer[]) => Promise<(Found | null)[]>,
  foundForMs: number,
  underBoth: (secret: string) => Promise<Found | null> = async () => null,
): Lookups<Found> {
  const found = createLru<string, { at: number; who: Found }>(REMEMBERED);
  const ask = (asked: Asked[]) => read(asked.map(({ digest }) => digest));
  const again = createGroupCommit(ask, WAIT_MS, { atOnce: 1, turnOf: ({ digest }) => digest.toString('base64') });
  const anew = createGroupCommit(ask, WAIT_MS, { atOnce: 1, turnOf: ({ address }) => networkOf(address) });

  return {
    recall: secret => found.get(secret)?.who ?? null,
    async find(secret, address) {
      const known = found.get(secret);
      if (known !== undefined && performance.now() - known.at < foundForMs) return known.who;
      const digest = digests.digestOf(secret);
      if (digest === null) return null;
      const look = () => (known === undefined ? anew : again)({ digest, address });
      let who = await look();
      if (who === null && (await digests.adopt(secret)) === 'adopted') who = await look();
      who ??= await underBoth(secret);
      if (who === null) {
        found.delete(secret);
        digests.markUnknown(digest);
      } else found.set(secret, { at: performance.now(), who });
      return who;
    },
    forget: secret => found.delete(secret),
  };
}
