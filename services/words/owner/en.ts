import type { Tried } from '../../domain/chances.ts';
import { type AttemptOutcome, type ChannelKind, FAILING_AFTER } from '../../domain/delivery.ts';
import { DELIVERIES_MOST } from '../../domain/escalation.ts';
import type { FirstDaysEnd } from '../../domain/first-days.ts';
import type { NoticeKind } from '../../domain/notice.ts';
import type { ProofAge } from '../../domain/proof.ts';
import type { NotReached } from '../../domain/reach.ts';
import type { AccountFinding, Finding, Instead, InTest } from '../../domain/readiness.ts';
import type { Role } from '../../domain/role.ts';
import type { SourceKind } from '../../domain/source.ts';
import { reachedIn } from '../../domain/standing.ts';
import type { TonightPerson, TonightSummary } from '../../domain/tonight.ts';
import {
  CODE_GOOD_MS,
  CODES_OF_ACCOUNT,
  type GuessVerdict,
  MOST_GUESSES,
  type SendVerdict,
  UNVERIFIED_A_DAY,
} from '../../domain/verification.ts';
import { dollars, mismatch } from '../../process/text.ts';
import { ADDRESSES, email, lookUrl } from '../../process/vocabulary.ts';
import { inZone, MOST_NAMES, MOST_SOURCES, minute, moments, say, update } from './finding-parts.ts';
import type {
  CallSaid,
  CallWord,
  CallWords,
  DrillSituation,
  DutyChangeNotice,
  ExplainedChange,
  ExplainedDelivery,
  FindingSource,
  FindingWords,
  Listed,
  NoticeFacts,
  NoticeWords,
  OperatorAct,
  RehearsedMessage,
  SyntaxFault,
  Thing,
  Unit,
} from './types.ts';

/** The names of things within a sentence. */
const THINGS: Readonly<Record<Thing, string>> = {
  account: 'account',
  alarm: 'alarm',
  api_key: 'API key',
  contact: 'contact',
  duty: 'duty',
  incident: 'incident',
  location: 'location',
  member: 'member',
  panic_button: 'panic button',
  policy: 'policy',
  source: 'alarm or panic button',
  token: 'token',
};

/** The same as the beginning of a sentence about several. */
const KINDS: Readonly<Record<string, string>> = {
  alarm: 'Alarms',
  api_key: 'API keys',
  contact: 'People',
  duty: 'Duties',
  location: 'Locations',
  panic_button: 'Panic buttons',
  policy: 'Policies',
  token: 'Console tokens',
};

/** Returns the name of a thing with its article. */
function aThing(thing: Thing): string {
  return `${/^[aA]/.test(THINGS[thing]) ? 'an' : 'a'} ${THINGS[thing]}`;
}

/** What a field takes, each to be said after the name of the field: in `mismatch`, unless it is a sentence with its full stop. */
const accepts = {
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
  testUntil: 'a time from now on, at most 7 days away',
  timeOrNever: 'a time such as "2027-01-31T12:00:00Z", or nothing for never',
  timeToCome: 'a future time, or nothing for never',
  timeOfYears: 'a time of the years 1 to 9999',
  month: 'a month of the years 1970 to 2999 such as 2026-11, or nothing for this one',
  oneOf: (words: readonly string[]) => `one of ${words.join(', ')}`,
  oneOfOrNothing: (words: readonly string[]) => `${words.map(one => `"${one}"`).join(', ')} or nothing`,
  eachOnce: 'each of them once',
  mostAddresses: (channel: ChannelKind, most: number) => `at most ${most} addresses of ${channel} for one person`,
  oneMore: 'one more',
  locale: 'a language such as "en" or "de-AT" (BCP 47)',
  timeZone: 'an IANA time zone such as "Europe/Vienna"',
  weekdays: 'days such as "mon-fri" or "sat,sun", or nothing for every day',
  clock: 'a time such as "08:00"',
  clockToEnd: 'a time such as "18:00", up to "24:00"',
  changeOf: { daily: 'a time such as "08:00"', weekly: 'a day and a time such as "sat 08:00"' },
  aDate: 'a day such as "2026-11-28"',
  dayOrTime: 'a day such as "2026-12-24" or a time such as "2026-12-24T18:00"',
  aTimeToCome: 'a time to come',
  afterFrom: 'what comes after from',
  who: 'people, such as [anna], or turns, such as { turns: [noah, mia], change: weekly, at: "sat 08:00", since: 2026-11-28 }',
  contactOrDuty: 'either a contact or a duty',
  voice: 'the name of a voice such as "Polly.Vicki": letters, digits, dots, hyphens, underscores, at most 60',
  emergencyNumber: 'a number to call for help such as "112": 2 to 15 digits, or nothing for none',
  anAddress: 'an address',
  address: Object.fromEntries(Object.entries(ADDRESSES).map(([channel, { takes }]) => [channel, takes])) as Record<
    ChannelKind,
    string
  >,
  /** What else is said where somebody typed something else than an address of a chat. `meant`: what it would be. */
  chatHint: (typed: 'id' | 'name' | 'group' | 'other', meant: string) =>
    ({
      id: ` Did you mean ${meant}?`,
      name: ' Telegram tells a bot no @name: let them open the link of "Connect Telegram", or write to the bot, which answers with their address.',
      group: ' A group is nobody: anyone in it could press.',
      other: '',
    })[typed],
  lookUrlOrNone: `${lookUrl.takes}, or nothing for none`,
  emailOrNone: `${email.takes}, or nothing for none`,
  onSilence: 'notify (owners are told), or alert (they are told, and its alarm is triggered)',
  alertNeedsAlarm:
    'can be alert only where the key reaches one alarm, which is triggered then. Create a key for that alarm, or choose notify.',
  secondsOrOff: (least: number, most: number) => `0 for off, or ${least} to ${most} seconds`,
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
  settingOf: (title: string, known: readonly string[]) =>
    `is not a setting of ${title}, which takes ${known.join(', ')}.`,
  settingShort: (most: number) => `at most ${most} characters on one line`,
  secretAgain: (because: string) => `has to be typed again, because ${because} now leads elsewhere.`,
  addressToTry: 'an address or number of yours',
  channelOf: (name: string, has: readonly string[]) => `one that ${name} has (${has.join(', ') || 'none yet'})`,
  addressOf: (name: string, channel: string) =>
    `an address that ${name} has for ${channel}, or nothing for the first one`,
  notThere: 'another one',
  verifiableChannel: 'text, call, email, push or chat',
  webhookNeedsNone: 'a webhook needs no code',
  code: 'the six digits of the code',
  url: 'a URL',
  publicUrl: 'an http or https URL without user, query and fragment, such as https://alarm.example.com',
  absolutePath: (most: number) =>
    `an absolute path such as /backups: at most ${most} characters in one line, without control characters`,
  writableFolder: 'a folder in which Tocsin may write',
  /** Why it may not, as process/start-errors.ts says it. */
  folderReason: (reason: string) => reason,
  wholeMinutes: (least: number, most: number) => `whole minutes from ${least} to ${most} seconds`,
  passphrase: (least: number, most: number) =>
    `${least} to ${most} characters in one line, with no blank at either end and without control characters`,
  /** What was got, where that is a secret. */
  charactersGot: (count: number) => `${count} characters`,
  traceId: 'the traceId of an answer (a UUID) or a traceparent',
  note: (most: number) => `a note of 1 to ${most} characters in one line`,
  nameOrNothing: (most: number) => `a name of at most ${most} characters in one line, or nothing`,
  tokenOfPageBefore: (field: string) => `the ${field} of the page before`,
  tokenOfIncident: (field: string) => `a ${field} of this incident`,
  timeAhead: (days: number) => `a time from now to ${days} days ahead, or none for now`,
  modeOrNothing: (modes: readonly string[]) => `${modes.join(', ')}, or nothing`,
  noModeOfButton: 'nothing for a panic button, which has no modes',
  responseText: (most: number) => `1 to ${most} characters where the response is other`,
  noResponseText: (response: string) =>
    `takes nothing where the response is ${response}: only other has words of its own.`,
  people: (most: number) => `at most ${most} people in a duty, in all hours, turns and exceptions together`,
  messages: (most: number) => `at most ${most} messages in one incident`,
  messagesGot: (all: number, rounds: number, each: number) =>
    `${all} (${rounds === 1 ? '1 round' : `${rounds} rounds`} of ${each})`,
  messagesFewer: 'use fewer rounds, steps, contacts or channels',
  accountOfCall: 'takes the id of the account of the call, the one that the token or x-tocsin-account names.',
  reachIsFixed:
    'cannot change: the reach of a key is fixed when it is created. Create another key and revoke this one.',
};

const UNITS: Readonly<Record<Unit, string>> = {
  cents: ' cents',
  changes: ' days or weeks',
  rounds: ' further rounds',
  seconds: ' seconds',
};

/**
 * The table of sentences, one for every outcome. Only the owner of the account reads them, so they may tell apart what the one 404 and
 * the one 401 of /v1 never do.
 */
