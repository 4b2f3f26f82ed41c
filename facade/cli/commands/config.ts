import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  type ApplyResult,
  ApplyResultSchema,
  type CheckResponse,
  CheckResponseSchema,
  ExportResponseSchema,
  type PlannedChange,
  type Problem,
} from '../../../gen/tocsin/console/v1/configuration_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { agree } from '../ask.ts';
import { type ConfigFile, readConfigFile, resolveSecrets } from '../config-file.ts';
import { CliFault, EXIT, usageFault } from '../exit.ts';
import { examples } from '../flags.ts';
import { createProgress } from '../progress.ts';
import { PATIENT } from '../rpc.ts';
import type { Act, Session } from '../session.ts';
import { count } from '../text.ts';

interface Options {
  prune?: boolean;
  yes?: true;
}

const FILE = 'a YAML file, or - for standard input';
const PRUNE = 'also deletes what the file does not name';
const SECRETS = [
  '',
  'Secrets that the file refers to, { env: NAME } and { file: path }, are read here, from the environment of this command and',
  'from beside the file, and handed over with it.',
].join('\n');

/** `tocsin config`: a whole account as one YAML file. */
export function addConfig(program: Command, act: Act): void {
  const config = program.command('config');

  const check = config
    .command('check')
    .description('shows what is wrong in a file; writes nothing; exits with 1 if there are problems');
  check.argument('<file>', FILE).option('--prune', PRUNE).addHelpText('after', SECRETS);
  examples(check, 'config check tocsin.yaml').action(
    act(async (session, { prune = false }: Options, path: string) => {
      const file = await readConfigFile(path, session.io);
      const { answer } = await checked(session, file, prune);
      return answerCheck(session, file, answer, () => [
        `${file.name} is in order. ${changeSummary(answer.changes, 'would be')}`,
      ]);
    }),
  );

  const diff = config.command('diff').description('shows what applying a file would change; writes nothing');
  diff.argument('<file>', FILE).option('--prune', PRUNE).addHelpText('after', SECRETS);
  examples(diff, 'config diff tocsin.yaml --prune').action(
    act(async (session, { prune = false }: Options, path: string) => {
      const file = await readConfigFile(path, session.io);
      const { answer } = await checked(session, file, prune);
      return answerCheck(session, file, answer, () => [
        ...changeLines(session, answer.changes),
        changeSummary(answer.changes, 'would be'),
      ]);
    }),
  );

  const apply = config.command('apply').description('makes the account match a file, completely or not at all');
  apply
    .argument('<file>', FILE)
    .option('--prune', `${PRUNE}; asks first`)
    .option('--yes', 'skips the confirmation; needed for deletions without a terminal')
    .addHelpText('after', SECRETS);
  examples(apply, 'config apply tocsin.yaml', 'config apply tocsin.yaml --prune --yes').action(
    act(async (session, { prune = false, yes }: Options, path: string) => {
      const file = await readConfigFile(path, session.io);
      const { answer, secrets } = await checked(session, file, prune);
      if (answer.problems.length > 0) return answerCheck(session, file, answer, () => []);
      const deleted = answer.changes.filter(({ action }) => action === 'delete');
      if (deleted.length > 0) {
        const names = deleted
          .slice(0, 10)
          .map(({ kind, key }) => `${kind.replace('_', ' ')} ${clean(key)}`)
          .join(', ');
        const more = deleted.length > 10 ? ' and more' : '';
        await agree(session, `Delete ${count(deleted.length, 'thing')} (${names}${more})?`, { yes, unasked: 'refuse' });
      }
      const result = await applied(session, { text: file.text, prune, secrets });
      session.answer(ApplyResultSchema, result, () => resultLines(session, file, result));
      return result.outcome === 'refused' ? EXIT.refused : EXIT.ok;
    }),
  );

  const exported = config
    .command('export')
    .description('prints the account as a file that apply takes; no secrets of keys');
  exported.option('--output <file>', 'writes it there instead; never overwrites a file');
  examples(exported, 'config export > tocsin.yaml').action(
    act(async (session, { output }: { output?: string }) => {
      const answer = await session.rpc.configuration.export({}, PATIENT);
      if (output !== undefined) await writeNew(output, answer.text);
      const lines = output === undefined ? answer.text.trimEnd().split('\n') : [`Wrote ${output}.`];
      session.answer(ExportResponseSchema, answer, () => lines);
    }),
  );

  const schema = config.command('schema').description('prints the JSON Schema of the file, for editors');
  examples(schema, 'config schema > tocsin.schema.json').action(
    act(async session => {
      const answer = await session.rpc.configuration.getSchema({});
      session.value(JSON.parse(answer.schema), () => [answer.schema.trimEnd()]);
    }),
  );
}

