import { suggestion } from '../../process/suggest.ts';
import { inOrder, namePart, type Problem } from './problem.ts';
import { FILE_SCHEMA, SECTIONS, type Section } from './schema.ts';
import { readYaml } from './text.ts';
import { accountOf, type FileAccount, type FileThing, thingsOf } from './things.ts';
import type { MapTree, Tree } from './tree.ts';
import { type Gathered, isNothing, type Secrets, wrong } from './values.ts';

/** A file as far as it can be judged alone. Plain data, so that it can come from another thread. */
export interface FileRead {
  account: FileAccount | null;
  things: FileThing[];
  /** In the order of the file, no more than are told. */
  problems: Problem[];
  missingSecrets: string[];
}

/** Reads a file: YAML, shape, and each thing by its noun's rules. Pure. */
export function readFile(text: string, secrets: Secrets): FileRead {
  const { tree, problems, placeOf } = readYaml(text);
  const on: Gathered = {
    secrets,
    placeOf,
    problems,
    missing: new Set(),
    broken: new Set(),
    hidden: new Map(),
    named: [],
  };
  const { account, things } = tree === null ? { account: null, things: [] } : readTree(tree, on);
  return { account, things, problems: inOrder(on.problems), missingSecrets: [...on.missing] };
}

function readTree(tree: Tree, on: Gathered): Pick<FileRead, 'account' | 'things'> {
  const known = Object.keys(FILE_SCHEMA.properties!);
  if (tree.kind !== 'map') {
    wrong(
      on,
      tree.at,
      '',
      `takes a map with ${known.join(', ')}, got a ${tree.kind === 'list' ? 'list' : 'single value'}.`,
    );
    return { account: null, things: [] };
  }
  checkVersion(tree, on);
  let things: FileThing[] = [];
  for (const [name, { at, value }] of tree.entries) {
    if (!known.includes(name)) {
      const problem = `is not a known field: takes ${known.join(', ')}.`;
      wrong(on, at, namePart(name), problem, suggestion(name, known));
    }
    if (!Object.hasOwn(SECTIONS, name) || isNothing(value)) continue;
    if (value.kind === 'list') things = things.concat(thingsOf(name as Section, value, on));
    else wrong(on, value.at, name, `takes a list, got a ${value.kind === 'map' ? 'map' : 'single value'}.`);
  }
  const account = tree.entries.get('account')?.value;
  return { account: account === undefined || isNothing(account) ? null : accountOf(account, on), things };
}

function checkVersion(tree: MapTree, on: Gathered): void {
  const version = tree.entries.get('version')?.value;
  if (version?.kind === 'scalar' && version.value === 1) return;
  const got = version === undefined || isNothing(version) ? 'nothing' : 'something else';
  wrong(on, version?.at ?? tree.at, 'version', `takes 1, got ${got}: the version of this format.`);
}
