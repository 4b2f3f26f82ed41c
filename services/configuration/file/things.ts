import { isCollection, isNode, isScalar, isSeq, type Node } from 'yaml';
import type { z } from 'zod';
import { suggestion } from '../../process/suggest.ts';
import { shown } from '../../process/text.ts';
import { say } from '../../rpc/reader.ts';
import { isSecret } from '../../store/secret.ts';
import { type AccountDoc, settingsInFile } from '../account-view.ts';
import { issuesOf, pathOf } from '../errors.ts';
import type { Document, ResourceKind } from '../resource.ts';
import { resourceOf } from '../resources.ts';
import { type FilePlace, isWithin, MOST_PROBLEMS, type Problem, problemAt } from './problem.ts';
import { FILE_SCHEMA, fileName, SECTIONS, type Section, shapeOf } from './schema.ts';
import { type Gathered, type Named, placeOf, reportKind, reportWrong, valueFrom } from './values.ts';

/** A thing as written in the file, by itself: references are not looked up yet. */
export interface FileThing extends FilePlace {
  kind: ResourceKind;
  /** Its place in the file: `alarms[3]`. */
  field: string;
  /** Empty if it has no valid one. */
  key: string;
  /** With all defaults, other things by key. Null if something is wrong in it. */
  doc: Document | null;
  /** Exceeded limits: wrong only if the file creates or changes the thing, which the file alone does not tell. */
  excess: Problem[];
  named: Named[];
  /** Of an API key: the secret its owner chose. */
  secret: ChosenSecret | null;
  /** Fields of the document whose value is a secret, such as `channels[0].address`, with the reference. */
  hidden: Record<string, string>;
}

export interface ChosenSecret extends FilePlace {
  reference: string;
  secret: string;
}

/** Reads the things of one section, each by its resource's own rules. */
export function thingsOf(section: Section, list: Node, on: Gathered): FileThing[] {
  if (!isSeq<Node>(list)) {
    reportKind(on, list, section, say().file.kinds.list);
    return [];
  }
  const lines = new Map<string, number>();
  const things: FileThing[] = [];
  for (const [at, item] of list.items.entries()) {
    // Further problems would not be reported, and a file of nothing but mistakes would fill the memory.
    if (on.problems.length > MOST_PROBLEMS) break;
    const thing = thingOf(section, item, `${section}[${at}]`, on);
    things.push(thing);
    if (thing.key === '') continue;
    const first = lines.get(thing.key);
    if (first === undefined) lines.set(thing.key, thing.line);
    else on.problems.push(problemAt(thing, `${thing.field}.key`, say().file.keyOnce(shown(thing.key), first)));
  }
  return things;
}

function thingOf(section: Section, node: Node, field: string, gathered: Gathered): FileThing {
  const on: Gathered = { ...gathered, broken: new Set(), hidden: new Map(), named: [] };
  const kind = SECTIONS[section];
  const given = (valueFrom(node, shapeOf(section), field, on) ?? null) as Record<string, unknown> | null;
  const { secret, ...value } = given ?? {};
  const key = value.key;
  const doc = given === null ? null : judgeBy(resourceOf(kind).schema, value, node, field, on);
  if (given === null && on.broken.size === 0)
    reportWrong(on, node, field, say().accepts.mismatch(say().file.kinds.map, say().accepts.nothing));
  return {
    ...placeOf(nearest(node, ['key']), on),
    kind,
    field,
    key: typeof key === 'string' ? key : '',
    doc,
    excess: doc === null ? [] : excessOf(kind, doc, node, field, on),
    named: on.named,
    secret: typeof secret === 'string' ? chosenSecret(secret, node, field, on) : null,
    hidden: hiddenIn(field, on),
  };
}

/** What a file says about its account. */
export interface FileAccount {
  /** Settings that are missing stay as they are. */
  settings: Partial<AccountDoc>;
  /** Like FileThing.hidden. */
  hidden: Record<string, string>;
}

/** Reads the settings of the account (DECISIONS.md "The account in a file"). Null if something is wrong in them. */
export function accountOf(node: Node, gathered: Gathered): FileAccount | null {
  const on: Gathered = { ...gathered, broken: new Set(), hidden: new Map() };
  const given = valueFrom(node, FILE_SCHEMA.properties!.account!, 'account', on);
  const settings = given === undefined ? null : judgeBy(settingsInFile, given, node, 'account', on);
  return settings && { settings: settings as Partial<AccountDoc>, hidden: hiddenIn('account', on) };
}

/** By their paths within the field. */
function hiddenIn(field: string, { hidden }: Gathered): Record<string, string> {
  return Object.fromEntries([...hidden].map(([path, reference]) => [path.slice(field.length + 1), reference]));
}

/** Returns null if something is wrong, which was reported then. */
function judgeBy<T>(schema: z.ZodType<T>, value: unknown, node: Node, field: string, on: Gathered): T | null {
  const result = schema.safeParse(value);
  if (result.success) return on.broken.size === 0 ? result.data : null;
  for (const issue of issuesOf(result.error)) tell(issue, node, field, on);
  return null;
}

function excessOf(kind: ResourceKind, doc: Document, node: Node, field: string, on: Gathered): Problem[] {
  const faults = resourceOf(kind).excess?.(doc) ?? [];
  return faults.map(fault =>
    problemAt(placeOf(nearest(node, [fault.field]), on), `${field}.${fault.field}`, fault.problem),
  );
}

function tell(issue: z.core.$ZodIssue, node: Node, field: string, on: Gathered): void {
  const names = issue.path.map(part => (typeof part === 'string' ? fileName(part) : part));
  const path = pathOf([field, ...names]);
  if ([...on.broken].some(known => isWithin(path, known))) return;
  const reference = on.hidden.get(path);
  // What a reference names is a secret, even if it is an invalid one.
  const problem =
    reference === undefined ? issue.message : say().accepts.gotInstead(issue.message, say().file.elseFrom(reference));
  const found = at(node, names);
  const didYouMean =
    issue.code === 'invalid_value' && isScalar(found) ? suggestion(found.source!, issue.values.map(String)) : '';
  reportWrong(on, found ?? nearest(node, names), path, problem, didYouMean);
}

/** Returns the node at a path; undefined if there is none. */
function at(node: Node, path: readonly PropertyKey[]): Node | undefined {
  const found = path.length === 0 ? node : isCollection(node) ? node.getIn(path, true) : undefined;
  return isNode(found) ? found : undefined;
}

/** Returns the node at a path, or the nearest one around it if it is missing. */
function nearest(node: Node, path: readonly PropertyKey[]): Node {
  return at(node, path) ?? nearest(node, path.slice(0, -1));
}

/** Only a secret of the right format is ever accepted (DECISIONS.md "401"). */
function chosenSecret(secret: string, node: Node, field: string, on: Gathered): ChosenSecret | null {
  const place = nearest(node, ['secret']);
  const reference = on.hidden.get(`${field}.secret`)!;
  if (isSecret('toc', secret)) return { ...placeOf(place, on), reference, secret };
  const { accepts, file } = say();
  reportWrong(on, place, `${field}.secret`, accepts.mismatch(file.apiKeySecret, file.elseFrom(reference)));
  return null;
}
