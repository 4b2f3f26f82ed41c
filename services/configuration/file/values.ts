import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, Scalar, type YAMLMap } from 'yaml';
import { suggestion } from '../../process/suggest.ts';
import { shown } from '../../process/text.ts';
import { say } from '../../rpc/reader.ts';
import type { ReferredKind } from '../resource.ts';
import { type FilePlace, MOST_PROBLEMS, namePart, type Problem, problemAt, withoutSecrets } from './problem.ts';
import { formOf, isReference, type JsonSchema, LISTED_REFERENCES, REFERENCES, SECRET_SOURCES } from './schema.ts';

/** The secrets of a file by their references, such as `env:CAMERA_KEY`. */
export type Secrets = Readonly<Record<string, string>>;

/** A key with which the file refers to another thing. */
export interface Named extends FilePlace {
  kind: ReferredKind;
  field: string;
  key: string;
}

/** What is collected while values are read. */
export interface Gathered {
  secrets: Secrets;
  placeOf(at: number): FilePlace;
  problems: Problem[];
  /** References to secrets that were not provided. */
  missing: Set<string>;
  /** Fields with a problem already reported. */
  broken: Set<string>;
  /** Fields whose value is a secret, with the reference. */
  hidden: Map<string, string>;
  named: Named[];
}

/** The document's names of the file's fields. */
const DOCUMENT_NAMES = new Map<string, string>(Object.entries(REFERENCES).map(([document, file]) => [file, document]));

/**
 * Returns the value of a node, under the names of the documents, as far as it matches the schema: known fields, lists
 * where lists belong, secrets only by reference. The resources judge the values themselves. Undefined: nothing usable.
 */
export function valueFrom(node: Node, schema: JsonSchema, field: string, on: Gathered): unknown {
  if (isReference(schema) || (isMap(node) && schema.anyOf?.some(isReference))) return secretOf(node, field, on);
  if (isNothing(node)) return undefined;
  if (isMap(node)) schema = formOf(schema, 'object');
  if (isSeq(node)) schema = formOf(schema, 'array');
  if (schema.type === 'object') return mapOf(node, schema, field, on);
  if (schema.type === 'array') return listOf(node, schema, field, on);
  if (isScalar(node)) return scalarOf(node, schema);
  return reportKind(on, node, field, wordOf(schema));
}

/** Reports a problem with a field, and answers for what it stands for: nothing. `at` is the place, or the node there. */
export function reportWrong(
  on: Gathered,
  at: Node | number,
  field: string,
  problem: string,
  didYouMean = '',
): undefined {
  on.broken.add(field);
  on.problems.push(problemAt(placeOf(at, on), field, withoutSecrets(problem), didYouMean));
}

/** Reports that a field is of another kind than what is accepted. */
export function reportKind(on: Gathered, node: Node, field: string, accepted: string): undefined {
  const { map, list, single } = say().file.kinds;
  const kind = isMap(node) ? map : isSeq(node) ? list : single;
  return reportWrong(on, node, field, say().accepts.mismatch(accepted, kind));
}

export function placeOf(at: Node | number, on: Gathered): FilePlace {
  return on.placeOf(typeof at === 'number' ? at : at.range![0]);
}

/** An empty value counts as left out; an alias that could not be resolved has none. */
export function isNothing(node: Node): boolean {
  return isAlias(node) || (isScalar(node) && node.value === null);
}

/** Iterates over the fields of a map, each once, and reports what is none. Stops once no more problems are reported. */
export function* fieldsOf(map: YAMLMap, field: string, on: Gathered) {
  const seen = new Set<string>();
  for (const { key, value } of map.items as Pair<Node | null, Node | null>[]) {
    if (on.problems.length > MOST_PROBLEMS) return;
    const at = (key ?? map).range![0];
    if (!isScalar(key) || key.value === null || key.source === undefined) {
      reportWrong(on, at, field, say().file.nameBeforeColon);
    } else if (key.source === '<<') {
      reportWrong(on, at, field, say().file.noMergeKeys);
    } else if (seen.has(key.source)) {
      reportWrong(on, at, pathTo(field, key.source), say().file.fieldOnce);
    } else {
      seen.add(key.source);
      yield { name: key.source, at, value: value ?? emptyAt(at) };
    }
  }
}

