import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Heard } from '../../services/channels/channel.ts';
import { writeMessage } from '../../services/channels/message.ts';
import { createSignalBot } from '../../services/channels/signal/bot.ts';
import { createSignalChannel } from '../../services/channels/signal/send.ts';
import type { AttemptOutcome } from '../../services/domain/delivery.ts';
import { A_WAY_BACK, aDrill, anAcknowledgement, anAlert, aVerification } from '../support/alert.ts';
import { logInto } from '../support/log.ts';
import type { PeerMode } from '../support/peer.ts';
import { AT_SIGNAL, type SignalServer, type SignalTurn, startSignal } from '../support/signal.ts';
import { expectInTime } from '../support/wait.ts';

const ANNAS = '+4366012345678';
const BENS = '+4366087654321';
const ANNA = `signal:${ANNAS}`;

/** What was written, of what was heard. */
function saidIn(heard: Heard): string[] {
  const all = heard.kind === 'heard' ? heard.said : [];
  return all.flatMap(({ said }) => (said.kind === 'replied' ? [said.text] : []));
}

async function rig({ timeoutMs = 500, turnMs = 3_000 } = {}) {
  const signal = await startSignal();
  onTestFinished(signal.stop);
  const lines: string[] = [];
  const log = logInto(lines);
  const channel = createSignalChannel({ settings: signal.settings, log, timeoutMs, turnMs });
  const bot = createSignalBot(signal.settings, log);
  return { signal, channel, bot, lines, hear: () => bot.hear(AbortSignal.timeout(20_000)) };
}

describe('a message', () => {
  test('says what the others say, with the link and the code to answer with', async () => {
    const { signal, channel } = await rig();
    const outcome = await channel.send(ANNA, anAlert());
    const [message] = signal.sent;
    expect(outcome).toEqual({ kind: 'sent', providerRef: message!.at });
    const { subject, text } = writeMessage(anAlert({ texts: 'no_texts' }));
    expect(message).toMatchObject({
      to: ANNAS,
      text: `${subject}\n\n${text.trimEnd()}\nReply K7M4 to acknowledge.`,
    });
    expect(message!.text).toContain(A_WAY_BACK.pageUrl);
    expect(message!.text.match(/K7M4/g)).toHaveLength(1);
  });

  test('asks for the code without a public address too: a reply is heard wherever this runs', async () => {
    const { signal, channel } = await rig();
    await channel.send(ANNA, anAlert({ wayBack: null, locale: 'de' }));
    expect(signal.sent[0]!.text).toMatch(/Zum Übernehmen mit K7M4 antworten\.$/);
  });

  test.each([
    ['a test message', aDrill()],
    ['a code', aVerification()],
    ['that somebody has it', anAcknowledgement()],
  ] as const)('%s asks for no answer', async (_, alert) => {
    const { signal, channel } = await rig();
    expect(await channel.send(ANNA, alert)).toMatchObject({ kind: 'sent' });
    expect(signal.sent[0]!.text).not.toContain('K7M4');
  });

  test('whose receipt is heard before the server has answered has arrived', async () => {
    const { signal, channel, hear } = await rig({ timeoutMs: 3_000 });
    signal.turns('receipt_first');
    const sending = channel.send(ANNA, anAlert());
    await signal.next();
    expect(await hear()).toEqual({ kind: 'heard', said: [] });
    expect(await sending).toMatchObject({ kind: 'delivered' });
  });
});

const ended = (reason: string): AttemptOutcome => ({ kind: 'permanent_fault', reason });
const away = (reason: string): AttemptOutcome => ({ kind: 'permanent_fault', reason, carrier: 'away' });
const later = (reason: string): AttemptOutcome => ({ kind: 'temporary_fault', reason });
const laterAway = (reason: string): AttemptOutcome => ({ kind: 'temporary_fault', reason, carrier: 'away' });
const NEW_PHONE =
  'Signal does not trust the key of this person: if they have a new phone, trust it at the server of SIGNAL_URL';
