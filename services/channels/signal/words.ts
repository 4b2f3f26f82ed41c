import type { AttemptOutcome } from '../../domain/delivery.ts';
import { mayPass } from '../http-words.ts';
import type { SignalAnswer } from './api.ts';

/** In such a mode it hands on what comes, and keeps nothing while nobody is connected. */
export const LOSES_REPLIES =
  'the server of SIGNAL_URL runs in a mode that loses replies, so that nobody can acknowledge by one: set its MODE to native';
export const NOT_REGISTERED = 'SIGNAL_NUMBER is not registered at the server of SIGNAL_URL';
export const NO_SERVER = 'what answers at SIGNAL_URL is no server of Signal';

const away = (reason: string): AttemptOutcome => ({ kind: 'permanent_fault', reason, carrier: 'away' });
const ended = (reason: string): AttemptOutcome => ({ kind: 'permanent_fault', reason });

const BUSY: AttemptOutcome = {
  kind: 'temporary_fault',
  reason: 'Signal takes no more messages for now',
  taken: 'no',
};
const UNREADABLE: AttemptOutcome = { kind: 'temporary_fault', reason: 'Signal answered something that cannot be read' };

const NO_SIGNAL = ended('this number has no Signal');
const UNTRUSTED = ended(
  'Signal does not trust the key of this person: if they have a new phone, trust it at the server of SIGNAL_URL',
);

/** What signal-cli says of the one to whom it goes. */
const MEANS_OF_TYPE: ReadonlyMap<string, AttemptOutcome> = new Map([
  ['UNREGISTERED_FAILURE', NO_SIGNAL],
  ['IDENTITY_FAILURE', UNTRUSTED],
  ['RATE_LIMIT_FAILURE', BUSY],
]);

/**
 * What its words mean that tell somebody something to act on, in the order in which they are looked for. They are those of signal-cli, and other ones
 * tomorrow. The server reads what signal-cli printed only once that has ended well, so that a fault of reading says that the message went out.
 */
const MEANS: readonly [RegExp, AttemptOutcome][] = [
  [
    /^(invalid character |unexpected end of JSON|json: cannot unmarshal|strconv\.ParseInt: )/,
    { kind: 'permanent_fault', reason: 'Signal took it, and what came of it cannot be read', taken: 'maybe' },
  ],
  [
    /too old|outdated|DeprecatedVersion|\b499\b/i,
    away('Signal refuses this version of signal-cli: update the server of SIGNAL_URL'),
  ],
  [/untrusted/i, UNTRUSTED],
  [/unregistered|not registered/i, NO_SIGNAL],
];

/** What came of a message that the server did not take. What it does not explain may pass, such as a fault of the network behind it. */
export function refusalOf({ status, failure, words, said, about, captcha }: SignalAnswer): AttemptOutcome {
  if (captcha === 'wanted')
    return ended('Signal wants a captcha before it takes messages to new people: solve it, or let them write first');
  const meant = MEANS_OF_TYPE.get(failure);
  if (meant !== undefined) return meant;
  if (status >= 200 && status < 300 && failure === '') return UNREADABLE;
  if (about === 'us' && /not registered|unregistered|not exist|not found/i.test(words)) return away(NOT_REGISTERED);
  const [, known] = MEANS.find(([means]) => means.test(words)) ?? [];
  if (known !== undefined) return known;
  if (status === 429) return BUSY;
  if (mayPass(status)) return { kind: 'temporary_fault', reason: `Signal has a fault of its own: ${status}` };
  if (status === 401 || status === 403)
    return away('the server of SIGNAL_URL refused the login: it must take messages without one');
  if (status !== 400 && failure === '') return away(`${NO_SERVER}: ${status}`);
  const why = failure.toLowerCase().replaceAll('_', ' ') || said || status;
  return { kind: 'temporary_fault', reason: `Signal did not take it: ${why}` };
}
