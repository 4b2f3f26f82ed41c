import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ANY_CERTIFICATE } from '../../services/channels/email/faults.ts';
import { APPLICATION, CODES as TELNYX_CODES } from '../../services/channels/telnyx/faults.ts';
import { CERTIFICATE_FAULTS, certificateWords } from '../../services/channels/tls-words.ts';
import { CODES } from '../../services/channels/twilio/faults.ts';
import { type AttemptOutcome, CHANNELS, type DeliveryStatus } from '../../services/domain/delivery.ts';
import { NOTICE_KINDS } from '../../services/domain/notice.ts';
import { FINDING_CODES, type Finding, type FindingCode, type Instead } from '../../services/domain/readiness.ts';
import { explainCall } from '../../services/words/call.ts';
import { de } from '../../services/words/de.ts';
import { en } from '../../services/words/en.ts';
import type { CallWord, ExplainedCall, ExplainedChange, FindingSource } from '../../services/words/owner/types.ts';
import { inGerman } from './in-german.ts';

const of = { policy: 'First', severity: 'warns', mode: 'night' } as const;
const people = ['Anna', 'Noah', 'Mia', 'Leo'].map(name => ({ id: name, name, channels: [] }) as never);
const instead: Instead[] = [
  { channel: 'email', people },
  { channel: 'push', people: people.slice(0, 1) },
];
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
  duty_unreachable: [
    {
      ...of,
      code: 'duty_unreachable',
      duty: { id: 'shop', key: 'shop', name: 'Shop', timeZone: 'Europe/Vienna' },
      people,
      from: 0,
      until: 3_600_000,
    },
  ],
  links_unreachable: [{ ...of, code: 'links_unreachable' }],
  no_away_mode: [{ ...of, code: 'no_away_mode' }],
  armed_mode_missing: [
    { ...of, code: 'armed_mode_missing', bare: 'runs_away' },
    { ...of, code: 'armed_mode_missing', bare: 'not_found' },
  ],
  in_test: [
    { ...of, code: 'in_test', switches: ['source', 'location'] },
    { ...of, code: 'in_test', switches: ['location'] },
    { ...of, code: 'in_test', switches: ['source'], at: Date.parse('2027-01-31T12:00:00Z') },
  ],
  no_address_for_channel: [{ ...of, code: 'no_address_for_channel', channel: 'text', people, instead }],
  not_verified: [{ ...of, code: 'not_verified', channel: 'text', people, instead }],
  plan_required: [{ ...of, code: 'plan_required', channel: 'text', people, instead }],
  no_carrier: [{ ...of, code: 'no_carrier', channel: 'text', people, instead }],
  carrier_failing: [
    {
      ...of,
      ...{ code: 'carrier_failing', channel: 'email', people, since: 0 },
      problem: 'the mail server could not be reached',
    },
  ],
  answers_lost: CHANNELS.flatMap(channel =>
    (['network', 'nowhere'] as const).map(from => ({ ...of, code: 'answers_lost' as const, channel, from })),
  ),
  escalation_capped: [{ ...of, code: 'escalation_capped', messages: 400 }],
  plan_ends: [{ ...of, code: 'plan_ends', channel: 'text', people, at: 0 }],
  never_proven: [{ ...of, code: 'never_proven', people }],
  proof_stale: [{ ...of, code: 'proof_stale', people }],
  proof_ages: [{ ...of, code: 'proof_ages', people }],
  stays_silent: [{ ...of, code: 'stays_silent', people }],
  unsure_way: [{ ...of, code: 'unsure_way', people }],
  only_one_person: [{ ...of, code: 'only_one_person', person: 'Anna' }],
  calls_limited: [1, 9].map(calls => ({ ...of, code: 'calls_limited', calls })),
  calls_shed: [1, 9].map(calls => ({ ...of, code: 'calls_shed', calls })),
  silent_sender: [2, 9].flatMap(keys =>
    (['yes', 'no'] as const).map(all => ({
      ...of,
      code: 'silent_sender' as const,
      keys,
      names: ['Camera', 'Gate'],
      all,
    })),
  ),
  supervision_proposed: [
    {
      ...of,
      code: 'supervision_proposed',
      key: { id: 'k', key: 'camera', label: 'Camera', proposedS: 900 },
    },
  ],
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

