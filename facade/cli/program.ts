import { Command } from 'commander';
import pkg from '../../package.json' with { type: 'json' };
import { EXIT_MEANINGS } from './exit.ts';
import type { Io } from './io.ts';
import type { Act } from './session.ts';

/** `whole`: the command line with all its commands, for commands about them. */
type AddGroup = (program: Command, act: Act, io: Io, whole: () => Promise<Command>) => void;

/** Commands that are created together, by name. Their files are loaded when needed, because a start has to be quick. */
interface Group {
  /** What each of them is for, by its name. */
  about: Readonly<Record<string, string>>;
  load: () => Promise<AddGroup>;
}

const GROUPS: readonly { heading: string; groups: readonly Group[] }[] = [
  {
    heading: 'What is configured:',
    groups: [
      {
        about: { accounts: 'who owns everything else' },
        load: async () => (await import('./commands/accounts.ts')).addAccounts,
      },
      {
        about: { tokens: 'console tokens: what this command line signs in with' },
        load: async () => (await import('./commands/tokens.ts')).addTokens,
      },
      {
        about: { members: 'people who look after the account, and what each of them may do' },
        load: async () => (await import('./commands/members.ts')).addMembers,
      },
      {
        about: {
          sessions: 'who is signed in to the console with your name or token',
          'sign-in-link': 'creates a link that signs in to the console once, as your token',
        },
        load: async () => (await import('./commands/sessions.ts')).addSessions,
      },
      {
        about: { locations: 'where alarms and panic buttons are' },
        load: async () => (await import('./commands/locations.ts')).addLocations,
      },
      {
        about: { alarms: 'sources that are armed, disarmed and triggered' },
        load: async () => (await import('./commands/alarms.ts')).addAlarms,
      },
      {
        about: { 'panic-buttons': 'sources that are always on: no modes, no arming, no window' },
        load: async () => (await import('./commands/panic-buttons.ts')).addPanicButtons,
      },
      {
        about: { contacts: 'people who can be alerted' },
        load: async () => (await import('./commands/contacts.ts')).addContacts,
      },
      {
        about: { duties: 'who is on duty when, with turns, holidays and covers' },
        load: async () => (await import('./commands/duties.ts')).addDuties,
      },
      {
        about: { policies: 'who is alerted, when and how' },
        load: async () => (await import('./commands/policies.ts')).addPolicies,
      },
      {
        about: { keys: 'API keys: what cameras and integrations call /v1 with' },
        load: async () => (await import('./commands/keys.ts')).addKeys,
      },
      {
        about: { carriers: 'what carries mail, texts, calls and push, for the whole deployment' },
        load: async () => (await import('./commands/carriers.ts')).addCarriers,
      },
      {
        about: { 'public-url': 'where links in messages lead, for the whole deployment' },
        load: async () => (await import('./commands/public-url.ts')).addPublicUrl,
      },
      {
        about: { backups: 'backups by schedule: where they go, how often, and how the latest one went' },
        load: async () => (await import('./commands/backups.ts')).addBackups,
      },
      {
        about: { config: 'the whole account as one YAML file' },
        load: async () => (await import('./commands/config.ts')).addConfig,
      },
      {
        about: { audit: 'who changed what is configured' },
        load: async () => (await import('./commands/audit.ts')).addAudit,
      },
    ],
  },
  {
    heading: 'Would it work:',
    groups: [
      {
        about: { setup: 'asks for everything a first alarm needs, creates it and tries it in test' },
        load: async () => (await import('./commands/setup.ts')).addSetup,
      },
      {
        about: { tonight: 'who would be told tonight, proven when, and which sender is silent' },
        load: async () => (await import('./commands/tonight.ts')).addTonight,
      },
      {
        about: {
          readiness: 'what stands between sources and the people they should alert',
          preview: 'who would be alerted by a trigger now, when and how; fires nothing',
        },
        load: async () => (await import('./commands/readiness.ts')).addReadiness,
      },
      {
        about: { recipes: 'how to have your devices call an alarm or a panic button' },
        load: async () => (await import('./commands/recipes.ts')).addRecipes,
      },
      {
        about: {
          drill: 'sends one test message to one contact now; exits with 1 unless it was sent',
          rehearse: 'fires a source that is in test: nobody is alerted, everything is reported',
        },
        load: async () => (await import('./commands/drills.ts')).addDrills,
      },
      {
        about: { doctor: 'checks the connection and the deployment; exits with 1 if a check fails' },
        load: async () => (await import('./commands/doctor.ts')).addDoctor,
      },
    ],
  },
  {
    heading: 'What happened:',
    groups: [
      {
        about: { incidents: 'what triggers opened' },
        load: async () => (await import('./commands/incidents.ts')).addIncidents,
      },
      {
        about: { calls: 'each call of /v1 and its outcome' },
        load: async () => (await import('./commands/calls.ts')).addCalls,
      },
      {
        about: { proofs: 'who was asked to answer in a month, over what, and how soon they did' },
        load: async () => (await import('./commands/proofs.ts')).addProofs,
      },
      {
        about: { notices: 'what the owners of the account were told, and over what' },
        load: async () => (await import('./commands/notices.ts')).addNotices,
      },
      {
        about: { tail: 'live events of incidents, until Ctrl-C; --json: one JSON value per line' },
        load: async () => (await import('./commands/tail.ts')).addTail,
      },
    ],
  },
  {
    heading: 'Where Tocsin runs, with its settings:',
    groups: [
      {
        about: {
          backup: 'writes the whole database into one encrypted file, while Tocsin runs',
          restore: 'fills an empty database or DATA_DIR with a backup, while Tocsin does not run',
        },
        load: async () => (await import('./commands/backup.ts')).addBackup,
      },
    ],
  },
  {
    heading: 'For the shell:',
    groups: [
      {
        about: { completion: 'prints a script that lets your shell complete commands and flags' },
        load: async () => (await import('./commands/completion.ts')).addCompletion,
      },
    ],
  },
];

/**
 * Creates the command line for commander. It throws CommanderError instead of ending the process. Details are loaded
 * only for the commands that `words` names; the others get just a line for --help.
 */
export async function buildProgram(act: Act, io: Io, words: readonly string[] | 'all'): Promise<Command> {
  const program = new Command('tocsin')
    .description('Configures and watches Tocsin over its RPC port.')
    .version(pkg.version, '-V, --version', 'prints the version')
    .helpOption('-h, --help', 'prints help, for each command too')
    .option('--rpc-url <url>', 'RPC port of Tocsin (TOCSIN_RPC_URL, RPC_URL; http://localhost:8081)')
    .option(
      '--token <token>',
      'console token; better in TOCSIN_TOKEN or TOCSIN_TOKEN_FILE, where no process list shows it',
    )
    .option('--account <id>', "account to act on with the operator's token (TOCSIN_ACCOUNT)")
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
  for (const { heading, groups } of GROUPS) {
    program.commandsGroup(heading);
    for (const { about, load } of groups) {
      const meant = words === 'all' || Object.keys(about).some(name => words.includes(name));
      if (meant) (await load())(program, act, io, () => buildProgram(act, io, 'all'));
      for (const [name, line] of Object.entries(about)) {
        const command = program.commands.find(one => one.name() === name) ?? program.command(name);
        command.description(line);
      }
    }
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
    '  tocsin doctor                    is everything running and reachable?',
    '  tocsin setup                     asks for everything a first alarm needs, and tries it',
    '  tocsin alarms create --help',
  ].join('\n');
}