function emptyAt(at: number): Node {
  return Object.assign(new Scalar(null), { range: [at, at, at] as [number, number, number] });
}

function pathTo(field: string, name: string): string {
  return field === '' ? namePart(name) : `${field}.${namePart(name)}`;
}

function mapOf(node: Node, schema: JsonSchema, field: string, on: Gathered): Record<string, unknown> | undefined {
  const known = schema.properties ?? {};
  const names = Object.keys(known);
  if (!isMap(node)) return reportKind(on, node, field, say().file.aMap(names));
  const map: Record<string, unknown> = {};
  for (const { name, at, value } of fieldsOf(node, field, on)) {
    const path = pathTo(field, name);
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) {
      reportWrong(on, at, path, say().file.unknownField(names, shown(name)), suggestion(name, names));
      continue;
    }
    const one = valueFrom(value, rule, path, on);
    if (one === undefined) continue;
    const referred = DOCUMENT_NAMES.get(name);
    map[referred ?? name] = one;
    if (referred !== undefined && typeof one === 'string' && one !== '') {
      on.named.push({ ...placeOf(value, on), kind: name as ReferredKind, field: path, key: one });
    }
    if (Object.hasOwn(LISTED_REFERENCES, name) && isSeq<Node>(value) && Array.isArray(one)) {
      on.named.push(...namedIn(value.items, one, LISTED_REFERENCES[name]!, path, on));
    }
  }
  return map;
}

function namedIn(items: Node[], keys: unknown[], kind: ReferredKind, path: string, on: Gathered): Named[] {
  return keys.flatMap((key, at) =>
    typeof key === 'string' ? [{ ...placeOf(items[at]!, on), kind, field: `${path}[${at}]`, key }] : [],
  );
}

function listOf(node: Node, schema: JsonSchema, field: string, on: Gathered): unknown[] | undefined {
  if (!isSeq<Node>(node)) return reportKind(on, node, field, say().file.kinds.list);
  return node.items.map((item, at) => valueFrom(item, schema.items ?? {}, `${field}[${at}]`, on));
}

/** Unquoted digits remain text where text belongs: phone numbers, names such as 112. */
function scalarOf({ value, source }: Scalar, schema: JsonSchema): unknown {
  const texts = schema.type === 'string' || schema.anyOf?.some(({ type }) => type === 'string');
  return texts && typeof value === 'number' ? source : value;
}

function wordOf(schema: JsonSchema): string {
  const { accepts, file } = say();
  if (schema.enum) return accepts.oneOf(schema.enum);
  if (schema.type === 'boolean') return accepts.trueOrFalse;
  return schema.type === 'integer' ? file.aWholeNumber : file.aText;
}

/**
 * Returns the secret that a reference names. A value written instead of a reference is not repeated: it may be the
 * secret.
 */
function secretOf(node: Node, field: string, on: Gathered): string | undefined {
  if (isNothing(node)) return undefined;
  const { accepts, file } = say();
  if (!isMap(node)) return reportWrong(on, node, field, file.neverTheSecret);
  const [entry] = fieldsOf(node, field, on);
  if (entry === undefined || node.items.length > 1) {
    return reportWrong(on, node, field, accepts.mismatch(file.aReference, file.fields(node.items.length)));
  }
  const { name: source, at, value } = entry;
  if (source !== 'env' && source !== 'file') {
    const other = suggestion(source, Object.keys(SECRET_SOURCES));
    return reportWrong(on, at, field, accepts.mismatch(file.aReference, shown(source)), other);
  }
  const name = isScalar(value) && !isNothing(value) ? value.source! : '';
  if (!new RegExp(SECRET_SOURCES[source].pattern).test(name)) {
    return reportWrong(on, value, `${field}.${source}`, accepts.mismatch(file.sources[source], file.somethingElse));
  }
  const reference = `${source}:${name}`;
  if (!Object.hasOwn(on.secrets, reference)) {
    on.missing.add(reference);
    return reportWrong(on, node, field, accepts.mismatch(file.secretNamed(reference), accepts.nothing));
  }
  on.hidden.set(field, reference);
  return on.secrets[reference];
}
