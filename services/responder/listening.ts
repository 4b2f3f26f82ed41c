import type { Bot, Heard, Said } from '../channels/channel.ts';
import { newId } from '../store/id.ts';
import { holdListening, leaveListening, noteListening } from '../store/statements/listening.ts';
import type { ResponderOptions } from './options.ts';
import { type Connect, createSaid } from './said.ts';

/** How long a process holds the place of the one who listens without saying so again, in seconds: longer than a bot is waited for. */
const HOLDS_S = 8;

/** Between two looks whether the place is free, and the shortest time between two questions that heard nothing, in milliseconds. */
const FREE_MS = 1_000;
const REST_MS = 250;

/** For how long what was said is tried where that fails, though the database answers, in milliseconds: new things come behind a few such only. */
const TRIED_FOR_MS = 60_000;

/** Listens to the bot of a carrier. */
export interface Listening {
  /** One look of a loop. Throws if what was said could not be stored; it is heard again then. */
  look(): Promise<'now' | { inMs: number }>;
  /** Ends what is waited for. */
  end(): void;
  /** Leaves the place to another process. */
  leave(): Promise<void>;
}

/**
 * Listens to the bot of a carrier, one process at a time over all (DECISIONS.md "Answered in a chat"). What was said is confirmed once it is stored;
 * killed between the two, it is heard again, and has no effect then.
 */
export function createListening(
  deps: Pick<ResponderOptions, 'store' | 'seal' | 'links' | 'log' | 'bus' | 'nudge'>,
  carrier: string,
  bot: Bot,
  connect: Connect,
): Listening {
  const { store, log } = deps;
  const holder = newId();
  const ending = new AbortController();
  const act = createSaid(deps, bot, connect);
  /** Of what was heard and is not confirmed yet: what is done, and since when the rest fails. */
  const tried = new Map<number, 'done' | number>();
  let problem = '';

  async function note(found: string): Promise<void> {
    if (found === problem) return;
    if (found === '') log.info({ carrier }, 'what people say to the bot is heard again');
    else
      log.error(
        { carrier, problem: found },
        'what people say to the bot is not heard: nobody can acknowledge in its chat',
      );
    problem = found;
    await noteListening(store.pool, carrier, holder, found);
  }

  async function fault({ problem, afterS, who }: Extract<Heard, { kind: 'fault' }>): Promise<{ inMs: number }> {
    // Another process of ours may have taken the place meanwhile.
    if (who === 'another_reads' && !(await holdListening(store.pool, carrier, holder, HOLDS_S)))
      return { inMs: FREE_MS };
    await note(problem);
    return { inMs: afterS * 1_000 };
  }

  async function take({ nth, said }: { nth: number; said: Said }): Promise<void> {
    const since = tried.get(nth) ?? performance.now();
    if (since === 'done') return;
    try {
      await act(said);
      tried.set(nth, 'done');
    } catch (error) {
      tried.set(nth, since);
      if (performance.now() - since < TRIED_FOR_MS) throw error;
      log.error(
        { err: error, carrier, said: said.kind },
        'what somebody said to the bot could not be stored: it is passed over',
      );
      tried.set(nth, 'done');
    }
  }

  return {
    async look() {
      if (!(await holdListening(store.pool, carrier, holder, HOLDS_S))) {
        problem = '';
        return { inMs: FREE_MS };
      }
      const began = performance.now();
      const heard = await bot.hear(ending.signal).catch(error => {
        if (ending.signal.aborted) return null;
        throw error;
      });
      if (heard === null) return { inMs: FREE_MS };
      if (heard.kind === 'fault') return fault(heard);
      const taken = await Promise.allSettled(heard.said.map(take));
      const failed = taken.find(({ status }) => status === 'rejected');
      if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
      bot.kept();
      tried.clear();
      await note('');
      return heard.said.length === 0 && performance.now() - began < REST_MS ? { inMs: REST_MS } : 'now';
    },
    end: () => ending.abort(),
    leave: () => leaveListening(store.pool, carrier, holder),
  };
}
