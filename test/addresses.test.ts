import { describe, expect, test } from 'vitest';
import { contact } from '../services/configuration/resources/contact.ts';
import { addressFrom } from '../services/process/addresses.ts';
import type { ChannelKind } from '../services/process/vocabulary.ts';

/* What people type and paste, and what is stored of it; RPC, file and command line share it. */

/** What a contact with this address is stored with; the sentence where it is refused. */
function stored(channel: ChannelKind, address: string): string {
  const { success, data, error } = contact.schema.safeParse({
    key: 'anna',
    name: 'Anna',
    channels: [{ channel, address }],
  });
  return success ? data.channels[0]!.address : error.issues[0]!.message;
}

test.each([
  ['+12025550111', '+12025550111'],
  ['+1 202 555 0111', '+12025550111'],
  ['+1 (202) 555-0111', '+12025550111'],
  ['+1.202.555.0111', '+12025550111'],
  ['\u202a+1 202\u2011555\u20110111\u202c', '+12025550111'],
  ['\u200e+1\u00a0202\u00a0555\u202f0111\ufeff', '+12025550111'],
  ['+1202\u00ad555\u200b0111', '+12025550111'],
  ['\uff0b12025550111', '+12025550111'],
  ['0043 660 1234567', '+436601234567'],
  ['+43 (0)660 123 45 67', '+436601234567'],
  ['0049 (0) 30 / 12 34 56-7', '+49301234567'],
  ['+44 – 20 – 7946 0958', '+442079460958'],
])('the number %j means one number only: %s', (typed, number) => {
  for (const channel of ['text', 'call'] as const) {
    expect(stored(channel, typed)).toBe(number);
    expect(addressFrom(channel, number)).toBe(number);
  }
});

test.each([
  '0660 1234567',
  '(0)660 1234567',
  '12025550111',
  '011 43 660 1234567',
  '000436601234567',
  '+39 (0)6 1234567',
  '+43 660 1234567 ext. 5',
  '+43 660 1234567 / +43 660 7654321',
  '+43660+1234567',
  '++436601234567',
  '+43 (660 1234567',
  '+43 (0)(0)660 123',
  '+1 202',
  '+43 660 abc',
])('the number %j may mean another one, or none: it is refused, with what is accepted', typed => {
  expect(stored('text', typed)).toMatch(/^takes a phone number in E\.164, such as \+12025550111: .*, got ".*"\.$/);
});

describe('an address that was pasted', () => {
  const SIGNS = ['\u200b', '\u200f', '\u202a', '\u202e', '\u2060', '\u2069', '\ufeff', '\u00ad'];
  const ADDRESSES: [ChannelKind, string][] = [
    ['email', 'anna@example.com'],
    ['push', 'my-topic_1'],
    ['push', 'https://ntfy.example.com/topic'],
    ['webhook', 'https://example.com/hook?token=1'],
  ];

  test.each(ADDRESSES)('is taken without signs that nobody sees (%s: %s)', (channel, address) => {
    for (const sign of SIGNS) {
      const within = `${address.slice(0, 5)}${sign}${address.slice(5)}`;
      for (const typed of [sign + address, address + sign, within, `\u00a0${address}\u00a0${sign}`])
        expect(stored(channel, typed)).toBe(address);
    }
  });

  test('keeps what may mean something: a blank within it is refused', () => {
    expect(stored('email', 'anna\u00a0b@example.com')).toMatch(/^takes an email address/);
    expect(stored('webhook', 'https://example.com/a b')).toMatch(/^takes an https URL/);
  });
});

describe('a person at Telegram', () => {
  test('is an address of a chat', () => {
    expect(stored('chat', 'telegram:123456789')).toBe('telegram:123456789');
    expect(stored('chat', 'apprise:the-millers_1')).toBe('apprise:the-millers_1');
    expect(stored('chat', 'signal:+12025550111')).toBe('signal:+12025550111');
  });

  test.each([
    ['123456789', 'Did you mean "telegram:123456789"?'],
    ['@anna', 'Telegram tells a bot no @name'],
    ['https://t.me/anna', 'Telegram tells a bot no @name'],
    ['telegram:@anna', 'Telegram tells a bot no @name'],
    ['telegram:-1001234', 'A group is nobody'],
    ['-1001234', 'A group is nobody'],
    ['telegram:', ''],
    ['apprise:', ''],
    ['apprise:../admin', ''],
    ['apprise:json://10.0.0.1', ''],
    [`apprise:${'x'.repeat(129)}`, ''],
    ['telegram:0123', ''],
    ['telegram:12345678901234567', ''],
    ['signal:', ''],
    ['signal:anna.01', ''],
    ['signal:2025550111', ''],
    ['matrix:+12025550111', ''],
    ['+12025550111', ''],
    ['anna@example.com', ''],
  ])('%j is none, and what helps is said', (typed, helps) => {
    expect(stored('chat', typed)).toMatch(/^takes telegram: and the id of a person at Telegram/);
    expect(stored('chat', typed)).toContain(helps);
  });
});

describe('a key of Pushover', () => {
  const KEY = 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG';

  test('is written with what it is', () => {
    expect(stored('push', `pushover:${KEY}`)).toBe(`pushover:${KEY}`);
  });

  test.each([
    KEY,
    `pushover:g${KEY.slice(1)}`,
    `pushover:${KEY}x`,
    'pushover:',
    `pushover:${KEY} `.replace('R', ' '),
  ])('%j is none, and no topic either: it would be published to everybody', typed => {
    expect(stored('push', typed)).toMatch(/^takes a topic .*, pushover: and a user key of Pushover .*, or web:devices/);
  });
});
