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
  'account.drills':
    'monthly: everybody a policy names is asked to answer a drill every 30 days, on weekdays from 10:00 to 18:00. off, the default: nobody is.',
  'account.stillHappeningS':
    'Seconds without a trigger after which one that joins an open incident notifies those already alerted that it is still happening: 60 to 86400, or 0 for never.',
  locations: 'Where alarms and panic buttons are.',
  'locations.address': 'The postal address that people alerted are shown; several lines allowed.',
  'locations.emergencyNumber':
    'What people alerted can call for help from their page, such as "112": 2 to 15 digits, with a plus sign before a country code.',
  'locations.test': 'On: everything here runs as test and alerts nobody, whatever its own switch says.',
  contacts: 'The people who can be alerted.',
  'contacts.locale': 'The language of messages to them, such as en or de-AT.',
  'contacts.timeZone': 'The time zone they read times in, such as Europe/Vienna.',
  'contacts.voice':
    "The voice that speaks calls to them, by the carrier's own name such as Polly.Vicki. Empty: its usual one.",
  'contacts.showNumber': 'On: those alerted beside them can call them from their page, and so see their number.',
  'contacts.channels':
    'How they can be reached: up to four addresses each of push and chat, one of every other channel, the first to try first.',
  'contacts.channels.address':
    'A phone number such as +12025550111, an email address, a topic, or an https URL; or from where to read it.',
  'contacts.channels.disabledReason': 'Why nothing is sent over this channel. Without it, the channel is used.',
  duties: 'Who is on duty when. A step of a policy names a duty in the place of a contact.',
  'duties.name': 'What people read. Without it: the key.',
  'duties.timeZone': 'The time zone in which its times are read, such as Europe/Vienna.',
  'duties.hours': 'Hours of the week, of which the first that match count.',
  'duties.hours.days': 'Days such as mon-fri or sat,sun. Without it: every day.',
  'duties.hours.from': 'When they begin, such as "08:00".',
  'duties.hours.to': 'When they end, such as "18:00". Not later than from: on the next day.',
  'duties.hours.who': 'Who is on duty then: keys of contacts, or of those who take turns.',
  'duties.hours.who.change': 'How often it is the turn of the next: daily counts the days of these hours alone.',
  'duties.hours.channels': 'Tells them over these alone, of those that the policy names. Without it: over all of them.',
  'duties.otherwise': 'Who is on duty when none of the hours match: keys of contacts, or of those who take turns.',
  'duties.otherwise.change': 'How often it is the turn of the next.',
  'duties.except': 'Holidays, covers and swaps, before all hours. The first that match count.',
  'duties.except.from': 'The first day, or when it begins: 2026-12-24, or 2026-12-24T18:00.',
  'duties.except.to': 'The last day, or when it ends: 2026-12-27, or 2026-12-27T08:00.',
  'duties.except.who': 'Keys of contacts.',
  'duties.except.note': 'Why, for people.',
  'duties.except.channels': 'Tells them over these alone, of those that the policy names.',
  'duties.except.cover': 'Whether it is a cover or a swap: those that a file does not name stay when it is applied.',
  'duties.tell': 'On: whoever comes on duty is told.',
  policies: `Who is alerted, when and how: at most ${DELIVERIES_MOST} messages in one incident, all rounds together.`,
  'policies.steps': 'What happens in turn until somebody acknowledges.',
  'policies.steps.delayS': 'Seconds after the step before, the first after the incident opened.',
  'policies.steps.contacts': 'Who is alerted at this step, in order.',
  'policies.steps.contacts.contact': 'The key of a contact: either this or a duty.',
  'policies.steps.contacts.duty': 'The key of a duty: whoever is on it when the step is due.',
  'policies.steps.contacts.channels': 'Which of their channels to use.',
  'policies.repeat': 'How many further rounds of all steps there are.',
  'policies.repeatDelayS': 'Seconds from one round to the next.',
  'policies.askAgainAfterS':
    'Whoever acknowledged is asked again after so many seconds while the incident is open, then the called-off steps go on.',
  alarms: 'What is armed, disarmed and triggered.',
  'alarms.test': 'On: everything is recorded and nobody is alerted. New alarms start in test.',
  'alarms.onlyWhenArmed': 'On: a trigger while it is disarmed is refused.',
  'alarms.clearOnDisarm': 'On: disarming closes the open incident.',
  'alarms.modes': 'What it can be armed to. Without it: all four, bound to nothing.',
  'alarms.modes.policy': 'The key of the policy that runs when it is triggered in this mode.',
  'alarms.modes.windowS': 'Seconds in which a disarm still cancels a trigger.',
  panicButtons: 'What can be triggered at any time.',
  'panicButtons.test': 'On: everything is recorded and nobody is alerted. New buttons start in test.',
  'panicButtons.responseKind': 'What kind of help is needed.',
  'panicButtons.responseText': 'Where the kind is other: what is asked for, in your own words. It is shown and spoken.',
  'panicButtons.policy': 'The key of the policy that runs when it is triggered.',
  apiKeys: 'What opens /v1. A key is never deleted, only revoked.',
  'apiKeys.label': 'The device that calls with it: messages and pages say by this name what tripped.',
  'apiKeys.alarm': 'The key of the only alarm that it reaches. Without it: the whole account. It never changes.',
  'apiKeys.expiresAt': 'When it expires, such as 2027-01-31T12:00:00Z.',
  'apiKeys.lookUrl':
    'Where people alerted can look when it trips something, such as the page of a camera: an https URL, shown as a link and never fetched.',
  'apiKeys.supervisionS':
    'Seconds for which it may be silent before its owners are told, if something it reaches is armed: 120 to 604800. Without it: not supervised.',
  'apiKeys.onSilence':
    'What follows then: notify tells the owners; alert tells them, and two minutes later triggers its alarm in the mode it is armed in. Only a key with an alarm may have alert.',
  'apiKeys.secret':
    'From where its secret is read, never the secret itself. Without it, one is created and shown once.',
};

/** The same about a field wherever it stands, by its name. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  key: 'Your own stable name for it, by which the file refers to it. A different key means a different thing.',
  name: 'What people read.',
  location: 'The key of the location where it is.',
  testUntil:
    'When the test ends by itself, such as 2027-01-31T12:00:00Z, at most 7 days ahead; one that has passed means live. Without it: what is new stays in test until you let it go live, and what was live goes into test for a day.',
  disabled: 'On: it answers as if it were not there.',
  turns: 'Keys of contacts, one after the other.',
  every: 'How many days on duty, or weeks, a turn has.',
  at: 'When it changes: "08:00" daily, "sat 08:00" weekly.',
  since: 'The day on which it is the turn of the first, such as 2026-11-28.',
};

/** Returns the description of a field; undefined if its name says it all. */
export function descriptionOf(path: string): string | undefined {
  return DESCRIPTIONS[path] ?? EVERYWHERE[path.slice(path.lastIndexOf('.') + 1)];
}
