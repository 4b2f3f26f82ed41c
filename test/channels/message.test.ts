import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { Alert } from '../../services/domain/alert.ts';
import { writeMessage, writePlainText } from '../../services/channels/message.ts';
import { RESPONSE_KINDS } from '../../services/domain/source.ts';
import { anAlert, aPanicAlert } from '../support/alert.ts';

describe('the subject says what it is first', () => {
  test.each<[string, Alert]>([
    ['ALARM: House - Away', anAlert()],
    ['ALARM: House', anAlert({ modeName: null })],
    ['[TEST] ALARM: House - Away', anAlert({ environment: 'test' })],
    ['PANIC (fire): Shop button', aPanicAlert()],
    ['[TEST] PANIC (fire): Shop button', aPanicAlert({ environment: 'test' })],
    ['PANIC: Shop button', aPanicAlert({ responseKind: null })],
    ['ALARM: (no name) - (no name)', anAlert({ sourceName: ' \r\n', modeName: '' })],
  ])('%s', (subject, alert) => {
    expect(writeMessage(alert).subject).toBe(subject);
  });
});

test('the text has every fact, one to a line', () => {
  expect(writeMessage(anAlert()).text).toBe(
    [
      'What: The alarm "House" was triggered (mode: Away).',
      'Live or test: LIVE: this is a real alert.',
      'Where: Home, 12 Example Street, 1010 Example City',
      'When: Saturday, 21 November 2026 at 12:52:09 CET (Europe/Vienna)',
      'In UTC: 2026-11-21 11:52:09 UTC',
      'For: Anna',
      'Step: step 2 of 3, round 1 of 4 of the policy "Family first"',
      '',
    ].join('\n'),
  );
});

