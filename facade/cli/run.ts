import { CommanderError } from 'commander';
import { readConnection } from './config.ts';
import { explain, explanationLines } from './errors.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { type Io, painter } from './io.ts';
import { buildProgram } from './program.ts';
import { connect } from './rpc.ts';
import { type Act, openSession } from './session.ts';
import { safeJson } from './text.ts';

/**
 * Runs one command line (without node and script) and gives the exit code (exit.ts). Everything it says goes to `io`; with
 * --json a fault is one JSON value on stdout too: `{"error": {code, message, problems, users}}`.
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  let exit: ExitCode = EXIT.ok;
  let rpcUrl: string | null = null;
  const act: Act = work =>
    async function (...given) {
      const flags = this.optsWithGlobals();
      const connection = readConnection(io.environment, flags);
      rpcUrl = connection.rpcUrl;
      const rpc = connect(connection, io.signal);
      const session = openSession({ rpc, rpcUrl, io, format: flags.json === true ? 'json' : 'text' });
      // Commander hands over the arguments, then the options, then the command.
      const options = given.at(-2) as never;
      exit = (await work(session, options, ...(given.slice(0, -2) as never))) ?? EXIT.ok;
    };
  try {
    await buildProgram(act, io).parseAsync(argv, { from: 'user' });
    return exit;
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      // Commander has said it already; help and version are no faults.
      return thrown.exitCode === 0 ? EXIT.ok : EXIT.usage;
    }
    return report(thrown, rpcUrl, io, argv.includes('--json'));
  }
}

function report(thrown: unknown, rpcUrl: string | null, io: Io, asJson: boolean): ExitCode {
  const explanation = explain(thrown, rpcUrl, io.signal);
  const { exit, usersTotal: _, ...error } = explanation;
  if (asJson) io.stdout.write(`${safeJson({ error })}\n`);
  const [first = '', ...rest] = explanationLines(explanation);
  io.stderr.write(`${[painter(io, io.stderr)('red', first), ...rest].join('\n')}\n`);
  return exit;
}
