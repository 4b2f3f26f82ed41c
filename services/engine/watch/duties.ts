import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { aboutBegan, type Began, beganOnce, noticeBytes } from '../../domain/duty-notice.ts';
import { type OnDuty, onDuty } from '../../domain/on-duty.ts';
import type { Kept } from '../../limits/kept.ts';
import { aheadByMs, toWall } from '../../process/wall-clock.ts';
import { newId } from '../../store/id.ts';
import { inTransaction } from '../../store/statement.ts';
import { type NoticeWrite, noWrites, writeAll } from '../../store/statements/write.ts';
import { type LookAgain, type Loop, startLoop } from '../loop.ts';
import { type DueDuty, keepOnDuty, nextDueDuty, takeDueDuties } from './statements/duties.ts';

/** How many duties one transaction looks at, and beyond them the rest of an account that are due at the same instant. */
const AT_ONCE = 100;

/** How soon it looks after a duty was changed, at the latest, in milliseconds. */
const POLL_MS = 5_000;

/** How soon it looks again where another process is at it, in milliseconds. */
const BUSY_MS = 1_000;

/**
 * Tells whoever comes on duty (DECISIONS.md "On duty"). When the next change comes is kept with each duty, and who was on it: what
 * came while no process ran is told by the first that runs, and nobody twice. Any number of processes may do so. Duties go by
 * clocks, so that a clock that is set brings the change of a duty nearer, or takes it further away. Who is on
 * a new duty is kept, and not told, nor what is more than the account may store.
 */
export function startDuties(engine: {
  pool: Pool;
  kept: Kept;
  log: Logger;
  onNotice(): void;
}): Pick<Loop, 'nudge' | 'drain' | 'close'> {
  const { pool, kept, log } = engine;

  async function look(): Promise<LookAgain> {
    const inMs = (await nextDueDuty(pool, aheadByMs())) ?? Number.POSITIVE_INFINITY;
    if (inMs > 0) return { inMs };
    const { taken, notices } = await inTransaction(pool, lookAtSome);
    if (notices > 0) engine.onNotice();
    // None where another process has them in its hands.
    return taken > 0 ? 'now' : { inMs: BUSY_MS };
  }

  async function lookAtSome(client: PoolClient): Promise<{ taken: number; notices: number }> {
    const due = await takeDueDuties(client, AT_ONCE, aheadByMs());
    const began: Began[] = [];
    for (const duty of due) began.push(...(await lookAt(client, duty)));
    const told = beganOnce(began).filter(mayTell);
    if (told.length > 0)
      await writeAll(client, { ...noWrites(), notices: told.map(one => noticeOf(one, due[0]!.now)) });
    return { taken: due.length, notices: told.length };
  }

  async function lookAt(client: PoolClient, due: DueDuty): Promise<Began[]> {
    const now = answerOf(due);
    if (now === null) {
      // It keeps no other duty waiting, and is looked at again once it is changed.
      await keepOnDuty(client, due, due.onDuty, null);
      return [];
    }
    const { contacts, until } = now;
    await keepOnDuty(client, due, contacts, until);
    if (!due.tell || due.onDuty === null) return [];
    return contacts.filter(id => !due.onDuty!.includes(id)).map(id => beganBy(due, now, id));
  }

  /** Says whether there is room for one more notice, and takes it. */
  function mayTell(began: Began): boolean {
    return kept.take(began.accountId, 'duty_notices', noticeBytes(aboutBegan(began))) === 'taken';
  }

  function answerOf(due: DueDuty) {
    try {
      return onDuty(due.duty, toWall(due.now));
    } catch (error) {
      log.error({ err: error, accountId: due.accountId, duty: due.id }, 'a duty cannot be read');
      return null;
    }
  }

  return startLoop('duties', look, log, POLL_MS);
}

function beganBy(due: DueDuty, { contacts, until }: OnDuty, contactId: string): Began {
  const { accountId, lookAt, name, people } = due;
  const others = contacts.filter(other => other !== contactId).map(other => people?.[other] ?? '');
  return { accountId, lookAt, contactId, duty: name, others, until };
}

/** Nobody is told twice of one instant, whichever processes and transactions look at their duties. */
function noticeOf(began: Began, now: number): NoticeWrite {
  const { accountId, lookAt, contactId } = began;
  const once = `${lookAt}/${contactId}`;
  const about = aboutBegan(began);
  return { accountId, id: newId(), kind: 'duty_begins', once, incidentId: null, contactId, about, at: now };
}
