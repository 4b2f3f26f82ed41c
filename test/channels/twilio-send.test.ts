import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { partsOf, writeSms } from '../../services/channels/sms.ts';
import { createTwilioChannel } from '../../services/channels/twilio/send.ts';
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
import { startTwilio, type TwilioMode } from '../support/twilio.ts';
import { parseTwiml } from '../support/twiml.ts';

const ANNA = '+4366012345678';
const BOB = '+4366087654321';

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

describe('an attempt whose end nobody knows', () => {
  const LOST: TwilioMode[] = ['hang', 'reset', 'garbage', 'endless', 'broken'];

  test.each(
    LOST.flatMap(mode => [[mode, 'text'] as const, [mode, 'call'] as const]),
  )('the carrier took it and did %s: the next attempt of a %s takes it over, nothing goes out twice', async (mode, kind) => {
    const { twilio, [kind]: channel, taken } = await rig();
    twilio.behave(mode);
    expect(await channel.send(ANNA, at(1))).toMatchObject({ kind: 'temporary_fault' });
    twilio.behave('ok');
    expect(await channel.send(ANNA, at(2))).toMatchObject({ kind: 'sent', providerRef: taken(kind)[0]?.sid });
    expect(taken(kind)).toHaveLength(1);
  });

  test.each(['text', 'call'] as const)('another process, which knows nothing, takes a %s over just so', async kind => {
    const { twilio, [kind]: channel, taken } = await rig();
    expect(await channel.send(ANNA, at(1))).toMatchObject({ kind: 'sent' });
    const other = createTwilioChannel({ kind, settings: twilio.settings, log: pino({ level: 'silent' }) });
    expect(await other.send(ANNA, at(2))).toMatchObject({
      kind: 'sent',
      providerRef: taken(kind)[0]?.sid,
      units: expect.any(Number),
    });
    expect(taken(kind)).toHaveLength(1);
  });

  test.each([
    ['text', 'delivered', undefined, { kind: 'delivered' }],
    ['text', 'sent', undefined, { kind: 'sent' }],
    ['text', 'a status of tomorrow', undefined, { kind: 'sent' }],
    ['text', 'undelivered', 30005, { kind: 'permanent_fault', reason: 'unknown number' }],
    ['text', 'failed', 30034, { kind: 'permanent_fault', reason: 'carrier refused: 30034' }],
    ['call', 'ringing', undefined, { kind: 'sent' }],
    ['call', 'completed', undefined, { kind: 'delivered' }],
    ['call', 'no-answer', undefined, { kind: 'permanent_fault', reason: 'no answer' }],
  ] as const)('a lost %s that is %s (%s) meanwhile', async (kind, status, errorCode, outcome) => {
    const { twilio, [kind]: channel, taken } = await rig();
    await lose(twilio, channel, kind, taken);
    twilio.become(taken(kind)[0]?.sid ?? '', status, errorCode);
    expect(await channel.send(ANNA, at(2))).toMatchObject(outcome);
    expect(taken(kind)).toHaveLength(1);
  });

  test.each([
    ['text', 'undelivered', 30008],
    ['call', 'busy', undefined],
  ] as const)('a lost %s that failed for a time (%s) goes out again', async (kind, status, errorCode) => {
    const { twilio, [kind]: channel, taken } = await rig();
    await lose(twilio, channel, kind, taken);
    twilio.become(taken(kind)[0]?.sid ?? '', status, errorCode);
    expect(await channel.send(ANNA, at(2))).toMatchObject({ kind: 'sent', providerRef: taken(kind)[1]?.sid });
    expect(taken(kind)).toHaveLength(2);
  });

  test.each(['down', 'busy'] as const)('the carrier took nothing (%s): the next attempt goes out', async mode => {
    const { twilio, text, call } = await rig();
    twilio.behave(mode);
    expect(await text.send(ANNA, at(1))).toMatchObject({ kind: 'temporary_fault' });
    expect(await call.send(ANNA, at(1))).toMatchObject({ kind: 'temporary_fault' });
    twilio.behave('ok');
    expect(await text.send(ANNA, at(2))).toMatchObject({ kind: 'sent' });
    expect(await call.send(ANNA, at(2))).toMatchObject({ kind: 'sent' });
    expect([twilio.messages.length, twilio.calls.length]).toEqual([1, 1]);
  });

  test('an attempt that the carrier refused needs no look-up', async () => {
    const { twilio, text } = await rig();
    twilio.failNext({ status: 429, code: 20429 });
    expect(await text.send(ANNA, at(1))).toMatchObject({ kind: 'temporary_fault' });
    expect(await text.send(ANNA, at(2))).toMatchObject({ kind: 'sent' });
    expect([twilio.requests('list'), twilio.messages.length]).toEqual([0, 1]);
  });

  test('a text that came back as failed for a time is sent again', async () => {
    const { twilio, text } = await rig();
    await text.send(ANNA, at(1));
    twilio.become(twilio.messages[0]!.sid, 'undelivered', 30008);
    expect(await text.send(ANNA, at(2))).toMatchObject({
      providerRef: expect.not.stringContaining(twilio.messages[0]?.sid ?? ''),
    });
    expect([twilio.requests('list'), twilio.messages.length]).toEqual([1, 2]);
  });

  test('a text that was taken, and that could not be recorded here, is not sent again', async () => {
    const { twilio, text } = await rig();
    await text.send(ANNA, at(1));
    expect(await text.send(ANNA, at(2))).toMatchObject({ kind: 'sent', providerRef: twilio.messages[0]!.sid });
    expect(twilio.messages).toHaveLength(1);
  });

  test('only a text of this very delivery is taken over', async () => {
    const { twilio, text } = await rig();
    const other = otherThan(at(1));
    await text.send(ANNA, other);
    await text.send(BOB, at(1, { deliveryId: 'f'.repeat(32) }));
    twilio.behave('down');
    await text.send(ANNA, at(1));
    twilio.behave('ok');
    const outcome = await text.send(ANNA, at(2));
    expect(outcome).toMatchObject({ kind: 'sent', providerRef: twilio.messages[2]?.sid });
    expect(twilio.messages).toHaveLength(3);
  });

  test('nor is a text of another delivery that another process sent', async () => {
    const { twilio, text } = await rig();
    const other = createTwilioChannel({ kind: 'text', settings: twilio.settings, log: pino({ level: 'silent' }) });
    await other.send(ANNA, otherThan(at(1)));
    twilio.behave('down');
    await text.send(ANNA, at(1));
    twilio.behave('ok');
    expect(await text.send(ANNA, at(2))).toMatchObject({ kind: 'sent', providerRef: twilio.messages[1]?.sid });
    expect(twilio.messages).toHaveLength(2);
  });

  test('a text without a link is told by all that it says, and by the time', async () => {
    const { twilio, text } = await rig();
    twilio.shiftClock(-60);
    await text.send(ANNA, at(1, { wayBack: null, deliveryId: 'e'.repeat(32) }));
    twilio.shiftClock(60);
    twilio.behave('reset');
    await text.send(ANNA, at(1, { wayBack: null }));
    await text.send(ANNA, at(1, { wayBack: null, deliveryId: 'f'.repeat(32), sourceName: 'Shed' }));
    twilio.behave('ok');
    expect(await text.send(ANNA, at(2, { wayBack: null }))).toMatchObject({ providerRef: twilio.messages[1]?.sid });
    expect(twilio.messages).toHaveLength(3);
  });

  test('a call that began before the first attempt is none of ours', async () => {
    const { twilio, call } = await rig();
    twilio.shiftClock(-10);
    twilio.behave('reset');
    await call.send(ANNA, at(1, { deliveryId: 'e'.repeat(32) }));
    twilio.shiftClock(10);
    twilio.behave('down');
    await call.send(ANNA, at(1));
    twilio.behave('ok');
    expect(await call.send(ANNA, at(2))).toMatchObject({ providerRef: twilio.calls[1]?.sid });
    expect(twilio.calls).toHaveLength(2);
  });

  test('the call of another incident to the same phone is not taken for this one', async () => {
    const { twilio, call } = await rig();
    const other = otherThan(at(1));
    await call.send(ANNA, other);
    twilio.behave('down');
    await call.send(ANNA, at(1));
    twilio.behave('ok');
    expect(await call.send(ANNA, at(2))).toMatchObject({ kind: 'sent', providerRef: twilio.calls[1]?.sid });
    expect(twilio.calls).toHaveLength(2);
  });

  test.each([
    'hang',
    'reset',
    'garbage',
    'endless',
    'busy',
    'down',
  ] as const)('while the look-up cannot be made (%s) nothing is sent, but by the last attempt', async mode => {
    const { twilio, text, lines } = await rig();
    twilio.behave('reset');
    await text.send(ANNA, at(1));
    twilio.behave('ok');
    twilio.behave(mode, 'list');
    for (const attempt of [2, 3]) {
      expect(await text.send(ANNA, at(attempt))).toEqual({
        kind: 'temporary_fault',
        reason: expect.stringMatching(/^the carrier /),
      });
      expect(twilio.messages).toHaveLength(1);
    }
    expect(lines.join()).not.toContain('twice');
    expect(await text.send(ANNA, at(4))).toMatchObject({ kind: 'sent' });
    expect(twilio.messages).toHaveLength(2);
    expect(lines.at(-1)).toContain('it may go out twice');
  });

  test('a look-up that is refused for good stops nothing', async () => {
    const { twilio, text } = await rig();
    twilio.behave('down');
    await text.send(ANNA, at(1));
    twilio.behave('ok');
    twilio.failNext({ status: 403, code: 20403, at: 'list' });
    expect(await text.send(ANNA, at(2))).toMatchObject({ kind: 'sent' });
    expect(twilio.messages).toHaveLength(1);
  });

  test('a whole attempt stays within its time, look-up included', async () => {
    const { twilio, text } = await rig();
    twilio.behave('reset');
    await text.send(ANNA, at(1));
    twilio.behave('hang');
    twilio.behave('hang', 'list');
    const began = performance.now();
    for (const attempt of [2, 4]) expect(await text.send(ANNA, at(attempt))).toMatchObject({ kind: 'temporary_fault' });
    expect(performance.now() - began).toBeLessThan(200 + 400 + 300);
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
      policyName: evil,
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

type Rig = Awaited<ReturnType<typeof rig>>;

/** The second a call is told by is the present one. */
function at(attempt: number, but: Partial<IncidentAlert> = {}): IncidentAlert {
  return anAlert({ attempt, firstTriedAt: Date.now(), ...but });
}

/** The same alert to the same person, of another incident. */
function otherThan(alert: IncidentAlert): IncidentAlert {
  const token = `${'e'.repeat(32)}${'T'.repeat(16)}`;
  const wayBack = { ...A_WAY_BACK, pageUrl: `https://tocsin.test/i/${token}`, reference: `${token}/1` };
  return { ...alert, deliveryId: 'e'.repeat(32), incidentId: 'j'.repeat(32), wayBack };
}

async function lose(
  twilio: Rig['twilio'],
  channel: Rig['text'],
  kind: 'text' | 'call',
  taken: Rig['taken'],
): Promise<void> {
  twilio.behave('reset');
  await channel.send(ANNA, at(1));
  twilio.behave('ok');
  expect(taken(kind)).toHaveLength(1);
}

async function rig() {
  const twilio = await startTwilio();
  const lines: string[] = [];
  const log = pino({ base: null }, { write: line => lines.push(line) });
  const { settings } = twilio;
  const timeouts = { attempt: 400, lookUp: 200 };
  const text = createTwilioChannel({ kind: 'text', settings, log, timeouts });
  const call = createTwilioChannel({ kind: 'call', settings, log, timeouts });
  onTestFinished(() => twilio.stop());
  const taken = (kind: 'text' | 'call') => (kind === 'text' ? twilio.messages : twilio.calls);
  return { twilio, text, call, lines, taken };
}
