import { z } from 'zod';
import type { Kind } from './settings.ts';
import { EMAIL_ADDRESS } from './vocabulary.ts';

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

export const folder: Kind<string> = {
  takes: 'the path of a folder',
  schema: z.string().regex(/^[^\0]+$/),
  shown: 'value',
};

/** Decimal, as disks are sold. */
const BYTES = { MB: 1_000_000, GB: 1_000_000_000 } as const;

export const bytes: Kind<number> = {
  takes: 'a whole number of MB or GB, such as 500MB',
  schema: z
    .string()
    .regex(/^\d{1,9}(MB|GB)$/)
    .transform(text => Number.parseInt(text, 10) * BYTES[text.slice(-2) as keyof typeof BYTES]),
  shown: 'value',
};

export const times: Kind<number> = {
  takes: 'a whole number from 1 to 1000',
  schema: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .pipe(z.number().min(1).max(1_000)),
  shown: 'value',
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

/** A secret that the parts of a deployment share, or that an operator chose. */
export const token: Kind<string> = {
  takes: 'at least 32 letters, digits and signs without blanks',
  schema: z.string().regex(/^[!-~]{32,}$/),
  shown: 'length',
};

/** The levels of pino, including `silent`. */
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export const logLevel: Kind<LogLevel> = {
  takes: `one of ${LOG_LEVELS.join(', ')}`,
  schema: z.enum(LOG_LEVELS),
  shown: 'value',
};

export const email: Kind<string> = {
  takes: 'an email address such as someone@example.com',
  schema: z.string().regex(EMAIL_ADDRESS),
  shown: 'value',
};
