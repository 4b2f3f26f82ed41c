import { setTimeout as pause } from 'node:timers/promises';
import type { Bot, Heard, Said } from '../channels/channel.ts';
import { newId } from '../store/id.ts';
import { holdListening, leaveListening, noteListening } from '../store/statements/listening.ts';
import { createBeside } from './beside.ts';
import { type Connect, createSaid, type ListeningOn } from './said.ts';

/** How long a process holds the place of the one who listens without saying so again, in seconds. */
const HOLDS_S = 8;

/** Between two looks whether the place is free, the shortest time between two questions that heard nothing new, and the pause of one who holds it, in milliseconds. */
const FREE_MS = 1_000;
const REST_MS = 250;
const HOLD_AGAIN_MS = 3_000;

/** How long what was just heard is waited for before others are heard, in milliseconds. */
const STORED_IN_MS = 500;

/** For how long what was said is tried where that fails, though the database answers, in milliseconds: new things come behind a few such only. */
const TRIED_FOR_MS = 60_000;

/**
 * After how long a link that is still being taken goes on unconfirmed by nobody, in milliseconds: if it is lost, its link is still good, and a hundred
 * that wait for one account would keep all others from being heard.
 */
const LINK_KEPT_MS = 5_000;

/** Listens to the bot of a carrier. */
export interface Listening {
  /** One look of a loop. */
  look(): Promise<'now' | { inMs: number }>;
  /** Ends what is waited for. */
  end(): void;
  /** Leaves the place to another process, once what is being answered is. */
  leave(): Promise<void>;
}

/** What was heard and is not confirmed yet. */
interface Taken {
  since: number;
  kind: Said['kind'];
  state: 'under_way' | 'fails' | 'stored';
}

/**
 * Listens to the bot of a carrier, one process at a time over all (DECISIONS.md "Answered in a chat"). What was said is confirmed once it is stored;
 * killed between the two, it is heard again, and has no effect then. What takes long to be stored holds up nothing that was said to others.
 */
export function createListening(deps: ListeningOn, carrier: string, bot: Bot, connect: Connect): Listening {
  const { store, log } = deps;
  const holder = newId();
  const ending = new AbortController();
  const beside = createBeside(log);
  const act = createSaid(deps, { carrier, bot }, connect, beside, ending.signal);
  const taken = new Map<number, Taken>();
  let problem = '';
  let waitsUntil = 0;

  const holds = () => holdListening(store.pool, carrier, holder, HOLDS_S);

  async function note(found: string): Promise<void> {
    if (found === problem) return;
    await noteListening(store.pool, carrier, holder, found);
    problem = found;
    if (found === '') log.info({ carrier }, 'what people say to the bot is heard again');
    else
      log.error(
        { carrier, problem: found },
        'what people say to the bot is not heard: nobody can acknowledge in its chat',
      );
  }

  /** Null: nobody waits for it any more. A bot may be waited for longer than the place is held. */
  async function hear(): Promise<Heard | null> {
    const heard = new AbortController();
    const holding = holdUntil(heard.signal);
    try {
      return await bot.hear(ending.signal);
    } catch (error) {
      if (ending.signal.aborted) return null;
      throw error;
    } finally {
      heard.abort();
      // One that is late would take the place again after it was left.
      await holding;
    }
  }

  async function holdUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(HOLD_AGAIN_MS, null, { signal }).catch(() => {});
      // A database that is away is found out about once something was heard.
      if (!signal.aborted) await holds().catch(() => false);
    }
  }

  async function fault({ problem, afterS, who }: Extract<Heard, { kind: 'fault' }>): Promise<{ inMs: number }> {
    // Another process of ours may have taken the place meanwhile.
    if (who === 'another_reads' && !(await holds())) return { inMs: FREE_MS };
    await note(problem);
    waitsUntil = performance.now() + afterS * 1_000;
    return rest();
  }

  /** Whoever waits because the carrier asked for it keeps the place: another one would ask it at once. */
  function rest(): { inMs: number } {
    return { inMs: Math.min(HOLD_AGAIN_MS, waitsUntil - performance.now()) };
  }

  async function take(nth: number, said: Said): Promise<void> {
    const one: Taken = taken.get(nth) ?? { since: performance.now(), kind: said.kind, state: 'fails' };
    const isFirst = !taken.has(nth);
    if (one.state !== 'fails') return;
    one.state = 'under_way';
    taken.set(nth, one);
    try {
      await act(said);
      one.state = 'stored';
    } catch (error) {
      const isOver = performance.now() - one.since >= TRIED_FOR_MS;
      one.state = isOver ? 'stored' : 'fails';
      const about = { err: error, carrier, said: said.kind };
      if (isOver) log.error(about, 'what somebody said to the bot could not be stored: it is passed over');
      else if (isFirst) log.error(about, 'what somebody said to the bot could not be stored: it is tried again');
    }
  }

  /** Confirms what is stored, up to the first that is not. Returns whether anything is left. */
  function confirm(): 'all_stored' | 'some_left' {
    const now = performance.now();
    const open = [...taken].filter(([, { state, kind, since }]) => {
      return state !== 'stored' && !(state === 'under_way' && kind === 'started' && now - since > LINK_KEPT_MS);
    });
    const first = open.length === 0 ? null : Math.min(...open.map(([nth]) => nth));
    bot.kept(first);
    for (const nth of taken.keys()) if (first === null || nth < first) taken.delete(nth);
    return first === null ? 'all_stored' : 'some_left';
  }

  return {
    async look() {
      if (!(await holds())) {
        problem = '';
        return { inMs: FREE_MS };
      }
      if (performance.now() < waitsUntil) return rest();
      const began = performance.now();
      const heard = await hear();
      if (heard === null) return { inMs: FREE_MS };
      if (heard.kind === 'fault') return fault(heard);
      // Whoever was frozen meanwhile may have lost the place.
      if (heard.said.length > 0 && !(await holds()) && bot.hands !== 'to_one') return { inMs: FREE_MS };
      const isNew = heard.said.some(({ nth }) => !taken.has(nth));
      const ended = new AbortController();
      const all = Promise.all(heard.said.map(({ nth, said }) => take(nth, said)));
      await Promise.race([all, pause(STORED_IN_MS, null, { signal: ended.signal }).catch(() => {})]);
      ended.abort();
      const left = confirm();
      await note('');
      const isQuick = performance.now() - began < REST_MS;
      return (left === 'some_left' || isQuick) && !isNew ? { inMs: REST_MS } : 'now';
    },
    end: () => ending.abort(),
    async leave() {
      await beside.end();
      await leaveListening(store.pool, carrier, holder);
    },
  };
}
