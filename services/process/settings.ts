import { readFileSync } from 'node:fs';
import { mismatch, shown, shownSecret } from './text.ts';
import { encodeThem, unencodedIn } from './url-credentials.ts';

/** The environment of a process. An empty value counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An unusable setting. Its message is one sentence for the person who sets it, and never contains a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** What a setting accepts. */
export interface Kind<T> {
  /** In words, to end the sentence "NAME takes …". */
  takes: string;
  /** A zod schema, or anything with the same interface. */
  schema: { safeParse(text: string): { success: true; data: T } | { success: false; data?: undefined } };
  /** How a wrong value may be shown: in full, as a URL without user and query, or, for a secret, by its length only. */
  shown: 'value' | 'url' | 'length';
  /** Whether it is a URL that may have a user and a password, or several of them separated by commas. Absent: neither. */
  credentials?: 'in_one_url' | 'in_each_url';
}

/**
 * Reads one setting from the variable `name`, or from the file that `name`_FILE names, without its trailing newline. Returns
 * `fallback` if neither is set. Throws ConfigError if both are set, the file cannot be read or the value is not accepted.
 */
export function readSetting<T, F>(env: Environment, name: string, kind: Kind<T>, fallback: F): T | F {
  const text = readText(env, name);
  if (text === null) return fallback;
  const misleading = misleadingIn(text, kind.credentials);
  const result = kind.schema.safeParse(text);
  if (result.success && misleading.length === 0) return result.data;
  const takes = misleading.length === 0 ? kind.takes : `${kind.takes} (${encodeThem(misleading)})`;
  throw new ConfigError(`${name} ${mismatch(takes, shownOf(text, kind.shown))}`);
}

/** Returns the signs of a URL that lead elsewhere than its author meant, to a host named after a part of the password. */
function misleadingIn(text: string, credentials: Kind<unknown>['credentials']): string[] {
  if (credentials === undefined) return [];
  const urls = credentials === 'in_each_url' ? text.split(',') : [text];
  return [...new Set(urls.flatMap(unencodedIn))];
}

function shownOf(text: string, as: Kind<unknown>['shown']): string {
  if (as === 'length') return shownSecret(text);
  const visible = as === 'value' ? text : text.replace(/^(\w+:\/\/)?.*@/s, '$1…@').replace(/[?#].*/s, '?…');
  return shown(visible);
}

function readText(env: Environment, name: string): string | null {
  const text = env[name] || null;
  const file = env[`${name}_FILE`] || null;
  if (file === null) return text;
  if (text !== null) throw new ConfigError(`${name} and ${name}_FILE are both set: set only one of them.`);
  try {
    return readFileSync(file, 'utf8').replace(/\r?\n$/, '') || null;
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? ` (${fault.code})` : '';
    throw new ConfigError(`${name}_FILE ${mismatch('the path of a readable file', `${shown(file)}${code}`)}`);
  }
}

/** Makes a schema of a function that returns null for what it does not accept: for processes that start too often to load zod. */
export function schemaOf<T>(read: (text: string) => T | null): Kind<T>['schema'] {
  return {
    safeParse(text) {
      const data = read(text);
      return data === null ? { success: false } : { success: true, data };
    },
  };
}

/** A URL of the web. Its trailing slash is removed, so that a path can be appended. */
export const webUrl: Kind<string> = {
  takes: 'an http or https URL without user, query and fragment, such as https://alarm.example.com',
  schema: schemaOf(text => {
    const url = text.trim();
    return /^https?:\/\/[^@?#]+$/.test(url) && URL.canParse(url) ? url.replace(/\/+$/, '') : null;
  }),
  shown: 'url',
};
