import { useRef } from 'preact/hooks';

/** Returns the earlier value as long as the new one equals it, so that what it draws is not drawn again. Takes plain values and messages. */
export function useStable<T>(value: T): T {
  const held = useRef(value);
  if (held.current !== value && textOf(held.current) !== textOf(value)) held.current = value;
  return held.current;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
}
