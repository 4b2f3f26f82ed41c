import { isDeepStrictEqual } from 'node:util';
import { isWithin } from './problem.ts';

/** A field that differs: before and after as JSON. */
export interface Difference {
  field: string;
  before: string;
  after: string;
}

/** Shown instead of a value that is, or may be, a secret. */
const HIDDEN = '"…"';

/**
 * Returns the fields in which two documents differ, as deep as both have the same structure. `hidden`: fields whose new
 * value is a secret, with the reference to show instead; the previous value is not shown either.
 */
export function differences(before: unknown, after: unknown, hidden: Readonly<Record<string, string>>): Difference[] {
  const found: Difference[] = [];
  const secretAt = (path: string) => Object.keys(hidden).some(field => isWithin(field, path));
  // If two addresses changed places, the former one may be the secret.
  const mayHide = (path: string) => secretAt(path) || (Object.keys(hidden).length > 0 && path.includes('address'));

  const compare = (path: string, was: unknown, is: unknown): void => {
    if (isDeepStrictEqual(was, is)) return;
    const pairs = pairsOf(path, was, is);
    if (pairs !== null) {
      for (const one of pairs) compare(...one);
      return;
    }
    found.push({
      field: path,
      before: mayHide(path) ? HIDDEN : (JSON.stringify(was) ?? ''),
      after: JSON.stringify(masked(is, path, hidden)) ?? '',
    });
  };
  compare('', before, after);
  return found;
}

/** Returns what to compare one by one; null if the two can only be compared whole. */
function pairsOf(path: string, was: unknown, is: unknown): [string, unknown, unknown][] | null {
  if (Array.isArray(was) && Array.isArray(is)) {
    return was.length === is.length ? was.map((one, at) => [`${path}[${at}]`, one, is[at]]) : null;
  }
  if (!isMap(was) || !isMap(is)) return null;
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return fields.map(field => [path === '' ? field : `${path}.${field}`, was[field], is[field]]);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a value with references instead of secrets. */
function masked(value: unknown, path: string, hidden: Readonly<Record<string, string>>): unknown {
  if (Object.hasOwn(hidden, path)) return referenceOf(hidden[path]!);
  if (Array.isArray(value)) return value.map((one, at) => masked(one, `${path}[${at}]`, hidden));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, one]) => [field, masked(one, `${path}.${field}`, hidden)]),
  );
}

/** Returns `env:NAME` as a file writes it. */
export function referenceOf(reference: string): Record<string, string> {
  const [source = '', name = ''] = reference.split(/:(.*)/s);
  return { [source]: name };
}
