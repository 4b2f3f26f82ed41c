/** A map that remembers at least the `most` names that were asked for or set last, and at most twice as many. */
export interface Lru<Name, Value> {
  get(name: Name): Value | undefined;
  set(name: Name, value: Value): void;
  delete(name: Name): void;
  clear(): void;
}

/**
 * Two generations: what is asked for moves to the young one, and when that is full it becomes the old one. A get costs one
 * look-up where a list in the order of use would cost three.
 */
export function createLru<Name, Value>(most: number): Lru<Name, Value> {
  let young = new Map<Name, Value>();
  let old = new Map<Name, Value>();

  function set(name: Name, value: Value): void {
    if (young.size >= most) {
      old = young;
      young = new Map();
    }
    young.set(name, value);
  }

  return {
    get(name) {
      const value = young.get(name);
      if (value !== undefined) return value;
      const older = old.get(name);
      if (older !== undefined) set(name, older);
      return older;
    },
    set,
    delete(name) {
      young.delete(name);
      old.delete(name);
    },
    clear() {
      young = new Map();
      old = new Map();
    },
  };
}
