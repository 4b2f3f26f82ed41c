import { describe, expect, test } from 'vitest';
import { writeKept, writeMessage } from '../../services/channels/message.ts';
import { writeEvent } from '../../services/channels/webhook/event.ts';
import type { Alert } from '../../services/domain/alert.ts';
import { RESPONSE_KINDS } from '../../services/domain/source.ts';
import {
  A_WAY_BACK,
  aDrill,
  anAcknowledgement,
  anAlert,
  anOwnerNotice,
  aPanicAlert,
  aStillHappening,
  aVerification,
} from '../support/alert.ts';
import { NASTY } from '../support/nasty.ts';

const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;

describe('the subject says what it is first', () => {
  test.each<[string, Alert]>([
    ['ALARM: House - Away', anAlert()],
    ['ALARM: House', anAlert({ modeName: null })],
    ['[TEST] ALARM: House - Away', anAlert({ environment: 'test' })],
    ['PANIC (fire): Shop button', aPanicAlert()],
    ['[TEST] PANIC (fire): Shop button', aPanicAlert({ environment: 'test' })],
    ['PANIC: Shop button', aPanicAlert({ responseKind: null })],
    ['ALARM: (no name) - (no name)', anAlert({ sourceName: ' \r\n', modeName: '' })],
    ['Acknowledged by Bob: ALARM: House - Away', anAcknowledgement()],
    ['[TEST] Acknowledged by Bob: ALARM: House - Away', anAcknowledgement({ environment: 'test' })],
    ['STILL HAPPENING: ALARM: House - Away', aStillHappening()],
    ['[TEST] Test message, no action needed', aDrill()],
    ['Your code: 204816', aVerification()],
    ['NOBODY WAS ALERTED: House', anOwnerNotice()],
    ['NOTRUF (Feuer): Shop button', aPanicAlert({ locale: 'de' })],
    ['Übernommen von Bob: ALARM: House - Abwesend', anAcknowledgement({ locale: 'de-AT' })],
    ['DAUERT AN: ALARM: House - Abwesend', aStillHappening({ locale: 'de-DE' })],
    ['Ihr Code: 204816', aVerification({ locale: 'de-CH' })],
  ])('%s', (subject, alert) => {
    expect(writeMessage(alert).subject).toBe(subject);
  });
});

test('a mode that nobody renamed is called so in the language of whom it alerts (DECISIONS.md "Name of a mode")', () => {
  const calledIn = (locale: string) =>
    ['Home', 'Away', 'Night', 'Vacation', 'Night watch'].map(
      modeName => writeMessage(anAlert({ locale, modeName })).subject.split(' - ')[1],
    );
  expect(calledIn('en')).toEqual(['Home', 'Away', 'Night', 'Vacation', 'Night watch']);
  expect(calledIn('de-AT')).toEqual(['Zuhause', 'Abwesend', 'Nacht', 'Urlaub', 'Night watch']);
  // A machine gets the name that is stored.
  expect(JSON.parse(writeEvent(anAlert({ locale: 'de', modeName: 'Night' })))).toMatchObject({ mode: 'Night' });
});

test('the text has every fact, one to a line', () => {
  expect(writeMessage(anAlert()).text).toBe(
    [
      'What: The alarm "House" was triggered (mode: Away).',
      'Live or test: LIVE: this is a real alert.',
      'Where: Home, 12 Example Street, 1010 Example City',
      'When: Saturday, 21 November 2026 at 12:52:09 CET (Europe/Vienna)',
      'For: Anna',
      'Reply code: K7M4 (to acknowledge, reply to a text message with this code)',
      `Page: ${A_WAY_BACK.pageUrl}`,
      '',
    ].join('\n'),
  );
});

test('in German too', () => {
  expect(writeMessage(anAlert({ locale: 'de-AT' })).text).toBe(
    [
      'Was: Der Alarm „House“ wurde ausgelöst (Modus: Abwesend).',
      'Echt oder Test: ECHT: Das ist ein echter Alarm.',
      'Wo: Home, 12 Example Street, 1010 Example City',
      'Wann: Samstag, 21. November 2026 um 12:52:09 MEZ (Europe/Vienna)',
      'Für: Anna',
      'Antwortcode: K7M4 (zum Übernehmen mit diesem Code auf eine SMS antworten)',
      `Seite: ${A_WAY_BACK.pageUrl}`,
      '',
    ].join('\n'),
  );
});

test('without a public address there is no link and no code: nobody would hear the answer', () => {
  const { text, html } = writeMessage(anAlert({ wayBack: null }));
  expect(text).not.toMatch(/Page:|Reply code:|http/);
  expect(html).not.toContain('<a ');
});

test('that somebody has it says who, what and since when it is open, and asks for no answer', () => {
  const { text, html } = writeMessage(anAcknowledgement());
  expect(text).toBe(
    [
      'What: The alarm "House" was triggered (mode: Away).',
      'Status: Acknowledged by Bob. Nobody else will be alerted.',
      'Live or test: LIVE: this is a real alert.',
      'Where: Home, 12 Example Street, 1010 Example City',
      'Open since: Saturday, 21 November 2026 at 12:52:09 CET (Europe/Vienna)',
      'For: Anna',
      `Page: ${A_WAY_BACK.pageUrl}`,
      '',
    ].join('\n'),
  );
  expect(html).toContain('>View status</a>');
});

test('that it is still happening says how often, when last, and whether anybody has it', () => {
  const { text } = writeMessage(aStillHappening());
  expect(text).toContain('Triggered: 3 times, last on Saturday, 21 November 2026 at 13:12:09 CET (Europe/Vienna)\n');
  expect(text).toContain('Status: Nobody has acknowledged this yet.\n');
  expect(text).toContain('Reply code: K7M4');
  const had = writeMessage(aStillHappening({ acknowledgedBy: 'Bob' })).text;
  expect(had).toContain('Status: Acknowledged by Bob.');
  expect(had).not.toContain('Reply code');
});