const CAPTCHA = 'Signal wants a captcha before it takes messages to new people: solve it, or let them write first';
const taken: AttemptOutcome = {
  kind: 'permanent_fault',
  reason: 'Signal took it, and what came of it cannot be read',
  taken: 'maybe',
};
const inResults = (happens: (signal: SignalServer) => void) => (signal: SignalServer) => {
  signal.speaks('results');
  happens(signal);
};
const turns = (how: SignalTurn) => (signal: SignalServer) => signal.turns(how);
const behaves = (mode: PeerMode) => (signal: SignalServer) => signal.behave(mode);

test.each<[string, (signal: SignalServer) => void, AttemptOutcome]>([
  ['the person has no Signal', signal => signal.leaves(ANNAS), ended('this number has no Signal')],
  ['they have a new phone', signal => signal.reinstalls(ANNAS), ended(NEW_PHONE)],
  ['no Signal, as a result', inResults(signal => signal.leaves(ANNAS)), ended('this number has no Signal')],
  ['a new phone, as a result', inResults(signal => signal.reinstalls(ANNAS)), ended(NEW_PHONE)],
  [
    'too many at once, as a result',
    turns({ type: 'RATE_LIMIT_FAILURE' }),
    { kind: 'temporary_fault', reason: 'Signal takes no more messages for now', taken: 'no' },
  ],
  [
    'a fault of the network, as a result',
    turns({ type: 'NETWORK_FAILURE' }),
    later('Signal did not take it: network failure'),
  ],
  [
    'a result that nobody knows',
    turns({ status: 400, error: `{"results":[{"recipientAddress":${JSON.stringify(AT_SIGNAL)}}` }),
    later('Signal did not take it: 400'),
  ],
  [
    'they have a new phone, said far behind',
    turns({ status: 400, error: `${'WARNING: a restricted method has been called\n'.repeat(9)}Untrusted Identity` }),
    ended(NEW_PHONE),
  ],
  [
    'Java warns of a method of its own',
    turns({ status: 400, error: 'WARNING: A terminally deprecated method has been called\nConnection reset' }),
    later('Signal did not take it: WARNING: A terminally deprecated method has been called Connection reset'),
  ],
  [
    'signal-cli is deprecated',
    turns({ status: 400, error: 'DeprecatedVersionException: StatusCode: 499' }),
    away('Signal refuses this version of signal-cli: update the server of SIGNAL_URL'),
  ],
  [
    'it took it, and read a line of a log',
    turns({ status: 400, error: "invalid character 'E' after top-level value" }),
    taken,
  ],
  [
    'it took it, and read a line of a log first',
    turns({ status: 400, error: "invalid character 'E' looking for beginning of value" }),
    taken,
  ],
  [
    'it took it, and read a line of a log where it expects the time',
    turns({
      status: 400,
      error: 'strconv.ParseInt: parsing "INFO  SignalAccount - in use\\n1696717441700": invalid syntax',
    }),
    taken,
  ],
  [
    'our number is not registered',
    signal => signal.unregister(),
    away('SIGNAL_NUMBER is not registered at the server of SIGNAL_URL'),
  ],
  [
    'signal-cli is too old',
    turns('too_old'),
    away('Signal refuses this version of signal-cli: update the server of SIGNAL_URL'),
  ],
  [
    'too many at once',
    turns({ status: 429, error: 'Rate limit exceeded' }),
    { kind: 'temporary_fault', reason: 'Signal takes no more messages for now', taken: 'no' },
  ],
  [
    'a fault of its network, whose words have a number',
    turns({ status: 400, error: `Failed to send to ${ANNAS}: timeout` }),
    later('Signal did not take it: Failed to send to [number]: timeout'),
  ],
  [
    'a login is asked for',
    behaves({ status: 401 }),
    away('the server of SIGNAL_URL refused the login: it must take messages without one'),
  ],
  ['it is somebody else', behaves({ status: 404 }), away('what answers at SIGNAL_URL is no server of Signal: 404')],
  [
    'it leads elsewhere',
    behaves({ status: 302, headers: { location: 'http://169.254.169.254/' } }),
    away('what answers at SIGNAL_URL is no server of Signal: 302'),
  ],
  ['it breaks', behaves({ status: 500 }), later('Signal has a fault of its own: 500')],
  ['it answers a page', behaves('garbage'), later('Signal answered something that cannot be read')],
  ['it hangs', behaves('hang'), laterAway('Signal did not answer in time')],
  ['it breaks off', turns('breaks_off'), laterAway('Signal broke off')],
])('%s: said in words, and no number in the log', async (_, happens, outcome) => {
  const { signal, channel, lines } = await rig();
  happens(signal);
  expect(await channel.send(ANNA, anAlert())).toEqual(outcome);
  expect(lines).toHaveLength(1);
  for (const one of [ANNAS.slice(1), AT_SIGNAL.uuid, AT_SIGNAL.username]) expect(lines[0]).not.toContain(one);
});

