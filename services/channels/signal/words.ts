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

/**
 * What its words mean that tell somebody something to act on, in the order in which they are looked for. They are those of signal-cli, and other ones
 * tomorrow.
 */
const MEANS: readonly [RegExp, AttemptOutcome][] = [
  [
    /too old|outdated|deprecated|\b499\b/i,
    away('Signal refuses this version of signal-cli: update the server of SIGNAL_URL'),
  ],
  [
    /untrusted/i,
    ended(
      'Signal does not trust the key of this person: if they have a new phone, trust it at the server of SIGNAL_URL',
    ),
  ],
  [/unregistered|not registered/i, ended('this number has no Signal')],
];

/** What came of a message that the server did not take. What it does not explain may pass, such as a fault of the network behind it. */
export function refusalOf({ status, said, about, captcha }: SignalAnswer): AttemptOutcome {
  if (status >= 200 && status < 300) return UNREADABLE;
  if (captcha === 'wanted')
    return ended('Signal wants a captcha before it takes messages to new people: solve it, or let them write first');
  if (about === 'us' && /not registered|unregistered|not exist|not found/i.test(said)) return away(NOT_REGISTERED);
  const [, known] = MEANS.find(([words]) => words.test(said)) ?? [];
  if (known !== undefined) return known;
  if (status === 429) return BUSY;
  if (mayPass(status)) return { kind: 'temporary_fault', reason: `Signal has a fault of its own: ${status}` };
  if (status === 401 || status === 403)
    return away('the server of SIGNAL_URL refused the login: it must take messages without one');
  if (status !== 400) return away(`${NO_SERVER}: ${status}`);
  return { kind: 'temporary_fault', reason: `Signal did not take it: ${said || status}` };
}
