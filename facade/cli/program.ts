import { Command } from 'commander';
import pkg from '../../package.json' with { type: 'json' };
import { addAccounts } from './commands/accounts.ts';
import { addAlarms } from './commands/alarms.ts';
import { addAudit } from './commands/audit.ts';
import { addCalls } from './commands/calls.ts';
import { addConfig } from './commands/config.ts';
import { addContacts } from './commands/contacts.ts';
import { addDoctor } from './commands/doctor.ts';
import { addDrills } from './commands/drills.ts';
import { addIncidents } from './commands/incidents.ts';
import { addKeys } from './commands/keys.ts';
import { addLocations } from './commands/locations.ts';
import { addNotices } from './commands/notices.ts';
import { addPanicButtons } from './commands/panic-buttons.ts';
import { addPolicies } from './commands/policies.ts';
import { addReadiness } from './commands/readiness.ts';
import { addSetup } from './commands/setup.ts';
import { addTail } from './commands/tail.ts';
import { addTokens } from './commands/tokens.ts';
import { EXIT_MEANINGS } from './exit.ts';
import type { Io } from './io.ts';
import type { Act } from './session.ts';

/** The whole command line as commander knows it. It throws CommanderError instead of ending the process. */
export function buildProgram(act: Act, io: Io): Command {
  const program = new Command('tocsin')
    .description('Configures and watches Tocsin over its RPC port.')
    .version(pkg.version, '-V, --version', 'prints the version')
    .helpOption('-h, --help', 'prints help, for each command too')
    .option('--rpc-url <url>', 'RPC port of Tocsin (TOCSIN_RPC_URL, RPC_URL; http://localhost:8081)')
    .option(
      '--token <token>',
      'console token; better in TOCSIN_TOKEN or TOCSIN_TOKEN_FILE, where no process list shows it',
    )
    .option('--account <id>', "account that the operator's token means (TOCSIN_ACCOUNT)")
    .option('--json', "one JSON value on stdout and nothing else: the RPC's answer, lists as {items, nextPageToken}")
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: text => io.stdout.write(text),
      writeErr: text => io.stderr.write(text),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .showHelpAfterError('(add --help for what it takes)');
  program.commandsGroup('What is configured:');
  addAccounts(program, act);
  addTokens(program, act);
  addLocations(program, act);
  addAlarms(program, act);
  addPanicButtons(program, act);
  addContacts(program, act);
  addPolicies(program, act);
  addKeys(program, act);
  addConfig(program, act);
  addAudit(program, act);
  program.commandsGroup('Would it work:');
  addSetup(program, act);
  addReadiness(program, act);
  addDrills(program, act);
  addDoctor(program, act);
  program.commandsGroup('What happened:');
  addIncidents(program, act);
  addCalls(program, act);
  addNotices(program, act);
  addTail(program, act);
  return program.addHelpText('after', afterHelp());
}

function afterHelp(): string {
  return [
    '',
    'Things are named by their id or by their key. Durations are written 30s, 5m, 1h.',
    '',
    'Exit codes:',
    ...EXIT_MEANINGS.map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`),
    '',
    'First steps:',
    '  tocsin doctor                    is everything there and reachable?',
    '  tocsin setup                     asks for all that a first alarm needs, and tries it',
    '  tocsin alarms create --help',
  ].join('\n');
}
