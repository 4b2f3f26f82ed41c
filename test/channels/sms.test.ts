import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { partsOf, writeSms } from '../../services/channels/sms.ts';
import {
  A_WAY_BACK,
  AT,
  aDrill,
  anAcknowledgement,
  anAlert,
  anOwnerNotice,
  aPanicAlert,
  aStillHappening,
  aVerification,
} from '../support/alert.ts';
import { NASTY } from '../support/nasty.ts';

describe('what it is comes first, then live or test, names, place and time; link and reply stand last, whole', () => {
  const REST = [
    'Home, 12 Example Street, 1010 Example City',
    '12:52',
    A_WAY_BACK.pageUrl,
    'Reply K7M4 to acknowledge.',
  ];
  test.each([
    ['ALARM (LIVE): House - Away', anAlert()],
    ['ALARM (TEST): House - Away', anAlert({ environment: 'test' })],
    ['ALARM (LIVE): House', anAlert({ modeName: null })],
    ['PANIC (LIVE, fire): Shop button', aPanicAlert()],
    ['PANIC (TEST): Shop button', aPanicAlert({ environment: 'test', responseKind: null })],
  ])('%s', (first, alert) => {
    expect(writeSms(alert).split('\n')).toEqual([first, ...REST]);
    expect(partsOf(writeSms(alert))).toBe(2);
  });

  test('in German', () => {
    expect(writeSms(anAlert({ locale: 'de-AT' })).split('\n')).toEqual([
      'ALARM (ECHT): House - Abwesend',
      ...REST.slice(0, -1),
      'Zum Übernehmen mit K7M4 antworten.',
    ]);
  });

  test('with the day, where that is not the day on which it is sent', () => {
    const nextDay = anAlert({ firstTriedAt: AT + 86_400_000 });
    expect(writeSms(nextDay)).toMatch(/\n21 Nov, 12:52\n/);
  });
});

test('that somebody has it asks for no reply', () => {
  expect(writeSms(anAcknowledgement())).toBe(
    [
      'Acknowledged by Bob: ALARM (LIVE): House - Away',
      'Home, 12 Example Street, 1010 Example City',
      'Open since 12:52',
      A_WAY_BACK.pageUrl,
    ].join('\n'),
  );
});

test('that it is still happening asks for a reply as long as nobody has it', () => {
  const lines = ['STILL HAPPENING: ALARM (LIVE): House - Away', '3 triggers, last 13:12'];
  expect(writeSms(aStillHappening()).split('\n').slice(0, 2)).toEqual(lines);
  expect(writeSms(aStillHappening())).toContain('Reply K7M4');
  expect(writeSms(aStillHappening({ acknowledgedBy: 'Bob' }))).not.toContain('Reply');
});

test('without a public address there is neither link nor code', () => {
  expect(writeSms(anAlert({ wayBack: null }))).not.toMatch(/http|Reply|K7M4/);
});

test.each(['en-GB', 'de-AT'])('a code and a drill fit into one part (%s)', locale => {
  const code = writeSms(aVerification({ locale }));
  expect(code.startsWith('204816 ')).toBe(true);
  expect(partsOf(code)).toBe(1);
  expect(partsOf(writeSms(aDrill({ locale })))).toBe(1);
});

test('a notice is its sentence', () => {
  expect(writeSms(anOwnerNotice())).toContain('there was nobody to alert');
});

describe('names are cut, and link and code never', () => {
  const long = 'Very long name of a place that nobody can read at night '.repeat(4);

  test('until it is two parts', () => {
    const text = writeSms(anAlert({ sourceName: long, modeName: long, locationName: long, locationAddress: long }));
    expect(partsOf(text)).toBe(2);
    expect(text).toContain(`\n${A_WAY_BACK.pageUrl}\nReply K7M4 to acknowledge.`);
    expect(text).toContain('ALARM (LIVE): Very long');
  });

  test('the address goes before the names do', () => {
    const text = writeSms(anAlert({ locationAddress: long }));
    expect(text).toContain('House - Away\nHome, Very long');
  });

  test('letters that carriers do not pack leave less room, and link and code stay whole', () => {
    const text = writeSms(anAlert({ sourceName: 'Главный вход', locationName: 'Дом', locationAddress: 'Улица 12' }));
    expect(partsOf(text)).toBe(3);
    expect(text).toContain('ALARM (LIVE): Главный вход - Away\nДом');
    expect(text.endsWith(`\n${A_WAY_BACK.pageUrl}\nReply K7M4 to acknowledge.`)).toBe(true);
  });

  test('curly quotes and dashes are sent as plain ones, and do not halve the room', () => {
    const text = writeSms(anAlert({ sourceName: '“Anna’s” house – front…' }));
    expect(text).toContain('"Anna\'s" house - front...');
    expect(partsOf(text)).toBe(2);
  });
});

describe.each(NASTY)('what an owner wrote cannot change the text around it: %s', (_what, written) => {
  test.each([
    anAlert({ sourceName: written, modeName: written, locationName: written, locationAddress: written }),
    anAcknowledgement({ acknowledgedBy: written, sourceName: written }),
    aStillHappening({ locationName: written }),
    aVerification({ accountName: written }),
    anOwnerNotice({ about: { sourceName: written } }),
  ])('$purpose', alert => {
    const plain = {
      alert: anAlert(),
      acknowledged: anAcknowledgement(),
      still_happening: aStillHappening(),
      verification: aVerification(),
    };
    const text = writeSms(alert);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
    expect(text.isWellFormed()).toBe(true);
    expect(text.length).toBeLessThan(400);
    if (alert.purpose === 'notice') return;
    expect(text.split('\n')).toHaveLength(writeSms(plain[alert.purpose as keyof typeof plain]).split('\n').length);
    if ('wayBack' in alert) expect(text).toContain(`\n${A_WAY_BACK.pageUrl}`);
  });
});

describe('parts', () => {
  test.each([
    ['nothing', '', 1],
    ['160 letters', 'a'.repeat(160), 1],
    ['161 letters', 'a'.repeat(161), 2],
    ['306 letters', 'a'.repeat(306), 2],
    ['307 letters', 'a'.repeat(307), 3],
    ['80 letters that take two places', '€'.repeat(80), 1],
    ['81 letters that take two places', '€'.repeat(81), 2],
    ['153 of them: one does not fit into the odd place of each part', '€'.repeat(153), 3],
    ['umlauts', 'ä'.repeat(160), 1],
    ['70 letters of UCS-2', 'я'.repeat(70), 1],
    ['71 letters of UCS-2', 'я'.repeat(71), 2],
    ['134 letters of UCS-2', 'я'.repeat(134), 2],
    ['135 letters of UCS-2', 'я'.repeat(135), 3],
    ['one letter of UCS-2 among others', `я${'a'.repeat(70)}`, 2],
    ['35 emoji', '🔥'.repeat(35), 1],
    ['67 emoji: none is divided', '🔥'.repeat(67), 3],
    ['a grave accent, which is not in there', `\`${'a'.repeat(70)}`, 2],
  ])('%s', (_what, text, parts) => {
    expect(partsOf(text)).toBe(parts);
  });

  test('a longer text never has fewer', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.string({ unit: 'grapheme', maxLength: 50 }),
        (a, b) => {
          return partsOf(a + b) >= partsOf(a) && partsOf(a) >= 1;
        },
      ),
    );
  });
});