test.each([
  'sentences',
  'results',
] as const)('the third new person meets a captcha, and those who wrote before do not, in %s', async words => {
  const { signal, channel } = await rig();
  signal.speaks(words);
  signal.turns('captcha_for_new');
  for (const number of [ANNAS, BENS])
    expect(await channel.send(`signal:${number}`, anAlert())).toMatchObject({ kind: 'sent' });
  const [third, fourth] = ['+4366011111111', '+4366022222222'];
  expect(await channel.send(`signal:${third}`, anAlert())).toEqual(ended(CAPTCHA));
  signal.write(fourth!, 'hello');
  expect(await channel.send(`signal:${fourth}`, anAlert())).toMatchObject({ kind: 'sent' });
});

test('one who has no Signal is not said to be told, whatever the status', async () => {
  const { signal, channel } = await rig();
  const recipients = [{ ...AT_SIGNAL, number: ANNAS, reason: 'UNREGISTERED_FAILURE' }];
  signal.behave({ status: 201, body: JSON.stringify({ timestamp: '1795000000000', errors: { recipients } }) });
  expect(await channel.send(ANNA, anAlert())).toEqual(ended('this number has no Signal'));
});

test('whoever waits behind slow messages is put off, whatever came of another one before', async () => {
  const { signal, channel } = await rig({ timeoutMs: 8_000 });
  signal.turns({ status: 400, error: 'Failed to send message: Connection reset' });
  expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
  signal.behave('hang');
  const slow = [1, 2].map(() => channel.send(ANNA, anAlert()));
  const waits = await channel.send(`signal:${BENS}`, anAlert({ accountId: 'b'.repeat(32) }));
  expect(waits).toEqual({ kind: 'put_off', reason: 'too many messages to Signal are under way', afterS: 1 });
  await signal.stop();
  await Promise.all(slow);
});

test('whoever waits behind what hangs fails as what hung before, and nothing went out', async () => {
  const { signal, channel } = await rig({ timeoutMs: 3_500 });
  signal.behave('hang');
  await channel.send(ANNA, aDrill());
  const hang = [1, 2].map(() => channel.send(ANNA, anAlert()));
  expect(await channel.send(`signal:${BENS}`, anAlert())).toEqual({
    ...laterAway('Signal did not answer in time'),
    taken: 'no',
  });
  await Promise.all(hang);
});

test('what it may have taken goes again only if it is a live alert', async () => {
  const { signal, channel } = await rig();
  signal.turns('breaks_off');
  for (const alert of [aDrill(), aVerification(), anAlert({ environment: 'test' })])
    expect(await channel.send(ANNA, alert)).toEqual({ ...away('Signal broke off'), taken: 'maybe' });
  expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
});

test('two go at once; who waits behind two that hang goes on over another channel, as if it had been asked', async () => {
  const { signal, channel } = await rig({ timeoutMs: 400, turnMs: 100 });
  signal.behave('hang');
  const send = () => channel.send(ANNA, anAlert());
  const [first, second, third] = await Promise.all([send(), send(), send()]);
  const hung = laterAway('Signal did not answer in time');
  expect([first, second]).toEqual([hung, hung]);
  // Nothing is known yet of how it does.
  expect(third).toMatchObject({ kind: 'put_off' });
  const [, , sixth] = await Promise.all([send(), send(), send()]);
  expect(sixth).toEqual({ ...hung, taken: 'no' });
  expect(signal.heard).toHaveLength(4);
});

