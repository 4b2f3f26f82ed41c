import type { ChannelKind } from '../../../domain/delivery.ts';
import { mismatch } from '../../../process/text.ts';
import { ADDRESSES, email } from '../../../process/vocabulary.ts';
import type { Listed, Thing, Unit } from '../types.ts';
import { aThing, THINGS } from './things.ts';

/** What a field takes, each to be said after the name of the field: in `mismatch`, unless it is a sentence with its full stop. */
export const accepts = {
  /** The only form of it, as process/text.ts has it. */
  mismatch: (accepted: string, got: string, todo = '') => mismatch(accepted, got, todo),
  /** A mismatch in which something else is said of what was got. */
  gotInstead: (said: string, got: string) => `${said.split(', got ')[0]}, got ${got}.`,

  /** What was got. */
  nothing: 'nothing',
  aSecondTime: (what: string) => `${what} a second time`,
  anotherUrl: 'another URL',

  name: '1 to 100 characters in one line, without control characters',
  oneLine: (most: number) => `at most ${most} characters in one line, without control characters`,
  lines: (most: number) => `at most ${most} characters, several lines allowed, without control characters`,
  key: (most: number) => `1 to ${most} lower-case letters, digits and hyphens, beginning with a letter or digit`,
  trueOrFalse: 'true or false',
  whole: (least: number, most: number, unit: Unit) => `a whole number from ${least} to ${most}${UNITS[unit]}`,
  list: (least: number, most: number, of: Listed) =>
    least === 0 ? `at most ${most} ${of}` : `${least} to ${most} ${of}`,
  reference: 'the id or the key of one that exists',
  referenceOrNone: 'the id or the key of one that exists, or nothing',
  referenceTo: (thing: Thing) => `the id or the key of ${aThing(thing)} of this account`,
  didYouMean: (near: string) => ` Did you mean ${near}?`,
  timeOrNever: 'a time such as "2027-01-31T12:00:00Z", or nothing for never',
  timeToCome: 'a future time, or nothing for never',
  timeOfYears: 'a time of the years 1 to 9999',
  month: 'a month of the years 1970 to 2999 such as 2026-11, or nothing for this one',
  oneOf: (words: readonly string[]) => `one of ${words.join(', ')}`,
  oneOfOrNothing: (words: readonly string[]) => `${words.map(one => `"${one}"`).join(', ')} or nothing`,
  eachOnce: 'each of them once',
  locale: 'a language such as "en" or "de-AT" (BCP 47)',
  timeZone: 'an IANA time zone such as "Europe/Vienna"',
  voice: 'the name of a voice such as "Polly.Vicki": letters, digits, dots, hyphens, underscores, at most 60',
  anAddress: 'an address',
  address: Object.fromEntries(Object.entries(ADDRESSES).map(([channel, { takes }]) => [channel, takes])) as Record<
    ChannelKind,
    string
  >,
  emailOrNone: `${email.takes}, or nothing for none`,
  pause: (least: number, most: number) => `0 for never, or ${least} to ${most} seconds`,
  seconds: (least: number, most: number) => `${least} to ${most} seconds`,
  range: (least: number, most: number) => `${least} to ${most}`,
  days: (most: number, usual: number) => `1 to ${most}, or 0 for ${usual}`,
  aMessage: 'a message',
  id: 'an id of 32 lower-case letters and digits',
  search: (most: number) => `a part of a name: at most ${most} characters, no control characters`,
  fieldsOf: (thing: Thing, known: readonly string[]) =>
    `the fields of this ${THINGS[thing]} that may change (${known.join(', ')})`,
  fieldsOnly: (known: readonly string[]) => `${known.join(', ')}, nothing else`,
  nameAndRole: 'name and role',
  noKnownField: 'is not a known field.',
  channelOf: (name: string, has: readonly string[]) => `one that ${name} has (${has.join(', ') || 'none yet'})`,
  verifiableChannel: 'text, call, email or push',
  webhookNeedsNone: 'a webhook needs no code',
  code: 'the six digits of the code',
  url: 'a URL',
  traceId: 'the traceId of an answer (a UUID) or a traceparent',
  nameOrNothing: (most: number) => `a name of at most ${most} characters in one line, or nothing`,
  tokenOfPageBefore: (field: string) => `the ${field} of the page before`,
  tokenOfIncident: (field: string) => `a ${field} of this incident`,
  modeOrNothing: (modes: readonly string[]) => `${modes.join(', ')}, or nothing`,
  noModeOfButton: 'nothing for a panic button, which has no modes',
  responseText: (most: number) => `1 to ${most} characters where the response is other`,
  noResponseText: (response: string) =>
    `takes nothing where the response is ${response}: only other has words of its own.`,
  messages: (most: number) => `at most ${most} messages in one incident`,
  messagesGot: (all: number, rounds: number, each: number) =>
    `${all} (${rounds === 1 ? '1 round' : `${rounds} rounds`} of ${each})`,
  messagesFewer: 'use fewer rounds, steps, contacts or channels',
  accountOfCall: 'takes the id of the account of the call, the one that the token or x-tocsin-account names.',
  reachIsFixed:
    'cannot change: the reach of a key is fixed when it is created. Create another key and revoke this one.',
};

const UNITS: Readonly<Record<Unit, string>> = { cents: ' cents', rounds: ' further rounds', seconds: ' seconds' };
