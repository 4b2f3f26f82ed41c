import { z } from 'zod';
import { CHANNELS } from '../domain/delivery.ts';
import { MODES } from '../domain/mode.ts';
import { RESPONSE_KINDS } from '../domain/source.ts';
import { ON_SILENCE, type OnSilence } from '../domain/supervision.ts';
import { shown } from '../process/text.ts';
import { lookUrl } from '../process/vocabulary.ts';
import { mismatchOf } from '../rpc/fields.ts';
import { say } from '../rpc/reader.ts';
import type { Listed, Unit } from '../words/owner/types.ts';
import type { OwnerWords } from '../words/owner/words.ts';

/*
 * The kinds of fields that resources consist of. Each describes in words what it accepts; RPC and file show the same
 * sentence.
 */

/** Returns an error message "takes …, got …." for a rejected value, in the language of who reads it. */
export function takes(accepted: (accepts: OwnerWords['accepts']) => string) {
  return { error: ({ input }: { input?: unknown }) => mismatchOf(accepted(say().accepts), input) };
}

/** No control and no direction characters: names appear in mails, logs and terminals. */
const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u;

const aName = takes(accepts => accepts.name);

/** A display name. */
export const name = z.string(aName).trim().min(1, aName).max(100, aName).regex(ONE_LINE, aName);

export function oneLine(most: number) {
  const says = takes(accepts => accepts.oneLine(most));
  return z.string(says).trim().max(most, says).regex(ONE_LINE, says);
}

const anEmergencyNumber = takes(accepts => accepts.emergencyNumber);

/** What is dialled for the emergency services of a place, as people type it: blanks and the like are left out. */
export const emergencyNumber = z
  .string(anEmergencyNumber)
  .overwrite(text => text.replaceAll(/[\s()/.-]/g, ''))
  .regex(/^(\+?[0-9]{2,15})?$/, anEmergencyNumber)
  .default('');

export function lines(most: number) {
  const says = takes(accepts => accepts.lines(most));
  return z
    .string(says)
    .overwrite(text => text.trim().replaceAll('\r\n', '\n'))
    .max(most, says)
    .refine(text => text.split('\n').every(line => ONE_LINE.test(line)), says);
}

const KEY_MOST = 63;
const aKey = takes(accepts => accepts.key(KEY_MOST));

/** The owner's own stable name for a thing. */
export const key = z
  .string(aKey)
  .max(KEY_MOST, aKey)
  .regex(/^[a-z0-9][a-z0-9-]*$/, aKey);

/** Returns a key made from a name: its lower-case letters, digits and hyphens. May be empty. */
export function keyFrom(text: string): string {
  const plain = text.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  const words = plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '');
  return words.slice(0, KEY_MOST - 8).replace(/-+$/, '');
}

/** A switch with a default. */
export function switchOr(fallback: boolean) {
  return z.boolean(takes(accepts => accepts.trueOrFalse)).default(fallback);
}

export function whole(least: number, most: number, unit: Unit) {
  const says = takes(accepts => accepts.whole(least, most, unit));
  return z.number(says).int(says).min(least, says).max(most, says);
}

/** Seconds within bounds, or 0 for off, which is the default. */
export function secondsOrOff(least: number, most: number) {
  const says = takes(accepts => accepts.secondsOrOff(least, most));
  const isOne = (seconds: number) => seconds === 0 || (seconds >= least && seconds <= most);
  return z.number(says).int(says).refine(isOne, says).default(0);
}

/** A list with a least and a most number of entries. */
export function list<T extends z.ZodType>(entry: T, least: number, most: number, of: Listed) {
  const says = takes(accepts => accepts.list(least, most, of));
  const counted = { error: ({ input }: { input?: unknown }) => `${sentence(says, input)}` };
  return z.array(entry, says).min(least, counted).max(most, counted);
}

function sentence(says: ReturnType<typeof takes>, input: unknown): string {
  return Array.isArray(input) ? says.error({ input: input.length }) : says.error({ input });
}

const aReference = takes(accepts => accepts.reference);

/** Another thing of the account, by id or key. Whether it exists is checked under the account's lock. */
export const reference = z.string(aReference).min(1, aReference).max(KEY_MOST, aReference);

const orNone = takes(accepts => accepts.referenceOrNone);

/** Like reference; empty for none. */
export const referenceOrNone = z.string(orNone).max(KEY_MOST, orNone).default('');

const aTime = takes(accepts => accepts.timeOrNever);

/** Limited to the years 1 to 9999: the database writes others differently, or not at all. */
const time = z.iso
  .datetime({ offset: true })
  .transform(text => new Date(text).toISOString())
  .refine(text => /^(?!0000)\d{4}-/.test(text), aTime);

/** An expiry time as ISO text; empty for never. */
export const timeOrNever = z.union([z.literal(''), time], aTime).default('');

const aLookUrl = takes(accepts => accepts.lookUrlOrNone);

/** A page that people alerted are shown a link to; empty for none. */
export const lookUrlOrNone = z
  .string(aLookUrl)
  .trim()
  .refine(text => text === '' || lookUrl.fits(text), aLookUrl)
  .default('');

export const channel = z.enum(
  CHANNELS,
  takes(accepts => accepts.oneOf(CHANNELS)),
);
export const mode = z.enum(
  MODES,
  takes(accepts => accepts.oneOf(MODES)),
);
export const responseKind = z.enum(
  RESPONSE_KINDS,
  takes(accepts => accepts.oneOf(RESPONSE_KINDS)),
);

/** What follows when a sender falls silent. */
export function onSilenceOr(fallback: OnSilence) {
  const says = takes(accepts => accepts.onSilence);
  return z.enum(ON_SILENCE, says).default(fallback);
}

/** Reports each entry that repeats an earlier one. `of` identifies an entry. */
export function onlyOnce<T>(of: (entry: T) => string) {
  return (entries: readonly T[], context: z.core.$RefinementCtx<readonly T[]>) => {
    const seen = new Set<string>();
    for (const [index, entry] of entries.entries()) {
      const word = of(entry);
      if (seen.has(word)) {
        const { aSecondTime, eachOnce, mismatch } = say().accepts;
        const message = mismatch(eachOnce, aSecondTime(shown(word)));
        context.addIssue({ code: 'custom', message, path: [index] });
      }
      seen.add(word);
    }
  };
}

const aLocale = takes(accepts => accepts.locale);
const aZone = takes(accepts => accepts.timeZone);

/** A language (BCP 47), at most 35 characters. */
export const locale = z.string(aLocale).refine(isLocale, aLocale);

/** A time zone (IANA). */
export const timeZone = z.string(aZone).refine(isTimeZone, aZone);

function isLocale(text: string): boolean {
  try {
    return text.length <= 35 && Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '' && !/^[+-]/.test(text);
  } catch {
    return false;
  }
}
