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
      const unknown: Unknown = { named: [], more: 0 };
      findUnknown(message, parseJson(text), '', unknown);
      if (unknown.named.length > 0) throw invalidFields(faultsOf(unknown));
      return text;
    },
  };
  const options = { ignoreUnknownFields: false, textDecoder };
  return options;
}

/** Parses JSON; undefined for a text that is none, which Connect then reports. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The unknown fields of one call: some of them in words, the others by their number. A sentence for each would take seconds. */
interface Unknown {
  named: FieldFault[];
  more: number;
}

function faultsOf({ named, more }: Unknown): FieldFault[] {
  return more === 0 ? named : [...named, { field: '', problem: `${more} more fields are not known.` }];
}

/** Finds the unknown fields in the JSON of a message, including those of inner messages. */
function findUnknown(message: DescMessage, json: unknown, path: string, found: Unknown): void {
  // Timestamps and the like have a JSON form of their own.
  if (!isObject(json) || message.typeName.startsWith('google.protobuf.')) return;
  for (const [name, value] of Object.entries(json)) {
    const field = message.fields.find(({ jsonName, name: protoName }) => jsonName === name || protoName === name);
    const at = path === '' ? name : `${path}.${name}`;
    if (field !== undefined) findInside(field, value, at, found);
    else if (found.named.length === NAMED_MOST) found.more += 1;
    else found.named.push({ field: clean(at, SHOWN), problem: problem(message, name) });
  }
}

function findInside(field: DescField, value: unknown, path: string, found: Unknown): void {
  const { message } = field;
  if (message === undefined) return;
  if (field.fieldKind === 'message') return void findUnknown(message, value, path, found);
  if (field.fieldKind === 'list') {
    const items = Array.isArray(value) ? value : [];
    for (const [index, item] of items.entries()) findUnknown(message, item, `${path}[${index}]`, found);
    return;
  }
  const entries = isObject(value) ? Object.entries(value) : [];
  for (const [key, item] of entries) findUnknown(message, item, `${path}.${key}`, found);
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
