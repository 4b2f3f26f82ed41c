import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, Scalar, type YAMLMap } from 'yaml';
import { suggestion } from '../../process/suggest.ts';
import { shown } from '../../process/text.ts';
import type { ReferredKind } from '../resource.ts';
import { MOST_PROBLEMS, namePart, type Place, type Problem, withoutSecrets } from './problem.ts';
import { FILE_SCHEMA, type JsonSchema, REFERENCES, SECRET_SOURCES, secretRule } from './schema.ts';

/** The secrets of a file by what stands in the reference, such as `env:CAMERA_KEY`. */
export type Secrets = Readonly<Record<string, string>>;

/** A key by which the file names another thing. */
export interface Named extends Place {
  kind: ReferredKind;
  field: string;
  key: string;
}

/** What is gathered while values are read. */
export interface Gathered {
  secrets: Secrets;
  placeOf(at: number): Place;
  problems: Problem[];
  /** References to secrets that were not handed in. */
  missing: Set<string>;
  /** Fields about which something was said already. */
  broken: Set<string>;
  /** Fields whose value is a secret, with the reference. */
  hidden: Map<string, string>;
  named: Named[];
}

/** The document's name of a field of the file. */
const DOCUMENT_NAMES = new Map<string, string>(Object.entries(REFERENCES).map(([document, file]) => [file, document]));

/**
 * The value of a node, by the names of the documents, as far as it has the shape that the schema says: known fields, lists
 * where lists belong, secrets only by reference. What is in the values is for the resources to judge. Undefined: nothing usable.
 */
export function valueFrom(node: Node, schema: JsonSchema, field: string, on: Gathered): unknown {
  const rule = secretRule(schema);
  if (rule === 'required' || (rule === 'allowed' && isMap(node))) return secretOf(node, field, on);
  if (isNothing(node)) return undefined;
  if (schema.type === 'object') return mapOf(node, schema, field, on);
  if (schema.type === 'array') return listOf(node, schema, field, on);
  if (isScalar(node)) return scalarOf(node, schema);
  wrong(on, node, field, `takes ${wordOf(schema)}, got ${kindOf(node)}.`);
  return undefined;
}

/** Says that something is wrong with a field. `at` is where, or what stands there. */
export function wrong(on: Gathered, at: Node | number, field: string, problem: string, didYouMean = ''): void {
  on.broken.add(field);
  on.problems.push({ ...placeOf(at, on), field, problem: withoutSecrets(problem), didYouMean });
}

export function placeOf(at: Node | number, on: Gathered): Place {
  return on.placeOf(typeof at === 'number' ? at : at.range![0]);
}

/** An empty value is one that was left out; an alias that is still there has none. */
export function isNothing(node: Node): boolean {
  return isAlias(node) || (isScalar(node) && node.value === null);
}

/** What a node is, in sentences. */
export function kindOf(node: Node): string {
  if (isMap(node)) return 'a map';
  return isSeq(node) ? 'a list' : 'a single value';
}

/** The fields of a map, each once; what is no field is told. Ends where more would not be told. */
export function* fieldsOf(map: YAMLMap, field: string, on: Gathered) {
  const seen = new Set<string>();
  for (const { key, value } of map.items as Pair<Node | null, Node | null>[]) {
    if (on.problems.length > MOST_PROBLEMS) return;
    const at = (key ?? map).range![0];
    if (!isScalar(key) || key.value === null || key.source === undefined) {
      wrong(on, at, field, 'takes a name before the colon, got something else.');
    } else if (key.source === '<<') {
      wrong(on, at, field, 'takes no merge keys (<<), which YAML 1.2 does not have: write the fields out.');
    } else if (seen.has(key.source)) {
      wrong(on, at, pathTo(field, key.source), 'takes each field once, got it a second time.');
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
  if (!isMap(node)) {
    wrong(on, node, field, `takes a map with ${names.join(', ')}, got ${kindOf(node)}.`);
    return undefined;
  }
  const map: Record<string, unknown> = {};
  for (const { name, at, value } of fieldsOf(node, field, on)) {
    const path = pathTo(field, name);
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) {
      const other = suggestion(name, names);
      wrong(on, at, path, `is not a known field: takes ${names.join(', ')}, got ${shown(name)}.`, other);
      continue;
    }
    const one = valueFrom(value, rule, path, on);
    if (one === undefined) continue;
    const referred = DOCUMENT_NAMES.get(name);
    map[referred ?? name] = one;
    if (referred !== undefined && typeof one === 'string' && one !== '') {
      on.named.push({ ...placeOf(value, on), kind: name as ReferredKind, field: path, key: one });
    }
  }
  return map;
}

function listOf(node: Node, schema: JsonSchema, field: string, on: Gathered): unknown[] | undefined {
  if (isSeq<Node>(node)) {
    return node.items.map((item, at) => valueFrom(item, schema.items ?? {}, `${field}[${at}]`, on));
  }
  wrong(on, node, field, `takes a list, got ${kindOf(node)}.`);
  return undefined;
}

/** Unquoted digits stay the text that they are where a text belongs: phone numbers, names such as 112. */
function scalarOf({ value, source }: Scalar, schema: JsonSchema): unknown {
  const texts = schema.type === 'string' || schema.anyOf?.some(({ type }) => type === 'string');
  return texts && typeof value === 'number' ? source : value;
}

function wordOf(schema: JsonSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.type === 'boolean') return 'true or false';
  return schema.type === 'integer' ? 'a whole number' : 'a text';
}

const A_REFERENCE = 'a reference to a secret, { env: NAME } or { file: path }';

/** The secret that a reference names. Whatever stands there instead is not repeated: it may be the secret. */
function secretOf(node: Node, field: string, on: Gathered): string | undefined {
  if (isNothing(node)) return undefined;
  if (!isMap(node)) {
    wrong(on, node, field, `takes ${A_REFERENCE}, never the secret itself.`);
    return undefined;
  }
  const [entry] = fieldsOf(node, field, on);
  if (entry === undefined || node.items.length > 1) {
    wrong(on, node, field, `takes ${A_REFERENCE}, got ${node.items.length} fields.`);
    return undefined;
  }
  const { name: source, at, value } = entry;
  if (source !== 'env' && source !== 'file') {
    const other = suggestion(source, Object.keys(SECRET_SOURCES));
    wrong(on, at, field, `takes ${A_REFERENCE}, got ${shown(source)}.`, other);
    return undefined;
  }
  const { pattern, takes } = SECRET_SOURCES[source];
  const name = isScalar(value) && !isNothing(value) ? value.source! : '';
  if (!new RegExp(pattern).test(name)) {
    wrong(on, value, `${field}.${source}`, `takes ${takes}, got something else.`);
    return undefined;
  }
  const reference = `${source}:${name}`;
  if (Object.hasOwn(on.secrets, reference)) {
    on.hidden.set(field, reference);
    return on.secrets[reference];
  }
  on.missing.add(reference);
  wrong(on, node, field, `takes the secret that ${reference} names, got nothing.`);
  return undefined;
}

/** The shape of one thing of a section. */
export function shapeOf(section: string): JsonSchema {
  return FILE_SCHEMA.properties![section]!.items!;
}
