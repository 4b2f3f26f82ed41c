import { describe, expect, test } from 'vitest';
import type { CallSaid, TextSaid } from '../../services/channels/channel.ts';
import { partsOf } from '../../services/channels/sms.ts';
import { sayOnCall, writeBack, writeVoiceMessage } from '../../services/channels/voice.ts';
import { RESPONSE_KINDS } from '../../services/domain/source.ts';
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

test('an alarm in short sentences, the number of a house digit by digit', () => {
  expect(writeVoiceMessage(anAlert())).toEqual({
    language: 'en-GB',
    sentences: [
      'Hello Anna. This is Tocsin, your alarm service.',
      'This is a real alert.',
      'The alarm House was triggered, in mode Away.',
      'The place is: Home, 12 Example Street, 1 0 1 0 Example City.',
      'It happened at 12:52.',
    ],
    menu: 'Press 1 to acknowledge. Press 2 to hear this again.',
    notUnderstood: "Sorry, I didn't understand that.",
    goodbye: 'You can also respond with the link in your text message or email. Goodbye.',
  });
});

test('in German', () => {
  expect(writeVoiceMessage(anAlert({ locale: 'de-AT', environment: 'test' }))).toEqual({
    language: 'de-AT',
    sentences: [
      'Hallo Anna. Hier ist Tocsin, Ihr Alarmdienst.',
      'Das ist nur eine Probe. Sie müssen nichts tun.',
      'Der Alarm House wurde ausgelöst, im Modus Abwesend.',
      'Der Ort ist: Home, 12 Example Street, 1 0 1 0 Example City.',
      'Das war um 12:52 Uhr.',
    ],
    menu: 'Drücken Sie die 1, um zu übernehmen. Drücken Sie die 2, um alles noch einmal zu hören.',
    notUnderstood: 'Das habe ich leider nicht verstanden.',
    goodbye: 'Sie können auch über den Link in Ihrer SMS oder E-Mail antworten. Auf Wiederhören.',
  });
});

describe('the voice speaks the language of the words', () => {
  test.each([
    ['en-GB', 'en-GB'],
    ['en-US', 'en-US'],
    ['en', 'en-US'],
    ['en-AT', 'en-US'],
    ['EN-gb', 'en-GB'],
    ['de', 'de-DE'],
    ['de-AT', 'de-AT'],
    ['de-Latn-AT', 'de-AT'],
    ['de-CH', 'de-DE'],
    ['fr-FR', 'en-US'],
    ['fr-AU', 'en-US'],
    ['', 'en-US'],
    ['not a locale', 'en-US'],
    ['"><x', 'en-US'],
  ])('%s: %s', (locale, language) => {
    const spoken = writeVoiceMessage(anAlert({ locale }));
    expect(spoken.language).toBe(language);
    expect(spoken.menu).toMatch(language.startsWith('de') ? /^Drücken/ : /^Press/);
    expect(sayOnCall('acknowledged', { locale, by: '' }).language).toBe(language);
  });
});

test.each(RESPONSE_KINDS)('a panic button says what help is wanted: %s', responseKind => {
  const { sentences } = writeVoiceMessage(aPanicAlert({ responseKind }));
  expect(sentences[2]).toBe('The panic button Shop button was pressed.');
  expect(sentences[3]).toMatch(/^(Medical help|There is a|Someone is|Help is needed)/);
});

test('that somebody has it asks for no key but to hear it again', () => {
  const { sentences, menu, goodbye } = writeVoiceMessage(anAcknowledgement());
  expect(sentences).toContain('Acknowledged by Bob. Nobody else will be called.');
  expect(menu).toBe('Press 2 to hear this again.');
  expect(goodbye).toBe('Goodbye.');
});

test('that it is still happening says how often and whether anybody has it', () => {
  const open = writeVoiceMessage(aStillHappening());
  expect(open.sentences).toContain('There were 3 triggers, the last one at 13:12.');
  expect(open.sentences.at(-1)).toBe('Nobody has acknowledged this yet.');
  expect(open.menu).toContain('Press 1');
  const had = writeVoiceMessage(aStillHappening({ acknowledgedBy: 'Bob' }));
  expect(had.sentences.at(-1)).toBe('Acknowledged by Bob. Nobody else will be called.');
  expect(had.menu).not.toContain('Press 1');
});

