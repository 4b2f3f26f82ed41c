import type { Bus } from './bus.ts';
import type { BusLog } from './subscribers.ts';

/** In seconds. Changes of this period are signalled again, in case a process committed but did not publish them. */
const LOOK_BACK_S = 60;

/** How many messages are sent between two flushes: less than a bus accepts without one. */
const CHUNK = 1_000;

export interface CatchUpOptions {
  /** Reads from the database the messages for what was committed in the last so many seconds. */
  recent(seconds: number): Promise<{ subject: string; payload?: unknown }[]>;
  log: BusLog;
}

/**
 * Signals recent commits again: now, for a process that died between commit and signal, and whenever this process's
 * connection was lost and has returned, for what it published meanwhile. A reader whose own connection was lost treats
 * that as a change of everything. Any other loss is made good by the readers' polls and when they subscribe (SPEC.md
 * 6). Resolves when the first look has ended.
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
      // A bus without connection calls back later; a closed one does not.
      if (bus.connected) log.warn({ err }, 'Signals of recent changes could not be sent; readers poll meanwhile.');
    }
  }

  bus.onReconnect(awayS => void signal(awayS + LOOK_BACK_S));
  await signal(LOOK_BACK_S);
}
