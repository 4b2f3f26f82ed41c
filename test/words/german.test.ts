import { test } from 'vitest';
import { de } from '../../services/words/de.ts';
import { en } from '../../services/words/en.ts';
import type { SyntaxFault } from '../../services/words/owner/types.ts';
import type { OwnerWords } from '../../services/words/owner/words.ts';
import { inGerman } from './in-german.ts';

type Args = Record<string, readonly unknown[]>;
/** What the functions of a part are called with: complete by type. */
type ArgsOf<Part> = {
  [Name in keyof Part as Part[Name] extends (...given: never[]) => unknown ? Name : never]: Part[Name] extends (
    ...given: infer Given
  ) => unknown
    ? Given
    : never;
};

/** Walks through a part in both languages. `same`: what is alike in both. */
function walk(english: object, german: object, args: Args, same: readonly string[] = [], at = ''): void {
  for (const [name, said] of Object.entries(english)) {
    const other = (german as Record<string, unknown>)[name];
    const path = at + name;
    const given = args[path] ?? [];
    const alike = same.includes(path) ? 'may_be_same' : 'differs';
    if (typeof said === 'string') inGerman(said, String(other), alike);
    else if (typeof said === 'function') {
      inGerman(String(said(...given)), String((other as (...given: unknown[]) => unknown)(...given)), alike);
    } else walk(said as object, other as object, args, same, `${path}.`);
  }
}

const ACCEPTS: ArgsOf<OwnerWords['accepts']> = {
  mismatch: ['1', '2', ''],
  gotInstead: ['', 'z'],
  aSecondTime: ['1'],
  oneLine: [9],
  lines: [9],
  key: [63],
  whole: [0, 9, 'rounds'],
  list: [0, 5, 'contacts'],
  referenceTo: ['policy'],
  didYouMean: ['x'],
  oneOf: [['a', 'b']],
  oneOfOrNothing: [['a', 'b']],
  pause: [60, 100],
  secondsOrOff: [60, 100],
  seconds: [0, 9],
  range: [0, 9],
  days: [9, 7],
  search: [9],
  fieldsOf: ['alarm', ['name']],
  fieldsOnly: [['name']],
  chatHint: ['name', 'telegram:1'],
  channelOf: ['Anna', ['text', 'email']],
  mostAddresses: ['push', 4],
  addressOf: ['Anna', 'push'],
  note: [500],
  nameOrNothing: [9],
  tokenOfPageBefore: ['nextPageToken'],
  tokenOfIncident: ['nextPageToken'],
  timeAhead: [31],
  modeOrNothing: [['home']],
  responseText: [40],
  noResponseText: ['fire'],
  messages: [9],
  people: [100],
  messagesGot: [9, 3, 3],
  settingOf: ['Twilio', ['TWILIO_FROM']],
  settingShort: [1_000],
  secretAgain: ['NTFY_URL'],
  absolutePath: [500],
  folderReason: ['it is not there'],
  wholeMinutes: [600, 1_200],
  passphrase: [12, 500],
  charactersGot: [7],
};

const REFUSALS: ArgsOf<OwnerWords['refusals']> = {
  noSuch: ['alarm', 'house'],
  buttonIsOff: ['Bedside', 'deactivated'],
  noSuchCarrier: ['x', ['mail']],
  carrierInEnvironment: ['Twilio', ['TWILIO_FROM']],
  carrierOrdered: ['Twilio', 'CARRIERS_TEXT', 'twilio'],
  tooManyTests: [10, 90],
  carrierChanged: ['Anna', '2027-01-31', ['SMTP_URL']],
  carrierNotSetUp: ['Twilio'],
  backupsInEnvironment: [['BACKUP_DIR']],
  wayAnswers: ['https://alarm.example.com/livez', 404],
  wayIsSilent: ['https://alarm.example.com', 5],
  wayFails: ['https://alarm.example.com', 'ENOTFOUND'],
  keyTaken: ['policy', 'first'],
  changedMeanwhile: ['contact', 1, 2],
  inUse: ['location', [{ kind: 'alarm', name: 'House', key: 'house' }], 3],
  armedIn: ['House', 'night'],
  unbinds: ['House', ['home', 'away']],
  keyRevoked: ['Camera'],
  tooManyMoves: [60, 600],
  tooManyCalls: [5],
  changedTooMuch: [20],
  thingsFull: ['alarm', 100_000],
  planLimit: [{ plan: 'free', sourcesMost: 3, sources: 5 }],
  operatorOnly: ['raise_cap'],
  roleTooLow: ['editor', 'viewer'],
  notOver: ['incidents'],
  memberAlready: ['anna@example.com'],
  membersFull: [50],
  tooManyInvitations: [10, 7],
  tokenEnded: ['2027-01-31'],
  tooManySignInCodes: [10, 7],
  tooManyWaiting: [50],
  tooManyDrills: [10, 7],
  overSpend: [{ limit: 'cap', spent: 100, most: 90, channel: 'text', until: '2027-01-31 00:00 UTC' }],
  unreadable: ['tocsin.alarm.v1.ArmRequest', 'premature EOF'],
  tooLarge: [1_024],
  notYetApplied: ['close', 'x'],
  appliedUnread: ['acknowledge', 'acknowledged', 'x'],
};

