import { CommitLost } from '../../store/statement.ts';

/** How long an action is tried that cannot be applied for a reason of its own, in milliseconds. */
export const PATIENCE_MS = 10 * 60 * 1000;

/** What Postgres says when what it was asked to store is wrong, rather than the moment: classes 21, 22 and 23. */
const WRONG_DATA = /^(21|22|23)[0-9A-Z]{3}$/;

/** SQLSTATEs, and the errors of a connection. */
const CODED = /^([0-9A-Z]{5}|E[A-Z]+)$/;

/**
 * Whose fault it is that something could not be applied. `database`: the connection, a time limit, a lock, the disk; the
 * same will do when that is over. `action`: what is applied itself, and the same will do no better.
 */
export function faultOf(error: unknown): 'database' | 'action' {
  if (error instanceof CommitLost) return 'database';
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && CODED.test(code)) return WRONG_DATA.test(code) ? 'action' : 'database';
  // The driver's own words for a connection that is gone bear no code.
  return /^(Connection|Client has|timeout exceeded)/.test(String(message)) ? 'database' : 'action';
}