const calls: Record<CallWord, CallSaid> = {
  accepted: sayCall(
    'The call is stored and waiting to be applied.',
    'Check again in a moment; if it still waits after a minute, check the log of the service.',
  ),
  armed: sayCall('The alarm was armed in the mode that the call names.'),
  disarmed: call => {
    const cancelled = call.pending === 'touched' ? ', and the trigger in its false-alarm window was cancelled' : '';
    const closed = call.incident === null ? '' : ', and the open incident was closed';
    return sayCall(`The alarm was disarmed${cancelled}${closed}.`);
  },
  pending: sayCall(
    'The trigger waits in its false-alarm window, and nobody has been alerted yet.',
    'Disarm before the window ends to cancel it; otherwise the incident opens.',
  ),
  opened: ({ incident, by, kind }) => {
    if (incident?.outcome === 'nobody_to_alert') {
      return sayCall(
        'The trigger opened an incident, but there was nobody to alert: no policy is bound, or the policy names nobody.',
        'Bind a policy that names at least one contact with a channel.',
      );
    }
    if (incident?.outcome === 'nobody_reached') {
      return sayCall(
        'The trigger opened an incident, but nobody was alerted: its messages failed, had no carrier or could not be scheduled.',
        'Contact these people yourself, find out from the timeline of the incident what went wrong, then fix and rehearse it.',
      );
    }
    if (incident?.outcome === 'exhausted') {
      return sayCall(
        'The trigger opened an incident, everyone who could be reached was alerted, and nobody acknowledged.',
        'Acknowledge or close the incident, and add rounds or people to the policy.',
      );
    }
    if (incident?.environment === 'test' && by === 'person' && kind === 'panic_button') {
      return sayCall(
        'Pressed or rehearsed in the console while in test: that opened an incident that records who would have been alerted, and nobody was alerted.',
        'To be alerted by the next trigger, switch test off there and at its location.',
      );
    }
    if (incident?.environment === 'test' && by === 'person') {
      return sayCall(
        'The rehearsal opened a test incident that records who would have been alerted, and nobody was alerted.',
      );
    }
    if (incident?.environment === 'test') {
      return sayCall(
        `The ${kind === 'panic_button' ? 'panic button' : 'alarm'} is in test: the trigger opened an incident that records who would have been alerted, and nobody was alerted.`,
        'To be alerted by the next trigger, switch test off there and at its location.',
      );
    }
    const what = by === 'person' ? 'Somebody pressed it in the console: that' : 'The trigger';
    return sayCall(`${what} opened an incident, and the people in its policy are alerted in order.`);
  },
  cancelled: ({ verb }) =>
    sayCall(
      verb === 'call_off'
        ? 'A person called off the trigger in its false-alarm window: no incident opened and nobody was alerted.'
        : 'The trigger was cancelled in its false-alarm window: no incident opened and nobody was alerted.',
    ),
  folded: ({ incident }) =>
    incident === null
      ? sayCall(
          'The trigger joined one that was already waiting in its false-alarm window, and nobody has been alerted yet.',
          'Disarm before the window ends to cancel both.',
        )
      : incident.outcome === 'nobody_reached'
        ? sayCall(
            'The trigger joined the incident that was already open: it was counted, and nobody has been alerted so far.',
            'Contact these people yourself, and find out from the timeline of the incident what went wrong.',
          )
        : sayCall(
            'The trigger joined the incident that was already open: it was counted, and nobody was alerted again.',
            'To be alerted by the next trigger, clear or close the incident.',
          ),
  closed: ({ verb }) =>
    verb === 'close'
      ? sayCall('A person closed the incident, and unsent messages were cancelled.')
      : verb === 'call_off'
        ? sayCall('A person called it off in time: the incident that opened meanwhile was closed.')
        : sayCall('The clear closed the open incident, and unsent messages were cancelled.'),
  nothing_waits: sayCall('No such trigger waited in its false-alarm window any more; nothing changed.'),
  more_came: sayCall(
    'Another device had tripped what was seen waiting in its false-alarm window: nothing was called off.',
    'To call it off while it waits, look at what waits now and do it again.',
  ),
  another_waits: sayCall(
    'Another trigger waited in the false-alarm window than the one that was seen: nothing was called off.',
    'To call it off while it waits, look at it and do it again.',
  ),
  nothing_open: sayCall('There was no open incident to clear; a trigger that waits in its window stays.'),
  held_by_gate: ({ answer }) =>
    sayCall(
      answer === 'refused'
        ? 'The trigger was refused (404): the alarm only fires when armed, and it was disarmed.'
        : 'The trigger was held back: the alarm only fires when armed, and a disarm in flight with it came first.',
      'Arm the alarm first, or switch off "only trigger when armed".',
    ),
  source_disabled: ({ answer }) =>
    sayCall(
      answer === 'refused'
        ? 'The call was refused (404): the alarm or panic button is disabled, or the plan does not cover it.'
        : 'The trigger had no effect: the alarm or panic button was disabled before it was applied.',
      'Enable it, or check the plan of the account.',
    ),
  mode_missing: sayCall(
    'The call was refused (404): the alarm does not have the mode that the call names or needs.',
    'Add the mode to the alarm, or name one that it has; a bare trigger of a disarmed alarm needs away.',
  ),
  unknown_mode: sayCall(
    'The call was refused (404): the word after the verb is not one of the four modes.',
    'Use home, away, night or vacation in lower case, or leave the mode out.',
  ),
  not_found: sayCall(
    'The call was refused (404): this key reaches no alarm or panic button with the id in the path.',
    'Copy the id from describe, and check that the path says alarm or panic and which alarm the key is for.',
  ),
  unknown_path: sayCall(
    'The call was refused (404): this path does not exist below /v1.',
    'Compare the path with the arming guide, letter by letter: look for an unknown verb or a word too many.',
  ),
  wrong_method: sayCall(
    'The call was refused (405): only GET is allowed, and nothing was done.',
    'Send the same call as GET.',
  ),
  limited: ({ times }) =>
    sayCall(
      `${times === 1 ? 'The call was' : `${times} calls were`} refused (429) and not done: this key or its account made too many calls.`,
      'Find the device that calls so often, or give each device a key of its own.',
    ),
  shed: ({ times }) =>
    sayCall(
      `${times === 1 ? 'The call was' : `${times} calls were`} refused (503) and not done: more calls came at once than the server takes.`,
      'Check whether the device sent it again, and tell the operator of this Tocsin server.',
    ),
  key_unknown: sayCall(
    'The call was refused (401): no API key has this secret.',
    'Check the X-API-Key header, or create a new key.',
  ),
  key_revoked: sayCall(
    'The call was refused (401): its API key is revoked.',
    'Give the caller a new key; if you do not know the caller, the old key is in the wrong hands and rightly revoked.',
  ),
  key_expired: sayCall(
    'The call was refused (401): its API key has expired, or the old secret of a rotated key has ended.',
    'Give the caller the current secret, or create a new key.',
  ),
  acknowledged: sayCall('The incident was acknowledged: its escalation stopped, and it stays open until it is closed.'),
  already_acknowledged: sayCall('Somebody had already acknowledged the incident; nothing changed.'),
  already_closed: sayCall('The incident was already closed; nothing changed.'),
  stepped: sayCall('The next step of the policy was sent at once.'),
  no_next_step: sayCall('Nothing was sent: that step has gone already, or there is none left.'),
  noted: sayCall('The note stands in the timeline of the incident.'),
  too_many_notes: sayCall('The note was not kept: the incident has as many notes as one may have.'),
  too_many_hand_overs: sayCall('It was not handed over: that was done as often as one incident may be.'),
  handed_over: sayCall('The contact was told at once to take over: until somebody acknowledges, nobody has it.'),
  already_handed_over: sayCall('That contact was told already, and has not acknowledged yet; nothing changed.'),
  declined: sayCall('The contact cannot: others who were told can still acknowledge, and nothing was called off.'),
  declined_next: sayCall(
    'The contact cannot, and nobody is left of those told so far: the next step was sent at once.',
  ),
  declined_last: sayCall('The contact cannot, and no step is left that tells somebody else.'),
  not_reachable: sayCall(
    'Nothing changed: no message would reach that contact.',
    'Hand over to somebody else, or give that contact a verified address.',
  ),
  failed: sayCall(
    'The call was accepted, but could not be applied for ten minutes: it was given up, and its owner was told.',
    'Send it again; if that fails too, check the log of the service.',
  ),
  went_live: call => {
    const closed = call.incident === null ? '' : ', and its open test incident was closed';
    const cancelled = call.pending === 'touched' ? ', and its waiting test trigger was cancelled' : '';
    return sayCall(`The alarm or panic button was switched from test to live${closed}${cancelled}.`);
  },
  disabled: call => {
    const closed = call.incident === null ? '' : ', and its open incident was closed';
    const cancelled = call.pending === 'touched' ? ', and its waiting trigger was cancelled' : '';
    return sayCall(`The alarm or panic button was disabled${closed}${cancelled}.`);
  },
};

function sayCall(explanation: string, advice = ''): CallWords {
  return { explanation, advice };
}

/** More about a change of an incident, in one sentence; empty if there is nothing to add. */
function changes(change: ExplainedChange): string {
  switch (change.kind) {
    case 'opened':
      if (change.by === '') return '';
      return change.silentS === null
        ? `Tripped by ${change.by}.`
        : `Nothing was heard of ${change.by} for ${duration(change.silentS)}.`;
    case 'exhausted':
      return change.tried === null ? '' : triedWords(change.tried);
    case 'step_brought_forward':
      return `Nobody was left before it: messages had failed, or people cannot. So it went ${duration(change.earlierS)} earlier than planned.`;
  }
}

/** What was tried: how many messages, over which channels, and what became of them. */
function triedWords({ messages, taken, failed, channels }: Tried): string {
  const over = channels.length === 0 ? '' : ` by ${channels.join(', ')}`;
  const became = [taken > 0 && `carriers took ${taken}`, failed > 0 && `${failed} failed`].filter(Boolean);
  return `Tried: ${messages} ${messages === 1 ? 'message' : 'messages'}${over}; ${became.join(', and ') || 'none has left yet'}.`;
}

