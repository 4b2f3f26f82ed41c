import { describe, expect, test } from 'vitest';
import { writeMessage } from '../../services/channels/message.ts';
import type { AttemptOutcome } from '../../services/domain/delivery.ts';
import { A_WAY_BACK, aDrill, anAcknowledgement, anAlert, aVerification } from '../support/alert.ts';
import { AT_SIGNAL, type SignalServer, type SignalTurn } from '../support/signal.ts';
import { ANNA, ANNAS, BENS, behaves, rig } from './signal-rig.ts';

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
