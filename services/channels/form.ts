/** The fields of a form: each name with all its values, in order. */
export type Fields = ReadonlyMap<string, readonly string[]>;

/** More fields than carriers send with anything. */
const FIELDS_MOST = 200;

/** Tells whether a body has more fields than any carrier sends: reading and sorting what a stranger sent costs. */
export function hasTooManyFields(body: string): boolean {
  return body.split('&', FIELDS_MOST + 1).length > FIELDS_MOST;
}

/** Reads a form. */
export function readForm(body: string): Fields {
  const fields = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(body)) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}

/** Returns the value of a field; null if there is none, or several that could each be meant. */
export function one(fields: Fields, name: string): string | null {
  const values = fields.get(name) ?? [];
  return values.length === 1 ? (values[0] ?? null) : null;
}

/** Returns the keys that a form tells were pressed, empty for none; null if it tells something else. */
export function keyIn(fields: Fields): string | null {
  const key = fields.has('Digits') ? one(fields, 'Digits') : '';
  return key !== null && /^[0-9*#]{0,20}$/.test(key) ? key : null;
}
