import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { withChannels } from '../../facade/cli/channels.ts';
import { parseStep } from '../../facade/cli/commands/policies.ts';
import { readConnection } from '../../facade/cli/config.ts';
import { formatDuration, parseDuration } from '../../facade/cli/duration.ts';
import { CliFault } from '../../facade/cli/exit.ts';
import { newModes, parseMode, withModes } from '../../facade/cli/modes.ts';
import { table } from '../../facade/cli/table.ts';
import { safeJson } from '../../facade/cli/text.ts';
import { ModeSchema } from '../../gen/tocsin/console/v1/alarms_pb.ts';
import { ContactChannelSchema } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { clean } from '../../services/process/text.ts';

test.each([
  ['0', 0],
  ['0s', 0],
  ['30s', 30],
  ['5m', 300],
  ['1h', 3600],
  ['1h30m', 5400],
  ['2d', 172_800],
])('the duration %s is %i seconds', (text, seconds) => {
  expect(parseDuration(text, '--window')).toBe(seconds);
});

test.each(['', '30', 's', '5 m', '-5m', '1.5h', '5x', '5m!', '9999999999s'])('%j is no duration', text => {
  expect(() => parseDuration(text, '--window')).toThrow(/^--window takes a duration such as 30s, .*got /);
});

test('a duration that the services have no number for is refused', () => {
  expect(parseDuration('24855d', '--overlap')).toBe(2_147_472_000);
  expect(() => parseDuration('24856d', '--overlap')).toThrow(
    /^--overlap takes a duration of at most 24855d .*got "24856d"/,
  );
});

test.each([
  [0, '0s'],
  [90, '1m 30s'],
  [3600, '1h'],
  [90_061, '1d 1h 1m 1s'],
])('%i seconds show as %s', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});

test.each([
  ['away', { id: 'away' }],
  ['away:policy=family,window=30s', { id: 'away', policyId: 'family', windowS: 30 }],
  ['night:policy=', { id: 'night', policyId: '' }],
  ['home:name=At home: all of us', { id: 'home', name: 'At home: all of us' }],
])('--mode %s', (text, mode) => {
  expect(parseMode(text)).toEqual(mode);
});

test.each([
  ['', /--mode begins with home, away, night, vacation, got ""/],
  ['noon:policy=a', /got "noon"/],
  ['away:policy', /takes policy=, window= and name=, got "policy"/],
  ['away:windows=3s', /got "windows=3s"/],
  ['away:window=30', /--mode away:window takes a duration/],
])('--mode %j is refused', (text, sentence) => {
  expect(() => parseMode(text)).toThrow(sentence);
});

test('a new alarm has the modes given or all four, and 30 s in away unless that is named (DECISIONS.md "False-alarm window")', () => {
  const all = newModes([]);
  expect(all.modes.map(({ id, windowS }) => [id, windowS])).toEqual([
    ['home', 0],
    ['away', 30],
    ['night', 0],
    ['vacation', 0],
  ]);
  expect(all.proposedWindow).toBe('proposed');
  expect(newModes([parseMode('away:window=0'), parseMode('night')])).toMatchObject({
    modes: [
      { id: 'away', windowS: 0 },
      { id: 'night', windowS: 0 },
    ],
    proposedWindow: 'given',
  });
});

test('--mode changes what it names and nothing else; --remove-mode takes one away', () => {
  const now = ['away', 'night'].map(id => create(ModeSchema, { id, name: id, policyId: 'p', windowS: 10 }));
  const after = withModes(now, [parseMode('away:window=1m'), parseMode('home:policy=q')], ['night']);
  expect(after).toEqual([
    { id: 'home', name: '', policyId: 'q', windowS: 0 },
    { id: 'away', name: 'away', policyId: 'p', windowS: 60 },
  ]);
  expect(() => withModes(now, [parseMode('away')], ['away'])).toThrow(/named twice/);
  expect(() => withModes(now, [], ['home'])).toThrow(/that the alarm has \(away, night\), got "home"/);
});

test('--step says when, whom and how', () => {
  expect(parseStep('5m anna:email,text  noah:call')).toEqual({
    delayS: 300,
    contacts: [
      { contactId: 'anna', channels: ['email', 'text'] },
      { contactId: 'noah', channels: ['call'] },
    ],
  });
  expect(() => parseStep('anna:email')).toThrow(/--step, at its beginning, takes a duration/);
  expect(() => parseStep('5m')).toThrow(/at least one contact/);
  expect(() => parseStep('5m anna')).toThrow(/a contact and its channels, got "anna"/);
});

