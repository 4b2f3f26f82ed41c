import { CommanderError } from 'commander';
import { readConnection } from './config.ts';
import type { Explanation } from './errors.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { type Io, painter } from './io.ts';
import { buildProgram } from './program.ts';
import type { Act } from './session.ts';
import { safeJson } from './text.ts';

/**
 * Runs one command line (without node and script) and returns the exit code (exit.ts). All output goes to `io`; with
 * --json a fault is one JSON value on stdout too: `{"error": {code, message, problems, users, usersTotal}}`.
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exit: ExitCode = EXIT.ok;
  let rpcUrl: string | null = null;
  const asJson = argv.includes('--json');
  const act: Act = work =>
    async function (...given) {
      const flags = this.optsWithGlobals();
      const connection = readConnection(io.environment, flags);
      rpcUrl = connection.rpcUrl;
      // Loaded here, like the explanations of faults below: help and completion need none of it.
      const [{ connect }, { openSession }] = await Promise.all([import('./rpc.ts'), import('./session.ts')]);
      const rpc = connect(connection, io.signal);
      const session = openSession({ rpc, rpcUrl, flags, io, format: flags.json === true ? 'json' : 'text' });
      // Commander passes the arguments, then the options, then the command.
      const options = given.at(-2) as never;
      exit = (await work(session, options, ...(given.slice(0, -2) as never))) ?? EXIT.ok;
    };
  try {
    const program = await buildProgram(act, io, argv);
    await program.parseAsync(argv, { from: 'user' });
    return exit;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      // Commander has told people already; help and version are not faults.
      if (thrown.exitCode === 0) return EXIT.ok;
      if (asJson) writeJson((await import('./errors.ts')).explain(thrown, rpcUrl, io.signal), io);
      return EXIT.usage;
    }
    const { explain, explanationLines } = await import('./errors.ts');
    const explanation = explain(thrown, rpcUrl, io.signal);
    return report(explanation, explanationLines(explanation), io, asJson);
  }
}

function report(explanation: Explanation, lines: string[], io: Io, asJson: boolean): ExitCode {
  if (asJson) writeJson(explanation, io);
  const [first = '', ...rest] = lines;
  io.stderr.write(`${[painter(io, io.stderr)('red', first), ...rest].join('\n')}\n`);
  return explanation.exit;
}

function writeJson({ exit: _exit, ...error }: Explanation, io: Io): void {
  io.stdout.write(`${safeJson({ error })}\n`);
}
