import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isGsm7 } from '../../services/channels/gsm7.ts';
import { writeMessage } from '../../services/channels/message.ts';
import { partsOf, writeSms } from '../../services/channels/sms.ts';
import { writeVoiceMessage } from '../../services/channels/voice.ts';
import { writeEvent } from '../../services/channels/webhook/event.ts';
import type { IncidentAlert } from '../../services/domain/alert.ts';
import { A_WAY_BACK, anAcknowledgement, anAlert, aPanicAlert, aStillHappening } from '../support/alert.ts';
import { NASTY } from '../support/nasty.ts';

/*
 * DECISIONS.md "What tripped": every message of an incident says which device it was, by the label of its key.
 */

const DOOR = { trippedBy: ['Front door'] };
const MOVED = { trippedBy: ['Front door', 'Hall', 'Kitchen', 'Garage'] };

describe('the subject ends with what tripped it', () => {
  test.each<[string, IncidentAlert]>([
    ['ALARM: House - Away (Front door)', anAlert(DOOR)],
    ['ALARM: House (Front door)', anAlert({ ...DOOR, modeName: null })],
    ['[TEST] ALARM: House - Away (Front door)', anAlert({ ...DOOR, environment: 'test' })],
    ['PANIC (fire): Shop button (Front door)', aPanicAlert(DOOR)],
    ['Acknowledged by Bob: ALARM: House - Away (Front door)', anAcknowledgement(DOOR)],
    ['STILL HAPPENING: ALARM: House - Away (Front door)', aStillHappening(MOVED)],
    ['DAUERT AN: ALARM: House - Abwesend (Front door)', aStillHappening({ ...MOVED, locale: 'de' })],
    ['ALARM: House - Away', anAlert()],
  ])('%s', (subject, alert) => {
    expect(writeMessage(alert).subject).toBe(subject);
  });
});

describe('a mail, a push message and a webhook say what tripped it, then what joined', () => {
  test.each<[string, IncidentAlert]>([
    ['Tripped by: Front door', anAlert(DOOR)],
    ['Tripped by: Front door, then Hall, Kitchen, Garage', aStillHappening(MOVED)],
    ['Ausgelöst durch: Front door', anAlert({ ...DOOR, locale: 'de-AT' })],
    ['Ausgelöst durch: Front door, dann Hall, Kitchen, Garage', aStillHappening({ ...MOVED, locale: 'de-AT' })],
  ])('%s', (line, alert) => {
    const { text, html } = writeMessage(alert);
    expect(text.split('\n')[1]).toBe(line);
    expect(html).toContain(`>${line.slice(line.indexOf(': ') + 2)}</p>`);
    const event = JSON.parse(writeEvent(alert)) as { text: string; trippedBy: string[] };
    expect(event.text).toContain(`\n${line}\n`);
    expect(event.trippedBy).toEqual(alert.trippedBy);
  });

  test('of a rehearsal by a person none says anything', () => {
    expect(writeMessage(anAlert()).text).not.toContain('Tripped');
    expect(JSON.parse(writeEvent(anAlert()))).toMatchObject({ trippedBy: [] });
  });
});

describe('a call says it in a sentence of its own', () => {
  test.each<[string, IncidentAlert]>([
    ['It was tripped by: Front door.', anAlert(MOVED)],
    ['It was tripped by: Front door.', anAcknowledgement(MOVED)],
    ['It was tripped by: Front door, and then by: Hall, Kitchen, Garage.', aStillHappening(MOVED)],
    ['Ausgelöst durch: Front door.', anAlert({ ...MOVED, locale: 'de-AT' })],
    ['Ausgelöst durch: Front door, danach durch: Hall, Kitchen, Garage.', aStillHappening({ ...MOVED, locale: 'de' })],
    ['It was tripped by: Camera 1 2 0 4 5.', anAlert({ trippedBy: ['Camera [12045]'] })],
  ])('%s', (sentence, alert) => {
    expect(writeVoiceMessage(alert).sentences).toContain(sentence);
  });

  test('a label that nobody can speak is not spoken', () => {
    const spoken = writeVoiceMessage(anAlert({ trippedBy: ['***'] })).sentences;
    expect(spoken).toEqual(writeVoiceMessage(anAlert()).sentences);
  });
});

describe('a text says it on its first line', () => {
  test.each<[string, IncidentAlert]>([
    ['ALARM (LIVE): House - Away (Front door)', anAlert(MOVED)],
    ['PANIC (LIVE, fire): Shop button (Front door)', aPanicAlert(MOVED)],
    ['Acknowledged by Bob: ALARM (LIVE): House - Away (Front door)', anAcknowledgement(MOVED)],
    ['ALARM (ECHT): House - Abwesend (Front door)', anAlert({ ...MOVED, locale: 'de' })],
  ])('%s', (line, alert) => {
    expect(writeSms(alert).split('\n')[0]).toBe(line);
    expect(writeSms(alert)).not.toContain('Hall');
  });

  test.each([
    ['en', 'STILL HAPPENING: ALARM (LIVE): House - Away (Front door)', 'Then: Hall, Kitchen, Garage'],
    ['de', 'DAUERT AN: ALARM (ECHT): House - Abwesend (Front door)', 'Danach: Hall, Kitchen, Garage'],
  ])('and that it is still happening also what joined (%s)', (locale, title, joined) => {
    expect(
      writeSms(aStillHappening({ ...MOVED, locale }))
        .split('\n')
        .slice(0, 2),
    ).toEqual([title, joined]);
    const alone = writeSms(aStillHappening({ ...DOOR, locale }));
    expect(alone.split('\n')[1]).not.toMatch(/Then|Danach/);
  });
});

