import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CODES } from '../../services/channels/twilio/faults.ts';
import type { AttemptOutcome, DeliveryStatus } from '../../services/domain/delivery.ts';
import { NOTICE_KINDS } from '../../services/domain/notice.ts';
import { FINDING_CODES, type Finding, type FindingCode } from '../../services/domain/readiness.ts';
import { explainCall } from '../../services/words/call.ts';
import { de } from '../../services/words/de.ts';
import { en } from '../../services/words/en.ts';
import type { CallWord, ExplainedCall, FindingSource, SyntaxFault } from '../../services/words/owner/types.ts';
import type { OwnerWords } from '../../services/words/owner/words.ts';

/** Words that no German sentence has; what is quoted, commands, and names of fields may be English. */
const ENGLISH = /\b(the|this|that|is|are|were|of|by|and|or|with|takes|got|nobody|your|you|it|its|to|at most)\b/i;

/** Shows that what is said in English and in German is said in two languages. `same`: there is no word in it. */
function inGerman(english: string, german: string, same: 'differs' | 'may_be_same' = 'differs'): void {
  if (english === '') {
    expect(german).toBe('');
    return;
  }
  const plain = german.replaceAll(
    /tocsin [a-z-]+( [a-z-]+)?[^.]*\.?|"[^"]*"|„[^“]*“|\{[^}]*\}|"authorization.*?"/g,
    '',
  );
  expect(german).not.toBe('');
  expect(plain, german).not.toMatch(ENGLISH);
  if (same === 'differs') expect(german).not.toBe(english);
}

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
  seconds: [0, 9],
  range: [0, 9],
  days: [9, 7],
  search: [9],
  fieldsOf: ['alarm', ['name']],
  fieldsOnly: [['name']],
  channelOf: ['Anna', ['text', 'email']],
  nameOrNothing: [9],
  tokenOfPageBefore: ['nextPageToken'],
  tokenOfIncident: ['nextPageToken'],
  modeOrNothing: [['home']],
  responseText: [40],
  noResponseText: ['fire'],
  messages: [9],
  messagesGot: [9, 3, 3],
};

const REFUSALS: ArgsOf<OwnerWords['refusals']> = {
  noSuch: ['alarm', 'house'],
  keyTaken: ['policy', 'first'],
  changedMeanwhile: ['contact', 1, 2],
  inUse: ['location', [{ kind: 'alarm', name: 'House', key: 'house' }], 3],
  armedIn: ['House', 'night'],
  unbinds: ['House', ['home', 'away']],
  keyRevoked: ['Camera'],
  planLimit: [{ plan: 'free', sourcesMost: 3, sources: 5 }],
  operatorOnly: ['raise_cap'],
  roleTooLow: ['editor', 'viewer'],
  notOver: ['incidents'],
  memberAlready: ['anna@example.com'],
  membersFull: [50],
  tooManyInvitations: [10, 7],
  invitationLimit: [20, 10],
  tokenEnded: ['2027-01-31'],
  tooManySignInCodes: [10, 7],
  tooManyDrills: [10, 7],
  overSpend: [{ limit: 'cap', spent: 100, most: 90, channel: 'text', until: '2027-01-31 00:00 UTC' }],
  notYetApplied: ['close', 'x'],
  appliedUnread: ['acknowledge', 'acknowledged', 'x'],
};

