import { useRef } from 'preact/hooks';

/** The value of before as long as the new one says the same: what is drawn of it is then not drawn again. Plain values and messages. */
export function useSteady<T>(value: T): T {
  const held = useRef(value);
  if (held.current !== value && textOf(held.current) !== textOf(value)) held.current = value;
  return held.current;
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part));
}
