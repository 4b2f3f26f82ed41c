import { createLru } from '../process/lru.ts';
import { isSecret, type Pepper, pepperId, secretDigest, underEach } from './secret.ts';

/** How long a digest unknown to the database is refused without asking again, in milliseconds. */
const FORGET_AFTER_MS = 60_000;

/** How many unknown digests are remembered. */
const MAX_UNKNOWN = 10_000;

/**
 * How many digests are remembered, to save computing them. What a digest gives access to is read from the database each
 * time.
 */
const MAX_DIGESTS = 1_000;

/** A digest and its map key. */
interface Named {
  digest: Buffer;
  name: string;
}

/** Hashes keys and keeps bad ones away from the database. */
export interface KeyDigests {
  /** Returns the digest of an API key; null if the key can be refused at once. */
  digestOf(secret: string): Buffer | null;
  /**
   * To be called if the database does not know a digest. Never for revoked or expired keys: those are looked up each
   * time.
   */
  markUnknown(digest: Buffer): void;
  /**
   * To be called when an owner sets a secret of their own choice: a device may have tried it before, and it must work
   * at once.
   */
  forgetUnknown(): void;
  /**
   * Stores a secret that is stored under the other pepper under this one, while KEY_PEPPER is being changed: to be called
   * before a digest is called unknown. Returns `unknown` if there is no other pepper, or the secret is nobody's there either.
   */
  adopt(secret: string): Promise<'adopted' | 'unknown'>;
}

/** Stores what is stored under one digest under another: statements/adopt.ts. */
export type Adopt = (of: { other: Buffer; digest: Buffer; pepper: string }) => Promise<'adopted' | 'unknown'>;

/**
 * Digests for API keys (DECISIONS.md "401"): the checksum refuses typos without a query, a small negative cache refuses
 * the rest. Only unknown digests are remembered, so a revocation works at once; and only for a minute, so a restored
 * database is noticed.
 */
export function createKeyDigests(pepper: Pepper, adopt?: Adopt): KeyDigests {
  const mayBe = (secret: string) => isSecret('toc', secret);
  return createDigests(pepper, { mayBe, unknownForMs: FORGET_AFTER_MS, ...(adopt !== undefined && { adopt }) });
}

/**
 * Like createKeyDigests, for any secret that `mayBe` accepts. A digest unknown to the database is refused for that
 * long.
 */
export function createDigests(
  pepper: Pepper,
  { mayBe, unknownForMs, adopt }: { mayBe(secret: string): boolean; unknownForMs: number; adopt?: Adopt },
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
    async adopt(secret) {
      const [digest, other] = underEach(pepper, secret);
      if (adopt === undefined || other === undefined || !mayBe(secret)) return 'unknown';
      return adopt({ other, digest: digest!, pepper: pepperId(pepper) });
    },
  };
}

function nameOf(digest: Buffer): string {
  return digest.toString('base64');
}
