import { effect } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { faultOf } from '../rpc/rpc.ts';
import { lost, session, whoLooks } from '../rpc/session.ts';
import { language } from '../words.ts';
import { pulse, showReading, slowPulse, suspect, wasNotRead, wasRead } from './live.ts';

/** What a screen has to show: what was read, even while it is read again or cannot be. */
export interface Query<T> {
  data: T | null;
  /** Why there is nothing newer; null: there is. */
  fault: ReturnType<typeof faultOf> | null;
}

/** What was read last, so that "back" shows it at once; `asked`: when, as a number that grows, and `at` by the clock. */
const memory = new Map<string, { data: unknown; asked: number; at: number }>();
/** More than there are pages in the longest list, so that none of them pushes out what stands around it. */
const REMEMBERED = 200;

let asks = 0;

/** Whoever signs in next on this device must not see it. */
effect(() => {
  if (session.value.is === 'signed_out') memory.clear();
});

/**
 * Reads when `key` changes, and again whenever something happens (live.ts). `key` names what is read and how it is filtered; what
 * one session read is never shown to another, nor one account's in another. `which`: what of it is read, such as how many, where
 * that changes by itself or by and by: only the last of it is remembered, and it stays shown until the next is there. `pace`: how
 * soon it is read again; `slow` for what is costly to ask. Whoever turns to another language gets all of it anew, as the services
 * word part of it: what was read before stays shown until then.
 */
export function useQuery<T>(
  key: string,
  read: () => Promise<T>,
  which: string | number = '',
  pace: 'usual' | 'slow' = 'usual',
): Query<T> & {
  again(): void;
  /** What it is by now, as the answer to a change said: shown until it is read again. */
  put(data: T): void;
} {
  const name = `${whoLooks()} ${key}`;
  const [, drawn] = useState(0);
  const [failed, setFailed] = useState<{ name: string; fault: Query<T>['fault'] }>({ name, fault: null });
  // After a break a connection from before may be dead: what was lost on it is asked for again soon.
  const isLost = failed.name === name && failed.fault?.kind === 'away';
  const reads = pace === 'slow' && !isLost ? slowPulse : pulse;
  const beat = reads.value;
  const spoken = language.value;
  const [reading] = useState({});

  useEffect(() => showReading(reading), [name]);

  useEffect(() => {
    let wanted = true;
    const asked = ++asks;
    const at = Date.now();
    answerTo(`${beat} ${spoken} ${which} ${name}`, read).then(
      data => {
        remember(name, data, { asked, at });
        if (!wanted) return;
        wasRead(reading);
        setFailed({ name, fault: null });
        drawn(count => count + 1);
      },
      error => {
        const fault = faultOf(error);
        // What is gone is not shown as if it were there.
        if (fault.kind === 'not_found') memory.delete(name);
        if (!wanted) return;
        if (fault.kind === 'signed_out') return lost();
        if (fault.kind === 'away') suspect();
        const before = memory.get(name);
        if (fault.kind === 'not_found') wasRead(reading);
        else if (before !== undefined) wasNotRead(reading, before.at);
        setFailed({ name, fault });
      },
    );
    return () => {
      wanted = false;
    };
  }, [name, which, beat, spoken]);

  const data = (memory.get(name)?.data ?? null) as T | null;
  return {
    data,
    fault: failed.name === name ? failed.fault : null,
    again: () => reads.value++,
    put(data) {
      remember(name, data, { asked: ++asks, at: Date.now() });
      drawn(count => count + 1);
    },
  };
}

/** What is being asked: whoever wants the same of it in the same moment waits for the same answer. */
const underWay = new Map<string, Promise<unknown>>();

function answerTo<T>(question: string, read: () => Promise<T>): Promise<T> {
  const same = underWay.get(question) as Promise<T> | undefined;
  if (same !== undefined) return same;
  const answer = read().finally(() => underWay.delete(question));
  underWay.set(question, answer);
  return answer;
}

/** An answer that comes after that to a later question is too old. */
function remember(name: string, data: unknown, of: { asked: number; at: number }): void {
  if ((memory.get(name)?.asked ?? 0) > of.asked) return;
  memory.delete(name);
  memory.set(name, { data, ...of });
  const [oldest] = memory.keys();
  if (memory.size > REMEMBERED && oldest !== undefined) memory.delete(oldest);
}
