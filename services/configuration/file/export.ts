import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { say } from '../../rpc/reader.ts';
import { inTransaction } from '../../store/statement.ts';
import { managerWithin } from '../../store/store.ts';
import type { AccountDoc } from '../account-view.ts';
import type { Stored } from '../resource.ts';
import type { FileOn } from './apply.ts';
import { FILE_SCHEMA, formOf, type JsonSchema, SECTIONS, type Section, shapeOf } from './schema.ts';
import { inFileWords, keysOf, readStored } from './stored.ts';
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
    const things = [...stored.things.get(kind)!.values()].filter(isInForce);
    const shape = shapeOf(section);
    if (things.length > 0) parts.push(`\n${section}:\n`);
    for (let at = 0; at < things.length; at += AT_ONCE) {
      const docs = things.slice(at, at + AT_ONCE).map(({ doc }) => withoutDefaults(inFileWords(doc, keyOf), shape));
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

/** Returns a value without what stands at its default, in the order of the schema: the database has an order of its own. */
function withoutDefaults(value: unknown, shape: JsonSchema): unknown {
  if (Array.isArray(value)) {
    const { items = {} } = formOf(shape, 'array');
    return value.map(one => withoutDefaults(one, items));
  }
  if (typeof value !== 'object' || value === null) return value;
  const { properties, required = [] } = formOf(shape, 'object');
  if (properties === undefined) return value;
  const fields = Object.entries(properties).flatMap(([field, rule]) => {
    const one = (value as Record<string, unknown>)[field];
    const usual = 'default' in rule || required.includes(field) ? rule.default : '';
    if (one === undefined || (isDeepStrictEqual(one, usual) && !ALWAYS_SAID.includes(field))) return [];
    return [[field, withoutDefaults(one, rule)] as const];
  });
  return Object.fromEntries(fields);
}