function duration(seconds: number): string {
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

/** Why no code is sent, and why one is not accepted. */
const codes = {
  tooMany: tooManyCodes,
  tooManyOfAccount,
  addressLimit,
  notVerified,
  noBot: 'There is no bot that people could write to: set TELEGRAM_TOKEN where Tocsin runs, or ask whoever runs it.',
  noDevice: (why: 'no_carrier' | 'not_https' | 'other_address', name: string) =>
    ({
      no_carrier: 'Web push is not set up: set WEB_PUSH_CONTACT where Tocsin runs, or ask whoever runs it.',
      not_https:
        'Browsers ring only for addresses that begin with https://: set PUBLIC_URL to one, or ask whoever runs this Tocsin.',
      other_address: `Push messages to ${name} go to four other addresses: remove one of them first.`,
    })[why],
  notYourself: (name: string) =>
    `Only ${name} can do that: sign in with the verified email address of ${name}, or have a link made for their phone.`,
  tooManyDevices: (most: number) => `${most} devices ring already, which is the most: remove one first.`,
  deviceGone: 'the browser wants no messages any more',
  noSuchDevice: (name: string) => `No such device rings for ${name}: it was removed already.`,
  botUnknown: (problem: string) => `The link cannot be made for now: ${problem}. Try again.`,
};

/** Says that an address takes no more codes for now, and when to come back. */
function tooManyCodes({ most, per, retryAfterS }: Extract<SendVerdict, { kind: 'too_many' }>): string {
  const minutes = Math.ceil(retryAfterS / 60);
  const wait =
    minutes > 120 ? `${Math.ceil(minutes / 60)} hours` : minutes > 2 ? `${minutes} minutes` : `${retryAfterS} s`;
  return `Too many codes: an address takes at most ${most} per ${per}. Ask for another code in ${wait}.`;
}

/** Says that an account sends so many codes at most, to whomever. */
function tooManyOfAccount(retryAfterS: number): string {
  return `Too many codes: an account sends at most ${CODES_OF_ACCOUNT.most} per minute. Try again in ${retryAfterS} s.`;
}

/** Says that an address that nobody has shown to be theirs takes no more today, whoever asks. Begins with its code. */
function addressLimit(on: { key: string; name: string; channel: ChannelKind; resetsAt: Date }): string {
  const { key, name, channel, resetsAt } = on;
  const { most, ofAccount } = UNVERIFIED_A_DAY;
  const until = `${resetsAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return (
    `address_limit: the ${channel} of ${name} is not verified, and an unverified address takes ${most} drills and ` +
    `codes per day, ${ofAccount} of them from one account. The limit resets at ${until}. Enter a code that arrived ` +
    `(tocsin contacts verify ${key} ${channel}).`
  );
}

/** Says why a code is not accepted. Begins with the verdict, for who reads no sentences. `left`: how many guesses are left. */
function notVerified(
  verdict: Exclude<GuessVerdict, 'right'>,
  { name, channel, left }: { name: string; channel: ChannelKind; left: number },
): string {
  const whose = `the ${channel} of ${name}`;
  const sentences: Record<typeof verdict, string> = {
    wrong: `This is not the code that was sent to ${whose}. ${left} of ${MOST_GUESSES} attempts left: check the newest message.`,
    expired: `The code for ${whose} expired after ${CODE_GOOD_MS / 60_000} minutes: send a new one.`,
    none_sent: `No code has been sent to ${whose} since its address was stored: send one first.`,
    too_many_guesses: `The code for ${whose} is void after ${MOST_GUESSES} wrong attempts: send a new one.`,
  };
  return `${verdict}: ${sentences[verdict]}`;
}

/** Says what a carrier answered, as it is stored: in words already, and what a server said stands behind their colon. */
const faults = (stored: string): string => stored;

/**
 * Why a message does not go out, in words. The shortest of the carriers' words are said at more length; whatever else one
 * says is in words already and stands as it is.
 */
const REASONS: Record<string, string> = {
  plan_required: 'the plan does not cover this channel',
  no_address: 'the contact has no address for this channel',
  spend_ceiling: 'the daily SMS and call limit was reached',
  not_verified: 'the address is not verified',
  disabled: 'the address is disabled',
  throttled: 'the contact had just received many messages over this channel',
  busy: 'the line was busy',
  'no answer': 'nobody picked up',
  'invalid number': 'the carrier says that the phone number does not exist',
  'unknown number': 'the phone number is not in service',
  'unreachable handset': 'the phone was switched off or out of reach',
  blocked: 'the phone or its carrier blocks such messages',
};

/** What ends an escalation, in words (DECISIONS.md "Close or acknowledge"). */
const ENDINGS: Record<string, string> = {
  acknowledged: 'the incident was acknowledged',
  clear: 'the incident was cleared',
  disarm: 'the alarm was disarmed',
  auto_close: 'the incident closed automatically',
  console: 'somebody closed the incident',
  superseded: 'a live incident replaced it',
  went_live: 'the source was switched to live',
  source_disabled: 'the source was disabled',
};

/**
 * Whether a message alerted anybody and if not why, in one sentence (DECISIONS.md "Delivery"): "sent" never claims that it
 * arrived.
 */
function deliveries(on: ExplainedDelivery): string {
  const standsIn = on.insteadOf === null ? '' : ` It stands in for ${on.insteadOf}.`;
  return `${became(on)}${standsIn}${askedBefore(on.carrierTries ?? [])}`;
}

/** Of each carrier that did not take it, the last try. */
function askedBefore(tries: NonNullable<ExplainedDelivery['carrierTries']>): string {
  if (tries.length === 0) return '';
  const named = tries.map(
    ({ carrier, nth, reason }) => [nth === undefined ? carrier : `${carrier}, address ${nth}`, reason] as const,
  );
  const last = new Map(named.map(([who, reason]) => [who, `${who} (${faults(reason)})`]));
  const twice = tries.some(({ taken }) => taken === 'maybe') ? ' It may have gone out twice.' : '';
  return ` Asked before: ${[...last.values()].join(', ')}.${twice}`;
}

function became({ channel, status, reason, cancelledBy, attempts = 0, instead = null }: ExplainedDelivery): string {
  const because =
    reason === 'no_carrier'
      ? `no carrier is set up for ${channel}`
      : Object.hasOwn(REASONS, reason)
        ? REASONS[reason]!
        : reason;
  switch (status) {
    case 'scheduled':
      if (reason === 'throttled') return `Postponed: ${because}.`;
      if (because === '') return 'Scheduled.';
      if (attempts < FAILING_AFTER) return `To be tried again: ${because}.`;
      return `Not taken yet, tried ${attempts} times and to be tried again: ${because}.${wentInstead(instead, 'beside it')}`;
    case 'suppressed':
      return because === ''
        ? 'Not sent in test; live, it would have been sent.'
        : `Not sent in test; live it would not have gone: ${because}.`;
    case 'sending':
      return 'Being sent.';
    case 'sent':
      return 'The carrier accepted it; whether it arrived is not known.';
    case 'delivered':
      return 'The carrier reports that it arrived.';
    case 'failed':
      return `Failed${attempts > 1 ? ` after ${attempts} tries` : ''}: ${because || 'the carrier gave no reason'}.${wentInstead(instead, 'in its place')}`;
    case 'cancelled':
      if (reason === 'restored') return 'Not sent: it was due before a backup was restored.';
      if (attempts < FAILING_AFTER) return `Not sent: ${ENDINGS[cancelledBy] ?? 'the incident was over'}.`;
      return `Outdated: tried ${attempts} times (${because}), then ${ENDINGS[cancelledBy] ?? 'a later message to them went out over this channel'}.`;
    case 'no_carrier':
      return `Not sent: ${because || 'no carrier is set up'}.`;
  }
}

function wentInstead(channel: ExplainedDelivery['instead'], how: string): string {
  return channel ? ` A message by ${channel} went ${how}.` : '';
}

/** Says what to do after a drill, in one sentence. Empty: nothing. */
function drills(outcome: AttemptOutcome, situation: DrillSituation): string {
  const { contactName, channel, tried } = situation;
  switch (outcome.kind) {
    case 'sent':
    case 'delivered':
      return whyLeftOut(situation);
    case 'kept':
      return tried === 'no_carrier'
        ? `Set up a carrier for ${channel}, or let policies alert ${contactName} over a channel that has one.`
        : `Give ${contactName} a real address for ${channel}, then try again.`;
    case 'put_off':
    case 'asked_to_wait':
    case 'temporary_fault':
      return 'Try again in a minute. Alerts are retried automatically.';
    case 'obstacle':
    case 'permanent_fault':
      return outcome.reason === 'plan_required'
        ? `Change to the paid plan, or let policies alert ${contactName} by email.`
        : `Check the address of ${contactName} for ${channel}: another try would be refused again.`;
  }
}

/** What keeps alerts from an address that works. */
function whyLeftOut({ contactKey, contactName, channel, disabledReason, live }: DrillSituation): string {
  if (live === 'disabled') {
    return `The ${channel} of ${contactName} is disabled (${disabledReason}), so alerts skip it: enable it again.`;
  }
  if (live !== 'not_verified') return '';
  return `The ${channel} of ${contactName} is not verified, so live alerts skip it: tocsin contacts verify ${contactKey} ${channel}.`;
}

const A_REFERENCE = 'a reference to a secret, { env: NAME } or { file: path }';
const NO_TAG = 'takes plain values without a tag.';

/** What is wrong in a configuration file, each after the name of its field. */
const file = {
  /** At the head of a file that is exported. */
  head: `# The configuration of an account. Check it with \`tocsin config check\`, apply it with \`tocsin config apply\`.
# It holds the addresses of people. The secrets of API keys are not in it: a key that is made from it gets a new one,
# unless it says { env: NAME } or { file: path } as its secret.
`,
  kinds: { map: 'a map', list: 'a list', single: 'a single value' },
  aMap: (fields: readonly string[]) => (fields.length === 0 ? 'a map' : `a map with ${fields.join(', ')}`),
  somethingElse: 'something else',
  elseFrom: (reference: string) => `something else from ${reference}`,
  aText: 'a text',
  aWholeNumber: 'a whole number',
  version: 'the version of this format',
  unknownSection: (known: readonly string[]) => `is not a known field: takes ${known.join(', ')}.`,
  unknownField: (known: readonly string[], name: string) => `is not a known field: ${mismatch(known.join(', '), name)}`,
  keyOnce: (key: string, line: number) =>
    mismatch('each key once', accepts.aSecondTime(key), `the first is in line ${line}`),
  fieldOnce: mismatch('each field once', 'it a second time'),
  nameBeforeColon: mismatch('a name before the colon', 'something else'),
  noMergeKeys: 'takes no merge keys (<<), which YAML 1.2 does not have: write the fields out.',
  keyOf: (thing: Thing, prune: 'keep' | 'prune') =>
    `the key of ${aThing(thing)} ${prune === 'keep' ? 'of this file or this account' : 'of this file (what it does not name is deleted)'}`,

  aReference: A_REFERENCE,
  neverTheSecret: `takes ${A_REFERENCE}, never the secret itself.`,
  fields: (count: number) => `${count} fields`,
  sources: { env: 'the name of an environment variable', file: 'the path of a file' },
  secretNamed: (reference: string) => `the secret that ${reference} names`,
  apiKeySecret: 'an API key as Tocsin makes them, "toc_" and 36 letters and digits with their checksum',
  secretHad: (reference: string) =>
    mismatch('a secret that no API key ever had', `one from ${reference} that one has or had`),
  secretGuessable: (reference: string) =>
    `${mismatch('an API key whose 30 characters after "toc_" are random, of letters in both cases and digits', `one from ${reference} that can be guessed`)} Leave the secret out, and a random one is created and shown once.`,
  reachIsFixed:
    'cannot change: the reach of a key is fixed when it is created. Create another one, with another key here.',

  tooLarge: (most: number, got: string) => `A file ${mismatch(`at most ${most} MB`, `${got} MB`, 'split it')}`,
  tooSlow: (s: number) => unreadable(`be read within ${s} seconds`),
  tooMuchMemory: (megabytes: number) => unreadable(`be read in ${megabytes} MB of memory`),
  tooDeep: (most: number) => mismatch(`lists and maps in each other at most ${most} deep`, 'more'),
  empty: mismatch('a configuration that begins with version: 1', 'nothing'),
  noDirectives: mismatch('no directives', 'a line that begins with %'),
  controlCharacter: (code: string) => mismatch('text without control characters', code),
  noTag: NO_TAG,
  unknownAlias: (name: string) => `unknown alias *${name}: no anchor &${name} above.`,
  ownAlias: (name: string) => mismatch('no alias of something that it is itself a part of', `*${name}`),
  tooManyAliased: (most: number) => mismatch(`aliases that stand for at most ${most} values together`, 'more'),
  /** `said`: the parser's own sentence, in English. */
  syntax(fault: SyntaxFault, said: string): string {
    if (fault === 'MULTIPLE_DOCS') return mismatch('one document', 'a second one after ---');
    return fault === 'TAG_RESOLVE_FAILED' ? NO_TAG : said;
  },
};

function unreadable(can: string): string {
  return mismatch(`a file that can ${can}`, 'one that cannot', 'split it, or leave out what repeats');
}

/** Findings of readiness (domain/readiness.ts), and what ends with the first 14 days of an account. */
const findings = { of: sayFinding, ofAccount: sayOfAccount, firstDaysEnd: sayFirstDaysEnd };

function sayOfAccount({ owners, mail }: AccountFinding): FindingWords {
  const carrier = mail === 'carrier' ? '' : 'Set SMTP_URL where Tocsin runs: without it nobody can be mailed. ';
  return owners === 'none'
    ? say(
        'The account has no owner who is told when an alarm reaches nobody.',
        `${carrier}Invite one, who then confirms the address: tocsin members invite you@example.com --role owner.`,
      )
    : say(
        'Nobody is told when an alarm reaches nobody: no owner has confirmed their address yet.',
        `${carrier}Open the link in the mail to the owner, or sign in with that address; to send the mail again: tocsin members invite-again <email>.`,
      );
}

function sayFinding(finding: Finding, source: FindingSource): FindingWords {
  const { mode } = finding;
  switch (finding.code) {
    case 'disabled':
      return say('It is disabled: every call answers 404 and nothing fires.', `Enable it: ${update(source)} --enable.`);
    case 'deactivated':
      return say(
        'The plan has not covered it since a downgrade: every call answers 404.',
        'Change to a plan that covers it, or delete sources that are no longer needed.',
      );
    case 'no_policy':
      return say(
        `${mode === null ? 'It' : `The mode ${mode}`} has no policy: a trigger opens an incident, but nobody is alerted.`,
        `Bind a policy that names who is alerted: ${update(source)} ${mode === null ? '--policy …' : `--mode ${mode}:policy=…`}.`,
      );
    case 'links_unreachable':
      return say(
        'The links in its messages lead to the machine that Tocsin runs on: nobody else can open them and respond.',
        'Set PUBLIC_URL where Tocsin runs to an address that phones can reach; tocsin doctor suggests some.',
      );
    case 'answers_lost':
      return say(ANSWERS_LOST[finding.from][finding.channel], OUTSIDE_URL);
    case 'in_test':
      return sayInTest(finding, source);
    case 'no_away_mode':
      return say(
        'It has no mode away: a trigger without a mode answers 404 while disarmed, and a bare arm stores away.',
        `Add the mode away, with a policy: ${update(source)} --mode away:policy=….`,
      );
    case 'armed_mode_missing':
      return say(
        `It is armed in ${mode}, a mode that it no longer has: a trigger without a mode ${finding.bare === 'runs_away' ? 'runs the policy of away' : 'answers 404'}.`,
        `Arm it in a mode that it has, or add the mode again: ${update(source)} --mode ${mode}:policy=….`,
      );
    case 'calls_limited':
      return say(
        `${finding.calls === 1 ? 'One call to it was' : `${finding.calls} calls to it were`} refused (429) within the last day, because its key or the account called too often.`,
        'Find the device that calls so often, tocsin calls list --outcome limited, or give each device a key of its own.',
      );
    case 'calls_shed':
      return say(
        `${finding.calls === 1 ? 'One call to it was' : `${finding.calls} calls to it were`} refused (503) within the last day, because more came at once than the server takes.`,
        'Check whether the device sent them again, tocsin calls list --outcome shed, and tell the operator of the server.',
      );
    case 'silent_sender':
      return say(
        `Nothing is heard of ${finding.names.map(label => `"${label}"`).join(', ')}${finding.keys > finding.names.length ? ` and ${finding.keys - finding.names.length} more` : ''}${finding.all === 'yes' ? ': no supervised key that reaches it is heard' : ''}.`,
        'Check whether the device has power and network, or switch its supervision off where it is not used any more: tocsin keys list.',
      );
    case 'supervision_proposed':
      return say(
        `Nobody would notice if "${finding.key.label}" fell silent: it calls regularly and is not supervised.`,
        `Supervise it: tocsin keys update ${finding.key.key} --supervision ${finding.key.proposedS}s.`,
      );
    case 'no_location_address':
      return say(
        `Its location "${source.location.name}" has no address: the people alerted are not told where to go.`,
        `Give the location its address: tocsin locations update ${source.location.key} --address "…".`,
      );
    default:
      return sayOfPolicy(finding);
  }
}

const OUTSIDE_URL =
  'Set PUBLIC_URL where Tocsin runs to an address that the whole internet reaches, such as a name behind a proxy or a tunnel.';

/** By from where people can respond, and the channel. */
const ANSWERS_LOST: Record<'network' | 'nowhere', Record<ChannelKind, string>> = {
  network: {
    text: 'Nobody can reply to its texts, because the carrier does not reach PUBLIC_URL; their links open only in the network of that address.',
    call: 'Nobody can acknowledge on its calls, because the carrier does not reach PUBLIC_URL.',
    email: 'The links in its emails open only in the network of PUBLIC_URL: elsewhere nobody can respond.',
    push: 'The links in its push messages open only in the network of PUBLIC_URL: elsewhere nobody can respond.',
    chat: 'The links in its chat messages open only in the network of PUBLIC_URL; their button works anywhere.',
    webhook: 'The links in its webhooks open only in the network of PUBLIC_URL.',
  },
  nowhere: {
    text: 'Nobody can respond to its texts: the carrier does not reach PUBLIC_URL, and no phone opens links to it.',
    call: 'Nobody can acknowledge on its calls, because the carrier does not reach PUBLIC_URL: they only say what happened.',
    email: 'The links in its emails open only on the machine that Tocsin runs on.',
    push: 'The links in its push messages open only on the machine that Tocsin runs on.',
    chat: 'The links in its chat messages open only on the machine that Tocsin runs on; their button works anywhere.',
    webhook: 'The links in its webhooks open only on the machine that Tocsin runs on.',
  },
};

function sayInTest({ switches, at: ends }: InTest, source: FindingSource): FindingWords {
  const { key, location } = source;
  const which = { source: 'its own test switch', location: `the test switch of its location "${location.name}"` };
  const off = { source: `${update(source)} --live`, location: `tocsin locations update ${location.key} --live` };
  const are = switches.map(one => which[one]).join(' and ');
  return say(
    `It is in test, because ${are} ${switches.length === 1 ? 'is' : 'are'} on: triggers are recorded and nobody is alerted. ${ends === undefined ? 'It stays so until you switch it to live.' : `That ends by itself at ${minute(ends)} UTC.`}`,
    `Rehearse it, tocsin rehearse ${key}, then switch it to live: ${switches.map(one => off[one]).join(' and ')}.`,
  );
}

const PROVE = 'Alert them once and let them answer: by the link, a key of the call or a reply.';

function sayOfPolicy(finding: Extract<Finding, { policy: string }>): FindingWords {
  const policy = `the policy "${finding.policy}"`;
  const The = `The policy "${finding.policy}"`;
  switch (finding.code) {
    case 'escalation_capped':
      return say(
        `${The} asks for ${finding.messages} messages in one incident: only the first ${DELIVERIES_MOST} are scheduled.`,
        'Use fewer rounds, steps, contacts or channels.',
      );
    case 'nobody_in_step':
      return say(
        `${The} ${finding.steps.length === 0 ? 'has no steps' : `names nobody in ${stepsInWords(finding.steps)}`}.`,
        'Name at least one contact in each step.',
      );
    case 'no_reachable_contact':
      return say(
        `Nobody can be reached in ${stepsInWords(finding.steps)} of ${policy}: ${noneOf(finding.people)}.`,
        'Give one of them a verified address on a channel that has a carrier and is in the plan, or name somebody else.',
      );
    case 'duty_unreachable':
      return say(
        `Nobody who is on duty as "${finding.duty.name}" can be reached from ${inZone(finding.from, finding.duty.timeZone)} to ${inZone(finding.until, finding.duty.timeZone)}, by ${policy}: ${noneOf(finding.people)}.`,
        `Give one of them a verified address, or let somebody else cover: tocsin duties cover ${finding.duty.key}.`,
      );
    case 'no_address_for_channel':
      return say(
        `${The} alerts ${listed(finding.people)} by ${finding.channel}, where there is no usable address.${inPlace(finding)}`,
        `Add an address for ${finding.channel}, or let the policy use another channel.`,
      );
    case 'not_verified': {
      const { channel, people } = finding;
      const commands = people.slice(0, MOST_NAMES).map(one => `tocsin contacts verify ${one.key ?? one.id} ${channel}`);
      return say(
        `${The} alerts ${listed(people)} by ${channel}, where the address is not verified: no alert goes there.${inPlace(finding)}`,
        `Send a code there and enter it: ${inWords(commands)}.`,
      );
    }
    case 'plan_required':
      return say(
        `The plan does not cover ${finding.channel}, by which ${policy} alerts ${listed(finding.people)}.${inPlace(finding)}`,
        'Change to the paid plan, or let the policy use email.',
      );
    case 'no_carrier':
      return say(
        `No carrier is set up for ${finding.channel}, by which ${policy} alerts ${listed(finding.people)}.${inPlace(finding)}`,
        `Set up a carrier for ${finding.channel}, or let the policy use a channel that has one.`,
      );
    case 'carrier_failing':
      return say(
        `${The} alerts ${listed(finding.people)} by ${finding.channel}, and nothing has left over it since ${minute(finding.since)} UTC: ${finding.problem}.`,
        'Messages are tried again until they go. Look at the carrier: "tocsin doctor" asks it.',
      );
    case 'plan_ends':
      return say(
        `The plan covers ${finding.channel} until ${minute(finding.at)} UTC only; ${policy} alerts ${listed(finding.people)} by it.`,
        'Change to the paid plan before then, or let the policy use email.',
      );
    case 'never_proven':
      return say(
        `${The} alerts ${listed(finding.people)} first, who never answered a message of Tocsin: nobody knows whether it wakes them.`,
        PROVE,
      );
    case 'proof_stale':
      return say(
        `${The} counts on ${listed(finding.people)}, who last answered a message of Tocsin more than 90 days ago.`,
        PROVE,
      );
    case 'proof_ages':
      return say(
        `${The} counts on ${listed(finding.people)}, who last answered a message of Tocsin more than 45 days ago.`,
        PROVE,
      );
    case 'stays_silent':
      return say(
        `${The} counts on ${listed(finding.people)}, whose phone stayed silent in the last drill, and has no other way that may ring.`,
        'Let the phone ring for these messages ("do not disturb" can make exceptions), or add a call or a push that rings; then drill again.',
      );
    case 'unsure_way':
      return say(
        `${The} counts on ${listed(finding.people)}, who have no way but Signal or Apprise: what those take may not arrive, and Signal takes nothing from a server that is out of date.`,
        'Add another way for them, such as email, a push or a call.',
      );
    case 'only_one_person':
      return say(
        `${The} names nobody but ${finding.person}: if they do not respond, nobody does.`,
        'Name a second person in a later step.',
      );
  }
}

/** Says what ends with the first 14 days of an account. */
function sayFirstDaysEnd({ at, channels, sources, covered }: FirstDaysEnd, plan: string): FindingWords {
  const more = sources.length > MOST_SOURCES ? [`${sources.length - MOST_SOURCES} more`] : [];
  const off = [
    ...(channels.length === 0 ? [] : [`messages by ${channels.join(' and ')}`]),
    ...(sources.length === 0
      ? []
      : [
          `${[...sources.slice(0, MOST_SOURCES), ...more].join(', ')} (it covers ${covered} alarms and panic buttons together)`,
        ]),
  ];
  return say(
    `The first 14 days of the account end at ${minute(at)} UTC: then the ${plan} plan switches off ${off.join(', and ')}.`,
    `Change to the paid plan before then${sources.length === 0 ? '' : ', or disable what you need least'}.`,
  );
}

/** What goes in the place of messages that would not reach people (DECISIONS.md "Would it reach"). */
function inPlace({ instead }: { instead: readonly Instead[] }): string {
  if (instead.length === 0) return '';
  return ` Instead, the alert goes ${inWords(instead.map(({ channel, people }) => `by ${channel} to ${listed(people)}`))}.`;
}

function listed(people: readonly { name: string }[]): string {
  const names = people.map(({ name }) => name);
  if (names.length <= MOST_NAMES) return inWords(names);
  return inWords([...names.slice(0, MOST_NAMES), `${names.length - MOST_NAMES} more`]);
}

function noneOf(people: readonly { name: string }[]): string {
  const [first, second] = people.map(({ name }) => name);
  if (people.length === 2) return `neither ${first} nor ${second}`;
  return people.length < 2 ? `not ${listed(people)}` : `none of ${listed(people)}`;
}

function stepsInWords(numbers: readonly number[]): string {
  return numbers.length === 1 ? `step ${numbers[0]}` : `steps ${inWords(numbers.map(String))}`;
}

function inWords(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** What members are written: apart from what is said to those who are alerted, who are others. */
const members = {
  /** A code to sign in to the console. */
  signIn: {
    subject: (code: string) => `Your code to sign in: ${code}`,
    what: 'Somebody wants to sign in to Tocsin with this address.',
    todo: 'Enter the code where you asked for it, and nowhere else. It is valid for 10 minutes. If you did not ask for it, ignore this message: nobody can sign in without the code.',
  },
  /** Somebody was made a member. */
  invitation: {
    subject: 'You are invited to look after an account on Tocsin',
    /** `by` null: it is not known. */
    what: ({ account, by, role }: { account: string; by: string | null; role: string }) =>
      by === null
        ? `You were made a member of "${account}" (role: ${role}).`
        : `${by} made you a member of "${account}" (role: ${role}).`,
    /** To owners, before the rest. */
    listen:
      'Owners are told when an alarm reached nobody. Until you confirm this address, or sign in, you are told nothing; if you do not know the account, ignore this message.',
    todo: 'Sign in with this address: you get a code by email, there is no password.',
    /** On the buttons that lead to the page. */
    button: 'Sign in',
    confirm: 'Confirm this address',
  },
  roles: { owner: 'owner', editor: 'editor', responder: 'responder', viewer: 'viewer' } as Record<Role, string>,
};

const OPERATOR = 'the operator of this Tocsin server';

const of: Record<NoticeKind, (about: NoticeFacts) => NoticeWords> = {
  duty_begins: ({ duty: { name, until, names } }) => ({
    subject: `ON DUTY: ${name}`,
    explanation: `You are on duty as "${name}"${names === '' ? '' : ` together with ${names}`}${until === '' ? '' : ` until ${until}`}.`,
    todo: 'Keep your phone with you. If you cannot be on duty, let somebody cover for you.',
  }),
  duty_changed: ({ duty: { changes, more } }) => {
    const said = changes.map(({ name, from, until, names, note, part }) => {
      const why = note === '' ? '' : ` (${note})`;
      return part === 'comes'
        ? `You are on duty as "${name}" from ${from} to ${until}${names === '' ? '' : ` in place of ${names}`}${why}.`
        : `From ${from} to ${until} ${names} is on duty as "${name}" in your place${why}.`;
    });
    if (more > 0) said.push(more === 1 ? 'One more of your times changes.' : `${more} more of your times change.`);
    const [{ name, part }] = changes as [DutyChangeNotice];
    return {
      subject: part === 'comes' ? `YOU COVER: ${name}` : `SOMEBODY COVERS FOR YOU: ${name}`,
      explanation: said.join(' '),
      todo:
        part === 'comes'
          ? 'If you cannot be on duty then, say so at once to whoever looks after the account.'
          : 'You need not do anything.',
    };
  },
  device_added: ({ names }) => ({
    subject: `A DEVICE RINGS FOR YOU: ${names}`,
    explanation: `From now on alerts to you ring on "${names}" as well.`,
    todo: 'If that is not yours, say so at once to whoever looks after the account: they can remove it on your page in the console.',
  }),
  device_gone: ({ names }) => ({
    subject: `A DEVICE NO LONGER RINGS: ${names}`,
    explanation: `"${names}" takes no more alerts to you: its browser ended that, or was removed.`,
    todo: 'If it is to ring, open your page in the console there, and press "Ring this device".',
  }),
  drill_missed: ({ names }) => ({
    subject: `TWO DRILLS NOT ANSWERED: ${names}`,
    explanation: `${names} did not answer two drills in a row: an alarm would probably not be answered either.`,
    todo: 'Ask whether the messages arrived and were heard, then send another drill: tocsin drill … --answer.',
  }),
  call_failed: about => ({
    subject: `CALL FAILED: ${about.source}`,
    explanation: `A call to "${about.source}" was accepted, but could not be applied for ten minutes and was given up.`,
    todo: `Check the state of the alarm or panic button, send the call again, and tell ${OPERATOR}.`,
  }),
  nobody_to_alert: about => ({
    subject: `NOBODY WAS ALERTED: ${about.source}`,
    explanation: `"${about.source}" was triggered${opened(about)}, and there was nobody to alert.`,
    todo: 'Give the mode or panic button a policy with at least one contact, then rehearse it.',
  }),
  escalation_capped: about => ({
    subject: `NOT ALL MESSAGES SCHEDULED: ${about.source}`,
    explanation: `The policy of "${about.source}", triggered${opened(about)}, asks for more than ${DELIVERIES_MOST} messages: only the first ${DELIVERIES_MOST} are scheduled.`,
    todo: "Use fewer rounds, steps, contacts or channels in the policy. The incident's timeline shows how many messages were left out.",
  }),
  nobody_reached: about => ({
    subject: `NOBODY WAS ALERTED: ${about.source}`,
    explanation: `"${about.source}" was triggered${opened(about)}, but ${about.because === 'all_failed' ? 'every message so far failed or had no carrier' : 'its escalation could not be scheduled'}: nobody was alerted.${goesNow(about)}`,
    todo:
      about.because === 'all_failed'
        ? "Contact these people yourself. The incident's timeline shows why each message failed: fix that, then rehearse."
        : `Save its policy and the contacts in it again, rehearse it, and tell ${OPERATOR}.`,
  }),
  exhausted: about => ({
    subject: `NOBODY ACKNOWLEDGED: ${about.source}`,
    explanation: `The policy of "${about.source}", triggered${opened(about)}, ran to its end: ${END[reachedIn(about.tried)]}.${tried(about)}`,
    todo: "Check the incident's timeline for what arrived where. Add contacts, channels or rounds to the policy.",
  }),
  step_late: about => ({
    subject: `LATE: ${about.source}`,
    explanation: `${step(about)} for "${about.source}", triggered${opened(about)}, ran ${about.late || 'too'} late.`,
    todo: `Tell ${OPERATOR}: its log and load at that time show why.`,
  }),
  step_missed: about => ({
    subject: `NOT SENT IN TIME: ${about.source}`,
    explanation: `${step(about)} for "${about.source}", triggered${opened(about)}, did not run: none of its messages was tried.`,
    todo: `Tell ${OPERATOR}: its log at that time shows why. If it still matters, contact these people yourself.`,
  }),
  spend_warning: about => ({
    subject: 'Daily SMS and call limit almost reached',
    explanation: `SMS and calls have cost ${about.spent} today${ofCap(about)}.`,
    todo: `Live alerts go out in any case. If drills and codes should too, ask ${OPERATOR} to raise the limit.`,
  }),
  spend_capped: about => ({
    subject: 'Daily SMS and call limit reached',
    explanation: `SMS and calls have cost ${about.spent} today${ofCap(about)}. Drills and codes are refused until midnight UTC.`,
    todo: `Live alerts still go out. Ask ${OPERATOR} to raise the limit, or find out who sends so many.`,
  }),
  spend_ceiling: about => ({
    subject: `NO MORE SMS AND CALLS TODAY${about.about === 'source' ? `: ${about.source}` : ''}`,
    explanation: `SMS and calls${about.about === 'source' ? ` about "${about.source}"` : ''} have cost ${about.spent} today, and ${about.about === 'source' ? 'one source' : 'an account'} may use ${about.ceiling} a day. Until midnight UTC, live alerts use the other channels, except for the first SMS and call to each person.`,
    todo: `Find out what was triggered so often, and add email, push, chat or webhook to the policies. To raise the limit, ask ${OPERATOR}.`,
  }),
  clock_stepped: about => ({
    subject: 'Keys end at another time',
    explanation: `The clock of the Tocsin server was set ${about.clock.direction === 'back' ? 'back' : 'forward'} by ${about.clock.by}. What waited goes on waiting for as long as it had to, so ${about.names} will end that much ${about.clock.direction === 'back' ? 'earlier' : 'later'} than you chose, by the clock of today.`,
    todo: 'Check when they end, and choose another end where that is too early or too late.',
  }),
  calls_stored_again: ({ calls, late }) => ({
    subject: 'Calls came late: the database had lost them',
    explanation: `${calls === 1 ? 'A call of this account that was' : `${calls} calls of this account that were`} answered 202 had got lost when another server took over the database. ${calls === 1 ? 'It was' : 'They were'} stored again up to ${late} later, in order, and done then.`,
    todo: `Calls shows which. What they alert may come twice, and what you changed or acknowledged in that time may be undone: look at it again.`,
  }),
  sources_deactivated: ({ sources }) => ({
    subject: 'Your plan switched off alarms',
    explanation: `Your plan covers fewer alarms and panic buttons than you have. Switched off: ${sources || 'some'}. Calls to them get a 404.`,
    todo: 'Choose a larger plan, or delete ones that you do not need: those switched off are then switched on again automatically.',
  }),
  test_ends: ({ sources, until }) => ({
    subject: `Test ends soon: ${which(sources)}`,
    explanation: `The test of ${which(sources)} ends${at(until)}. From then on a trigger alerts people.`,
    todo: 'If you are not done, switch it to test again: then choose for how long.',
  }),
  test_ended: ({ sources, until }) => ({
    subject: `LIVE AGAIN: ${which(sources)}`,
    explanation: `The test of ${which(sources)} ended${at(until)}: a trigger alerts people again. Open test incidents were closed.`,
    todo: 'There is nothing to do. If you are not done, switch it to test again.',
  }),
  calls_limited: () => ({
    subject: 'CALLS WERE REFUSED: too many',
    explanation:
      'A key or this account made more calls than one may: some actions were answered 429 and not done. This is said once a day.',
    todo: 'See in Calls which source it is and how often. Find the device that calls so often, or give each device a key of its own.',
  }),
  calls_shed: () => ({
    subject: 'CALLS WERE REFUSED: server overloaded',
    explanation:
      'More calls came at once than the server takes: some actions of this account were answered 503 and not done. This is said once a day.',
    todo: `See in Calls which source it is and how often, check whether the device sent them again, and tell ${OPERATOR}.`,
  }),
  blind: about => ({
    subject: `ARMED BUT BLIND: ${about.names} is silent`,
    explanation: `Nothing was heard of "${about.names}" for ${about.silent}${about.times > 1 ? `; it fell silent ${about.times} times since that was last told` : ''}. It cannot trigger ${about.armed}, which is armed.${about.follows === 'alert' ? ' If nothing is heard of it for two minutes more, that alarm is triggered.' : ''}`,
    todo: 'Check whether the device has power and network. You are told when it is heard again, and of the same key at most once in six hours: until then, API keys shows whether it is silent.',
  }),
  blind_together: about => ({
    subject: `ARMED BUT BLIND: ${about.keys} senders are silent`,
    explanation:
      about.cause === 'line'
        ? `${about.keys} of ${about.supervised} supervised senders fell silent at once: ${about.names}. It is probably their line, or this server cannot be reached. They cannot trigger ${about.armed}, which is armed.`
        : `${about.keys} of ${about.supervised} supervised senders are silent: ${about.names}. They cannot trigger ${about.armed}, which is armed.`,
    todo: `Check power and network where they are. If these work, tell ${OPERATOR}. API keys shows which are silent.`,
  }),
  sender_back: about => ({
    subject: `Heard again: ${about.names}`,
    explanation: `${about.keys === 1 ? `"${about.names}" is` : `${about.names} are`} heard again after ${about.silent}.${about.stillSilent > 0 ? ` Still silent: ${about.stillSilent} more of those that fell silent together.` : ''}`,
    todo: 'Find out why, so that it does not happen again. If it falls silent again within six hours of the last notice, you are told only after these.',
  }),
};

/** Sources by name, or how many. */
function which(sources: number | string): string {
  return typeof sources === 'number' ? `${sources} alarms, panic buttons and locations` : sources;
}

function at(time: NoticeFacts['until']): string {
  return time === null ? '' : ` on ${time.day} at ${time.time} ${time.zone}`;
}

function opened({ opened }: NoticeFacts): string {
  return at(opened);
}

function step({ step, round }: NoticeFacts): string {
  return step === null ? 'A step of the policy' : `Step ${step}${round > 1 ? ` of round ${round}` : ''} of the policy`;
}

/** Of `nobody_reached`: what is done about it at once. */
function goesNow({ step }: NoticeFacts): string {
  return step === null ? '' : ` Step ${step} goes now.`;
}

/** Of `exhausted`: how it ended. */
const END = {
  nobody: 'nobody could be reached',
  somebody_maybe: 'everyone who could be reached was alerted, and nobody acknowledged',
};

function tried({ tried }: NoticeFacts): string {
  return tried === null ? '' : ` ${triedWords(tried)}`;
}

function ofCap({ cap }: NoticeFacts): string {
  return cap === '' ? '' : ` of the ${cap} allowed per day`;
}

/** What owners are told about their account. */
const notices = {
  of,
  /** Ends the last mail of its kind for now: so many went out within an hour. */
  lastMail: (most: number) =>
    `You have been sent ${most} mails like this within an hour. Further ones are only listed for now (tocsin notices list).`,
};

const OPERATOR_ACTS: Readonly<Record<OperatorAct, string>> = {
  change_ceiling: 'Changing the daily spend ceiling',
  change_plan: 'Changing the plan',
  create_account: 'Creating an account',
  create_token: 'Creating a console token',
  delete_account: 'Deleting an account',
  erase_account: 'Erasing an account',
  list_accounts: 'Listing accounts',
  list_deleted: 'Listing deleted accounts',
  make_backup: 'Making a backup',
  raise_cap: 'Raising or removing the daily spend cap',
  see_backups: 'Viewing backups',
  set_backups: 'Setting up backups',
  set_public_url: 'Setting where links lead',
  set_up_carriers: 'Setting up carriers',
};

const GOING_ON = {
  calls: 'calls that it has accepted are not applied yet',
  incidents: 'an incident of it is still being closed',
  messages: 'a message of it is on its way',
};

/** Why something that an owner asked for was not done. */
const refusals = {
  /** The same for what never existed, is gone, or belongs to somebody else. */
  drillIsOne: 'This is a drill: what it was is known, and it is not counted.',
  noSuch: (thing: Thing, near: string) =>
    `There is no such ${THINGS[thing]} in this account${near === '' ? '.' : `: did you mean "${near}"?`}`,
  noSession: 'You have no such session.',
  streamOfFormerAccount: 'You are no longer a member of the account of this stream: call again.',
  /** A panic button that somebody pressed. */
  buttonIsOff: (name: string, standing: 'disabled' | 'deactivated') =>
    `"${name}" ${standing === 'disabled' ? 'is disabled' : 'is switched off, as the plan does not cover it'}: nothing was triggered, and nobody is told.`,
  noCall:
    'No call with this trace id is known in this account. Reads (describe, state) are not kept, and old calls are removed.',
  noAccount: 'There is no account with the id in x-tocsin-account (--account).',
  accountGone: 'The account is gone.',
  severalAccounts: 'You are a member of several accounts: name one in the metadata x-tocsin-account.',
  operatorNamesNone: "The operator's token needs the account in the metadata x-tocsin-account.",

  keyTaken: (thing: Thing, key: string) =>
    `The key "${key}" is taken by another ${THINGS[thing]} of this account: choose another key.`,
  changedMeanwhile: (thing: Thing, read: number, now: number) =>
    `This ${THINGS[thing]} has version ${now}, but the change was made for version ${read}: read it again, then change it.`,
  inUse: (thing: Thing, users: readonly { kind: string; name: string; key: string }[], more: number) => {
    const by = users.map(({ kind, name, key }) => `${kind.replace('_', ' ')} "${name}" (${key})`);
    return `This ${THINGS[thing]} is used by ${by.join(', ')}${more > 0 ? ` and ${more} more` : ''}: change those first.`;
  },
  noSwap:
    'Two shifts can be swapped that different people have, that end, and that are not over: name an instant in each.',
  armedIn: (name: string, mode: string) =>
    `"${name}" is armed in "${mode}", which this change deletes; bare calls would then fall back to away. ` +
    'Disarm it first, or send the change with force (--force).',
  unbinds: (name: string, modes: readonly string[]) =>
    `This change leaves "${name}" without a policy in ${modes.join(', ')}: a trigger there would alert nobody. ` +
    'Bind a policy there, or send the change with force (--force).',
  keyRevoked: (label: string) => `"${label}" is revoked and stays so: create another key.`,
  planLimit: ({ plan, sourcesMost, sources }: { plan: string; sourcesMost: number; sources: number }) =>
    `The ${plan} plan covers ${sourcesMost} alarms and panic buttons together; with this change ${sources} would be enabled. ` +
    `Disable or delete ${sources - sourcesMost} of them, or change to the paid plan.`,

  operatorOnly: (act: OperatorAct) => `${OPERATOR_ACTS[act]} ${mismatch("the operator's token", "an account's own")}`,
  noBackups:
    'No backups are set up: set a folder and a passphrase under Operator, Backup, or BACKUP_DIR and BACKUP_PASSPHRASE where Tocsin runs.',
  backupsInEnvironment: (names: readonly string[]) =>
    `Backups are set up in the environment (${names.join(', ')}): change that there, or take it out and start anew, then set them up here.`,
  backupsRefused:
    'Here the environment alone sets up backups (CONSOLE_CARRIERS=refused): set BACKUP_DIR and BACKUP_PASSPHRASE there.',
  noSuchCarrier: (name: string, known: readonly string[]) =>
    `No carrier is called "${name}": name one of ${known.join(', ')}.`,
  carrierInEnvironment: (title: string, names: readonly string[]) =>
    `${title} is set up in the environment (${names.join(', ')}): change it there, or take that out and start anew.`,
  carrierOrdered: (title: string, setting: string, name: string) =>
    `${setting} counts on ${title}: take ${name} out of it and start anew, then remove it here.`,
  carrierChanged: (by: string, at: string, names: readonly string[]) =>
    `Meanwhile, at ${at}, ${by} ${names.length === 0 ? 'removed what was stored' : `stored ${names.join(', ')}`}: look at that, then send yours again.`,
  carriersRefused:
    'Here the environment alone sets up carriers (CONSOLE_CARRIERS=refused): set them there, or set it to taken.',
  publicUrlInEnvironment:
    'PUBLIC_URL is set in the environment: change it there, or take it out and start anew, then set it here.',
  publicUrlRefused:
    'Here the environment alone says where links lead (CONSOLE_CARRIERS=refused): set PUBLIC_URL there.',
  wayAnswers: (url: string, status: number) => `${url} answers ${status}, not 200: it may lead to something else.`,
  wayIsSilent: (url: string, seconds: number) => `${url} does not answer within ${seconds} s, asked from here.`,
  wayFails: (url: string, why: string) => `${url} cannot be reached from here (${why}).`,
  carrierNotSetUp: (title: string) => `${title} is not set up: set it up first.`,
  roleTooLow: (needed: string, role: string) =>
    `This needs the role "${needed}" in this account, and yours is "${role}": ask an owner.`,
  accountStillThere: 'This account is still there: delete it first, then erase what it left.',
  notOver: (goingOn: keyof typeof GOING_ON) =>
    `The account cannot be deleted yet: ${GOING_ON[goingOn]}. Try again in a minute.`,

  memberAlready: (email: string) => `"${email}" is a member of this account already.`,
  membersFull: (most: number) =>
    `This account has ${most} members, which is the most that an account may have: remove one first.`,
  lastOwner: 'This is the last owner of the account: make another member an owner first.',
  tooManyInvitations: (most: number, retryAfterS: number) =>
    `Too many invitations: an account sends at most ${most} a minute. Try again in ${retryAfterS} s.`,
  confirmedAlready: 'This member has confirmed the address already.',
  noConfirmation: 'This link is not valid or no longer: ask for another invitation, or sign in with your address.',

  notSignedIn: 'Sign in first.',
  sessionEnded: 'This session has ended or is not valid: sign in again.',
  badToken:
    'The console token is missing or not valid. Send "authorization: Bearer tcn_…" with a console token; an API key opens nothing here.',
  tokenEnded: (at: string) => `This console token ended at ${at}. Ask the operator for a new one.`,
  linkNeedsToken: `Creating a sign-in link ${mismatch('a console token', 'a session', 'sign in on the other device instead')}`,
  phoneLinkNeedsSession: `A code for a second device ${mismatch('a session', 'a console token', 'create a sign-in link instead')}`,
  signIn: {
    emailCode: 'This code is not valid. Check the newest mail, or ask for a new code.',
    link: 'This link is not valid: it opens once and within 30 minutes. Create a new one: tocsin sign-in-link.',
    consoleToken: 'This console token is not valid.',
    phoneLink:
      'This code is not valid any more: it signs in once, within two minutes, while the device that shows it stays signed in. Show a new one there.',
    oidcAnswer: 'The identity provider did not sign in a member of this deployment.',
    none: 'Show an email code, a link or a console token to sign in.',
  },
  tooManySignInCodes: (most: number, retryAfterS: number) =>
    `Too many codes were requested from your address: at most ${most} a minute. Try again in ${retryAfterS} s.`,
  oidcAway: 'The identity provider does not answer. Try again, or sign in another way.',
  noOidc: 'No identity provider is set up: OIDC_ISSUER.',
  openLine:
    'This connection is not encrypted, and this deployment does not allow sign-in over it. Open the https address.',

  tooManyTests: (most: number, retryAfterS: number) =>
    `At most ${most} test messages go out in ten minutes: try again in ${retryAfterS} s.`,
  tooManyMoves: (most: number, retryAfterS: number) =>
    `Too many steps, notes and hand-overs of this incident: at most ${most} an hour. Try again in ${Math.ceil(retryAfterS / 60)} min; acknowledging and closing work at any time.`,
  tooManyCalls: (retryAfterS: number) =>
    `This account has made too many calls. Wait ${retryAfterS === 1 ? 'a second' : `${retryAfterS} seconds`}, then send this one again.`,
  tooManyAtOnce: 'Too many calls at once. Wait a second.',
  tooMuchUnderWay: 'Too many requests are under way. Try again.',
  tooManyChanges: 'Too many changes are under way. Nothing was accepted: try again.',
  tooManyWaiting: (most: number) =>
    `${most} changes of this account are waiting already. Nothing was accepted: try again when they are done.`,
  diskLow:
    'The disk of the database is nearly full, and what is left of it is kept for alarms. Nothing was changed: the operator has to make room first.',
  changedTooMuch: (retryAfterS: number) =>
    `This account has changed more than the audit of an account takes. Nothing was changed: try again in ${retryAfterS} s, or ask the operator to raise ACCOUNT_LIMITS.`,
  thingsFull: (thing: Thing, most: number) =>
    `${KINDS[thing]}: an account may have ${most} of them, and with this change there would be more. Delete what is not needed, or ask the operator to raise ACCOUNT_LIMITS.`,
  tooManyFiles: 'Too many large files are being read: try again in a moment.',
  tooManyDrills: (most: number, retryAfterS: number) =>
    `Too many drills: an account has at most ${most} a minute. Try again in ${retryAfterS} s.`,
  tooMuchChanged: 'Too much changed at once to be watched. Call again, and list what you show after it is ready.',
  /** Begins with its code. */
  overSpend: (on: { limit: 'cap' | 'ceiling'; spent: number; most: number; channel: string; until: string }) => {
    const { limit, spent, most, channel, until } = on;
    const field = limit === 'cap' ? 'daily_spend_cap_cents' : 'daily_spend_ceiling_cents';
    return (
      `${limit === 'cap' ? 'spend_capped' : 'spend_ceiling'}: SMS and calls have cost an estimated ${dollars(spent)} today, and the daily ${limit} is ` +
      `${dollars(most)}. Drills and codes by ${channel} are refused until ${until}. Use another channel, or ask the ` +
      `operator to raise the ${limit} (${field}; tocsin accounts update --${field.replaceAll('_', '-')}).`
    );
  },

  notYetApplied: (verb: string, traceId: string) =>
    `The ${verb} is stored and will be applied soon: do not send it again, but look up the trace id ${traceId} with FindCall in a moment.`,
  appliedUnread: (verb: string, outcome: string, traceId: string) =>
    `The ${verb} was applied (${outcome}, trace id ${traceId}), but the incident cannot be read now: get it in a moment.`,

  unreadable: (type: string, why: string) =>
    `The body of this call cannot be read as ${type} (${why}). Nothing was done: send the message as its proto describes it.`,
  tooLarge: (most: number) =>
    `The message of this call is too large: this method takes ${most} bytes, compressed or not. Nothing was done.`,
  zeroCharacter: 'A text in this call contains the character U+0000, which cannot be stored: leave it out.',
  commitLost:
    'The database did not confirm that it stored this, so it may be stored or not: look before you try again.',
  ourFault: 'Something went wrong on our side.',
  overloaded: 'Too busy at the moment. Nothing was accepted: try again.',
  servicesAway: 'The services cannot be reached.',
  noAnswer: 'No answer in time.',
  databaseAway: 'The database cannot be reached at the moment. Nothing was accepted: try again.',
};

const OBSTACLES: Readonly<Record<string, string>> = {
  no_address: 'there is no usable address',
  disabled: 'the address is disabled',
  not_verified: 'nobody has shown yet that the address is theirs',
  plan_required: 'the plan of the account does not cover it',
  no_carrier: 'no carrier is set up for it',
};

/** What a rehearsal did, line by line, and why there was none. */
/** Why a drill cannot be started now. */
const drillRefusals = {
  incident: 'An alarm is under way: a drill has to wait until it is over.',
  no_location: 'The account has no location yet: add one first.',
  no_contact: 'There is no such contact any more.',
  busy: 'The account is being changed just now. Nothing was sent: try again in a moment.',
  notReached: (name: string, channel: ChannelKind, because: NotReached) =>
    `A drill by ${channel} would not reach ${name}: ${NOT_REACHED_BY[because]}.`,
};

const NOT_REACHED_BY: Record<NotReached, string> = {
  no_address: 'there is no address',
  disabled: 'the address is switched off',
  not_verified: 'the address is not verified',
  plan_required: 'the plan does not cover the channel',
  no_carrier: 'no carrier is set up for the channel',
  spend_ceiling: 'the daily limit of texts and calls is reached',
};

const rehearsals = {
  begun: (kind: SourceKind, name: string, mode: string | null) =>
    `A trigger of the ${kind === 'panic_button' ? 'panic button' : 'alarm'} "${name}"${mode === null ? '' : ` in the mode ${mode}`} was rehearsed: it is recorded, and nobody is alerted.`,
  heldByGate: (name: string) =>
    `A machine's trigger would be refused now: "${name}" only fires when armed, and it is disarmed.`,
  window: (s: number) =>
    `Any other trigger first waits ${s} s in its false-alarm window, where a disarm cancels it; everything below then comes ${s} s later.`,
  joined:
    'It joined the incident of an earlier trigger, which is still open: nobody is alerted again. What follows are the alerts of that incident.',
  noPolicy: 'An incident opens, and there is nobody to alert: no policy is bound.',
  emptyPolicy: (policy: string) =>
    `An incident opens, and there is nobody to alert: the policy "${policy}" names nobody.`,
  onDuty: (name: string, duty: string) => `${name} (on duty as "${duty}")`,
  opens: (policy: string) => `An incident opens and runs the policy "${policy}".`,
  message: (on: RehearsedMessage) =>
    `${telling(on)} (${on.round === null ? '' : `round ${on.round}, `}step ${on.step}).`,
  last: 'That was the last message: nobody else is alerted.',
  leftOut: (policy: string, detail: string) =>
    `The policy "${policy}" asks for more messages than one incident may have: the rest (${detail}) is left out.`,

  disabled: (name: string) => `"${name}" is disabled, so nothing fires: enable it, then rehearse it.`,
  deactivated: (name: string) =>
    `"${name}" was deactivated by a downgrade of the plan: change to a plan that covers it, then rehearse it.`,
  live: (name: string, kind: SourceKind, key: string) =>
    `"${name}" is live, so a trigger would alert people: put it in test first, tocsin ${kind === 'alarm' ? 'alarms' : 'panic-buttons'} update ${key} --test.`,
  liveOpen: (name: string) => `"${name}" has a live incident open: rehearse it when that is closed.`,
  liveWaits: (name: string) => `"${name}" has a live trigger in its false-alarm window: rehearse it when that is over.`,
  modeMissing: (name: string, mode: string | null, has: readonly string[]) =>
    `"${name}" has no mode ${mode}: name one that it has (${has.join(', ') || 'none'}), or add the mode.`,
  unread: (traceId: string) =>
    `The rehearsal was applied, but its transcript cannot be read now: ask FindCall for the trace id ${traceId} in a moment, and close its incident.`,
};

function telling({ name, channel, fate, reason, insteadOf }: RehearsedMessage): string {
  switch (fate) {
    case 'told':
      return `${name} is alerted by ${channel}${insteadOf === '' ? '' : ` instead of ${insteadOf}`}`;
    case 'cancelled':
      return `${name} is no longer alerted by ${channel}: the escalation had ended before`;
    case 'blocked':
      return `${name} is not alerted by ${channel}, because ${OBSTACLES[reason] ?? reason}`;
  }
}

/** How tonight would go (domain/tonight.ts). */
const tonight = {
  /** What an answer is about: the night, the rest of the day, or a time that was asked for, as its owner's clock shows it. */
  when: { night: 'Tonight', day: 'Now' },
  title(when: string, { verdict, nobody, plans, inTest }: TonightSummary): string {
    if (verdict === 'nothing') return 'Nothing is set up yet.';
    if (verdict === 'in_test') {
      return stillInTest(inTest);
    }
    if (nobody !== null) {
      const inMode = nobody.mode === null ? '' : ` in ${nobody.mode} mode`;
      return `${when}: nobody would be told if ${nobody.source} goes off${inMode}.`;
    }
    const more = plans.length - NAMED_PLANS;
    const said = plans.slice(0, NAMED_PLANS).map(({ places, people }) => {
      const where = plans.length === 1 ? '' : ` at ${placesOf(places)}`;
      return `${moments(people.slice(0, MOST_NAMES)).map(toldWhen).join(', ')}${others(people.length - MOST_NAMES)}${where}`;
    });
    return `${when}: ${said.join('; ')}${more > 0 ? `; and ${more} more below` : ''}.`;
  },
  text(summary: TonightSummary, time: (at: number) => string): string {
    const { verdict, reason, notFresh, fresh, senders, inTest, failing } = summary;
    if (verdict === 'nothing') return 'Your first alarm takes ten minutes, and nobody is woken up while you try it.';
    if (verdict === 'in_test') return 'A trigger is only recorded, and nobody is alerted. Rehearse, then go live.';
    const parts = [
      ...(reason === 'nobody_told' || reason === 'finding_blocks' ? ['Below is what is in the way.'] : []),
      ...failing.map(({ channel, since, problem }) => `No ${channel} has left since ${time(since)}: ${problem}.`),
      ...senders.silent.slice(0, MOST_NAMES).map(one => `${one.label} is silent since ${time(one.silentSince!)}.`),
      ...(senders.silent.length > MOST_NAMES ? [`${senders.silent.length - MOST_NAMES} more senders are silent.`] : []),
      ...[...Map.groupBy(notFresh.slice(0, MOST_NAMES), ({ proof }) => proof)].map(
        ([proof, people]) => `${andNames(people)} ${NOT_FRESH[proof]?.[people.length === 1 ? 0 : 1] ?? ''}.`,
      ),
      ...(notFresh.length > MOST_NAMES ? [`${notFresh.length - MOST_NAMES} more are not proven lately.`] : []),
      ...(fresh === null || notFresh.length > 0 ? [] : [provenWithin(fresh)]),
      ...(senders.all === 0 || senders.silent.length > 0 ? [] : [`${senders.all} of ${senders.all} senders alive.`]),
      ...(inTest.sources === 0 ? [] : [stillInTest(inTest)]),
      ...(reason === 'finding_warns' ? ['Something is not as intended: see below.'] : []),
    ];
    return parts.join(' ');
  },
};

/** How many plans a sentence names. */
const NAMED_PLANS = 2;

/** Of one, and of several. */
const NOT_FRESH: Readonly<Partial<Record<ProofAge | 'cannot', readonly [string, string]>>> = {
  ages: ['was last proven more than 45 days ago', 'were last proven more than 45 days ago'],
  stale: ['was last proven more than 90 days ago', 'were last proven more than 90 days ago'],
  never: ['has never been proven', 'have never been proven'],
};

function toldWhen(people: readonly TonightPerson[]): string {
  const { afterS, channels } = people[0]!;
  const when = afterS === 0 ? 'at once' : `after ${duration(afterS)}`;
  return `${andNames(people)} by ${channels.map(({ channel }) => channel).join(' and ')} ${when}`;
}

function andNames(people: readonly TonightPerson[]): string {
  return inWords(people.map(({ name }) => name));
}

function stillInTest({ sources, one }: TonightSummary['inTest']): string {
  return sources === 1 ? `${one} is still in test.` : `${sources} are still in test.`;
}

function others(more: number): string {
  return more > 0 ? ` and ${more} more` : '';
}

function placesOf(places: readonly string[]): string {
  return `${places.slice(0, 2).join(' and ')}${others(places.length - 2)}`;
}

function provenWithin({ people, days }: { people: number; days: number }): string {
  const who = people === 1 ? 'Proven' : people === 2 ? 'Both proven' : `All ${people} proven`;
  return `${who} within ${days === 1 ? 'a day' : `${days} days`}.`;
}

/** All that owners are told in this language. */
export const owner = {
  accepts,
  calls,
  changes,
  codes,
  deliveries,
  drills,
  faults,
  file,
  findings,
  members,
  notices,
  refusals,
  rehearsals,
  tonight,
  drillRefusals,
};
