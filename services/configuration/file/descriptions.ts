import { DELIVERIES_MOST } from '../../domain/escalation.ts';

/** What an editor shows about a field while a file is written, by its path without list indexes. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  version: 'The version of this format.',
  account: 'The account itself. What is left out stays as it is.',
  'account.name': 'What the account is called.',
  'account.ownerEmail':
    'The email of an owner, who is asked once to confirm it and then told of problems with alerts; or from where to read it. Empty: nobody is named.',
  'account.ownerLocale': 'The language of the notices to the owner, such as en or de.',
  'account.ownerTimeZone': 'The time zone the owner reads times in, such as Europe/Vienna.',
  'account.stillHappeningS':
    'Seconds without a trigger after which one that joins an open incident notifies those already alerted that it is still happening: 60 to 86400, or 0 for never.',
  locations: 'Where alarms and panic buttons are.',
  'locations.address': 'The postal address that people alerted are shown; several lines allowed.',
  'locations.test': 'On: everything here runs as test and alerts nobody, whatever its own switch says.',
  contacts: 'The people who can be alerted.',
  'contacts.locale': 'The language of messages to them, such as en or de-AT.',
  'contacts.timeZone': 'The time zone they read times in, such as Europe/Vienna.',
  'contacts.voice':
    "The voice that speaks calls to them, by the carrier's own name such as Polly.Vicki. Empty: its usual one.",
  'contacts.channels': 'How they can be reached, each channel at most once.',
  'contacts.channels.address':
    'A phone number such as +12025550111, an email address, a topic, or an https URL; or from where to read it.',
  'contacts.channels.disabledReason': 'Why nothing is sent over this channel. Without it, the channel is used.',
  policies: `Who is alerted, when and how: at most ${DELIVERIES_MOST} messages in one incident, all rounds together.`,
  'policies.steps': 'What happens in turn until somebody acknowledges.',
  'policies.steps.delayS': 'Seconds after the step before, the first after the incident opened.',
  'policies.steps.contacts': 'Who is alerted at this step, in order.',
  'policies.steps.contacts.contact': 'The key of a contact.',
  'policies.steps.contacts.channels': 'Which of their channels to use.',
  'policies.repeat': 'How many further rounds of all steps there are.',
  'policies.repeatDelayS': 'Seconds from one round to the next.',
  alarms: 'What is armed, disarmed and triggered.',
  'alarms.location': 'The key of the location where it is.',
  'alarms.test': 'On: everything is recorded and nobody is alerted. New alarms start in test.',
  'alarms.disabled': 'On: it answers as if it were not there.',
  'alarms.onlyWhenArmed': 'On: a trigger while it is disarmed is refused.',
  'alarms.clearOnDisarm': 'On: disarming closes the open incident.',
  'alarms.modes': 'What it can be armed to. Without it: all four, bound to nothing.',
  'alarms.modes.policy': 'The key of the policy that runs when it is triggered in this mode.',
  'alarms.modes.windowS': 'Seconds in which a disarm still cancels a trigger.',
  panicButtons: 'What can be triggered at any time.',
  'panicButtons.location': 'The key of the location where it is.',
  'panicButtons.test': 'On: everything is recorded and nobody is alerted. New buttons start in test.',
  'panicButtons.disabled': 'On: it answers as if it were not there.',
  'panicButtons.responseKind': 'What kind of help is needed.',
  'panicButtons.responseText': 'Where the kind is other: what is asked for, in your own words. It is shown and spoken.',
  'panicButtons.policy': 'The key of the policy that runs when it is triggered.',
  apiKeys: 'What opens /v1. A key is never deleted, only revoked.',
  'apiKeys.label': 'What it is for.',
  'apiKeys.alarm': 'The key of the only alarm that it reaches. Without it: the whole account. It never changes.',
  'apiKeys.expiresAt': 'When it expires, such as 2027-01-31T12:00:00Z.',
  'apiKeys.secret':
    'From where its secret is read, never the secret itself. Without it, one is created and shown once.',
};

const EVERYWHERE: Readonly<Record<string, string>> = {
  key: 'Your own stable name for it, by which the file refers to it. A different key means a different thing.',
  name: 'What people read.',
};

/** Returns the description of a field; undefined if its name says it all. */
export function descriptionOf(path: string): string | undefined {
  return DESCRIPTIONS[path] ?? EVERYWHERE[path.slice(path.lastIndexOf('.') + 1)];
}
