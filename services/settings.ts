/*
 * facade/settings.ts and services/settings.ts are the same file, because neither side may import the other;
 * test/config.test.ts holds them equal.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The environment as a process gives it. An empty text counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting that cannot be used. Its message is one sentence for the person who sets it, and never holds a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** What a setting takes. */
export interface Kind<T> {
  /** In words, to end the sentence "NAME takes …". */
  takes: string;
  schema: z.ZodType<T, string>;
  /** What of a wrong value may be shown: of a secret its length only, of a URL that shall hold none all but user and query. */
  shown: 'value' | 'url' | 'length';
}

/**
 * One setting from the variable `name` or from the file that `name`_FILE names (its trailing newline is cut); `fallback`
 * when neither is set. Throws ConfigError when both are set, the file cannot be read or the value is not of its kind.
 */
export function readSetting<T, F>(env: Environment, name: string, kind: Kind<T>, fallback: F): T | F {
  const text = readText(env, name);
  if (text === null) return fallback;
  const result = kind.schema.safeParse(text);
  if (result.success) return result.data;
  throw new ConfigError(`${name} takes ${kind.takes}, got ${shownOf(text, kind.shown)}.`);
}

function shownOf(text: string, shown: Kind<unknown>['shown']): string {
  if (shown === 'length') return `${text.length} characters`;
  const visible = shown === 'value' ? text : text.replace(/^(\w+:\/\/)?.*@/s, '$1…@').replace(/[?#].*/s, '?…');
  return JSON.stringify(visible.slice(0, 64));
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
    throw new ConfigError(`${name}_FILE takes the path of a readable file, got ${JSON.stringify(file)}${code}.`);
  }
}

export const port: Kind<number> = {
  takes: 'a whole number from 0 to 65535 (0 takes any free port)',
  schema: z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .pipe(z.number().max(65_535)),
  shown: 'value',
};

export const host: Kind<string> = {
  takes: 'an IP address or a host name, without a port',
  schema: z.union([z.ipv4(), z.ipv6(), z.hostname()]),
  shown: 'value',
};

/** Without its trailing slash, so that a path can be put behind it. */
export const webUrl: Kind<string> = {
  takes: 'an http or https URL without user, query and fragment, such as https://alarm.example.com',
  schema: z
    .url({ protocol: /^https?$/, hostname: /./ })
    .regex(/^https?:\/\/[^@?#]+$/)
    .transform(url => url.replace(/\/+$/, '')),
  shown: 'url',
};

/** IP addresses and networks. */
export const networks: Kind<string[]> = {
  takes: 'IP addresses or networks separated by commas, such as 10.0.0.0/8,192.168.1.2',
  schema: z
    .string()
    .transform(text => text.split(',').map(part => part.trim()))
    .pipe(z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]))),
  shown: 'value',
};

export const onOrOff: Kind<'on' | 'off'> = { takes: 'on or off', schema: z.enum(['on', 'off']), shown: 'value' };

/** As pino has them, `silent` included. */
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export const logLevel: Kind<LogLevel> = {
  takes: `one of ${LOG_LEVELS.join(', ')}`,
  schema: z.enum(LOG_LEVELS),
  shown: 'value',
};
