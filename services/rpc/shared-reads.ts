/**
 * Runs one read at a time for each name: callers that ask while it runs share the next one. An answer is thus never older than
 * its question, and frequent large reads use only one connection to the database.
 */
export function createSharedReads<Of, Answer>(
  read: (of: Of) => Promise<Answer>,
  nameOf: (of: Of) => string,
): (of: Of) => Promise<Answer> {
  const underWay = new Map<string, { ends: Promise<unknown>; next: Promise<Answer> | null }>();

  function begin(name: string, of: Of): Promise<Answer> {
    const answer = read(of);
    const turn = { ends: answer.catch(() => {}), next: null };
    underWay.set(name, turn);
    void turn.ends.then(() => {
      if (turn.next === null) underWay.delete(name);
    });
    return answer;
  }

  return of => {
    const name = nameOf(of);
    const turn = underWay.get(name);
    if (turn === undefined) return begin(name, of);
    turn.next ??= turn.ends.then(() => begin(name, of));
    return turn.next;
  };
}

/** Caches what is made of a shared read: for each of a hundred callers it would take the same time and memory again. */
export function madeOnce<Read extends object, Made>(make: (read: Read) => Made): (read: Read) => Made {
  const made = new WeakMap<Read, { it: Made }>();
  return read => {
    const known = made.get(read) ?? { it: make(read) };
    made.set(read, known);
    return known.it;
  };
}