describe('a text of one part stays one part of 160 letters with a label of 20', () => {
  const label = 'Camera, front door 1';
  const link = (host: string) => ({ ...A_WAY_BACK, pageUrl: `https://${host}/i/${'d'.repeat(48)}` });
  const parts = (alert: IncidentAlert) => [alert, { ...alert, trippedBy: [label] }].map(of => partsOf(writeSms(of)));

  test.each<[string, IncidentAlert]>([
    ['without an address', anAlert({ locationAddress: '' })],
    ['with an address that has to go for it', anAlert({ locationAddress: '12 Elm Street' })],
    ['with a longer link', anAlert({ locationAddress: '', wayBack: link('tocsin.example.org') })],
    ['with a very long link', anAlert({ locationAddress: '', wayBack: link('alarm.miller-family.example.org') })],
    ['in German', anAlert({ locationAddress: '', locale: 'de-AT', wayBack: link('tocsin.example.org') })],
    ['of a panic button', aPanicAlert({ locationAddress: '', wayBack: link('tocsin.example.org') })],
    ['that somebody acknowledged', anAcknowledgement({ locationAddress: '' })],
  ])('%s', (_what, alert) => {
    expect(label).toHaveLength(20);
    expect(parts(alert)).toEqual([1, 1]);
    const text = writeSms({ ...alert, trippedBy: [label] });
    expect(isGsm7(text) && text.length).toBeLessThanOrEqual(160);
    expect(text).toContain('(Camera, fr');
    expect(text).toContain(`\n${alert.wayBack!.pageUrl}`);
  });

  test('what is given up for it stands on the page: first the address, then the mode, then the time', () => {
    const short = anAlert({ trippedBy: [label], locationAddress: '12 Elm Street' });
    expect(writeSms(short)).toMatch(/^ALARM \(LIVE\): House - Away \(Camera, front door 1\)\nHome\n12:52\nhttps/);
    const long = { ...short, wayBack: link('tocsin.example.org') };
    expect(writeSms(long)).toMatch(/^ALARM \(LIVE\): House \(Camera, front door 1\)\nHome\n12:52\nhttps/);
    const longer = { ...short, wayBack: link('tocsin.my.example.org') };
    expect(writeSms(longer)).toMatch(/^ALARM \(LIVE\): House \(Camera, front door 1\)\nHome\nhttps/);
  });

  test('whatever the names are, no text is longer than the parts that a text may have', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'é', ' ', 'ß', '€'), minLength: 1, maxLength: 90 });
    fc.assert(
      fc.property(
        name,
        name,
        name,
        fc.array(name, { maxLength: 4 }),
        (sourceName, modeName, locationName, trippedBy) => {
          const alert = anAlert({ sourceName, modeName, locationName, trippedBy });
          expect(partsOf(writeSms(alert))).toBeLessThanOrEqual(2);
          expect(partsOf(writeSms({ ...alert, purpose: 'still_happening' }))).toBeLessThanOrEqual(2);
        },
      ),
    );
  });
});

describe.each(NASTY)('a label changes nothing around it: %s', (_what, written) => {
  const UNSAFE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
  const hostile = { trippedBy: [written, `${written} 2`, `${written} 3`, `${written} 4`] };

  test.each([anAlert(hostile), aStillHappening(hostile), anAcknowledgement(hostile)])('$purpose', alert => {
    const { subject, text, html } = writeMessage(alert);
    const sms = writeSms(alert);
    const spoken = writeVoiceMessage(alert).sentences;
    const event = JSON.parse(writeEvent(alert)) as { trippedBy: string[] };
    for (const line of [subject, ...text.split('\n'), ...sms.split('\n'), ...spoken, ...event.trippedBy]) {
      expect(line).not.toMatch(UNSAFE);
      expect(line.isWellFormed()).toBe(true);
    }
    expect(subject.length + text.length).toBeLessThan(1_500);
    expect(html.match(/<(script|a) /g)).toEqual(['<a ']);
    expect(html).not.toContain('<Dial>');
    expect(partsOf(sms)).toBeLessThanOrEqual(3);
    for (const sentence of spoken) expect(sentence).not.toMatch(/[<>{}[\]$%`"\\]/);
    expect(spoken.join(' ').length).toBeLessThan(900);
    for (const label of event.trippedBy) expect([...label].length).toBeLessThanOrEqual(80);
  });
});
