import { suggestion } from '../../process/suggest.ts';
import { shown } from '../fields.ts';
import type { ReferredKind } from '../noun.ts';
import { namePart, type Place, type Problem, withoutSecrets } from './problem.ts';
import { FILE_SCHEMA, type JsonSchema, REFERENCES, SECRET_SOURCES, secretRule } from './schema.ts';
import type { ScalarTree, Tree } from './tree.ts';

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
 * The value of a tree, by the names of the documents, as far as it has the shape that the schema says: known fields, lists
 * where lists belong, secrets only by reference. What is in the values is for the nouns to judge. Undefined: nothing usable.
 */
export function fromTree(tree: Tree, schema: JsonSchema, field: string, on: Gathered): unknown {
  const rule = secretRule(schema);
  if (rule === 'required' || (rule === 'allowed' && tree.kind === 'map')) return secretOf(tree, field, on);
  if (isNothing(tree)) return undefined;
  if (schema.type === 'object') return mapOf(tree, schema, field, on);
  if (schema.type === 'array') return listOf(tree, schema, field, on);
  if (tree.kind !== 'scalar') {
    wrong(on, tree.at, field, `takes ${wordOf(schema)}, got a ${tree.kind}.`);
    return undefined;
  }
  return scalarOf(tree, schema);
}

/** Says that something is wrong with a field. */
export function wrong(on: Gathered, at: number, field: string, problem: string, didYouMean = ''): void {
  on.broken.add(field);
  on.problems.push({ ...on.placeOf(at), field, problem: withoutSecrets(problem), didYouMean });
}

/** An empty value is one that was left out. */
export function isNothing(tree: Tree): boolean {
  return tree.kind === 'scalar' && tree.value === null;
}

function mapOf(tree: Tree, schema: JsonSchema, field: string, on: Gathered): Record<string, unknown> | undefined {
  const known = schema.properties ?? {};
  const names = Object.keys(known);
  if (tree.kind !== 'map') {
    wrong(
      on,
      tree.at,
      field,
      `takes a map with ${names.join(', ')}, got a ${tree.kind === 'list' ? 'list' : 'single value'}.`,
    );
    return undefined;
  }
  const map: Record<string, unknown> = {};
  for (const [name, { at, value }] of tree.entries) {
    const path = field === '' ? namePart(name) : `${field}.${namePart(name)}`;
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) {
      const other = suggestion(name, names);
      wrong(on, at, path, `is not a known field: takes ${names.join(', ')}, got ${shown(name)}.`, other);
      continue;
    }
    const one = fromTree(value, rule, path, on);
    if (one === undefined) continue;
    const referred = DOCUMENT_NAMES.get(name);
    map[referred ?? name] = one;
    if (referred !== undefined && typeof one === 'string' && one !== '') {
      on.named.push({ ...on.placeOf(value.at), kind: name as ReferredKind, field: path, key: one });
    }
  }
  return map;
}

function listOf(tree: Tree, schema: JsonSchema, field: string, on: Gathered): unknown[] | undefined {
  if (tree.kind === 'list')
    return tree.items.map((item, at) => fromTree(item, schema.items ?? {}, `${field}[${at}]`, on));
  wrong(on, tree.at, field, `takes a list, got a ${tree.kind === 'map' ? 'map' : 'single value'}.`);
  return undefined;
}

/** Unquoted digits stay the text that they are where a text belongs: phone numbers, names such as 112. */
function scalarOf(tree: ScalarTree, schema: JsonSchema): unknown {
  const texts = schema.type === 'string' || schema.anyOf?.some(({ type }) => type === 'string');
  return texts && typeof tree.value === 'number' ? tree.source : tree.value;
}

function wordOf(schema: JsonSchema): string {
  if (schema.enum) return `one of ${schema.enum.join(', ')}`;
  if (schema.type === 'boolean') return 'true or false';
  return schema.type === 'integer' ? 'a whole number' : 'a text';
}

const A_REFERENCE = 'a reference to a secret, { env: NAME } or { file: path }';

/** The secret that a reference names. Whatever stands there instead is not repeated: it may be the secret. */
function secretOf(tree: Tree, field: string, on: Gathered): string | undefined {
  if (isNothing(tree)) return undefined;
  if (tree.kind !== 'map') {
    wrong(on, tree.at, field, `takes ${A_REFERENCE}, never the secret itself.`);
    return undefined;
  }
  const [entry, ...more] = tree.entries;
  if (entry === undefined || more.length > 0) {
    wrong(on, tree.at, field, `takes ${A_REFERENCE}, got ${tree.entries.size} fields.`);
    return undefined;
  }
  const [source, { at, value }] = entry;
  if (source !== 'env' && source !== 'file') {
    const other = suggestion(source, Object.keys(SECRET_SOURCES));
    wrong(on, at, field, `takes ${A_REFERENCE}, got ${shown(source)}.`, other);
    return undefined;
  }
  const { pattern, takes } = SECRET_SOURCES[source];
  const name = value.kind === 'scalar' && value.value !== null ? value.source : '';
  if (!new RegExp(pattern).test(name)) {
    wrong(on, value.at, `${field}.${source}`, `takes ${takes}, got something else.`);
    return undefined;
  }
  const reference = `${source}:${name}`;
  if (Object.hasOwn(on.secrets, reference)) {
    on.hidden.set(field, reference);
    return on.secrets[reference];
  }
  on.missing.add(reference);
  wrong(on, tree.at, field, `takes the secret that ${reference} names, got nothing.`);
  return undefined;
}

/** The shape of one thing of a section. */
export function shapeOf(section: string): JsonSchema {
  return FILE_SCHEMA.properties![section]!.items!;
}