/** Checks a file, with the secrets that the services ask for. */
async function checked(session: Session, file: ConfigFile, prune: boolean) {
  const { configuration } = session.rpc;
  const first = await configuration.check({ text: file.text, prune }, PATIENT);
  if (first.missingSecrets.length === 0) return { answer: first, secrets: {} };
  const secrets = await resolveSecrets(first.missingSecrets, file, session.io);
  return { answer: await configuration.check({ text: file.text, prune, secrets }, PATIENT), secrets };
}

function answerCheck(session: Session, file: ConfigFile, answer: CheckResponse, lines: () => readonly string[]) {
  const { problems } = answer;
  session.answer(CheckResponseSchema, answer, () =>
    problems.length > 0 ? problemLines(file.name, problems) : lines(),
  );
  return problems.length > 0 ? EXIT.refused : EXIT.ok;
}

/**
 * Applies a file and returns the result. Throws what Connect throws; a stream that ends early is a fault of its own.
 */
async function applied(
  { rpc, io }: Session,
  request: { text: string; prune: boolean; secrets: Record<string, string> },
): Promise<ApplyResult> {
  const progress = createProgress(io);
  try {
    for await (const { event } of rpc.configuration.apply(request)) {
      if (event.case === 'result') return event.value;
      if (event.case === 'progress') progress.show(event.value);
    }
  } finally {
    progress.end();
  }
  const todo = 'tocsin config diff shows whether it was applied.';
  throw new CliFault(EXIT.unreachable, `The services ended the call without a result: ${todo}`);
}

function resultLines(
  session: Session,
  file: ConfigFile,
  { outcome, problems, changes, total, newSecrets }: ApplyResult,
) {
  if (outcome === 'refused') return [...problemLines(file.name, problems), 'Refused: nothing was changed.'];
  if (outcome === 'unchanged') return ['No changes.'];
  const rest = total - changes.length;
  return [
    ...changeLines(session, changes),
    ...(rest > 0 ? [`and ${count(rest, 'more', 'more')}`] : []),
    session.paint('green', changeSummary(changes, 'were')),
    ...newSecrets.flatMap(({ key, label, secret }) => [
      '',
      `API key ${clean(label)} (${clean(key)}), shown only now:`,
      secret,
    ]),
  ];
}

async function writeNew(path: string, text: string): Promise<void> {
  // It contains people's addresses, so only the owner of the file may read it.
  await writeFile(path, text, { flag: 'wx', mode: 0o600 }).catch((fault: NodeJS.ErrnoException) => {
    throw usageFault(`--output takes a path where no file is yet, got ${path} (${fault.code}).`);
  });
}

/** Formats problems of a file like compilers do: `file:line:column: sentence`. */
function problemLines(name: string, problems: readonly Problem[]): string[] {
  return problems.map(({ line, column, field, problem, didYouMean }) => {
    const place = line === 0 ? name : `${name}:${line}:${column}`;
    const meant = didYouMean === '' ? '' : ` Did you mean ${clean(didYouMean)}?`;
    return `${place}: ${field === '' ? '' : `${clean(field)} `}${clean(problem)}${meant}`;
  });
}

const SIGNS: Readonly<Record<string, readonly [string, 'green' | 'yellow' | 'red']>> = {
  create: ['+', 'green'],
  update: ['~', 'yellow'],
  delete: ['-', 'red'],
};

/** Formats changes, one per line, with the differing fields below. */
function changeLines(session: Session, changes: readonly PlannedChange[]): string[] {
  return changes.flatMap(({ action, kind, key, name, fields }) => {
    const [sign, colour] = SIGNS[action] ?? ['?', 'yellow'];
    return [
      session.paint(colour, `${sign} ${action} ${kind.replace('_', ' ')} ${clean(key)} (${clean(name)})`),
      ...fields.map(({ field, before, after }) => `    ${clean(field)}: ${clean(before)} → ${clean(after)}`),
    ];
  });
}

/** Formats `2 created, 1 updated`; `tense` says whether it happened. */
function changeSummary(changes: readonly PlannedChange[], tense: 'would be' | 'were'): string {
  const parts = (['create', 'update', 'delete'] as const).flatMap(action => {
    const number = changes.filter(change => change.action === action).length;
    return number === 0 ? [] : [`${number} ${action}d`];
  });
  if (parts.length === 0) return 'No changes: the account matches the file.';
  return `${count(changes.length, 'thing')} ${changes.length === 1 ? tense.replace('were', 'was') : tense} changed: ${parts.join(', ')}.`;
}
