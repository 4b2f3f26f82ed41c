import type { JsonValue, Message } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import type { Command } from 'commander';
import { type Finding, FindingSchema } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { clean } from '../../services/process/text.ts';
import { agree } from './ask.ts';
import { changed, type Given, onVersionRead, type Thing } from './change.ts';
import { remainingLines } from './findings.ts';
import { examples, howNamed } from './flags.ts';
import type { Io } from './io.ts';
import { namesOf, type Reference } from './names.ts';
import { collect, type Page, type PageOptions, pageFlags } from './pages.ts';
import type { Rpc } from './rpc.ts';
import { type Act, messageJson, type Session } from './session.ts';
import type { Columns } from './table.ts';

/** The answer to a create or an update. */
export interface Stored<T> {
  thing: T;
  findings: Finding[];
}

/** A resource of the command line: something configured, with its own calls, flags and words. */
export interface Resource<T extends Thing & Message, Options, Fields extends object> {
  /** `panic button`. */
  one: string;
  /** `panic-buttons`. */
  command: string;
  /** Its name in the answers of the RPCs: `panicButton`. */
  member: string;
  schema: GenMessage<T>;
  /** A key for examples. */
  example: string;
  createExample: string;
  updateExample: string;
  /** How to create the first one, after "There are no … yet.". */
  first: string;
  columns: Columns<T>;
  /** Formats the thing for people. `name` returns the names of things it refers to, by their ids. */
  lines(thing: T, name: (id: string) => string): readonly string[];
  /** What `show` tells besides: more fields, and lines below. */
  more?(session: Session, thing: T): Promise<{ json: Record<string, JsonValue>; lines: readonly string[] }>;
  /** What remains to be done with it, shown below a created or changed thing. */
  left?(thing: T): readonly string[];
  /** What it refers to: ids, and how to look them up. */
  refersTo?(thing: T): Reference[];
  flags(command: Command, use: 'create' | 'update'): Command;
  /** Returns the fields of a new one. `notes`: what this command proposed by itself. */
  created(options: Options, io: Io): { fields: Fields; notes: readonly string[] };
  /** Returns the fields that change, the others undefined. */
  changed(options: Options, read: T): { [Name in keyof Fields]: Fields[Name] | undefined };
  get(rpc: Rpc, reference: string): Promise<T>;
  list(rpc: Rpc, page: { pageSize: number; pageToken: string }, options: Options): Promise<Page<T>>;
  listFlags?(command: Command): Command;
  create(rpc: Rpc, fields: Fields): Promise<Stored<T>>;
  update(
    rpc: Rpc,
    thing: Given<Fields> & { id: string; version: number },
    paths: string[],
    options: Options,
  ): Promise<Stored<T>>;
  remove(rpc: Rpc, id: string, version: number): Promise<unknown>;
}

/**
 * Adds `tocsin <resource>` with create, show, list, update and delete, and returns the group for further commands. An
 * update reads first and is based on that version.
 */
export function addResource<T extends Thing & Message & { name: string }, Options, Fields extends object>(
  program: Command,
  act: Act,
  resource: Resource<T, Options, Fields>,
): Command {
  const { one, command, member, example } = resource;
  const group = program.command(command);
  const argument = `<${one.replace(' ', '-')}>`;
  const describe = howNamed(`the ${one}`, example);
  const show = async (session: Session, { thing, findings }: Stored<T>, before: readonly string[]) => {
    const json = { [member]: messageJson(resource.schema, thing), findings: findings.map(findingJson) };
    const name = await namesOf(session, resource.refersTo?.(thing) ?? []);
    const left = [...(resource.left?.(thing) ?? []), ...remainingLines(session, findings)];
    session.value(json, () => [...before, ...resource.lines(thing, name), ...left]);
  };

  const create = resource.flags(group.command('create').description(`creates a new ${one}`), 'create');
  examples(create, `${command} create ${resource.createExample}`).action(
    act(async (session, options: Options) => {
      const { fields, notes } = resource.created(options, session.io);
      const stored = await resource.create(session.rpc, fields);
      await show(session, stored, [
        session.paint('green', `Created the ${one} ${clean(stored.thing.name)}.`),
        ...notes,
      ]);
    }),
  );

  examples(
    group.command('show').description(`shows the ${one}`).argument(argument, describe),
    `${command} show ${example}`,
  ).action(
    act(async (session, _options: object, reference: string) => {
      const thing = await resource.get(session.rpc, reference);
      const name = await namesOf(session, resource.refersTo?.(thing) ?? []);
      const more = await resource.more?.(session, thing);
      session.value({ [member]: messageJson(resource.schema, thing), ...more?.json }, () => [
        ...resource.lines(thing, name),
        ...(more?.lines ?? []),
      ]);
    }),
  );

  const list = pageFlags(group.command('list').description(`lists all, oldest first`));
  examples(resource.listFlags?.(list) ?? list, `${command} list`, `${command} list --json`).action(
    act(async (session, options: Options & PageOptions) => {
      const page = await collect(options, (pageSize, pageToken) =>
        resource.list(session.rpc, { pageSize, pageToken }, options),
      );
      session.list(
        resource.schema,
        page,
        resource.columns,
        `There are no ${command.replace('-', ' ')} yet. Create one: tocsin ${resource.first}`,
      );
    }),
  );

  const update = group
    .command('update')
    .description('changes what is given and nothing else')
    .argument(argument, describe);
  examples(resource.flags(update, 'update'), `${command} update ${resource.updateExample}`).action(
    act(async (session, options: Options, reference: string) => {
      const read = await resource.get(session.rpc, reference);
      const { values, paths } = changed(
        resource.changed(options, read),
        `the flags of "tocsin ${command} update --help"`,
      );
      const wanted = { ...(values as Given<Fields>), id: read.id, version: read.version };
      const stored = await onVersionRead(session, { what: one, thing: read }, () =>
        resource.update(session.rpc, wanted, paths, options),
      );
      const outcome =
        stored.thing.version === read.version ? 'No changes.' : `Changed the ${one} ${clean(stored.thing.name)}.`;
      await show(session, stored, [session.paint('green', outcome)]);
    }),
  );

  const remove = group.command('delete').description(`deletes the ${one}`).argument(argument, describe);
  examples(remove.option('--yes', 'skips the confirmation'), `${command} delete ${example}`).action(
    act(async (session, { yes }: { yes?: true }, reference: string) => {
      const thing = await resource.get(session.rpc, reference);
      const { id, key, name, version } = thing;
      await agree(session, `Delete the ${one} ${clean(name)} (${key})?`, { yes, unasked: 'go on' });
      await onVersionRead(session, { what: one, thing }, () => resource.remove(session.rpc, id, version));
      session.value({}, () => [session.paint('green', `Deleted the ${one} ${clean(name)}.`)]);
    }),
  );
  return group;
}

function findingJson(finding: Finding): JsonValue {
  return messageJson(FindingSchema, finding);
}
