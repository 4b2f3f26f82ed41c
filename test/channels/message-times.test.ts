import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { writeMessage } from '../../services/channels/message.ts';
import { writeSms } from '../../services/channels/sms.ts';
import { anAlert } from '../support/alert.ts';

describe('times are shown once, in the language and zone of the contact', () => {
  test.each([
    ['de-AT', 'Europe/Vienna', 'Samstag, 21. November 2026 um 12:52:09 MEZ (Europe/Vienna)'],
    ['en-US', 'America/New_York', 'Saturday, November 21, 2026 at 6:52:09 AM EST (America/New_York)'],
    ['en-GB', 'America/St_Johns', 'Saturday, 21 November 2026 at 08:22:09 GMT-3:30 (America/St_Johns)'],
  ])('%s in %s', (locale, timeZone, shown) => {
    const lines = writeMessage(anAlert({ locale, timeZone })).text.replace(/[\u202f\u00a0]/g, ' ');
    expect(lines).toContain(`: ${shown}\n`);
    expect(lines).not.toContain('11:52:09');
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
    const script = `import { localTime } from '${file}'; console.log(localTime(0, 'xx', 'UTC'));`;
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

test('a locale whose language has no phrases gets English ones, and says so', () => {
  const { html, text } = writeMessage(anAlert({ locale: 'fr-FR' }));
  expect(html).toContain('<html lang="en">');
  expect(text).toContain('The alarm "House" was triggered');
  expect(text).toContain('When: Saturday, November 21, 2026');
  expect(writeMessage(anAlert({ locale: 'de-AT' })).html).toContain('<html lang="de">');
});

test('in the hour that clocks go through twice a text says which one; in all others it does not', () => {
  const at = (openedAt: string) => {
    const opened = Date.parse(openedAt);
    return writeSms(anAlert({ openedAt: opened, firstTriedAt: opened, timeZone: 'Europe/Vienna', locale: 'en' }));
  };
  expect(at('2026-10-25T00:30:00Z')).toMatch(/^2:30 AM GMT\+2$/m);
  expect(at('2026-10-25T01:30:00Z')).toMatch(/^2:30 AM GMT\+1$/m);
  expect(at('2026-10-24T23:59:00Z')).toMatch(/^1:59 AM$/m);
  expect(at('2026-10-25T02:00:00Z')).toMatch(/^3:00 AM$/m);
  expect(at('2026-03-29T01:30:00Z')).toMatch(/^3:30 AM$/m);
});
