import { useEffect, useState } from 'preact/hooks';
import { pulse, suspect } from './live.ts';
import { faultOf } from './rpc.ts';
import { lost, session } from './session.ts';

/** What a screen has to show: what was read, even while it is read again or cannot be. */
export interface Loaded<T> {
  data: T | null;
  /** Why there is nothing newer; null: there is. */
  fault: ReturnType<typeof faultOf> | null;
}

/** What was read last, so that "back" shows it at once; `asked`: when, as a number that grows. */
const memory = new Map<string, { data: unknown; asked: number }>();
/** More than there are pages in the longest list, so that none of them pushes out what stands around it. */
const REMEMBERED = 200;

let asks = 0;

/**
 * Reads when `key` changes, and again whenever something happens (live.ts). `key` names what is read and how it is filtered; one
 * account's is never shown in another. `which`: what of it is read, such as how many, where that changes by itself or by and by:
 * only the last of it is remembered, and it stays shown until the next is there.
 */
export function useLoad<T>(
  key: string,
  read: () => Promise<T>,
  which: string | number = '',
): Loaded<T> & {
  again(): void;
  /** What it is by now, as the answer to a change said: shown until it is read again. */
  put(data: T): void;
} {
  const owner = session.value.is === 'signed_in' ? session.value.account.id : '';
  const name = `${owner} ${key}`;
  const [, drawn] = useState(0);
  const [failed, setFailed] = useState<{ name: string; fault: Loaded<T>['fault'] }>({ name, fault: null });
  const beat = pulse.value;

  useEffect(() => {
    let wanted = true;
    const asked = ++asks;
    answerTo(`${beat} ${which} ${name}`, read).then(
      data => {
        remember(name, data, asked);
        if (!wanted) return;
        setFailed({ name, fault: null });
        drawn(count => count + 1);
      },
      error => {
        if (!wanted) return;
        const fault = faultOf(error);
        if (fault.kind === 'signed_out') return lost();
        if (fault.kind === 'away') suspect();
        setFailed({ name, fault });
      },
    );
    return () => {
      wanted = false;
    };
  }, [name, which, beat]);

  const data = (memory.get(name)?.data ?? null) as T | null;
  return {
    data,
    fault: failed.name === name ? failed.fault : null,
    again: () => pulse.value++,
    put(data) {
      remember(name, data, ++asks);
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
function remember(name: string, data: unknown, asked: number): void {
  if ((memory.get(name)?.asked ?? 0) > asked) return;
  memory.delete(name);
  memory.set(name, { data, asked });
  const [oldest] = memory.keys();
  if (memory.size > REMEMBERED && oldest !== undefined) memory.delete(oldest);
}