const REHEARSALS: ArgsOf<OwnerWords['rehearsals']> = {
  begun: ['alarm', 'House', 'Night'],
  heldByGate: ['House'],
  window: [30],
  joined: ['2027-01-31 00:00'],
  emptyPolicy: ['First'],
  opens: ['First'],
  message: [{ name: 'Anna', channel: 'text', fate: 'no_carrier', reason: '', round: 2, step: 1 }],
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
  for (const fate of ['told', 'cancelled', 'blocked', 'no_carrier'] as const)
    for (const reason of ['no_address', 'not_verified', 'plan_required']) {
      const on = { name: 'Anna', channel: 'text', fate, reason, round: null, step: 1 };
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

const of = { policy: 'First', severity: 'warns', mode: 'night' } as const;
const people = ['Anna', 'Noah', 'Mia', 'Leo'].map(name => ({ id: name, name, channels: [] }) as never);
const FINDINGS: Record<FindingCode, Finding[]> = {
  disabled: [{ ...of, code: 'disabled' }],
  deactivated: [{ ...of, code: 'deactivated' }],
  no_policy: [
    { ...of, code: 'no_policy' },
    { ...of, code: 'no_policy', mode: null },
  ],
  nobody_in_step: [
    { ...of, code: 'nobody_in_step', steps: [] },
    { ...of, code: 'nobody_in_step', steps: [1, 2] },
  ],
  no_reachable_contact: [{ ...of, code: 'no_reachable_contact', steps: [1], people }],
  links_unreachable: [{ ...of, code: 'links_unreachable' }],
  no_away_mode: [{ ...of, code: 'no_away_mode' }],
  armed_mode_missing: [
    { ...of, code: 'armed_mode_missing', bare: 'runs_away' },
    { ...of, code: 'armed_mode_missing', bare: 'not_found' },
  ],
  in_test: [
    { ...of, code: 'in_test', switches: ['source', 'location'] },
    { ...of, code: 'in_test', switches: ['location'] },
  ],
  no_address_for_channel: [{ ...of, code: 'no_address_for_channel', channel: 'text', people }],
  not_verified: [{ ...of, code: 'not_verified', channel: 'text', people }],
  plan_required: [{ ...of, code: 'plan_required', channel: 'text', people }],
  no_carrier: [{ ...of, code: 'no_carrier', channel: 'text', people }],
  escalation_capped: [{ ...of, code: 'escalation_capped', messages: 400 }],
  plan_ends: [{ ...of, code: 'plan_ends', channel: 'text', people, at: 0 }],
  only_one_person: [{ ...of, code: 'only_one_person', person: 'Anna' }],
  no_location_address: [{ ...of, code: 'no_location_address' }],
};

test.for(FINDING_CODES)('what is found is said in German: %s', code => {
  const source: FindingSource = { key: 'house', kind: 'alarm', location: { key: 'home', name: 'Home' } };
  for (const finding of FINDINGS[code]) {
    const [english, german] = [en, de].map(words => words.owner.findings.of(finding, source));
    inGerman(english!.problem, german!.problem);
    inGerman(english!.fix, german!.fix);
  }
});

test('what ends with the first days is said in German', () => {
  const end = { at: 0, channels: ['text', 'call'], sources: ['House', 'Garage'], covered: 3 } as never;
  const [english, german] = [en, de].map(words => words.owner.findings.firstDaysEnd(end, 'free'));
  inGerman(english!.problem, german!.problem);
  inGerman(english!.fix, german!.fix);
});

const words = Object.keys(en.owner.calls) as CallWord[];

test.for(words)('what became of a call is said in German: %s', outcome => {
  const incidents: ExplainedCall['incident'][] = [null];
  for (const environment of ['live', 'test'] as const)
    for (const outcome of ['alerting', 'nobody_to_alert', 'nobody_reached', 'exhausted'] as const)
      incidents.push({ environment, outcome });
  for (const incident of incidents)
    for (const by of ['machine', 'person'] as const)
      for (const kind of ['alarm', 'panic_button'] as const)
        for (const answer of ['refused', 'taken'] as const)
          for (const pending of ['touched', 'untouched'] as const)
            for (const verb of ['close', 'clear'] as const) {
              const call = { verb, outcome, by, kind, answer, pending, incident };
              const [english, german] = [en, de].map(language => explainCall(language.owner, call));
              inGerman(english!.explanation, german!.explanation);
              inGerman(english!.advice, german!.advice);
            }
});

const STATUSES: Record<DeliveryStatus, ''> = {
  scheduled: '',
  suppressed: '',
  sending: '',
  sent: '',
  delivered: '',
  failed: '',
  cancelled: '',
  no_carrier: '',
};

test.for(Object.keys(STATUSES) as DeliveryStatus[])('what became of a message is said in German: %s', status => {
  const reasons = ['', 'plan_required', 'no_address', 'spend_ceiling', 'not_verified', 'throttled', 'restored'];
  const faults = [...CODES.values()].map(({ reason }) => reason);
  for (const reason of [...reasons, ...faults, 'no carrier is configured for text: set X to send it'])
    for (const cancelledBy of ['', 'acknowledged', 'clear', 'disarm', 'auto_close', 'console', 'superseded']) {
      const message = { status, reason: reason.split(':')[0]!, cancelledBy };
      inGerman(en.owner.deliveries(message), de.owner.deliveries(message));
    }
});

const OUTCOMES: { [Kind in AttemptOutcome['kind']]: Extract<AttemptOutcome, { kind: Kind }> } = {
  sent: { kind: 'sent', providerRef: 'x' },
  delivered: { kind: 'delivered', providerRef: 'x' },
  put_off: { kind: 'put_off', reason: 'x', afterS: 1 },
  kept: { kind: 'kept', reason: 'x', message: 'x' },
  temporary_fault: { kind: 'temporary_fault', reason: 'x' },
  permanent_fault: { kind: 'permanent_fault', reason: 'x' },
  obstacle: { kind: 'obstacle', reason: 'plan_required' },
};

test.for(Object.values(OUTCOMES))('what to do after a drill is said in German: $kind', outcome => {
  for (const carrier of ['there', 'none'] as const)
    for (const disabledReason of ['', 'moved'])
      for (const verification of ['verified', 'not_verified'] as const) {
        const situation = {
          contactKey: 'anna',
          contactName: 'Anna',
          channel: 'text',
          carrier,
          disabledReason,
          verification,
        } as const;
        inGerman(en.owner.drills(outcome, situation), de.owner.drills(outcome, situation));
      }
});

test.for(NOTICE_KINDS)('what an owner is told is said in German: %s', kind => {
  const facts = {
    source: 'House',
    about: 'source',
    opened: { day: '2027-01-31', time: '03:00', zone: 'UTC' },
    step: 1,
    round: 2,
    late: '90 s',
    spent: '$1.20',
    cap: '$10.00',
    ceiling: '$250.00',
    sources: 3,
    because: 'all_failed',
  } as const;
  for (const about of [
    facts,
    { ...facts, step: null, opened: null, because: 'not_scheduled', about: 'account' } as const,
  ]) {
    const [english, german] = [en, de].map(words => words.owner.notices.of[kind](about));
    for (const part of ['subject', 'explanation', 'todo'] as const) inGerman(english![part], german![part]);
  }
});

test.for([
  'email/faults',
  'twilio/faults',
  'twilio/standing',
])('what carriers answer is said in German, and what a server said itself stays: %s', file => {
  const source = readFileSync(new URL(`../../services/channels/${file}.ts`, import.meta.url), 'utf8');
  const faults = [...source.replaceAll(/\/\*[\s\S]*?\*\//g, '').matchAll(/'([a-z][^'\n]* [^'\n]*)'/g)].map(
    ([, fault]) => fault!,
  );
  expect(faults.length).toBeGreaterThan(2);
  for (const fault of faults) {
    const [known] = fault.split(': ');
    inGerman(known!, de.owner.faults(known!));
    expect(de.owner.faults(`${known}: 550 no`)).toBe(`${de.owner.faults(known!)}: 550 no`);
  }
});
