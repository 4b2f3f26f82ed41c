import { Code, type ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { type Console, newOwner, refusal } from '../../support/console.ts';
import { startWorld } from '../../support/world.ts';

const bidi = '\u202etxt';
const long = 'x'.repeat(10_000);

type Call = (own: Console) => Promise<unknown>;
const contactWith =
  (channel: string, address: string): Call =>
  own =>
    own.contacts.createContact({ contact: { name: 'A', channels: [{ channel, address }] } });
const policyWith =
  (policy: object): Call =>
  own =>
    own.policies.createPolicy({ policy: { name: 'P', ...policy } });
const step = (more: object = {}) => ({ contacts: [{ contactId: 'anna', channels: ['email'] }], ...more });
const alarmWith =
  (alarm: object): Call =>
  own =>
    own.alarms.createAlarm({ alarm: { name: 'A', locationId: 'home', ...alarm } });
const keyUntil =
  (seconds: bigint): Call =>
  own =>
    own.apiKeys.createApiKey({ apiKey: { label: 'K', expiresAt: { seconds, nanos: 0 } } });

/** What is sent, the field that is named, and what its sentence says. */
const WRONG: [string, Call, string, string][] = [
  [
    'no name',
    own => own.locations.createLocation({ location: { name: ' ' } }),
    'name',
    '1 to 100 characters in one line, without control characters, got ""',
  ],
  ['10 KB name', own => own.locations.createLocation({ location: { name: long } }), 'name', 'got "xxx'],
  [
    'line break in a name',
    own => own.locations.createLocation({ location: { name: 'a\r\nBcc: b' } }),
    'name',
    'one line',
  ],
  ['direction characters', own => own.locations.createLocation({ location: { name: bidi } }), 'name', 'one line'],
  [
    'control character in an address',
    own => own.locations.createLocation({ location: { name: 'A', address: 'a\u0007' } }),
    'address',
    'several lines allowed',
  ],
  [
    'a key with capitals',
    own => own.locations.createLocation({ location: { name: 'A', key: 'Home!' } }),
    'key',
    'lower-case letters, digits and hyphens',
  ],
  ['no message at all', own => own.locations.createLocation({}), 'location', 'got nothing'],
  [
    'a number that is not E.164',
    contactWith('text', '0660 1234567'),
    'channels[0].address',
    'E.164, such as +12025550111',
  ],
  ['a number with letters', contactWith('call', '+43abc'), 'channels[0].address', 'E.164'],
  ['a mail address that is none', contactWith('email', 'anna@'), 'channels[0].address', 'an email address such as'],
  ['two recipients', contactWith('email', 'a@example.com, b@example.com'), 'channels[0].address', 'an email address'],
  [
    'a webhook without https',
    contactWith('webhook', 'http://example.com/hook?token=s3cret'),
    'channels[0].address',
    'got another URL',
  ],
  [
    'a channel that is none',
    contactWith('fax', '1'),
    'channels[0].channel',
    'one of text, call, email, push, chat, webhook, got "fax"',
  ],
  [
    'a channel twice',
    own =>
      own.contacts.createContact({
        contact: {
          name: 'A',
          channels: [
            { channel: 'email', address: 'a@b.co' },
            { channel: 'email', address: 'c@d.co' },
          ],
        },
      }),
    'channels[1]',
    'got "email" a second time',
  ],
  [
    'a locale that is none',
    own => own.contacts.createContact({ contact: { name: 'A', locale: 'not a locale' } }),
    'locale',
    'BCP 47',
  ],
  [
    'a time zone that is none',
    own => own.contacts.createContact({ contact: { name: 'A', timeZone: 'Mars/Base' } }),
    'timeZone',
    'IANA',
  ],
  [
    'a voice that is TwiML',
    own => own.contacts.createContact({ contact: { name: 'A', voice: '"><Dial>+12025550111</Dial>' } }),
    'voice',
    'letters, digits, dots, hyphens, underscores, at most 60',
  ],
  [
    'a voice of 10 KB',
    own => own.contacts.createContact({ contact: { name: 'A', voice: 'v'.repeat(10_000) } }),
    'voice',
    'at most 60',
  ],
  ['a policy without steps', policyWith({ steps: [] }), 'steps', '1 to 20 steps, got nothing'],
  ['a step without people', policyWith({ steps: [{ contacts: [] }] }), 'steps[0].contacts', '1 to 20 contacts, got 0'],
  [
    'a person without channels',
    policyWith({ steps: [{ contacts: [{ contactId: 'anna', channels: [] }] }] }),
    'steps[0].contacts[0].channels',
    '1 to 6 channels, got 0',
  ],
  [
    'a person that is not there',
    policyWith({ steps: [{ contacts: [{ contactId: 'bob', channels: ['email'] }] }] }),
    'steps[0].contacts[0].contactId',
    'a contact of this account, got "bob"',
  ],
  ['a delay below 0', policyWith({ steps: [step({ delayS: -1 })] }), 'steps[0].delayS', '0 to 86400 seconds, got -1'],
  ['a delay of more than a day', policyWith({ steps: [step({ delayS: 86_401 })] }), 'steps[0].delayS', 'got 86401'],
  ['six rounds more', policyWith({ steps: [step()], repeat: 6 }), 'repeat', '0 to 5 further rounds, got 6'],
  [
    'rounds too close',
    policyWith({ steps: [step()], repeatDelayS: 59 }),
    'repeatDelayS',
    '60 to 86400 seconds, got 59',
  ],
  ['21 steps', policyWith({ steps: Array.from({ length: 21 }, () => step()) }), 'steps', '1 to 20 steps, got 21'],
  ['an alarm without a place', alarmWith({ locationId: '' }), 'locationId', 'the id or the key of one that exists'],
  [
    'a place that is not there',
    alarmWith({ locationId: 'moon' }),
    'locationId',
    'a location of this account, got "moon"',
  ],
  [
    'a mode that is none',
    alarmWith({ modes: [{ id: 'holiday' }] }),
    'modes[0].id',
    'one of home, away, night, vacation, got "holiday"',
  ],
  ['a mode twice', alarmWith({ modes: [{ id: 'away' }, { id: 'away' }] }), 'modes[1]', 'a second time'],
  [
    'a window of two minutes and a second',
    alarmWith({ modes: [{ id: 'away', windowS: 121 }] }),
    'modes[0].windowS',
    '0 to 120 seconds, got 121',
  ],
  [
    'a response that is none',
    own =>
      own.panicButtons.createPanicButton({ panicButton: { name: 'B', locationId: 'home', responseKind: 'flood' } }),
    'responseKind',
    'medical, fire, intruder, duress, other, got "flood"',
  ],
  [
    'a key for an alarm that is not there',
    own => own.apiKeys.createApiKey({ apiKey: { label: 'K', alarmId: 'shed' } }),
    'alarmId',
    'an alarm of this account, got "shed"',
  ],
  ['an end in the year 0', keyUntil(-62_135_596_801n), 'expiresAt', 'a time such as "2027-01-31T12:00:00Z"'],
  ['an end in the year 10000', keyUntil(253_402_300_800n), 'expiresAt', 'a time such as'],
  ['an end that no calendar has', keyUntil(10n ** 15n), 'expiresAt', 'got "1000000000000000 s after 1970"'],
];

test('every wrong field is refused by name with what it takes and what was got, and nothing is stored', async () => {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  await own.locations.createLocation({ location: { name: 'Home' } });
  await own.contacts.createContact({ contact: { name: 'Anna' } });
  const audited = async () => (await own.audit.listChanges({ pageSize: 200 })).changes.length;
  const before = await audited();
  for (const [what, call, field, says] of WRONG) {
    const refused = await refusal(call(own));
    expect({ what, code: refused.code }).toEqual({ what, code: 'InvalidArgument' });
    expect(refused.fields, what).toHaveProperty([field], expect.stringContaining(says));
    expect(refused.message, what).not.toContain('s3cret');
    expect(refused.message.length, what).toBeLessThan(2_000);
  }
  expect(await audited()).toBe(before);
});

test('all that is wrong is said at once', async () => {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  const modes = [{ id: 'holiday', windowS: 999 }];
  const refused = await refusal(own.alarms.createAlarm({ alarm: { name: '', locationId: '', modes } }));
  expect(Object.keys(refused.fields)).toEqual(['name', 'locationId', 'modes[0].id', 'modes[0].windowS']);
});

test('twenty writers at once: every change is there once, versions count them all', async () => {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  const names = Array.from({ length: 20 }, (_, nth) => `Place ${nth}`);
  await Promise.all(names.map(name => own.locations.createLocation({ location: { name } })));
  const { locations } = await own.locations.listLocations({ pageSize: 200 });
  expect(locations.map(one => one.name).sort()).toEqual(names.sort());
  const [first] = locations;
  const writes = names.map(name => own.locations.updateLocation({ location: { ...first!, name: `${name}, anew` } }));
  const won = (await Promise.allSettled(writes)).filter(one => one.status === 'fulfilled');
  expect(won.length).toBe(1);
  expect((await own.locations.getLocation({ locationId: first!.id })).location!.version).toBe(2);
});

test('twenty-four changes of one account at once: one wins, and nobody waits for a connection that another one holds', async () => {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  const names = Array.from({ length: 24 }, (_, nth) => `Name ${nth}`);
  const writes = names.map(name => own.accounts.updateAccount({ account: { name, version: 1 } }));
  const codes = (await Promise.allSettled(writes)).map(one =>
    one.status === 'fulfilled' ? 'won' : Code[(one.reason as ConnectError).code],
  );
  expect(codes.sort()).toEqual([...Array(23).fill('Aborted'), 'won']);
});

test('a name with U+0000, which no database takes, is the mistake of who sent it', async () => {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  const zero = 'a\u0000b';
  const calls: Call[] = [
    ({ alarms }) => alarms.getAlarm({ alarmId: zero }),
    ({ alarms }) => alarms.listAlarms({ locationId: zero }),
    alarmWith({ locationId: zero }),
    ({ apiKeys }) => apiKeys.rotateApiKey({ apiKeyId: zero }),
    ({ accounts }) => accounts.revokeToken({ tokenId: zero }),
    ({ readiness }) => readiness.preview({ sourceId: zero }),
    ({ drills }) => drills.drill({ contactId: zero, channel: 'email' }),
  ];
  for (const call of calls) {
    const refused = await refusal(call(own));
    expect(refused).toMatchObject({ code: 'InvalidArgument', message: expect.stringContaining('U+0000') });
  }
});
