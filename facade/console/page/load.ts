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

/** What was read last, so that "back" shows it at once. */
const memory = new Map<string, unknown>();
/** More than there are pages in the longest list, so that none of them pushes out what stands around it. */
const REMEMBERED = 200;

/**
 * Reads when `key` changes, and again whenever something happens (live.ts). `key` names what is read and how it is filtered; one
 * account's is never shown in another. `count`: how many of it are read, where that may change: what is there stays shown until
 * there is more.
 */
export function useLoad<T>(
  key: string,
  read: () => Promise<T>,
  count = 0,
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
    read().then(
      data => {
        remember(name, data);
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
  }, [name, count, beat]);

  const data = (memory.get(name) ?? null) as T | null;
  return {
    data,
    fault: failed.name === name ? failed.fault : null,
    again: () => pulse.value++,
    put(data) {
      remember(name, data);
      drawn(count => count + 1);
    },
  };
}

function remember(name: string, data: unknown): void {
  memory.delete(name);
  memory.set(name, data);
  const [oldest] = memory.keys();
  if (memory.size > REMEMBERED && oldest !== undefined) memory.delete(oldest);
}