const REHEARSALS: ArgsOf<OwnerWords['rehearsals']> = {
  begun: ['alarm', 'House', 'Night'],
  heldByGate: ['House'],
  window: [30],
  emptyPolicy: ['First'],
  onDuty: ['Anna', 'Shop'],
  opens: ['First'],
  message: [
    { name: 'Anna', channel: 'text', fate: 'blocked', reason: 'no_carrier', insteadOf: 'email', round: 2, step: 1 },
  ],
  leftOut: ['First', '7'],
  disabled: ['House'],
  deactivated: ['House'],
  live: ['House', 'alarm', 'house'],
  liveOpen: ['House'],
  liveWaits: ['House'],
  modeMissing: ['House', 'night', ['home']],
  unread: ['x'],
};

const FILE: ArgsOf<OwnerWords['file']> = {
  aMap: [['name']],
  elseFrom: ['env:X'],
  unknownSection: [['alarms']],
  unknownField: [['name'], '"nam"'],
  keyOnce: ['"house"', 3],
  keyOf: ['policy', 'prune'],
  fields: [2],
  secretNamed: ['env:X'],
  secretHad: ['env:X'],
  secretGuessable: ['env:X'],
  tooLarge: [4, '5.1'],
  tooSlow: [40],
  tooMuchMemory: [256],
  tooDeep: [20],
  controlCharacter: ['U+0007'],
  unknownAlias: ['x'],
  ownAlias: ['x'],
  tooManyAliased: [500],
  syntax: ['BAD_INDENT', 'All mapping items must start at the same column.'],
};

const CODES_OF: ArgsOf<OwnerWords['codes']> = {
  noDevice: ['other_address', 'Anna'],
  notYourself: ['Anna'],
  tooManyDevices: [10],
  noSuchDevice: ['Anna'],
  botUnknown: ['Telegram'],
  tooMany: [{ kind: 'too_many', most: 5, per: 'hour', retryAfterS: 700 }],
  tooManyOfAccount: [7],
  addressLimit: [{ key: 'anna', name: 'Anna', channel: 'text', resetsAt: new Date(0) }],
  notVerified: ['wrong', { name: 'Anna', channel: 'text', left: 3 }],
};

test('what every field takes is said in German', () => {
  walk(en.owner.accepts, de.owner.accepts, ACCEPTS, ['range', 'nameAndRole']);
});

test('every refusal is said in German', () => {
  walk(en.owner.refusals, de.owner.refusals, REFUSALS);
});

test('every line and every refusal of a rehearsal is said in German', () => {
  walk(en.owner.rehearsals, de.owner.rehearsals, REHEARSALS);
  for (const fate of ['told', 'cancelled', 'blocked'] as const)
    for (const reason of ['no_address', 'disabled', 'not_verified', 'plan_required', 'no_carrier']) {
      const on = { name: 'Anna', channel: 'text', fate, reason, insteadOf: 'email', round: null, step: 1 };
      inGerman(en.owner.rehearsals.message(on), de.owner.rehearsals.message(on));
    }
});

test('every problem of a file is said in German, those of the YAML parser included', () => {
  walk(en.owner.file, de.owner.file, FILE);
  const faults: Record<SyntaxFault, ''> = {
    ALIAS_PROPS: '',
    BAD_ALIAS: '',
    BAD_COLLECTION_TYPE: '',
    BAD_DIRECTIVE: '',
    BAD_DQ_ESCAPE: '',
    BAD_INDENT: '',
    BAD_PROP_ORDER: '',
    BAD_SCALAR_START: '',
    BLOCK_AS_IMPLICIT_KEY: '',
    BLOCK_IN_FLOW: '',
    DUPLICATE_KEY: '',
    IMPOSSIBLE: '',
    KEY_OVER_1024_CHARS: '',
    MISSING_CHAR: '',
    MULTILINE_IMPLICIT_KEY: '',
    MULTIPLE_ANCHORS: '',
    MULTIPLE_DOCS: '',
    MULTIPLE_TAGS: '',
    NON_STRING_KEY: '',
    RESOURCE_EXHAUSTION: '',
    TAB_AS_INDENT: '',
    TAG_RESOLVE_FAILED: '',
    UNEXPECTED_TOKEN: '',
  };
  for (const fault of Object.keys(faults) as SyntaxFault[]) {
    inGerman('The parser said it.', de.owner.file.syntax(fault, 'The parser said it.'));
  }
});

test('why no code goes out and why one is not accepted is said in German', () => {
  walk(en.owner.codes, de.owner.codes, CODES_OF);
  for (const verdict of ['wrong', 'expired', 'none_sent', 'too_many_guesses'] as const) {
    const on = { name: 'Anna', channel: 'text', left: 3 } as const;
    inGerman(en.owner.codes.notVerified(verdict, on), de.owner.codes.notVerified(verdict, on));
  }
});
