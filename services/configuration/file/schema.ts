import { z } from 'zod';
import { settingsInFile } from '../account-view.ts';
import type { ReferredKind, ResourceKind } from '../resource.ts';
import { resourceOf } from '../resources.ts';
import { descriptionOf } from './descriptions.ts';

/** JSON Schema as far as this file needs it. */
export interface JsonSchema {
  type?: 'object' | 'array' | 'string' | 'boolean' | 'integer' | 'number';
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: readonly string[];
  anyOf?: JsonSchema[];
  default?: unknown;
  $ref?: string;
  [more: string]: unknown;
}

/**
 * The lists of the file in the order in which they are written, each of one resource. What is referred to comes first.
 */
export const SECTIONS = {
  locations: 'location',
  contacts: 'contact',
  duties: 'duty',
  policies: 'policy',
  alarms: 'alarm',
  panicButtons: 'panic_button',
  apiKeys: 'api_key',
} as const satisfies Record<string, ResourceKind>;

export type Section = keyof typeof SECTIONS;

/** The fields that refer to another thing: a document holds its id, the file its key under another name. */
export const REFERENCES = {
  locationId: 'location',
  policyId: 'policy',
  contactId: 'contact',
  dutyId: 'duty',
  alarmId: 'alarm',
} as const;

/** The fields that hold a list of other things: a document by their ids, the file by their keys. */
export const LISTED_REFERENCES: Readonly<Record<string, ReferredKind>> = {
  who: 'contact',
  otherwise: 'contact',
  turns: 'contact',
};

/** Returns the form that a value of this kind takes, of a field that takes one of several. */
export function formOf(schema: JsonSchema, type: 'array' | 'object'): JsonSchema {
  return schema.anyOf?.find(form => form.type === type) ?? schema;
}

/** Returns the file's name of a document's field. */
export function fileName(field: string): string {
  return REFERENCES[field as keyof typeof REFERENCES] ?? field;
}

const SECRET = '#/$defs/secret';

/** Tells whether a value has to be a reference to a secret. */
export function isReference({ $ref }: JsonSchema): boolean {
  return $ref === SECRET;
}

/** The forms of a reference to a secret, of which one is given. */
export const SECRET_SOURCES = {
  env: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$' },
  file: { pattern: '^[^\\u0000-\\u001f]{1,500}$' },
} as const;

/** The JSON Schema of the whole file, made from the resources' own field rules. */
export const FILE_SCHEMA = inFile(documentSchema(), '');

/** Returns the schema of one thing of a section. */
export function shapeOf(section: Section): JsonSchema {
  return FILE_SCHEMA.properties![section]!.items!;
}

/** Returns the schema of the whole file by the documents' names. */
function documentSchema(): JsonSchema {
  const sections = Object.entries(SECTIONS).map(([section, kind]) => [
    section,
    { type: 'array', items: schemaOf(resourceOf(kind).schema) },
  ]);
  const properties: Record<string, JsonSchema> = {
    version: { type: 'integer', const: 1 },
    account: schemaOf(settingsInFile),
    ...Object.fromEntries(sections),
  };
  // Chosen by its owner; otherwise one is created and shown once.
  properties.apiKeys!.items!.properties!.secret = { $ref: SECRET };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of a Tocsin account',
    type: 'object',
    properties,
    required: ['version'],
    additionalProperties: false,
    $defs: { secret: secretSchema() },
  };
}

function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest as JsonSchema;
}

/** Converts a schema to the file's names, allows addresses to be references to secrets, and describes the fields. */
function inFile({ properties, required, items, anyOf, ...rest }: JsonSchema, path: string): JsonSchema {
  const description = descriptionOf(path);
  const fields = Object.entries(properties ?? {}).map(([field, one]) => {
    const name = fileName(field);
    const isAddress = field === 'ownerEmail' || (field === 'address' && properties!.channel !== undefined);
    const taken = isAddress ? { anyOf: [one, { $ref: SECRET }] } : one;
    return [name, inFile(taken, path === '' ? name : `${path}.${name}`)];
  });
  return {
    ...(description !== undefined && { description }),
    ...rest,
    ...(required && { required: required.map(fileName) }),
    ...(properties && { properties: Object.fromEntries(fields) }),
    ...(items && { items: inFile(items, path) }),
    // What the field is stands with the field, not with each form that it takes.
    ...(anyOf && { anyOf: anyOf.map(form => undescribed(inFile(form, path))) }),
  };
}

function undescribed({ description: _, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

function secretSchema(): JsonSchema {
  const sources = Object.entries(SECRET_SOURCES).map(([source, { pattern }]) => ({
    type: 'object',
    properties: { [source]: { type: 'string', pattern } },
    required: [source],
    additionalProperties: false,
  }));
  return { description: 'Where a secret is read from.', anyOf: sources as JsonSchema[] };
}
