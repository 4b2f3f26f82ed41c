import { createLru } from '../../process/lru.ts';
import { isSecret, secretDigest } from '../../store/secret.ts';

/** How long a digest that the database did not know is refused without asking again, in milliseconds. */
const FORGET_AFTER_MS = 60_000;

/** How many such digests are remembered. */
const MAX_UNKNOWN = 10_000;

/** How many digests are remembered, to spare the computing. What a digest opens is asked of the database each time. */
const MAX_DIGESTS = 1_000;

/** A digest, and the word that it is found by. */
interface Named {
  digest: Buffer;
  name: string;
}

/** Turns keys into digests and keeps bad ones away from the database. */
export interface KeyDigests {
  /** The digest of an API key; null when it can be refused at once. */
  digestOf(secret: string): Buffer | null;
  /** The database does not know this digest. Never for revoked or expired keys: those are looked at each time. */
  markUnknown(digest: Buffer): void;
  /** A device may use the secret that its owner chose before the owner sets it here: it must open at once then. */
  forgetUnknown(): void;
}

/**
 * DECISIONS.md "401": the checksum refuses typos without a query, a small negative cache the rest. Only unknown digests
 * are remembered, so a revocation is seen at once, and for a minute at most, so a restored database is too.
 */
export function createKeyDigests(pepper: string): KeyDigests {
  return createDigests(pepper, { mayBe: secret => isSecret('toc', secret), unknownForMs: FORGET_AFTER_MS });
}

/** As createKeyDigests for whatever `mayBe` a secret. A digest that the database did not know is refused for so long. */
export function createDigests(
  pepper: string,
  { mayBe, unknownForMs }: { mayBe(secret: string): boolean; unknownForMs: number },
): KeyDigests {
  const unknownSince = createLru<string, number>(MAX_UNKNOWN);
  const digests = createLru<string, Named>(MAX_DIGESTS);

  function remembered(secret: string): Named | null {
    const known = digests.get(secret);
    if (known !== undefined) return known;
    if (!mayBe(secret)) return null;
    const digest = secretDigest(pepper, secret);
    const named = { digest, name: nameOf(digest) };
    digests.set(secret, named);
    return named;
  }

  return {
    digestOf(secret) {
      const known = remembered(secret);
      if (known === null) return null;
      const since = unknownSince.get(known.name);
      return since !== undefined && performance.now() - since < unknownForMs ? null : known.digest;
    },
    markUnknown(digest) {
      unknownSince.set(nameOf(digest), performance.now());
    },
    forgetUnknown: () => unknownSince.clear(),
  };
}

function nameOf(digest: Buffer): string {
  return digest.toString('base64');
}
