import { describe, expect, test } from 'vitest';
import { partsOf, writeSms } from '../../services/channels/sms.ts';
import { writeVoiceMessage } from '../../services/channels/voice.ts';
import type { IncidentAlert } from '../../services/domain/alert.ts';
import {
  A_WAY_BACK,
  aDrill,
  anAcknowledgement,
  anAlert,
  aPanicAlert,
  aStillHappening,
  aVerification,
} from '../support/alert.ts';
import { parseTwiml } from '../support/twiml.ts';
import { ANNA, rig } from './twilio-send-rig.ts';

describe('what the carrier is asked for', () => {
  test('a text: short-lived, with a place to tell what became of it', async () => {
    const { twilio, text } = await rig();
    const alert = anAlert();
    const outcome = await text.send(ANNA, alert);
    const body = writeSms(alert);
    expect(twilio.messages).toHaveLength(1);
    expect(twilio.messages[0]?.fields).toEqual({
      To: ANNA,
      From: twilio.settings.from,
      Body: body,
      ValidityPeriod: '3600',
      StatusCallback: `${A_WAY_BACK.carrierUrl}/twilio/status/${A_WAY_BACK.reference}`,
    });
    expect(outcome).toEqual({ kind: 'sent', providerRef: twilio.messages[0]?.sid, units: partsOf(body) });
    expect(twilio.requests('list')).toBe(0);
  });

  test('a text is counted in the parts that are charged', async () => {
    const { text } = await rig();
    const alert = anAlert({ sourceName: 'Дом '.repeat(20), locationName: 'Ж'.repeat(80) });
    expect(await text.send(ANNA, alert)).toMatchObject({ units: partsOf(writeSms(alert)) });
    expect(partsOf(writeSms(alert))).toBeGreaterThan(1);
  });

  test('a call: what is said is asked for once it is answered', async () => {
    const { twilio, call } = await rig();
    const outcome = await call.send(ANNA, anAlert());
    const voice = `${A_WAY_BACK.carrierUrl}/twilio/voice/${A_WAY_BACK.reference}`;
    expect(twilio.calls).toHaveLength(1);
    expect(twilio.calls[0]?.fields).toEqual({
      To: ANNA,
      From: twilio.settings.from,
      Url: voice,
      Method: 'POST',
      FallbackUrl: voice,
      FallbackMethod: 'POST',
      StatusCallback: `${A_WAY_BACK.carrierUrl}/twilio/status/${A_WAY_BACK.reference}`,
      StatusCallbackMethod: 'POST',
      StatusCallbackEvent: 'completed',
      Timeout: '35',
      TimeLimit: '300',
    });
    expect(outcome).toEqual({ kind: 'sent', providerRef: twilio.calls[0]?.sid, units: 1 });
  });

  test.each([
    ['nobody outside knows where this is', null],
    ['it is known as localhost', { ...A_WAY_BACK, carrierUrl: 'http://localhost:8080/carrier' }],
  ])('%s: no callbacks, and the call carries the message itself, twice and without a menu', async (_what, wayBack) => {
    const { twilio, text, call } = await rig();
    const alert = anAlert({ wayBack });
    expect(await text.send(ANNA, alert)).toMatchObject({ kind: 'sent' });
    expect(Object.keys(twilio.messages[0]?.fields ?? {}).sort()).toEqual(['Body', 'From', 'To', 'ValidityPeriod']);

    expect(await call.send(ANNA, alert)).toMatchObject({ kind: 'sent' });
    const { Twiml: inline = '', ...fields } = twilio.calls[0]?.fields ?? {};
    expect(Object.keys(fields).sort()).toEqual(['From', 'TimeLimit', 'Timeout', 'To']);
    const { sentences, goodbye } = writeVoiceMessage(alert);
    const twiml = parseTwiml(inline);
    expect(twiml.said).toEqual([sentences.join(' '), sentences.join(' '), goodbye]);
    expect(twiml.gathers).toEqual([]);
  });

  test.each([
    ['a drill', aDrill()],
    ['a code', aVerification()],
  ])('%s has no way back: the call carries it', async (_what, alert) => {
    const { twilio, text, call } = await rig();
    expect(await text.send(ANNA, alert)).toMatchObject({ kind: 'sent' });
    expect(twilio.messages[0]?.fields.Body).toBe(writeSms(alert));
    expect(await call.send(ANNA, alert)).toMatchObject({ kind: 'sent' });
    expect((await twilio.answerCall(twilio.calls[0]?.sid ?? '')).said[0]).toBe(
      writeVoiceMessage(alert).sentences.join(' '),
    );
  });

  test('a public address that the carrier does not take silences nobody: it goes out without, and the log is loud', async () => {
    const { twilio, text, call, lines } = await rig();
    twilio.failNext({ status: 400, code: 21609 });
    expect(await text.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
    expect(twilio.messages.map(({ fields }) => fields.StatusCallback)).toEqual([undefined]);
    twilio.failNext({ status: 400, code: 21205 });
    expect(await call.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
    expect(twilio.calls.map(({ fields }) => [fields.Url, fields.Twiml?.includes('<Say')])).toEqual([[undefined, true]]);
    expect(lines.map(line => JSON.parse(line).level)).toEqual([50, 50]);
    expect(lines.join()).toContain('PUBLIC_URL');
  });

  test('slow is not gone', async () => {
    const { twilio, text } = await rig();
    twilio.behave(150);
    expect(await text.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
    expect(twilio.messages).toHaveLength(1);
  });

  test('nothing personal is logged', async () => {
    const { twilio, text, call, lines } = await rig();
    twilio.failNext({ status: 400, code: 30034 });
    await text.send(ANNA, anAlert());
    twilio.failNext({ status: 503 });
    await call.send(ANNA, anAlert());
    expect(lines).toHaveLength(2);
    for (const personal of [ANNA, '66012345678', 'Anna', 'House', 'Example', twilio.settings.authToken, 'K7M4', '/i/'])
      expect(lines.join()).not.toContain(personal);
  });
});

describe('what others wrote stays text', () => {
  const EVIL: [what: string, text: string][] = [
    ['control characters', 'a\u0000b\u0007c\u001b[31md\u009be'],
    ['line breaks', 'House\r\nTo: +1900\r\n\r\nBody'],
    ['text that turns its direction', 'safe\u202Eexe.\u2066x\u2069'],
    ['10 KB', 'x'.repeat(10_240)],
    ['10 KB of signs that need escaping', '<&"\'>'.repeat(2048)],
    ['HTML', '<img src=x onerror=alert(1)><script>alert(1)</script>'],
    ['TwiML', '</Say><Dial>+19005550100</Dial><Say>'],
    ['TwiML in an attribute', '" voice="x"/><Dial>+19005550100</Dial>'],
    ['CDATA', ']]><Dial>+19005550100</Dial><![CDATA['],
    ['entities', '&lt;Dial&gt; &#60;Dial&#62; &xxe; &#0; &#xFFFF;'],
    ['a document type', '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>&a;'],
    ['characters that XML has no place for', 'a\uFFFEb\uFFFFc\uD800d\u{1FFFE}'],
    ['template syntax', `{{1}} \${x} {{{y}}} %s %(z)s <%= 1 %> #{q}`],
    ['form syntax', 'a&To=+19005550100&Body=b=c%26d+e'],
    ['nothing', ''],
    ['blanks', ' \t\u00a0 '],
  ];

  test.each(EVIL)('%s in every place of a text and of a call', async (_what, evil) => {
    const { twilio, text, call } = await rig();
    const everywhere: Partial<IncidentAlert> = {
      contactName: evil,
      sourceName: evil,
      modeName: evil,
      locationName: evil,
      locationAddress: `${evil}\n${evil}`,
      acknowledgedBy: evil,
      locale: evil,
      timeZone: evil,
      voice: evil,
    };
    for (const alert of [
      anAlert({ ...everywhere, acknowledgedBy: '' }),
      aPanicAlert(everywhere),
      anAcknowledgement(everywhere),
      aStillHappening(everywhere),
      aDrill({ contactName: evil, locale: evil, voice: evil }),
      aVerification({ contactName: evil, accountName: evil, locale: evil, voice: evil }),
    ]) {
      expect(await text.send(ANNA, alert)).toMatchObject({ kind: 'sent' });
      const inline = 'wayBack' in alert ? { ...alert, wayBack: null } : alert;
      // The server takes a call only with a document that is well-formed, has known verbs alone and at most 4,000 characters.
      expect(await call.send(ANNA, inline)).toMatchObject({ kind: 'sent' });
    }
    for (const { fields } of twilio.messages) {
      expect(fields.To).toBe(ANNA);
      expect(fields.Body?.length).toBeLessThan(1600);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      expect(fields.Body).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
    }
    for (const { fields } of twilio.calls) {
      const twiml = parseTwiml(fields.Twiml ?? '');
      expect(twiml.verbs.filter(verb => !['Say', 'Pause', 'Hangup'].includes(verb))).toEqual([]);
      expect(twiml.said.join(' ')).not.toMatch(/[<>]/);
    }
  });
});
