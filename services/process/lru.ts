/** A map that remembers at least the `most` names that were asked for or set last, and at most twice as many. */
export interface Lru<Name, Value> {
  get(name: Name): Value | undefined;
  set(name: Name, value: Value): void;
  delete(name: Name): void;
  clear(): void;
}

/**
 * Creates an LRU of two generations: entries that are read move to the young one, which becomes the old one when it is full. A
 * get costs one look-up, where a list in order of use would cost three.
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
