import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What a process and all that it started have used of the processors so far, in microseconds; null: this system has no /proc. */
export async function cpuOf(pid: number): Promise<number | null> {
  const all = await readProcesses();
  if (all.size === 0) return null;
  let ticks = 0;
  for (const one of family(all, pid)) {
    const { own, ended } = all.get(one)!;
    // What its children had used when they ended is counted with it.
    ticks += own + ended;
  }
  return (ticks * 1e6) / TICKS_PER_SECOND;
}

/** Resident memory of a process, in bytes; from /proc where there is one, since small images come without ps. */
export async function memoryOf(pid: number): Promise<number> {
  const shown = (await statusOf(pid)).get('VmRSS');
  if (shown !== undefined) return shown;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) * 1_024;
}

/**
 * Resident memory of a server that works with processes around one shared memory, in bytes: what each has to itself, and
 * the shared one once. Null without /proc.
 */
export async function sharedMemoryOf(pid: number): Promise<number | null> {
  const pids = family(await readProcesses(), pid);
  const statuses = await Promise.all(pids.map(statusOf));
  if (statuses.length === 0) return null;
  const own = statuses.map(status => status.get('RssAnon') ?? 0);
  const shared = statuses.map(status => status.get('RssShmem') ?? 0);
  return own.reduce((sum, bytes) => sum + bytes, 0) + Math.max(...shared);
}

/** USER_HZ, which Linux has at 100 on every architecture that Node runs on. */
const TICKS_PER_SECOND = 100;

interface ProcessTicks {
  parent: number;
  own: number;
  ended: number;
}

/** Every process there is, as /proc has it (proc(5)); empty without /proc. */
async function readProcesses(): Promise<Map<number, ProcessTicks>> {
  const names = (await readdir('/proc').catch(() => [])).filter(name => /^\d+$/.test(name));
  const read = names.map(async name => [Number(name), await readTicks(name)] as const);
  const found = (await Promise.all(read)).filter((entry): entry is [number, ProcessTicks] => entry[1] !== null);
  return new Map(found);
}

/** Null where it has ended meanwhile. */
async function readTicks(pid: string): Promise<ProcessTicks | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // The name in front may hold spaces and brackets. After it: state (3), parent (4), … utime (14), stime, cutime, cstime.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) };
}

function family(all: ReadonlyMap<number, ProcessTicks>, pid: number): number[] {
  if (!all.has(pid)) return [];
  const children = [...all].filter(([, { parent }]) => parent === pid).map(([child]) => child);
  return [pid, ...children.flatMap(child => family(all, child))];
}

/** The figures of /proc/<pid>/status that are sizes, in bytes; empty without /proc and once the process has ended. */
async function statusOf(pid: number): Promise<Map<string, number>> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const sizes = text.matchAll(/^(\w+):\s+(\d+) kB$/gm);
  return new Map([...sizes].map(([, name, kilobytes]) => [name!, Number(kilobytes) * 1_024]));
}