test('where nobody listens nothing went out', async () => {
  const { signal, channel } = await rig();
  await signal.stop();
  expect(await channel.send(ANNA, aDrill())).toMatchObject({ kind: 'temporary_fault', taken: 'no', carrier: 'away' });
  expect(await channel.ask!(500)).toBe('Signal could not be reached');
});

test('it says whether it works: as what it runs, whether the number is registered, and whether it is it at all', async () => {
  const { signal, channel } = await rig();
  expect(await channel.ask!(500)).toBeNull();
  signal.runs('json-rpc');
  expect(await channel.ask!(500)).toMatch(/^the server of SIGNAL_URL runs in a mode that loses replies/);
  signal.unregister();
  expect(await channel.ask!(500)).toBe('SIGNAL_NUMBER is not registered at the server of SIGNAL_URL');
  signal.behave({ status: 404 });
  expect(await channel.ask!(500)).toBe('what answers at SIGNAL_URL is no server of Signal');
});

describe('what people say', () => {
  test('what was heard is heard again until it is kept, though the server hands it out once', async () => {
    const { signal, bot, hear } = await rig();
    signal.write(ANNAS, 'K7M4');
    signal.edit(ANNAS, 'ok K7M4');
    const first = await hear();
    expect(first).toMatchObject({
      kind: 'heard',
      said: [
        { said: { kind: 'replied', from: ANNA, text: 'K7M4' } },
        { said: { kind: 'replied', from: ANNA, text: 'ok K7M4' } },
      ],
    });
    expect(await hear()).toEqual(first);
    // Whatever the server says meanwhile.
    signal.behave({ status: 500 });
    expect(await hear()).toEqual(first);
    signal.behave('ok');
    const [, second] = first.kind === 'heard' ? first.said : [];
    bot.kept(second!.nth);
    expect(await hear()).toMatchObject({ said: [second] });
    bot.kept(null);
    expect(await hear()).toEqual({ kind: 'heard', said: [] });
  });

  test('a backlog comes ten at a time and without a rest, in order, and nothing of it is lost', async () => {
    const { signal, bot, hear } = await rig();
    for (let nth = 0; nth < 25; nth++) signal.write(ANNAS, String(nth));
    const all: string[] = [];
    const began = performance.now();
    for (const length of [10, 10, 5]) {
      const said = saidIn(await hear());
      expect(said).toHaveLength(length);
      all.push(...said);
      bot.kept(null);
    }
    expect(all).toEqual(Array.from({ length: 25 }, (_, nth) => String(nth)));
    expectInTime(performance.now() - began, 400, 'the backlog');
  });

  test('what cannot be stored stays, and no more is asked for than there is room', async () => {
    const { signal, bot, hear } = await rig();
    for (let nth = 0; nth < 120; nth++) signal.write(ANNAS, String(nth));
    for (let nth = 0; nth < 12; nth++) await hear();
    const kept = saidIn(await hear());
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([100, '0', '99']);
    expect(signal.asked()).toBe(10);
    bot.kept(null);
    expect(saidIn(await hear())[0]).toBe('100');
  });

  test.each([
    ['a fault', ['ERROR ReceiveHelper - Unknown error when handling messages']],
    ['a trace', ['java.lang.NullPointerException: null {} }', '\tat org.asamk.Main(Main.java:7)', '}}']],
  ])('%s that signal-cli says among them takes nothing of what was heard', async (_, lines) => {
    const { signal, bot, hear } = await rig();
    signal.write(ANNAS, 'K7M4 ,{"envelope":{}}');
    signal.edit(ANNAS, 'ok K7M4');
    signal.mutters(...lines);
    expect(saidIn(await hear())).toEqual(['K7M4 ,{"envelope":{}}', 'ok K7M4']);
    bot.kept(null);
    signal.write(ANNAS, 'the last');
    signal.mutters(...lines);
    expect(saidIn(await hear())).toEqual(['the last']);
    bot.kept(null);
    signal.mutters(...lines);
    expect(await hear()).toMatchObject({ kind: 'fault', problem: 'Signal answered something that cannot be read' });
  });

  test('an answer that takes longer than most is waited for: whatever is in it comes once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { signal, bot } = await rig();
    signal.write(ANNAS, 'K7M4');
    const goesOn = signal.holdsBack();
    const hearing = bot.hear(new AbortController().signal);
    await vi.waitUntil(() => signal.asked() === 1);
    vi.advanceTimersByTime(120_000);
    goesOn();
    expect(saidIn(await hearing)).toEqual(['K7M4']);
  });

  test('receipts are of the person and the time of a message, of which two may have one', async () => {
    const { signal, channel, hear } = await rig();
    signal.turns('same_time');
    await channel.send(ANNA, anAlert({ deliveryId: 'a'.repeat(32) }));
    await channel.send(`signal:${BENS}`, anAlert({ deliveryId: 'b'.repeat(32), attempt: 2 }));
    const { at } = signal.sent[0]!;
    signal.receipt(BENS, at, 'isRead');
    signal.receipt(ANNAS, '1');
    signal.receipt('+4366099999999', at);
    expect(await hear()).toMatchObject({
      said: [{ said: { kind: 'arrived', deliveryId: 'b'.repeat(32), attempt: 2, providerRef: at } }],
    });
  });

  test('what is not known, of a group, of ourselves or of nobody’s number is passed over', async () => {
    const { signal, hear } = await rig();
    const from = { source: ANNAS, sourceNumber: ANNAS };
    signal.oddity({ envelope: { ...from, typingMessage: { action: 'STARTED' } } });
    signal.oddity({ envelope: { ...from, dataMessage: { message: 'K7M4', groupInfo: { groupId: 'x' } } } });
    signal.oddity({ envelope: { ...from, dataMessage: { message: null, reaction: {} } } });
    signal.oddity({ envelope: { sourceNumber: null, sourceUuid: '7cc', dataMessage: { message: 'K7M4' } } });
    signal.oddity({ envelope: { ...from, receiptMessage: { isDelivery: true, timestamps: 'x' } } });
    signal.oddity({ exception: { message: 'ProtocolUntrustedIdentityException' }, account: 'x' });
    signal.oddity(7);
    signal.write(signal.settings.number, 'K7M4');
    expect(await hear()).toEqual({ kind: 'heard', said: [] });
  });

  test.each<[string, (signal: SignalServer) => void, string]>([
    [
      'runs in a mode that loses replies',
      signal => signal.runs('json-rpc'),
      'the server of SIGNAL_URL runs in a mode that loses replies, so that nobody can acknowledge by one: set its MODE to native',
    ],
    ['is none', behaves({ status: 404 }), 'what answers at SIGNAL_URL is no server of Signal'],
    [
      'knows no such number',
      signal => signal.unregister(),
      'SIGNAL_NUMBER is not registered at the server of SIGNAL_URL',
    ],
    ['breaks off', behaves('reset'), 'Signal broke off'],
  ])('a server that %s: nothing is heard, and why', async (_, happens, problem) => {
    const { signal, hear } = await rig();
    happens(signal);
    expect(await hear()).toMatchObject({ kind: 'fault', problem, who: 'nobody_knows' });
  });

  test('it is not asked all the time', async () => {
    const { signal, hear } = await rig();
    const began = performance.now();
    for (let nth = 0; nth < 3; nth++) await hear();
    expect(performance.now() - began).toBeGreaterThanOrEqual(990);
    expect(signal.asked()).toBe(3);
  });

  test('whoever ends waits for what is on its way, and no longer for a server that hangs', async () => {
    const { signal, bot } = await rig();
    signal.behave('hang');
    const ending = new AbortController();
    const hearing = bot.hear(ending.signal);
    ending.abort();
    await expect(hearing).rejects.toThrow();
  });
});