test.for(['none', 'not_confirmed'] as const)('that nobody listens is said in German: owners %s', owners => {
  for (const mail of ['carrier', 'no_carrier'] as const) {
    const finding = { code: 'no_listener', severity: 'warns', owners, mail } as const;
    const [english, german] = [en, de].map(words => words.owner.findings.ofAccount(finding));
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
            for (const [verb, times] of [
              ['close', 1],
              ['clear', 1],
              ['clear', 9],
            ] as const) {
              const call = { verb, outcome, times, by, kind, answer, pending, incident };
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
  const reasons = [
    '',
    'plan_required',
    'no_address',
    'spend_ceiling',
    'not_verified',
    'throttled',
    'restored',
    'no_carrier',
    'disabled',
  ];
  const faults = [...CODES.values(), ...TELNYX_CODES.values(), APPLICATION].map(({ reason }) => reason);
  for (const reason of [...reasons, ...faults, 'no carrier is configured for text: set X to send it'])
    for (const cancelledBy of ['', 'acknowledged', 'clear', 'disarm', 'auto_close', 'console', 'superseded'])
      for (const insteadOf of [null, 'email'] as const)
        for (const further of [{}, { attempts: 7 }, { attempts: 7, instead: 'text' as const }]) {
          const known = { channel: 'text', status, reason: reason.split(':')[0]!, cancelledBy, insteadOf } as const;
          const message = { ...known, ...further };
          inGerman(en.owner.deliveries(message), de.owner.deliveries(message));
        }
});

test.for<ExplainedChange>([
  { kind: 'exhausted', tried: null },
  { kind: 'exhausted', tried: { messages: 1, taken: 1, failed: 0, channels: ['text'] } },
  { kind: 'exhausted', tried: { messages: 6, taken: 4, failed: 2, channels: ['text', 'email'] } },
  { kind: 'step_brought_forward', earlierS: 90 },
  { kind: 'step_brought_forward', earlierS: 300 },
])('more about a change of an incident is said in German: %j', change => {
  inGerman(en.owner.changes(change), de.owner.changes(change));
});

const OUTCOMES: { [Kind in AttemptOutcome['kind']]: Extract<AttemptOutcome, { kind: Kind }> } = {
  sent: { kind: 'sent', providerRef: 'x' },
  delivered: { kind: 'delivered', providerRef: 'x' },
  put_off: { kind: 'put_off', reason: 'x', afterS: 1 },
  asked_to_wait: { kind: 'asked_to_wait', reason: 'x', afterS: 1 },
  kept: { kind: 'kept', reason: 'x', message: 'x' },
  temporary_fault: { kind: 'temporary_fault', reason: 'x' },
  permanent_fault: { kind: 'permanent_fault', reason: 'x' },
  obstacle: { kind: 'obstacle', reason: 'plan_required' },
};

test.for(Object.values(OUTCOMES))('what to do after a drill is said in German: $kind', outcome => {
  for (const tried of ['goes', 'no_carrier'] as const)
    for (const live of ['goes', 'disabled', 'not_verified'] as const) {
      const situation = {
        contactKey: 'anna',
        contactName: 'Anna',
        channel: 'text',
        tried,
        live,
        disabledReason: 'moved',
      } as const;
      inGerman(en.owner.drills(outcome, situation), de.owner.drills(outcome, situation));
    }
});

test.for(NOTICE_KINDS)('what an owner is told is said in German: %s', kind => {
  const facts = {
    source: 'House',
    about: 'source',
    opened: { day: '2027-01-31', time: '03:00', zone: 'UTC' },
    until: { day: '2027-02-01', time: '03:00', zone: 'UTC' },
    step: 1,
    round: 2,
    late: '90 s',
    spent: '$1.20',
    cap: '$10.00',
    ceiling: '$250.00',
    sources: 3,
    calls: 1,
    clock: { by: '1 h', direction: 'back' },
    names: 'Camera',
    because: 'all_failed',
    tried: { messages: 3, taken: 2, failed: 1, channels: ['text'] },
    duty: {
      name: 'Shop',
      until: '2027-02-07 08:00 (Europe/Vienna)',
      names: 'Anna',
      changes: (['comes', 'goes'] as const).map(part => ({
        ...{ name: 'Shop', from: '2027-01-31 08:00 (Europe/Vienna)', until: '2027-02-07 08:00 (Europe/Vienna)' },
        ...{ names: 'Anna', note: 'x', part },
      })),
      more: 2,
    },
    keys: 1,
    supervised: 6,
    armed: 'House',
    silent: '12 min',
    times: 1,
    stillSilent: 0,
    cause: 'armed',
    follows: 'nothing',
  } as const;
  for (const about of [
    facts,
    {
      ...facts,
      step: null,
      opened: null,
      until: null,
      because: 'not_scheduled',
      about: 'account',
      calls: 435,
      clock: { by: '20 s', direction: 'forward' },
      tried: null,
      keys: 3,
      times: 14,
      stillSilent: 2,
      cause: 'line',
      follows: 'alert',
    } as const,
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

test.for([
  ...CERTIFICATE_FAULTS.keys(),
])('how a certificate is at fault, and what to do, is said in German: %s', code => {
  for (const who of ['the carrier', 'the gateway', 'the mail server', 'the push server', 'the webhook']) {
    const english = `${who} ${certificateWords(code)}${who === 'the mail server' ? ANY_CERTIFICATE : ''}`;
    const german = de.owner.faults(english);
    for (const part of [0, 1]) inGerman(english.split(': ')[part]!, german.split(': ')[part]!);
  }
});

test.each([
  'Pushover refused the token: check PUSHOVER_TOKEN',
  "this month's messages of PUSHOVER_TOKEN are used up",
  'Pushover knows no such user key, or their account is closed',
  'Pushover has a fault of its own: 503',
  'Pushover answered something that cannot be read',
  'Pushover did not answer in time',
  'too many messages to Pushover are under way',
  'Pushover refused: message is too long',
  'no device of this person rings any more',
  'the key of web push cannot be opened with this DATA_KEY',
  'the push service asked to wait',
  'the push service led elsewhere, where no message of ours goes',
  'the push service refused our signature: check WEB_PUSH_CONTACT: 403 BadJwtToken',
  'the push service says that the message is too long',
  'the push service takes no more messages for now',
  'the push service has a fault of its own: 503',
  'the push service did not answer in time',
  'Telegram refused the token: check TELEGRAM_TOKEN',
  'they have blocked the bot at Telegram, or their account is closed',
  'the chat is a group at Telegram, which has become another one',
  'Telegram says that the message is too long',
  'Telegram asked to wait',
  'Telegram takes no more messages for now',
  'Telegram has a fault of its own: 502',
  'Telegram answered something that cannot be read',
  'Telegram refused: Bad Request: odd',
])('what Pushover, Telegram and the services of browsers do not take is said in German: %s', english => {
  const [said, ...more] = english.split(': ');
  const german = de.owner.faults(english).split(': ');
  expect(german[0]).not.toBe(said);
  expect(german[0]).toMatch(/[äöüß]| (hat|dieses|sind|ist|die|um|kein|nimmt) /);
  expect(german.slice(1)).toEqual(more);
});

test.each([
  [
    'Signal refuses this version of signal-cli: update the server of SIGNAL_URL',
    'Signal nimmt diese Version von signal-cli nicht mehr an: aktualisieren Sie den Server von SIGNAL_URL',
  ],
  [
    'Signal does not trust the key of this person: if they have a new phone, trust it at the server of SIGNAL_URL',
    'Signal vertraut dem Schlüssel dieser Person nicht: hat sie ein neues Telefon, vertrauen Sie ihm beim Server von SIGNAL_URL',
  ],
  [
    'Signal wants a captcha before it takes messages to new people: solve it, or let them write first',
    'Signal verlangt ein Captcha, bevor es Nachrichten an neue Personen annimmt: lösen Sie es, oder lassen Sie die Person zuerst schreiben',
  ],
  [
    'the server of SIGNAL_URL runs in a mode that loses replies, so that nobody can acknowledge by one: set its MODE to native',
    'der Server von SIGNAL_URL läuft in einem Modus, der Antworten verliert, sodass niemand mit einer übernehmen kann: setzen Sie seinen MODE auf native',
  ],
  [
    'the server of SIGNAL_URL refused the login: it must take messages without one',
    'der Server von SIGNAL_URL hat die Anmeldung abgelehnt: er muss Nachrichten ohne eine annehmen',
  ],
  [
    'SIGNAL_NUMBER is not registered at the server of SIGNAL_URL',
    'SIGNAL_NUMBER ist beim Server von SIGNAL_URL nicht angemeldet',
  ],
  ['what answers at SIGNAL_URL is no server of Signal: 404', 'unter SIGNAL_URL antwortet kein Server von Signal: 404'],
  ['this number has no Signal', 'diese Nummer hat kein Signal'],
  ['Signal takes no more messages for now', 'Signal hat vorerst genug Nachrichten'],
  ['too many messages to Signal are under way', 'an Signal sind gerade zu viele Nachrichten unterwegs'],
  [
    'Signal took it, and what came of it cannot be read',
    'Signal hat es angenommen, und was daraus wurde, ist nicht zu lesen',
  ],
  ['Signal did not take it: timeout', 'Signal hat es nicht angenommen: timeout'],
  ['Signal has a fault of its own: 500', 'Signal hat selbst einen Fehler: 500'],
  ['Signal did not answer in time', 'Signal hat nicht rechtzeitig geantwortet'],
  [
    'the carrier does not let TWILIO_WHATSAPP_FROM be used for this',
    'der Dienst lässt TWILIO_WHATSAPP_FROM dafür nicht zu',
  ],
])('what Signal and WhatsApp do not take is said in German: %s', (english, german) => {
  expect(de.owner.faults(english)).toBe(german);
});

test('who never pressed Start is told of in German', () => {
  expect(de.owner.faults('Telegram knows no such chat: they have not pressed Start in the chat of the bot')).toBe(
    'Telegram kennt diesen Chat nicht: die Person hat im Chat des Bots nicht „Start“ gedrückt',
  );
});

test('which setting is missing is said in German, by its own name', () => {
  const hint = 'set TWILIO_FROM, or GATEWAY_URL and GATEWAY_SECRET, to send it';
  expect(de.owner.faults(`no carrier is configured for text: ${hint}`)).toBe(
    'dafür ist nichts eingerichtet: es fehlt TWILIO_FROM oder GATEWAY_URL und GATEWAY_SECRET',
  );
});