test('the page has the same facts, fetches nothing and runs nothing', () => {
  const { text, html, subject } = writeMessage(anAlert({ sourceName: 'House', policyName: 'Family' }));
  const shown = html.replace(/<[^>]+>/g, ' ').replace(/&#34;/g, '"');
  for (const line of text.trimEnd().split('\n')) expect(shown).toContain(line.slice(line.indexOf(': ') + 2));
  expect(html).toContain(`<title>${subject}</title>`);
  expect(html).toContain('<html lang="en">');
  expect(html).not.toMatch(/<(script|img|link|style|iframe|a|form)\b|https?:|src=|url\(/i);
});

test.each(RESPONSE_KINDS)('a panic button says that it asks for: %s', responseKind => {
  const { subject, text } = writeMessage(aPanicAlert({ responseKind }));
  expect(subject).toBe(`PANIC (${responseKind}): Shop button`);
  expect(text).toContain(`The panic button "Shop button" was pressed. It asks for: ${responseKind}.`);
});

test('a test says in words that it is one', () => {
  const { text } = writeMessage(anAlert({ environment: 'test' }));
  expect(text).toContain('TEST: this is a rehearsal, nobody needs to act.');
  expect(text).not.toContain('LIVE');
});

test('a drill says that it is one, that nothing happened and that nobody needs to come, and names no source', () => {
  const { subject, text, html } = writeMessage(anAlert({ purpose: 'drill', environment: 'test', incidentId: '' }));
  expect(subject).toBe('[TEST] Test message: nothing happened');
  expect(text).toBe(
    [
      'What: This message only tries whether it reaches you. Nothing happened and nobody needs to come.',
      'When: Saturday, 21 November 2026 at 12:52:09 CET (Europe/Vienna)',
      'In UTC: 2026-11-21 11:52:09 UTC',
      'For: Anna',
      '',
    ].join('\n'),
  );
  expect(html).toContain('nobody needs to come');
  expect(subject + text + html).not.toMatch(/ALARM|LIVE|House|triggered/);
});

test('a location without an address is its name', () => {
  expect(writeMessage(anAlert({ locationAddress: ' \n ' })).text).toContain('Where: Home\n');
});

describe('times are shown in the language and zone of the contact, and in UTC', () => {
  test.each([
    ['de-AT', 'Europe/Vienna', 'Samstag, 21. November 2026 um 12:52:09 MEZ (Europe/Vienna)'],
    ['en-US', 'America/New_York', 'Saturday, November 21, 2026 at 6:52:09 AM EST (America/New_York)'],
    ['en-GB', 'America/St_Johns', 'Saturday, 21 November 2026 at 08:22:09 GMT-3:30 (America/St_Johns)'],
  ])('%s in %s', (locale, timeZone, shown) => {
    const lines = writeMessage(anAlert({ locale, timeZone })).text.replace(/[\u202f\u00a0]/g, ' ');
    expect(lines).toContain(`When: ${shown}\n`);
    expect(lines).toContain('In UTC: 2026-11-21 11:52:09 UTC\n');
  });

  test.each([
    ['that is none', 'not a locale'],
    ['that is empty', ''],
    ['that is too short', 'e'],
    ['that is a NUL', '\0'],
    ['as a shell has it', 'en_US.UTF-8'],
    ['that nobody speaks', 'xx'],
    ['of 10 KB', 'x'.repeat(10_240)],
  ])('a locale %s falls back to English', (_what, locale) => {
    expect(writeMessage(anAlert({ locale })).text).toBe(writeMessage(anAlert({ locale: 'en' })).text);
  });

  test('a locale that nobody speaks does not become that of the machine', () => {
    const file = new URL('../../services/domain/local-time.ts', import.meta.url).href;
    const script = `import { localTime } from '${file}'; console.log(localTime(0, 'xx', 'UTC').local);`;
    const env = { ...process.env, LC_ALL: 'de_DE.UTF-8' };
    expect(execFileSync(process.execPath, ['--input-type=module', '--eval', script], { env }).toString()).toMatch(
      /^Thursday/,
    );
  });

  test.each([
    ['that is nowhere', 'Mars/Olympus'],
    ['that is empty', ''],
    ['that is HTML', '<b>'],
    ['with a header in it', '\r\nBcc: x@y'],
    ['of 10 KB', 'z'.repeat(10_240)],
  ])('a zone %s falls back to UTC', (_what, timeZone) => {
    expect(writeMessage(anAlert({ timeZone })).text).toBe(writeMessage(anAlert({ timeZone: 'UTC' })).text);
  });
});

test('a locale whose language has no phrases yet gets English ones', () => {
  const { html, text } = writeMessage(anAlert({ locale: 'de-AT' }));
  expect(html).toContain('<html lang="en">');
  expect(text).toContain('The alarm "House" was triggered');
});

describe('what an owner wrote cannot change the message around it', () => {
  const NASTY = '\r\nBcc: all@example.com\n\nLive or test: TEST\u202E\0<script>alert(1)</script>"&\u2028';
  const FIELDS = ['contactName', 'sourceName', 'modeName', 'locationName', 'locationAddress', 'policyName'] as const;

  test.each(FIELDS)('%s', field => {
    const plain = writeMessage(anAlert());
    const { subject, text, html } = writeMessage(anAlert({ [field]: NASTY }));
    expect(subject).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(text.split('\n').map(line => line.split(':')[0])).toEqual(
      plain.text.split('\n').map(line => line.split(':')[0]),
    );
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028]/u);
    expect(html.match(/<\w+/g)).toEqual(plain.html.match(/<\w+/g));
    expect(text).toContain('<script>');
  });

  test.each(FIELDS)('%s of 10 KB', field => {
    const { subject, text, html } = writeMessage(anAlert({ [field]: 'x'.repeat(10_240) }));
    expect(subject.length).toBeLessThan(200);
    expect(text.length).toBeLessThan(1_000);
    expect(html.length).toBeLessThan(2_500);
  });
});

test('the outbox keeps subject and text', () => {
  const { subject, text } = writeMessage(anAlert());
  expect(writePlainText(anAlert())).toBe(`${subject}\n\n${text}`);
});
