import { Command } from 'commander';
import pkg from '../../package.json' with { type: 'json' };
import { EXIT_MEANINGS } from './exit.ts';
import type { Io } from './io.ts';
import type { Act } from './session.ts';

/** `whole`: the command line with all of its commands, for what speaks about them. */
type AddGroup = (program: Command, act: Act, io: Io, whole: () => Promise<Command>) => void;

/** Commands that are made together, by their names. Their files are read when they are needed: a start has to be quick. */
interface Group {
  names: readonly string[];
  load: () => Promise<AddGroup>;
}

const GROUPS: readonly { heading: string; groups: readonly Group[] }[] = [
  {
    heading: 'What is configured:',
    groups: [
      { names: ['accounts'], load: async () => (await import('./commands/accounts.ts')).addAccounts },
      { names: ['tokens'], load: async () => (await import('./commands/tokens.ts')).addTokens },
      { names: ['locations'], load: async () => (await import('./commands/locations.ts')).addLocations },
      { names: ['alarms'], load: async () => (await import('./commands/alarms.ts')).addAlarms },
      { names: ['panic-buttons'], load: async () => (await import('./commands/panic-buttons.ts')).addPanicButtons },
      { names: ['contacts'], load: async () => (await import('./commands/contacts.ts')).addContacts },
      { names: ['policies'], load: async () => (await import('./commands/policies.ts')).addPolicies },
      { names: ['keys'], load: async () => (await import('./commands/keys.ts')).addKeys },
      { names: ['config'], load: async () => (await import('./commands/config.ts')).addConfig },
      { names: ['audit'], load: async () => (await import('./commands/audit.ts')).addAudit },
    ],
  },
  {
    heading: 'Would it work:',
    groups: [
      { names: ['setup'], load: async () => (await import('./commands/setup.ts')).addSetup },
      { names: ['readiness', 'preview'], load: async () => (await import('./commands/readiness.ts')).addReadiness },
      { names: ['drill', 'rehearse'], load: async () => (await import('./commands/drills.ts')).addDrills },
      { names: ['doctor'], load: async () => (await import('./commands/doctor.ts')).addDoctor },
    ],
  },
  {
    heading: 'What happened:',
    groups: [
      { names: ['incidents'], load: async () => (await import('./commands/incidents.ts')).addIncidents },
      { names: ['calls'], load: async () => (await import('./commands/calls.ts')).addCalls },
      { names: ['notices'], load: async () => (await import('./commands/notices.ts')).addNotices },
      { names: ['tail'], load: async () => (await import('./commands/tail.ts')).addTail },
    ],
  },
  {
    heading: 'For the shell:',
    groups: [{ names: ['completion'], load: async () => (await import('./commands/completion.ts')).addCompletion }],
  },
];

/** The flags before a command that are followed by a value. */
const WITH_VALUE = ['--rpc-url', '--token', '--account'];

/**
 * The command line as commander knows it. It throws CommanderError instead of ending the process. With the first command of
 * `argv` alone where that is one of ours, with none for --version; else, as for help, with all of them.
 */
export async function buildProgram(act: Act, io: Io, argv: readonly string[]): Promise<Command> {
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
  const first = argv.find((word, at) => !word.startsWith('-') && !WITH_VALUE.includes(argv[at - 1] ?? ''));
  const isMeant = ({ names }: Group) => first !== undefined && names.includes(first);
  const asksVersion = first === undefined && argv.some(word => word === '-V' || word === '--version');
  const few = asksVersion || GROUPS.some(({ groups }) => groups.some(isMeant));
  for (const { heading, groups } of GROUPS) {
    const loading = groups.filter(group => !few || isMeant(group)).map(({ load }) => load());
    program.commandsGroup(heading);
    for (const add of await Promise.all(loading)) add(program, act, io, () => buildProgram(act, io, []));
  }
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
