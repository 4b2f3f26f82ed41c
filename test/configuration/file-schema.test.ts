import { expect, test } from 'vitest';
import { DESCRIPTIONS } from '../../services/configuration/file/descriptions.ts';
import { FILE_SCHEMA, type JsonSchema } from '../../services/configuration/file/schema.ts';
import { RESOURCES } from '../../services/configuration/resources.ts';

/** Every field of the file, such as `alarms.modes.windowS`. */
function fieldsOf(schema: JsonSchema, path = ''): string[] {
  const inside = schema.items ?? schema;
  const own = Object.entries(inside.properties ?? {}).flatMap(([field, one]) => {
    const here = path === '' ? field : `${path}.${field}`;
    return [here, ...fieldsOf(one, here)];
  });
  return [...own, ...(inside.anyOf ?? []).flatMap(form => fieldsOf(form, path))];
}

test('every description belongs to a field, and every list of things has one', () => {
  const fields = fieldsOf(FILE_SCHEMA);
  expect(fields.length).toBeGreaterThan(40);
  expect(Object.keys(DESCRIPTIONS).filter(path => !fields.includes(path))).toEqual([]);
  for (const path of fields.filter(field => !field.includes('.'))) expect(DESCRIPTIONS[path], path).toBeDefined();
});

test('the file names things by key: no id of another thing is a field, and every resource is there with its key', () => {
  expect(fieldsOf(FILE_SCHEMA).filter(path => path.endsWith('Id'))).toEqual([]);
  const lists = Object.values(FILE_SCHEMA.properties!).filter(({ type }) => type === 'array');
  expect(lists).toHaveLength(Object.keys(RESOURCES).length);
  for (const { items } of lists) expect(items!.required).toContain('key');
});

test('the secret of an API key is a reference and nothing else; an address may be one', () => {
  const { apiKeys, contacts } = FILE_SCHEMA.properties!;
  expect(apiKeys!.items!.properties!.secret).toMatchObject({ $ref: '#/$defs/secret' });
  const { address } = contacts!.items!.properties!.channels!.items!.properties!;
  expect(address!.anyOf).toEqual([{ type: 'string' }, { $ref: '#/$defs/secret' }]);
});
