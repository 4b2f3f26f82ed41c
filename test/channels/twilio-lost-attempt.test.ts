import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { createTwilioChannel } from '../../services/channels/twilio/send.ts';
import type { IncidentAlert } from '../../services/domain/alert.ts';
import { A_WAY_BACK, anAlert } from '../support/alert.ts';
import type { TwilioMode } from '../support/twilio.ts';
import { ANNA, rig } from './twilio-send-rig.ts';

const BOB = '+4366087654321';

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

  test('a text of another delivery that another process sent is not taken over', async () => {
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
      expect(await text.send(ANNA, at(attempt))).toMatchObject({
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
    // The look-up alone may use up the time of the attempt.
    const { twilio, text, call } = await rig({ lookUp: 400 });
    twilio.behave('reset');
    await text.send(ANNA, at(1));
    twilio.behave('hang');
    twilio.behave('hang', 'list');
    expect(await text.send(ANNA, at(2))).toMatchObject({ kind: 'temporary_fault' });
    const whole = text.send(ANNA, at(4)).then(({ kind }) => kind);
    const twoAttempts = call.send(BOB, at(1)).then(() => call.send(BOB, otherThan(at(1))));
    expect(await Promise.race([whole, twoAttempts.then(() => 'as long as two attempts')])).toBe('temporary_fault');
    await twoAttempts;
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
