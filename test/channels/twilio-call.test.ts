import { describe, expect, test } from 'vitest';
import type { CarrierAnswer } from '../../services/channels/channel.ts';
import { sayOnCall, writeVoiceMessage } from '../../services/channels/voice.ts';
import { anAcknowledgement, anAlert, aStillHappening } from '../support/alert.ts';
import { ANNA, answerOf, rig } from './twilio-door-rig.ts';

describe('a call that is answered', () => {
  test('says the message, waits for a key, says it again and says goodbye', async () => {
    const { twilio, call, news, answers, alert } = await rig();
    await call.send(ANNA, alert);
    answers.push({ kind: 'speak_alert', alert, preface: 'none' });
    const twiml = await twilio.answerCall(twilio.calls[0]?.sid ?? '');
    const { sentences, menu, goodbye, language } = writeVoiceMessage(alert, 'come_back');
    const said = [...sentences, menu].join(' ');
    expect(news).toEqual([{ kind: 'answered' }]);
    expect(twiml.verbs).toEqual(['Pause', 'Gather', 'Gather', 'Say', 'Hangup']);
    expect(twiml.said).toEqual([said, said, goodbye]);
    for (const gather of twiml.gathers) {
      expect(gather.attributes).toEqual({
        action: `${alert.wayBack?.carrierUrl}/twilio/key/${alert.wayBack?.reference}`,
        method: 'POST',
        numDigits: '1',
        timeout: '8',
      });
    }
    expect(twiml.xml).toContain(`<Say language="${language}">`);
    expect(said).toContain('House');
  });

  test.each(['1', '2', '9', '*', '#'])('the key "%s" is read', async key => {
    const { twilio, call, news, answers, alert } = await rig();
    await call.send(ANNA, alert);
    const sid = twilio.calls[0]?.sid ?? '';
    answers.push({ kind: 'speak_alert', alert, preface: 'none' });
    await twilio.answerCall(sid);
    answers.push({ kind: 'speak', said: 'acknowledged', locale: 'en-GB', voice: '', by: '' });
    const twiml = await twilio.press(sid, key);
    expect(news.at(-1)).toEqual({ kind: 'key', key });
    expect(twiml.said).toEqual([sayOnCall('acknowledged', { locale: 'en-GB', by: '' }).sentence]);
    expect(twiml.verbs).toEqual(['Say', 'Hangup']);
  });

  test('no key in time: the call goes on by itself, and a form without one is read as none', async () => {
    const { twilio, call, url, news, answers, alert } = await rig();
    await call.send(ANNA, alert);
    const sid = twilio.calls[0]?.sid ?? '';
    answers.push({ kind: 'speak_alert', alert, preface: 'none' });
    await twilio.answerCall(sid);
    await expect(twilio.press(sid, '')).rejects.toThrow('goes on');
    for (const none of [{ Digits: '' }, {}]) {
      await twilio.post(`${url}/carrier/twilio/key/x/1`, new URLSearchParams({ CallSid: sid, ...none }));
    }
    expect(news.slice(1)).toEqual(Array(2).fill({ kind: 'key', key: '' }));
  });

  test('another key: it was not understood, and the whole message with its menu again', async () => {
    const { twilio, call, answers, alert } = await rig();
    await call.send(ANNA, alert);
    const sid = twilio.calls[0]?.sid ?? '';
    answers.push({ kind: 'speak_alert', alert, preface: 'none' });
    const first = await twilio.answerCall(sid);
    answers.push({ kind: 'speak_alert', alert, preface: 'not_understood' });
    const again = await twilio.press(sid, '7');
    expect(again.said).toEqual([
      `${writeVoiceMessage(alert, 'come_back').notUnderstood} ${first.said[0]}`,
      ...first.said.slice(1),
    ]);
    expect(again.gathers).toHaveLength(2);
  });

  test('in the language and with the voice of the contact', () => {
    const spoken = writeVoiceMessage(anAlert({ locale: 'de-AT' }));
    const german = answerOf({ kind: 'speak_alert', alert: anAlert({ locale: 'de-AT' }), preface: 'none' });
    expect(german.xml).toContain('<Say language="de-DE">');
    expect(german.said[0]).toBe([...spoken.sentences, spoken.menu].join(' '));
    for (const [locale, language] of [
      ['de', 'de-DE'],
      ['en-US', 'en-US'],
      ['en-IE', 'en-GB'],
      ['en-ZA', 'en-GB'],
      ['en-NZ', 'en-AU'],
      ['fr-FR', 'en-US'],
      ['"><Dial>', 'en-US'],
    ] as const) {
      const twiml = answerOf({ kind: 'speak_alert', alert: anAlert({ locale }), preface: 'none' });
      expect(twiml.xml).toContain(`<Say language="${language}">`);
    }
    // Such a voice has its language; one that does not fit would make the carrier say nothing.
    expect(answerOf(speakAs('Polly.Vicki')).xml).toContain('<Say voice="Polly.Vicki">');
    expect(answerOf(speakAs('woman')).xml).toContain('<Say language="en-GB" voice="woman">');
    for (const none of ['', 'a b', '"><Dial>', 'é', 'x'.repeat(61), 'Polly.Vicki\n']) {
      expect(answerOf(speakAs(none)).xml).toContain('<Say language="en-GB">');
    }
    expect(answerOf({ kind: 'speak', said: 'over', locale: 'de-DE', voice: 'Polly.Vicki', by: '' }).xml).toContain(
      '<Say voice="Polly.Vicki">',
    );
  });

  test.each([
    ['somebody has it', anAcknowledgement],
    ['it goes on', aStillHappening],
  ])('%s: said with its keys too', (_what, made) => {
    const alert = made();
    const twiml = answerOf({ kind: 'speak_alert', alert, preface: 'none' });
    const { sentences, menu } = writeVoiceMessage(alert, 'come_back');
    expect(twiml.said[0]).toBe([...sentences, menu].join(' '));
    expect(twiml.gathers).toHaveLength(2);
  });

  test('nobody can be answered: said twice, and no key is asked for', () => {
    const alert = anAlert({ wayBack: null });
    const twiml = answerOf({ kind: 'speak_alert', alert, preface: 'none' });
    const said = writeVoiceMessage(alert).sentences.join(' ');
    expect(twiml.said).toEqual([said, said, writeVoiceMessage(alert).goodbye]);
    expect(twiml.gathers).toEqual([]);
  });

  test.each([
    'acknowledged',
    'already_acknowledged',
    'already_closed',
    'over',
    'try_link',
  ] as const)('%s is one sentence, then the call ends', said => {
    const twiml = answerOf({ kind: 'speak', said, locale: 'en', voice: '', by: '</Say><Dial>+19005550100</Dial>' });
    expect(twiml.verbs).toEqual(['Say', 'Hangup']);
    expect(twiml.said).toHaveLength(1);
    expect(twiml.said[0]).not.toContain('<');
  });
});

function speakAs(voice: string): CarrierAnswer {
  return { kind: 'speak_alert', alert: anAlert({ voice }), preface: 'none' };
}
