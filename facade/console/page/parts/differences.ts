import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** A field that differs. */
export interface Difference {
  /** Its way from the outside in, by proto JSON names: `modes`, `away`, `windowS`. */
  way: readonly Place[];
  /** Null: there was none, or is none. */
  before: JsonValue;
  after: JsonValue;
}

/** A field, or one of a list: by what it is known by, or by its number from 1. */
export type Place = { field: string } | { one: string; known: 'by_number' | 'by_id' };

/**
 * Returns the fields in which two states of a thing differ, as deep as both have them. Either may be missing. Entries of
 * lists are matched by their ids, wherever they stand.
 */
export function differences(before: JsonObject | undefined, after: JsonObject | undefined): Difference[] {
  return inObjects([], before ?? {}, after ?? {});
}

/** The same of a field that the services compared: by its path in a file, such as `modes[1].policy`, and its values as JSON. */
export function differenceOfFile(of: { field: string; before: string; after: string }): Difference {
  const way = [...of.field.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, field, index]): Place => {
    if (field === undefined) return { one: String(Number(index) + 1), known: 'by_number' };
    return { field: REFERENCES[field] ?? field };
  });
  return { way, before: parseValue(of.before), after: parseValue(of.after) };
}

/** A file names a thing by its key where the services name it by its id. */
const REFERENCES: Readonly<Record<string, string>> = {
  location: 'locationId',
  policy: 'policyId',
  duty: 'dutyId',
  contact: 'contactId',
  alarm: 'alarmId',
};

function parseValue(json: string): JsonValue {
  return json === '' ? null : (JSON.parse(json) as JsonValue);
}

/** The path of a field by its names alone, as field-names.ts knows it: `modes.windowS`. */
export function pathOf(way: readonly Place[]): string {
  return way.flatMap(place => ('field' in place ? [place.field] : [])).join('.');
}

function inObjects(way: readonly Place[], before: JsonObject, after: JsonObject): Difference[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields.flatMap(field => between([...way, { field }], before[field] ?? null, after[field] ?? null));
}

function between(way: readonly Place[], before: JsonValue, after: JsonValue): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after) || (isNone(before) && isNone(after))) return [];
  if (isObject(before) && isObject(after)) return inObjects(way, before, after);
  if (isListOfObjects(before) && isListOfObjects(after)) {
    const inside = inLists(way, before, after);
    if (inside.length > 0) return inside;
  }
  return [{ way, before, after }];
}

/** Empty if only the order differs. */
function inLists(way: readonly Place[], before: readonly JsonObject[], after: readonly JsonObject[]): Difference[] {
  const [was, is] = [byId(before), byId(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap(key => {
    const place = (was.get(key) ?? is.get(key))!;
    return between([...way, place.place], was.get(key)?.value ?? null, is.get(key)?.value ?? null);
  });
}

/** The fields by which one of a list is known. */
export const IDS = ['id', 'channel', 'contactId', 'dutyId'] as const;

/** Returns the id by which one of a list is told from the others; undefined: it has none. */
export function idOf(value: JsonObject): string | undefined {
  return IDS.map(field => value[field]).find((id): id is string => typeof id === 'string' && id !== '');
}

function byId(list: readonly JsonObject[]) {
  return new Map(
    list.map((value, index) => {
      const id = idOf(value);
      const place: Place =
        id === undefined ? { one: String(index + 1), known: 'by_number' } : { one: id, known: 'by_id' };
      return [place.one, { place, value }] as const;
    }),
  );
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOfObjects(value: JsonValue): value is JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}

/** Empty counts as none. */
export function isNone(value: JsonValue): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
