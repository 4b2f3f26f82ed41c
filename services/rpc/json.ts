import type { DescField, DescMessage, JsonReadOptions } from '@bufbuild/protobuf';
import { suggestion } from '../process/suggest.ts';
import { clean } from '../process/text.ts';
import { type FieldFault, invalidFields } from './fields.ts';

/** How many unknown fields of one call are named, and how much of a name is shown, in characters. */
const NAMED_MOST = 20;
const SHOWN = 64;

/**
 * Makes the RPC port refuse unknown fields of JSON messages (DECISIONS.md "Unknown fields") before anything else reads the call:
 * INVALID_ARGUMENT that names each by its path, with what was probably meant. Connect passes the text of a request to
 * `textDecoder` first. Should it ever stop doing so, `ignoreUnknownFields` still refuses, in its own words.
 */
export function strictJson(message: DescMessage): Partial<JsonReadOptions> {
  const utf8 = new TextDecoder();
  const textDecoder = {
    decode(bytes: Uint8Array): string {
      const text = utf8.decode(bytes);
      const unknown = unknownFields(message, parsed(text));
      if (unknown.length > 0) throw invalidFields(named(unknown));
      return text;
    },
  };
  const options = { ignoreUnknownFields: false, textDecoder };
  return options;
}

/** Parses JSON; undefined for a text that is none, which Connect then reports. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function named(unknown: readonly FieldFault[]): FieldFault[] {
  if (unknown.length <= NAMED_MOST) return [...unknown];
  const more = { field: '', problem: `${unknown.length - NAMED_MOST} more fields are not known.` };
  return [...unknown.slice(0, NAMED_MOST), more];
}

/** Finds the unknown fields in the JSON of a message, including those of inner messages. */
function unknownFields(message: DescMessage, json: unknown, path = ''): FieldFault[] {
  // Timestamps and the like have a JSON form of their own.
  if (!isObject(json) || message.typeName.startsWith('google.protobuf.')) return [];
  return Object.entries(json).flatMap(([name, value]) => {
    const field = message.fields.find(({ jsonName, name: protoName }) => jsonName === name || protoName === name);
    const at = path === '' ? name : `${path}.${name}`;
    if (field !== undefined) return inside(field, value, at);
    return [{ field: clean(at, SHOWN), problem: problem(message, name) }];
  });
}

function inside(field: DescField, value: unknown, path: string): FieldFault[] {
  const { message } = field;
  if (message === undefined) return [];
  if (field.fieldKind === 'message') return unknownFields(message, value, path);
  if (field.fieldKind === 'list') {
    const items = Array.isArray(value) ? value : [];
    return items.flatMap((item, index) => unknownFields(message, item, `${path}[${index}]`));
  }
  const entries = isObject(value) ? Object.entries(value) : [];
  return entries.flatMap(([key, item]) => unknownFields(message, item, `${path}.${key}`));
}

function problem({ fields }: DescMessage, name: string): string {
  const known = fields.map(({ jsonName }) => jsonName);
  if (known.length === 0) return 'is not a known field: takes none.';
  const meant = suggestion(name, known);
  return `is not a known field: takes ${known.join(', ')}.${meant === '' ? '' : ` Did you mean ${meant}?`}`;
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
