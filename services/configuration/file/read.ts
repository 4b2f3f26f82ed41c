import { isMap, isScalar, type Node, type YAMLMap } from 'yaml';
import { suggestion } from '../../process/suggest.ts';
import { say } from '../../rpc/reader.ts';
import { inOrder, namePart, type Problem } from './problem.ts';
import { FILE_SCHEMA, SECTIONS, type Section } from './schema.ts';
import { accountOf, type FileAccount, type FileThing, thingsOf } from './things.ts';
import { fieldsOf, type Gathered, isNothing, reportKind, reportWrong, type Secrets } from './values.ts';
import { readYaml } from './yaml.ts';

/** A file as far as it can be judged by itself. Plain data, so that it can come from another thread. */
export interface FileRead {
  account: FileAccount | null;
  things: FileThing[];
  /** In the order of the file, only as many as are reported. */
  problems: Problem[];
  missingSecrets: string[];
}

/** Reads a file: YAML, structure, and each thing by its resource's rules. Pure. */
export function readFile(text: string, secrets: Secrets): FileRead {
  const { contents, problems, placeOf } = readYaml(text);
  const on: Gathered = {
    secrets,
    placeOf,
    problems,
    missing: new Set(),
    broken: new Set(),
    hidden: new Map(),
    named: [],
  };
  const read = contents === null ? { account: null, things: [] } : readRoot(contents, on);
  return { ...read, problems: inOrder(on.problems), missingSecrets: [...on.missing] };
}

function readRoot(root: Node, on: Gathered): Pick<FileRead, 'account' | 'things'> {
  const known = Object.keys(FILE_SCHEMA.properties!);
  let account: FileAccount | null = null;
  let things: FileThing[] = [];
  if (!isMap<Node, Node>(root)) {
    reportKind(on, root, '', say().file.aMap(known));
    return { account, things };
  }
  checkVersion(root, on);
  for (const { name, at, value } of fieldsOf(root, '', on)) {
    if (!known.includes(name)) {
      reportWrong(on, at, namePart(name), say().file.unknownSection(known), suggestion(name, known));
    } else if (!isNothing(value)) {
      if (name === 'account') account = accountOf(value, on);
      if (Object.hasOwn(SECTIONS, name)) things = things.concat(thingsOf(name as Section, value, on));
    }
  }
  return { account, things };
}

function checkVersion(root: YAMLMap<Node, Node>, on: Gathered): void {
  const version = root.get('version', true) as Node | undefined;
  if (isScalar(version) && version.value === 1) return;
  const { accepts, file } = say();
  const got = !version || isNothing(version) ? accepts.nothing : file.somethingElse;
  reportWrong(on, version ?? root, 'version', accepts.mismatch('1', got, file.version));
}
