import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { killWithUs } from './start.ts';

/**
 * Runs a program to its end and returns what it printed. Of this process's environment it sees the path alone, and it ends
 * with this process. Rejects with what it said where it fails.
 */
export async function runToEnd(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const run = promisify(execFile)(program, args, { env: { PATH: process.env.PATH, ...env }, maxBuffer: 64 << 20 });
  killWithUs(run.child);
  return (await run).stdout;
}
