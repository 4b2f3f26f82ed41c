import type { Bus } from './bus.ts';
import type { BusLog } from './subscribers.ts';

/** How far back the changes are signalled that a process may have committed and not published, in seconds. */
const LOOK_BACK_S = 60;

/** How many messages go out before the server is asked for its word: less than a bus takes without it. */
const CHUNK = 1_000;

export interface CatchUpOptions {
  /** The messages that what was committed in the last so many seconds deserves, from the database. */
  recent(seconds: number): Promise<{ subject: string; payload?: unknown }[]>;
  log: BusLog;
}

/**
 * Signals again what was committed of late: now, for a process that died between its commit and its signal, and whenever
 * this process's connection was lost and is back, for what it published meanwhile. A reader whose own connection was lost
 * takes that for a change of everything. What else is lost, readers make good by their polls and whenever they subscribe
 * (SPEC.md 6). Resolves when the first look has ended.
 */
export async function catchUp(bus: Bus, { recent, log }: CatchUpOptions): Promise<void> {
  async function signal(seconds: number): Promise<void> {
    try {
      const messages = await recent(seconds);
      for (let at = 0; at < messages.length; at += CHUNK) {
        for (const { subject, payload } of messages.slice(at, at + CHUNK)) bus.publish(subject, payload);
        await bus.flush();
      }
    } catch (err) {
      // A bus that is away comes back and asks again; one that is closed does not.
      if (bus.connected) log.warn({ err }, 'Signals of recent changes could not be sent; readers poll meanwhile.');
    }
  }

  bus.onReconnect(awayS => void signal(awayS + LOOK_BACK_S));
  await signal(LOOK_BACK_S);
}
