import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTwilioCallback } from '../../services/channels/twilio/callback.ts';
import { createTwilioChannel } from '../../services/channels/twilio/send.ts';
import type { AttemptOutcome } from '../../services/domain/delivery.ts';
import { A_WAY_BACK, aDrill, anAlert, aVerification } from '../support/alert.ts';
import { logInto } from '../support/log.ts';
import { startTwilio, type TwilioMode } from '../support/twilio.ts';
import { rig as doorRig } from './twilio-door-rig.ts';

const ANNA = '+4366012345678';
const FROM = 'whatsapp:+12025550177';

async function rig({ but = {} }: { but?: object } = {}) {
  const twilio = await startTwilio();
  onTestFinished(twilio.stop);
  const lines: string[] = [];
  const { templates, ...settings } = { ...twilio.whatsApp, ...but };
  const timeouts = { attempt: 400, lookUp: 200 };
  const open = (log = logInto(lines)) => createTwilioChannel({ kind: 'text', settings, log, timeouts, templates });
  return { twilio, channel: open(), open, lines, said: () => twilio.messages.map(twilio.textOf) };
}

describe('a message', () => {
  test('goes by a template, in which it stands on one line, with its link and how to answer', async () => {
    const { twilio, channel, said } = await rig();
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent', units: 1 });
    const { fields } = twilio.messages[0]!;
    expect(fields).toMatchObject({ To: `whatsapp:${ANNA}`, From: FROM });
    expect(fields.StatusCallback).toContain('/carrier/whatsapp/status/');
    expect(fields).not.toHaveProperty('Body');
    expect(said()[0]).toMatch(/^Your alarm system says: ALARM \(LIVE\): House - Away \| Home, /);
    expect(said()[0]).toContain(A_WAY_BACK.pageUrl);
    expect(said()[0]).toContain('Reply K7M4 to acknowledge.');
    expect(said()[0]).not.toContain('\n');
  });

  test.each([
    ['de-AT', /^Ihre Alarmanlage meldet: .*Zum Übernehmen mit K7M4 antworten/],
    ['fr', /^Your alarm system says: .*Reply K7M4/],
  ])('is of the language of whom it goes to: %s', async (locale, text) => {
    const { channel, said } = await rig();
    await channel.send(ANNA, anAlert({ locale }));
    expect(said()[0]).toMatch(text);
  });

  test('without a template of their language all of it is of another one', async () => {
    const { twilio, open } = await rig();
    const german = new Map([['de', twilio.whatsApp.templates.get('de')!]]);
    const { templates: _, ...settings } = twilio.whatsApp;
    const channel = createTwilioChannel({ kind: 'text', settings, log: pino({ level: 'silent' }), templates: german });
    await channel.send(ANNA, anAlert({ locale: 'en-GB' }));
    await open().send(ANNA, anAlert({ locale: 'de' }));
    const [first, second] = twilio.messages.map(twilio.textOf);
    expect(first).toMatch(/^Ihre Alarmanlage meldet: .*antworten/);
    expect(second).toBe(first);
  });

  test('a drill goes as a message, and a code by the template for codes, alone', async () => {
    const { twilio, channel, said } = await rig();
    await channel.send(ANNA, aDrill());
    expect(await channel.send(ANNA, aVerification({ code: '123456' }))).toMatchObject({ kind: 'sent' });
    expect(said()[0]).toMatch(/^Your alarm system says: TEST: /);
    expect(said()[1]).toBe('123456 is your verification code.');
    expect(twilio.messages[1]!.fields.ContentVariables).toBe('{"1":"123456"}');
  });

  test('where the carrier cannot come back it asks for no reply', async () => {
    const { twilio, channel, said } = await rig();
    await channel.send(ANNA, anAlert({ wayBack: { ...A_WAY_BACK, carrierUrl: 'http://192.168.1.10:8080/carrier' } }));
    expect(said()[0]).not.toContain('K7M4');
    expect(twilio.messages[0]!.fields).not.toHaveProperty('StatusCallback');
  });

  test('an address for its progress that the carrier does not take costs the progress, not the message', async () => {
    const { twilio, channel, said } = await rig();
    twilio.failNext({ status: 400, code: 21609 });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'sent' });
    expect(twilio.messages[0]!.fields).not.toHaveProperty('StatusCallback');
    expect(said()[0]).not.toContain('K7M4');
  });

  test('an address that is no number is never sent', async () => {
    const { twilio, channel } = await rig();
    expect(await channel.send(`whatsapp:${ANNA}`, anAlert())).toMatchObject({ kind: 'permanent_fault' });
    expect(twilio.requests('create')).toBe(0);
  });
});

describe('an attempt whose end nobody knows', () => {
  test.each<TwilioMode>([
    'hang',
    'reset',
    'garbage',
    'broken',
  ])('the carrier took it and did %s: the next attempt takes it over', async mode => {
    const { twilio, channel } = await rig();
    twilio.behave(mode);
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault' });
    twilio.behave('ok');
    const { sid } = twilio.messages[0]!;
    expect(await channel.send(ANNA, anAlert({ attempt: 2 }))).toMatchObject({ kind: 'sent', providerRef: sid });
    expect(twilio.messages).toHaveLength(1);
  });

  test('another process finds it among the messages to the same address, not among the texts to that number', async () => {
    const { twilio, channel, open } = await rig();
    const text = createTwilioChannel({ kind: 'text', settings: twilio.settings, log: pino({ level: 'silent' }) });
    await text.send(ANNA, anAlert());
    expect(await channel.find!(ANNA, anAlert(), 200)).toBeNull();
    await channel.send(ANNA, anAlert());
    expect(await open().find!(ANNA, anAlert(), 200)).toMatchObject({
      kind: 'sent',
      providerRef: twilio.messages[1]!.sid,
    });
  });
});