test('the channels of a contact change by name and keep their order', () => {
  const now = ['text', 'email'].map(channel => create(ContactChannelSchema, { channel, address: channel }));
  const none = { addresses: [], removed: [], paused: [], resumed: [] };
  expect(
    withChannels(now, {
      ...none,
      addresses: [
        ['text', '+1'],
        ['push', 'topic'],
      ],
    }),
  ).toMatchObject([
    { channel: 'text', address: '+1' },
    { channel: 'email', address: 'email' },
    { channel: 'push', address: 'topic' },
  ]);
  expect(withChannels(now, { ...none, removed: ['text'], paused: ['email=on holiday'] })).toEqual([
    { channel: 'email', address: 'email', disabledReason: 'on holiday' },
  ]);
  const two = [...now, ...['a', 'b'].map(address => create(ContactChannelSchema, { channel: 'push', address }))];
  two[2]!.disabledReason = 'on holiday';
  const push = (...addresses: string[]) => addresses.map(address => ['push', address] as const);
  const addressesAfter = (flags: Partial<Parameters<typeof withChannels>[1]>) =>
    withChannels(two, { ...none, ...flags }).map(
      ({ address, disabledReason }) => `${address}${disabledReason && ' off'}`,
    );
  // What is given for a channel is all that it has then; what stays keeps whether it is used.
  expect(addressesAfter({ addresses: push('b', 'c', 'a') })).toEqual(['text', 'email', 'b', 'c', 'a off']);
  expect(addressesAfter({ addresses: push('c') })).toEqual(['text', 'email', 'c off']);
  expect(addressesAfter({ removed: ['push'] })).toEqual(['text', 'email']);
  expect(addressesAfter({ paused: ['push=broken'] })).toEqual(['text', 'email', 'a off', 'b off']);
  expect(addressesAfter({ resumed: ['push'] })).toEqual(['text', 'email', 'a', 'b']);
  expect(() => withChannels(now, { ...none, removed: ['call'] })).toThrow(
    /--remove takes a channel that the contact has/,
  );
  expect(() => withChannels(now, { ...none, paused: ['email'] })).toThrow(CliFault);
});

test('text of other people loses what repaints a terminal or turns its direction', () => {
  expect(clean('\u001b[31mAnna\u001b[0m')).toBe('[31mAnna [0m');
  expect(clean('a\nb\tc')).toBe('a b c');
  expect(clean('\u202eevil\u2066\u200f\u009b')).toBe('evil');
  expect(clean('Zoë 👩‍👧 李')).toBe('Zoë 👩‍👧 李');
  const json = safeJson({ name: 'a\u009b\u202eb\u001b' });
  expect(json).toBe('{"name":"a\\u009b\\u202eb\\u001b"}');
  expect(JSON.parse(json)).toEqual({ name: 'a\u009b\u202eb\u001b' });
});

test('a table keeps its columns countable', () => {
  const rows = [
    { a: 'x', b: '' },
    { a: 'longer', b: 'y\n' },
  ];
  expect(
    table(
      [
        ['a', ({ a }) => a],
        ['b', ({ b }) => b],
      ],
      rows,
    ),
  ).toEqual(['A       B', 'x       -', 'longer  y']);
});

const TOKEN = `tcn_${'a'.repeat(36)}`;
const ACCOUNT = 'a'.repeat(32);

test.each([
  [{}, {}, { rpcUrl: 'http://localhost:8081', token: null, account: null }],
  [{ RPC_URL: 'http://a:1/,http://b:2' }, {}, { rpcUrl: 'http://a:1' }],
  [{ RPC_URL: 'http://a:1', TOCSIN_RPC_URL: 'http://c:3' }, {}, { rpcUrl: 'http://c:3' }],
  [{ TOCSIN_RPC_URL: 'http://c:3' }, { rpcUrl: 'http://d:4/' }, { rpcUrl: 'http://d:4' }],
  [{ TOCSIN_TOKEN: TOKEN, TOCSIN_ACCOUNT: ACCOUNT }, {}, { token: TOKEN, account: ACCOUNT }],
  [{ TOCSIN_TOKEN: 'other' }, { token: TOKEN }, { token: TOKEN }],
])('the connection of %j with %j', (environment, flags, connection) => {
  expect(readConnection(environment, flags)).toMatchObject(connection);
});

test('a wrong setting is told without its secret', () => {
  expect(() => readConnection({ TOCSIN_TOKEN: 'se cret' }, {})).toThrow(
    /^TOCSIN_TOKEN takes a console token.*got 7 characters/,
  );
  expect(() => readConnection({}, { rpcUrl: 'localhost' })).toThrow(/^--rpc-url takes an http or https URL/);
  expect(() => readConnection({}, { account: 'home' })).toThrow(/^--account takes the id of an account, .*got "home"/);
});
