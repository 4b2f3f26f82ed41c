import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { refusal } from '../../support/console.ts';
import { ANNAS_NUMBER, aPhoneHome, type PhoneHome } from './responder-carrier-rig.ts';

/** A request of Twilio's, handed to the RPC as the facade does, signed with its token or with another. */
function receive({ world, twilio, responder }: PhoneHome, topic: string, reference: string, form: object, token = '') {
  const path = `/carrier/twilio/${topic}${reference === '' ? '' : `/${reference}`}`;
  const fields = Object.entries(form).map(([name, value]) => [name, String(value)] as [string, string]);
  const covered = world.url + path + fields.toSorted().flat().join('');
  const signature = createHmac('sha1', token || twilio.settings.authToken)
    .update(covered)
    .digest('base64');
  const body = new URLSearchParams(fields).toString();
  return responder.receiveFromCarrier({
    ...{ carrier: 'twilio', topic, reference, path, body },
    headers: { 'x-twilio-signature': signature },
  });
}

test('every request of a carrier has a word for what it came to', async () => {
  const home = await aPhoneHome(['text', 'call']);
  await home.act('trigger');
  const [text, call] = [await home.twilio.nextMessage(), await home.twilio.nextCall()];
  const referenceOf = (url: string | undefined) => url!.split('/').slice(-2).join('/');
  const ofText = referenceOf(text.fields.StatusCallback);
  const ofCall = referenceOf(call.fields.Url);
  const outcome = async (...asked: [topic: string, reference: string, form: object]) =>
    (await receive(home, ...asked)).outcome;
  const told = (MessageStatus: string) => ({ MessageSid: text.sid, MessageStatus });
  const pressed = (Digits: string) => ({ CallSid: call.sid, Digits });
  const wrote = (Body: string) => ({ From: ANNAS_NUMBER, Body });
  const code = await home.code();

  expect(await outcome('status', ofText, told('sent'))).toBe('nothing');
  expect(await outcome('status', ofText, told('delivered'))).toBe('recorded');
  expect(await outcome('status', ofText, told('delivered'))).toBe('replayed');
  const nobodys = `${ofText[0] === 'a' ? 'b' : 'a'}${ofText.slice(1)}`;
  expect(await outcome('status', nobodys, told('delivered'))).toBe('unknown_delivery');
  expect(await outcome('voice', ofCall, { CallSid: call.sid })).toBe('nothing');
  expect(await outcome('key', ofCall, pressed('2'))).toBe('repeated');
  expect(await outcome('key', ofCall, pressed('7'))).toBe('not_understood');
  expect(await outcome('text', '', wrote('what is this?'))).toBe('not_understood');
  expect(await outcome('text', '', wrote('BBBB'))).toBe('unknown_code');
  expect(await outcome('text', '', wrote('STOP'))).toBe('nothing');
  expect(await outcome('key', ofCall, pressed('1'))).toBe('acknowledged');
  expect(await outcome('text', '', wrote(code))).toBe('already_acknowledged');
  await home.act('clear');
  expect(await outcome('key', ofCall, pressed('1'))).toBe('already_closed');
});

test('what somebody else signed comes to nothing and says nothing', async () => {
  const home = await aPhoneHome();
  await home.act('trigger');
  const { fields, sid } = await home.twilio.nextMessage();
  const reference = fields.StatusCallback!.split('/').slice(-2).join('/');
  const form = { MessageSid: sid, MessageStatus: 'delivered' };
  expect(await refusal(receive(home, 'status', reference, form, 'a token of somebody else'))).toMatchObject({
    code: 'PermissionDenied',
  });
  expect(await home.became()).toEqual(['text sent', 'text scheduled']);
});
