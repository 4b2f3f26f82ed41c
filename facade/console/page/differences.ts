import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** A field that differs, as text; null: there was none, or is none. */
export interface Difference {
  field: string;
  before: string | null;
  after: string | null;
}

/** What differs between two states of a thing, by its outer fields. Either may be missing: then all of the other does. */
export function differences(before: JsonObject | undefined, after: JsonObject | undefined): Difference[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields
    .map(field => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) }))
    .filter(({ before, after }) => before !== after && (before ?? after) !== null);
}

/** What is empty is none. */
function textOf(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null || value === '') return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
