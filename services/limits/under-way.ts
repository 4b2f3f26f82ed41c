/** Counts what is under way by name, such as streams of an account or sign-ins from a network. */
export interface UnderWay {
  /**
   * Begins one, given how many each of its names may have at once. Returns its place, to be given back at its end; null if one
   * of the names has as many already.
   */
  enter(most: Readonly<Record<string, number>>): Disposable | null;
}

export function createUnderWay(): UnderWay {
  const counts = new Map<string, number>();
  const count = (name: string, by: number) => {
    const now = (counts.get(name) ?? 0) + by;
    if (now === 0) counts.delete(name);
    else counts.set(name, now);
  };

  return {
    enter(most) {
      const names = Object.keys(most);
      if (names.some(name => (counts.get(name) ?? 0) >= most[name]!)) return null;
      for (const name of names) count(name, 1);
      return {
        [Symbol.dispose]() {
          for (const name of names) count(name, -1);
        },
      };
    },
  };
}