test('a verification has the code, who asks, and what to do for those who know nothing of it', () => {
  const { subject, text } = writeMessage(aVerification());
  expect(subject + text).toContain('204816');
  expect(text).toContain('"Example family" wants to alert you at this address');
  expect(text).toContain('ignore this message');
});

test('the page has the same facts, fetches nothing and runs nothing', () => {
  const { text, html, subject } = writeMessage(anAlert({ sourceName: 'House' }));
  const shown = html.replace(/<[^>]+>/g, ' ').replace(/&#34;/g, '"');
  const lines = text
    .trimEnd()
    .split('\n')
    .filter(line => !line.startsWith('Page: '));
  for (const line of lines) expect(shown).toContain(line.slice(line.indexOf(': ') + 2));
  expect(html).toContain(`<title>${subject}</title>`);
  expect(html).toContain('<html lang="en">');
  expect(html).not.toMatch(/<(script|img|link|iframe|form)\b|src=|url\(|@import|@font-face/i);
  expect(html).toContain('prefers-color-scheme:dark');
  expect(html.match(/https?:[^"<]*/g)).toEqual([A_WAY_BACK.pageUrl]);
  expect(html).toContain('>View and acknowledge</a>');
});

test.each(RESPONSE_KINDS)('a panic button says that it asks for: %s', responseKind => {
  const { subject, text } = writeMessage(aPanicAlert({ responseKind }));
  const what = responseKind === 'other' ? 'help' : responseKind;
  expect(subject).toBe(`PANIC (${what}): Shop button`);
  expect(text).toContain(`The panic button "Shop button" was pressed (${what}).`);
});

test('a test says in words that it is one', () => {
  const { text } = writeMessage(anAlert({ environment: 'test' }));
  expect(text).toContain('TEST: this is a rehearsal. No action needed.');
  expect(text).not.toContain('LIVE');
});

test('a drill says that it is one, that nothing happened and that nobody needs to come, and names no source', () => {
  const { subject, text, html } = writeMessage(aDrill());
  expect(subject).toBe('[TEST] Test message, no action needed');
  expect(text).toBe(
    [
      'What: This is a test message. No action needed.',
      'When: Saturday, 21 November 2026 at 12:52:09 CET (Europe/Vienna)',
      'For: Anna',
      '',
    ].join('\n'),
  );
  expect(html).toContain('No action needed');
  expect(subject + text + html).not.toMatch(/ALARM|LIVE|House|triggered/);
});

test('a location without an address is its name', () => {
  expect(writeMessage(anAlert({ locationAddress: ' \n ' })).text).toContain('Where: Home\n');
});

describe('what an owner wrote cannot change the message around it', () => {
  const INJECTED = '\r\nBcc: all@example.com\n\nLive or test: TEST\u202E\0<script>alert(1)</script>"&\u2028';
  const FIELDS = ['contactName', 'sourceName', 'modeName', 'locationName', 'locationAddress'] as const;

  test.each(FIELDS)('%s', field => {
    const plain = writeMessage(anAlert());
    const { subject, text, html } = writeMessage(anAlert({ [field]: INJECTED }));
    expect(subject).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(text.split('\n').map(line => line.split(':')[0])).toEqual(
      plain.text.split('\n').map(line => line.split(':')[0]),
    );
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028]/u);
    expect(html.match(/<\w+/g)).toEqual(plain.html.match(/<\w+/g));
    expect(text).toContain('<script>');
  });

  test('template syntax stands for itself', () => {
    expect(writeMessage(anAlert({ sourceName: '{{7*7}}#{7*7}<%= 7*7 %>%s' })).text).toContain(
      '"{{7*7}}#{7*7}<%= 7*7 %>%s"',
    );
  });

  describe.each(NASTY)('%s', (_what, written) => {
    test.each([
      anAlert({ sourceName: written, modeName: written, locationName: written, locationAddress: written }),
      anAcknowledgement({ acknowledgedBy: written, contactName: written }),
      aStillHappening({ acknowledgedBy: written }),
      aDrill({ contactName: written }),
      aVerification({ accountName: written, contactName: written }),
      anOwnerNotice({ accountName: written, about: { sourceName: written } }),
    ])('$purpose', alert => {
      const { subject, text, html } = writeMessage(alert);
      expect(subject).not.toMatch(UNSAFE);
      expect(text.replaceAll('\n', '')).not.toMatch(UNSAFE);
      expect(html.replaceAll('\n', '')).not.toMatch(UNSAFE);
      expect(html).not.toMatch(/<(script|Say|Dial)/);
      expect((subject + text + html).isWellFormed()).toBe(true);
      expect(text.split('\n').length).toBeLessThan(15);
      expect(html.length).toBeLessThan(12_000);
    });
  });

  test.each(FIELDS)('%s of 10 KB', field => {
    const { subject, text, html } = writeMessage(anAlert({ [field]: 'x'.repeat(10_240) }));
    expect(subject.length).toBeLessThan(200);
    expect(text.length).toBeLessThan(1_200);
    expect(html.length).toBeLessThan(8_000);
  });
});

test('where there is no carrier, subject and text are kept, without what only the person alerted may have', () => {
  const alert = anAlert({ replyCode: 'K7QX', texts: 'gets_texts' });
  const { subject, text } = writeMessage(alert);
  const others = text.split('\n').filter(line => !line.includes('K7QX') && !line.includes(alert.wayBack!.pageUrl));
  expect(writeKept(alert)).toBe(`${subject}\n\n${others.join('\n')}`);
  expect(others.length).toBe(text.split('\n').length - 2);
});
