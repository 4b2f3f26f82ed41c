import { AsyncLocalStorage } from 'node:async_hooks';

/** Runs what takes long for everybody one at a time: parties take turns, and what one party asks for keeps its order. */
export type InTurn = <T>(party: string, run: () => Promise<T>) => Promise<T>;

export function createInTurn(): InTurn {
  /** What waits, by party; the party whose last turn is longest ago comes first. */
  const lines = new Map<string, (() => Promise<void>)[]>();
  let state: 'idle' | 'running' = 'idle';

  async function runAll(): Promise<void> {
    state = 'running';
    for (const [party, line] of lines) {
      await line.shift()!();
      lines.delete(party);
      if (line.length > 0) lines.set(party, line);
    }
    state = 'idle';
  }

  return (party, run) =>
    new Promise((resolve, reject) => {
      const line = lines.get(party) ?? [];
      const begin = async () => run();
      // In the context of who asked, such as the reader's language.
      line.push(AsyncLocalStorage.bind(() => begin().then(resolve, reject)));
      lines.set(party, line);
      if (state === 'idle') void runAll();
    });
}
