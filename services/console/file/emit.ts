/*
 * Values as lines of YAML, the same ones for the same values every time: things as blocks, what has no more lists and maps in
 * it on one line.
 */

/** A map as the lines of an entry of a list: the first begins with a hyphen. */
export function entryLines(map: Readonly<Record<string, unknown>>, indent: string): string[] {
  if (Object.values(map).every(isFlat)) return [`${indent}- ${flow(map)}`];
  const lines = Object.entries(map).flatMap(([field, value]) => fieldLines(field, value, `${indent}  `));
  return [`${indent}- ${lines[0]!.trimStart()}`, ...lines.slice(1)];
}

/** A field with its value. */
export function fieldLines(field: string, value: unknown, indent: string): string[] {
  if (!Array.isArray(value) || value.every(one => typeof one !== 'object'))
    return [`${indent}${field}: ${flow(value)}`];
  return [`${indent}${field}:`, ...value.flatMap(one => entryLines(one as Record<string, unknown>, `${indent}  `))];
}

/** Whether a value fits on the line of the map that it is in. */
function isFlat(value: unknown): boolean {
  return !Array.isArray(value) ? typeof value !== 'object' : value.every(one => typeof one !== 'object');
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'string') return text(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(([field, one]) => `${field}: ${flow(one)}`);
  return `{ ${fields.join(', ')} }`;
}

/** Letters first, and nothing that YAML reserves anywhere. */
const PLAIN = /^[A-Za-z](?:[A-Za-z0-9_./@+-]| (?=[A-Za-z0-9]))*$/;

/** Words that YAML, or an older YAML of another program, takes for something else than text. */
const WORDS = /^(true|false|null|yes|no|on|off|y|n|nan|inf)$/i;

/** A text without quotes where that is safe, else between double quotes, whose escapes are those of JSON. */
function text(value: string): string {
  if (PLAIN.test(value) && !WORDS.test(value)) return value;
  return JSON.stringify(value).replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, sign => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
