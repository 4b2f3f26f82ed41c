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

/**
 * Returns what keeps the rows of a `list` in the order in which they stood while the focus is within it, or a row is edited in a cell
 * of its own: what is new comes last. Another order that is asked for is taken at once.
 */
export function useHeldOrder<T extends { id: string }, List extends HTMLElement>() {
  const list = useRef<List>(null);
  const last = useRef<{ order: string; places: ReadonlyMap<string, number> }>(null);
  return {
    list,
    hold(sorted: readonly T[], order: string): readonly T[] {
      let things = sorted;
      if (order && order === last.current?.order && list.current?.querySelector(':focus, .panel, .whole')) {
        const { places } = last.current;
        const placeOf = ({ id }: T) => places.get(id) ?? places.size;
        things = sorted.toSorted((one, other) => placeOf(one) - placeOf(other));
      }
      last.current = { order, places: new Map(things.map(({ id }, nth) => [id, nth])) };
      return things;
    },
  };
}
