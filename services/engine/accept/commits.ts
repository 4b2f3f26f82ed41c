import type { Pool } from 'pg';
import { sqlStateOf } from '../../store/statement.ts';
import { tryAccepting } from './statements/try-accept.ts';

/** How long a commit shows that calls can be accepted, in milliseconds: with a look a second, a full disk is told within 5 s. */
const SHOWS_MS = 2_500;

/** How long a fault of the server's own outweighs a try that succeeds, in milliseconds. */
const OUTWEIGHS_MS = 5_000;

/** What the accept path says of itself (DECISIONS.md "Ready"). */
export interface Commits {
  /** A group of calls was committed. */
  committed(): void;
  /** A group of calls could not be committed. */
  failed(cause: unknown): void;
  /**
   * Tells whether calls can be committed: by the last group, and where none was committed lately, by a try that leaves nothing
   * behind. There is one try at a time, and none within SHOWS_MS of a commit, however often this is asked. Never rejects.
   */
  look(): Promise<'committing' | 'failing'>;
}

/** Creates it for the pool that calls are accepted with. */
export function createCommits(pool: Pool): Commits {
  let committedAt = Number.NEGATIVE_INFINITY;
  let brokenAt = Number.NEGATIVE_INFINITY;
  let trying: Promise<'committing' | 'failing'> | null = null;

  const committed = () => {
    committedAt = performance.now();
    brokenAt = Number.NEGATIVE_INFINITY;
  };

  async function attempt(): Promise<'committing' | 'failing'> {
    try {
      await tryAccepting(pool);
      committedAt = performance.now();
      return 'committing';
    } catch {
      return 'failing';
    } finally {
      trying = null;
    }
  }

  return {
    committed,
    failed(cause) {
      committedAt = Number.NEGATIVE_INFINITY;
      if (isOfServer(cause)) brokenAt = performance.now();
    },
    async look() {
      if (performance.now() - brokenAt < OUTWEIGHS_MS) return 'failing';
      if (performance.now() - committedAt < SHOWS_MS) return 'committing';
      trying ??= attempt();
      return trying;
    },
  };
}

/**
 * Tells whether the server itself is short of something or damaged, such as a full disk (classes 53, 58 and XX of SQLSTATE): a try
 * may find room where calls do not. Whatever else fails may be one account's, which must not make all of them look unready.
 */
function isOfServer(cause: unknown): boolean {
  return /^(53|58|XX)/.test(sqlStateOf(cause));
}
