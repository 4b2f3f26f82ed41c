import type { Bench } from '../bench.ts';
import type { Contender, Loaded } from '../contenders/contender.ts';
import { cpuOf, memoryOf, sharedMemoryOf } from '../machine/usage.ts';
import { noteRefusals, openLedger } from './ledger.ts';

/** What one round showed of a contender. Null: it has no such thing, or the system does not tell. */
export interface Round extends Loaded {
  /** Microseconds of processor time per call: of all its own processes together, of Postgres, and of each by name. */
  cpu: { own: number | null; postgres: number | null; each: Record<string, number | null> };
  /** Resident bytes of each process by name at the end of the round; `postgres` is the whole server. */
  memory: Record<string, number | null>;
  /** Bytes of Postgres' log (WAL) per call. */
  walBytes: number | null;
  /** From the end of the load to the last accepted call applied, in milliseconds. */
  appliedAfter: number | null;
}

/**
 * Measures one round: processors and log from before the load until every accepted call is applied. What is lost or
 * left is a fault of the run.
 */
export async function measureRound(bench: Bench, contender: Contender<string>, seconds: number): Promise<Round> {
  const { title, stores, processes } = contender;
  const ledger = stores.kind === 'product' ? await openLedger(bench, { title, ...stores }) : null;
  const before = await readUsage(bench, contender);
  const loaded = await contender.load(seconds);
  const appliedAfter = (await ledger?.settle()) ?? null;
  const after = await readUsage(bench, contender);
  if (ledger === null) noteRefusals(bench, title, loaded);
  else await ledger.close(loaded, bench.connections);

  const perCall = (process: string) => difference(before.cpu[process], after.cpu[process], loaded.accepted);
  const each = Object.fromEntries(Object.keys(processes).map(process => [process, perCall(process)]));
  const usesPostgres = stores.kind !== 'nothing';
  return {
    ...loaded,
    cpu: { own: sum(Object.values(each)), postgres: usesPostgres ? perCall('postgres') : null, each },
    memory: await readMemory(bench, contender),
    walBytes: usesPostgres ? difference(before.wal, after.wal, loaded.accepted) : null,
    appliedAfter,
  };
}

async function readUsage({ postgres }: Bench, { processes }: Contender<string>) {
  const cpu: Record<string, number | null> = { postgres: await cpuOf(postgres.pid) };
  for (const [name, pid] of Object.entries(processes)) cpu[name] = await cpuOf(pid);
  return { cpu, wal: await postgres.walBytes() };
}

async function readMemory({ postgres }: Bench, { processes, stores }: Contender<string>): Promise<Round['memory']> {
  const memory: Round['memory'] = {};
  for (const [name, pid] of Object.entries(processes)) memory[name] = await memoryOf(pid);
  if (stores.kind !== 'nothing') memory.postgres = await sharedMemoryOf(postgres.pid);
  return memory;
}

function difference(before: number | null | undefined, after: number | null | undefined, calls: number): number | null {
  return before == null || after == null || calls === 0 ? null : (after - before) / calls;
}

function sum(figures: readonly (number | null)[]): number | null {
  if (figures.length === 0 || figures.includes(null)) return null;
  return figures.reduce<number>((total, figure) => total + figure!, 0);
}
