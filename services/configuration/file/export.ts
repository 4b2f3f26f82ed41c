import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { say } from '../../rpc/reader.ts';
import { inTransaction } from '../../store/statement.ts';
import { managerWithin } from '../../store/store.ts';
import type { AccountDoc } from '../account-view.ts';
import type { Stored } from '../resource.ts';
import type { FileOn } from './apply.ts';
import { FILE_SCHEMA, formOf, type JsonSchema, SECTIONS, type Section } from './schema.ts';
import { inFileWords, type KeyOf, keysOf, readStored } from './stored.ts';
import { shapeOf } from './values.ts';
import { writeYaml } from './yaml.ts';

/** How many things are written before other work of this process gets a turn. */
const AT_ONCE = 50;

/**
 * Returns the account as a file that Apply accepts: the same configuration always gives the same text, but for
 * the language of the comment at its head.
 */
export async function exportFile(deps: FileOn, accountId: string): Promise<string> {
  const stored = await inTransaction(deps.pool, async client => {
    await client.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    return readStored({ em: managerWithin(deps.orm, client), accountId, seal: deps.seal });
  });
  const keyOf = keysOf(stored);
  // All settings of the account, including defaults: applying leaves alone what is missing.
  const settings = Object.keys(FILE_SCHEMA.properties!.account!.properties!) as (keyof AccountDoc)[];
  const account = Object.fromEntries(settings.map(field => [field, stored.account[field]]));
  const parts = [say().file.head, 'version: 1\n', writeYaml({ account })];
  for (const [section, kind] of Object.entries(SECTIONS) as [Section, (typeof SECTIONS)[Section]][]) {
    const things = stored.things.get(kind)!.filter(isInForce);
    if (things.length > 0) parts.push(`\n${section}:\n`);
    for (let at = 0; at < things.length; at += AT_ONCE) {
      const docs = things.slice(at, at + AT_ONCE).map(({ doc }) => inFileForm(doc, shapeOf(section), keyOf));
      const text = writeYaml({ [section]: docs });
      parts.push(text.slice(text.indexOf('\n') + 1));
      await setImmediate();
    }
  }
  return parts.join('');
}

/** Applying the file would recreate an API key that has expired. */
function isInForce({ facts }: Stored): boolean {
  return facts.status !== 'expired';
}

/** The switches that are written even at their default, because people look for them. */
const ALWAYS_SAID = ['test'];

/** Returns a document in the words of the file, without defaults. */
function inFileForm(doc: unknown, shape: JsonSchema, keyOf: KeyOf): Record<string, unknown> {
  return unsaidLeftOut(inFileWords(doc, keyOf), shape) as Record<string, unknown>;
}

function unsaidLeftOut(value: unknown, shape: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const { items = {} } = formOf(shape, 'array');
    return value.map(one => unsaidLeftOut(one, items));
  }
  if (typeof value !== 'object' || value === null) return value;
  return fieldsLeft(value as Record<string, unknown>, formOf(shape, 'object'));
}

function fieldsLeft(value: Record<string, unknown>, shape: JsonSchema): Record<string, unknown> {
  if (shape.properties === undefined) return value;
  const known = shape.properties;
  // In the order of the schema; the database has an order of its own.
  const fields = Object.keys(known).flatMap(field => {
    const one = value[field];
    const rule = known[field]!;
    const usual =
      isDeepStrictEqual(one, usually(rule, shape.required?.includes(field) ? 'required' : 'optional')) &&
      !ALWAYS_SAID.includes(field);
    return one === undefined || usual ? [] : [[field, unsaidLeftOut(one, rule)] as const];
  });
  return Object.fromEntries(fields);
}

function usually(rule: JsonSchema, field: 'required' | 'optional'): unknown {
  if ('default' in rule) return rule.default;
  return field === 'optional' ? '' : undefined;
}