describe('a refusal', () => {
  const cannot = (reason: string): AttemptOutcome => ({ kind: 'permanent_fault', reason, carrier: 'cannot' });
  const away = (reason: string): AttemptOutcome => ({ kind: 'permanent_fault', reason, carrier: 'away' });
  const TEMPLATE = 'WhatsApp does not take the template: check TWILIO_WHATSAPP_TEMPLATES';

  test.each<[string, { status: number; code: number }, AttemptOutcome]>([
    ['no such user', { status: 400, code: 63003 }, cannot('this number has no WhatsApp')],
    ['blocked', { status: 400, code: 63014 }, cannot('they have blocked the sender at WhatsApp')],
    [
      'Meta’s choice',
      { status: 400, code: 63049 },
      cannot('Meta chose not to deliver it: let the template be of the category Utility'),
    ],
    ['paused template', { status: 400, code: 63041 }, away(TEMPLATE)],
    ['too much', { status: 429, code: 63018 }, { kind: 'temporary_fault', reason: 'the carrier is busy', taken: 'no' }],
    ['sender', { status: 400, code: 21212 }, away('the carrier does not let TWILIO_WHATSAPP_FROM be used for this')],
  ])('%s: says who can mend it, and whether another carrier may take it', async (_, refusal, outcome) => {
    const { twilio, channel, lines } = await rig();
    twilio.failNext(refusal);
    expect(await channel.send(ANNA, anAlert())).toEqual(outcome);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain(ANNA.slice(1));
  });

  test.each([
    [
      'a sender that is none',
      { from: '+12025550111' },
      'the carrier does not let TWILIO_WHATSAPP_FROM be used for this',
    ],
    [
      'templates of somebody else',
      { templates: new Map([['en', { message: `HX${'0'.repeat(32)}`, code: `HX${'1'.repeat(32)}` }]]) },
      TEMPLATE,
    ],
  ])('settings that are wrong: %s', async (_, but, reason) => {
    const { channel } = await rig({ but });
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'permanent_fault', reason, carrier: 'away' });
  });
});

describe('what comes back', () => {
  test('statuses in any order, with fields that nobody knows yet: read is delivered, the window is a fault', async () => {
    const { twilio, news, alert } = await doorRig();
    const { templates, ...settings } = twilio.whatsApp;
    const channel = createTwilioChannel({ kind: 'text', settings, log: pino({ level: 'silent' }), templates });
    await channel.send(ANNA, alert);
    const providerRef = twilio.messages[0]!.sid;
    // Delivered without sent, and read before delivered.
    for (const status of ['read', 'delivered']) expect((await twilio.tell(providerRef, status))?.status).toBe(200);
    await twilio.tell(providerRef, 'undelivered', { errorCode: 63016 });
    expect(await twilio.tell(providerRef, 'read', { signs: 'wrong' })).toMatchObject({ status: 403 });
    expect(news).toEqual([
      { kind: 'arrived', providerRef },
      { kind: 'arrived', providerRef },
      {
        ...{ kind: 'fault', providerRef, lasts: 'permanent' },
        reason: 'WhatsApp takes nothing but templates: check TWILIO_WHATSAPP_TEMPLATES',
      },
      { kind: 'forged' },
    ]);
  });

  test('a fault that is told late names the sender of WhatsApp', async () => {
    const { twilio, news, alert } = await doorRig();
    const { templates, ...settings } = twilio.whatsApp;
    const channel = createTwilioChannel({ kind: 'text', settings, log: pino({ level: 'silent' }), templates });
    await channel.send(ANNA, alert);
    const reason = 'the carrier does not let TWILIO_WHATSAPP_FROM be used for this';
    await twilio.tell(twilio.messages[0]!.sid, 'failed', { errorCode: 21212 });
    expect(news).toMatchObject([{ kind: 'fault', reason }]);
    expect(await channel.find!(ANNA, alert, 1_000)).toEqual({ kind: 'permanent_fault', reason });
  });

  test('whoever writes over WhatsApp is the number', async () => {
    const { twilio, url, news } = await doorRig();
    const inbound = `${url}/carrier/whatsapp/text`;
    const more = {
      ButtonText: 'Übernehmen',
      ButtonPayload: 'x',
      ChannelMetadata: '{"type":"whatsapp"}',
      NewField: '1',
    };
    await twilio.replyTo(`whatsapp:${ANNA}`, 'OK K7M4', inbound, { more });
    await twilio.replyTo('whatsapp:somebody', 'OK K7M4', inbound);
    await twilio.replyTo('messenger:123', 'OK K7M4', inbound);
    expect(news).toEqual([{ kind: 'reply', from: ANNA, text: 'OK K7M4' }, { kind: 'nothing' }, { kind: 'nothing' }]);
  });

  test('far too many fields cost nothing', () => {
    const door = createTwilioCallback({ authToken: 't' });
    const headers = { 'x-twilio-signature': `${'A'.repeat(27)}=` };
    const url = 'https://tocsin.test/carrier/whatsapp/text';
    expect(door.read({ topic: 'text', url, headers, body: 'a=1&'.repeat(300) })).toEqual({ kind: 'forged' });
  });
});