test.each([
  anAlert({ wayBack: null }),
  aDrill(),
  aVerification(),
  anOwnerNotice(),
])('nothing is asked for where nobody would hear it: $purpose', alert => {
  expect(writeVoiceMessage(alert)).toMatchObject({ menu: '', goodbye: 'Goodbye.' });
});

test('a code is said digit by digit, twice', () => {
  const { sentences } = writeVoiceMessage(aVerification());
  expect(sentences).toContain('Your code is: 2, 0, 4, 8, 1, 6. Once more: 2, 0, 4, 8, 1, 6.');
});

test('a call on another day says which day it was', () => {
  const { sentences } = writeVoiceMessage(anAlert({ firstTriedAt: AT + 86_400_000 }));
  expect(sentences.at(-1)).toBe('It happened at 21 Nov, 12:52.');
});

describe('on a call', () => {
  const SAID: CallSaid[] = ['acknowledged', 'already_acknowledged', 'already_closed', 'over', 'try_link'];

  test.each(['en', 'de'])('everything has a sentence of its own (%s)', locale => {
    const sentences = SAID.map(said => sayOnCall(said, { locale, by: 'Bob' }).sentence);
    expect(new Set(sentences).size).toBe(SAID.length);
    for (const sentence of sentences) expect(sentence).toMatch(/\.$/);
  });

  test('who has it is named', () => {
    expect(sayOnCall('already_acknowledged', { locale: 'en', by: 'Bob' }).sentence).toContain(
      'already acknowledged by Bob.',
    );
    expect(sayOnCall('already_acknowledged', { locale: 'de', by: '' }).sentence).toContain('ohne Namen');
  });
});

describe('to a text', () => {
  const SAID: TextSaid[] = [
    'acknowledged',
    'already_acknowledged',
    'already_closed',
    'unknown_code',
    'not_understood',
    'try_again',
  ];

  test.each(['en', 'de'])('everything has a text of its own, of one part (%s)', locale => {
    const texts = SAID.map(said => writeBack(said, { locale, by: 'Bob', code: 'K7M4' }));
    expect(new Set(texts).size).toBe(SAID.length);
    for (const text of texts) expect(partsOf(text)).toBe(1);
  });

  test('a code that is none is shown cut', () => {
    expect(writeBack('unknown_code', { locale: 'en', by: '', code: 'K'.repeat(1_000) }).length).toBeLessThan(120);
  });
});

describe.each(NASTY)('what an owner wrote is said as a name and nothing else: %s', (_what, written) => {
  test.each([
    anAlert({ sourceName: written, modeName: written, locationName: written, locationAddress: written }),
    anAcknowledgement({ acknowledgedBy: written, contactName: written }),
    aVerification({ accountName: written }),
    anOwnerNotice({ about: { sourceName: written } }),
  ])('$purpose', alert => {
    const { sentences } = writeVoiceMessage(alert);
    const plain = {
      alert: anAlert(),
      acknowledged: anAcknowledgement(),
      verification: aVerification(),
      notice: anOwnerNotice(),
    };
    expect(sentences).toHaveLength(writeVoiceMessage(plain[alert.purpose as keyof typeof plain]).sentences.length);
    for (const sentence of sentences) {
      expect(sentence).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
      expect(sentence.isWellFormed()).toBe(true);
      if (alert.purpose !== 'notice') expect(sentence).not.toMatch(/[<>{}[\]$%`"\\]/);
    }
    expect(sentences.join(' ').length).toBeLessThan(900);
  });

  test('who answered', () => {
    const { sentence } = sayOnCall('already_acknowledged', { locale: 'en', by: written });
    expect(sentence).not.toMatch(/[\p{Cc}\p{Bidi_Control}<>{}]/u);
    const text = writeBack('already_acknowledged', { locale: 'en', by: written, code: written });
    expect(text).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(writeBack('unknown_code', { locale: 'en', by: '', code: written })).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });
});

test('where no key comes back, the last words say so in German too', () => {
  const at = (url: string) =>
    writeVoiceMessage(anAlert({ locale: 'de', wayBack: { ...A_WAY_BACK, carrierUrl: `${url}/carrier` } }));
  expect(at('http://10.0.0.2')).toMatchObject({
    menu: '',
    goodbye: expect.stringMatching(/^Auf diesen Anruf können Sie nicht antworten\. Um zu übernehmen, .* Netz/),
  });
  expect(at('http://localhost')).toMatchObject({
    menu: '',
    goodbye: expect.stringMatching(/^Auf diesen Anruf können Sie nicht antworten\. Bitte handeln Sie jetzt/),
  });
});
