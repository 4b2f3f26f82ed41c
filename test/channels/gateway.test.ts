import { describe, expect, test } from 'vitest';
import { partsOf, writeSms } from '../../services/channels/sms.ts';
import { writeVoiceMessage } from '../../services/channels/voice.ts';
import { A_WAY_BACK, aDrill, anAcknowledgement, anAlert, aVerification } from '../support/alert.ts';
import { NASTY } from '../support/nasty.ts';
import { ID, NUMBER, rig, SECRET } from './gateway-rig.ts';

describe('a gateway is told', () => {
  test('of a text, signed, with where to say what became of it', async () => {
    const { hook, channel } = await rig('text', { answer: { ref: 'sms-17' } });
    const text = writeSms(anAlert());
    expect(await channel.send(NUMBER, anAlert())).toEqual({
      kind: 'sent',
      providerRef: 'sms-17',
      units: partsOf(text),
    });
    expect(hook.heard[0]?.path).toBe('/send');
    expect(hook.events).toEqual([
      {
        id: ID,
        event: {
          id: ID,
          kind: 'text',
          to: NUMBER,
          text,
          statusUrl: `${A_WAY_BACK.carrierUrl}/gateway/status/${A_WAY_BACK.reference}`,
        },
      },
    ]);
  });

  test('of a call, what to say in which language and voice, and where keys go', async () => {
    const { hook, channel } = await rig('call');
    const alert = anAlert({ locale: 'de-AT', voice: 'Polly.Hannah' });
    expect(await channel.send(NUMBER, alert)).toEqual({ kind: 'sent', providerRef: ID, units: 1 });
    expect(hook.events[0]?.event).toEqual({
      id: ID,
      kind: 'call',
      to: NUMBER,
      spoken: { ...writeVoiceMessage(alert), language: 'de-AT', voice: 'Polly.Hannah' },
      statusUrl: `${A_WAY_BACK.carrierUrl}/gateway/status/${A_WAY_BACK.reference}`,
      keyUrl: `${A_WAY_BACK.carrierUrl}/gateway/key/${A_WAY_BACK.reference}`,
    });
  });

  test.each([
    anAlert({ wayBack: null }),
    aDrill(),
    aVerification(),
  ])('of no place to tell, where there is none: $purpose', async alert => {
    const { hook, channel } = await rig('call');
    expect(await channel.send(NUMBER, alert)).toMatchObject({ kind: 'sent' });
    expect(hook.events[0]?.event).toMatchObject({ statusUrl: null, keyUrl: null });
  });

  test('with the same webhook-id at every attempt', async () => {
    const { hook, channel } = await rig('text');
    hook.behave('reset');
    expect(await channel.send(NUMBER, anAlert())).toMatchObject({ kind: 'temporary_fault' });
    hook.behave('ok');
    expect(await channel.send(NUMBER, anAlert({ attempt: 2 }))).toMatchObject({ kind: 'sent' });
    expect(hook.heard.map(({ headers }) => headers['webhook-id'])).toEqual([ID, ID]);
  });

  test.each([
    '',
    '12345',
    '+0123456789',
    '+43 660 1234567',
    '+4366012345678\r\nX: 1',
    `+${'1'.repeat(16)}`,
  ])('of no number that is none: %j', async number => {
    const { hook, channel } = await rig('text');
    expect(await channel.send(number, anAlert())).toEqual({ kind: 'permanent_fault', reason: 'invalid number' });
    expect(hook.heard).toEqual([]);
  });
});

describe('what a gateway answers', () => {
  test.each([
    [200, undefined, 'sent', ''],
    [202, '{"ref":{"a":1}}', 'sent', ''],
    [401, undefined, 'permanent_fault', 'the gateway refused: 401'],
    [422, '{"error":"no route to that country"}', 'permanent_fault', 'the gateway refused: no route to that country'],
    [400, `{"error":"no route to ${NUMBER}"}`, 'permanent_fault', 'the gateway refused: no route to [number]'],
    [429, undefined, 'temporary_fault', 'the gateway refused: 429'],
    [502, '<html>bad gateway</html>', 'temporary_fault', 'the gateway refused: 502'],
  ])('%i %s: %s %s', async (status, body, kind, reason) => {
    const { hook, channel } = await rig('text');
    hook.behave({ status, ...(body === undefined ? {} : { body }) });
    const outcome = await channel.send(NUMBER, anAlert());
    expect(outcome).toMatchObject(kind === 'sent' ? { kind, providerRef: ID } : { kind, reason });
  });

  test.each([
    ['hang', 'the gateway did not answer in time'],
    ['reset', 'the gateway broke off'],
  ] as const)('%s: temporary', async (mode, reason) => {
    const { hook, channel } = await rig('call', { timeoutMs: mode === 'hang' ? 200 : 5_000 });
    hook.behave(mode);
    expect(await channel.send(NUMBER, anAlert())).toEqual({ kind: 'temporary_fault', reason, carrier: 'away' });
  });

  test.each([
    'garbage',
    'endless',
  ] as const)('a 200 with a body that is %s counts as sent: the status says so', async mode => {
    const { hook, channel } = await rig('text');
    hook.behave(mode);
    expect(await channel.send(NUMBER, anAlert())).toMatchObject({ kind: 'sent', providerRef: ID });
  });

  test('nobody there: temporary', async () => {
    const { hook, channel } = await rig('text');
    await hook.stop();
    expect(await channel.send(NUMBER, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: 'the gateway could not be reached',
      carrier: 'away',
      taken: 'no',
    });
  });
});

describe.each(NASTY)('what an owner wrote stays text: %s', (_what, written) => {
  const alerts = [
    anAlert({ sourceName: written, modeName: written, locationName: written, locationAddress: written }),
    anAcknowledgement({ acknowledgedBy: written, contactName: written }),
    aVerification({ accountName: written }),
  ];

  test.each(alerts)('in a text: $purpose', async alert => {
    const { hook, channel } = await rig('text');
    expect(await channel.send(NUMBER, alert)).toMatchObject({ kind: 'sent' });
    const text = String(hook.events[0]?.event.text);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(text.length).toBeLessThan(400);
  });

  test.each(alerts)('on a call: $purpose', async alert => {
    const { hook, channel } = await rig('call');
    expect(await channel.send(NUMBER, alert)).toMatchObject({ kind: 'sent' });
    expect(hook.heard[0]?.body).not.toMatch(/<|\\u|\\r|\\n|[\p{Cc}\p{Bidi_Control}]/u);
    expect(hook.heard[0]?.body.length).toBeLessThan(2_500);
  });
});

test('nothing personal and no secret is logged', async () => {
  const lines: string[] = [];
  const { hook, channel } = await rig('text', { lines });
  await channel.send(NUMBER, anAlert());
  hook.behave({ status: 500, body: `{"error":"${NUMBER} Anna"}` });
  await channel.send(NUMBER, anAlert());
  hook.behave('reset');
  await channel.send(NUMBER, anAlert());
  expect(lines).toHaveLength(2);
  for (const hidden of [NUMBER, 'Anna', 'House', 'Example Street', SECRET.slice(6), '/i/'])
    expect(lines.join('')).not.toContain(hidden);
});
