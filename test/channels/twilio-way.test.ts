import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { startTwilio } from '../support/twilio.ts';
import { startWorld } from '../support/world.ts';

const ANNA = '+4366012345678';
const BOB = '+4366087654321';

test('a text goes out and arrives, and the reply to it acknowledges the incident', async () => {
  const { twilio, owner, fire, replies } = await house({ Anna: 'text', Bob: 'text' });
  await fire();
  const [toAnna, toBob] = [ANNA, BOB].map(number => twilio.messages.find(({ fields }) => fields.To === number));
  await twilio.tell(toAnna?.sid ?? '', 'delivered');
  await twilio.tell(toBob?.sid ?? '', 'sent');
  expect(await states(owner)).toEqual({ Anna: ['delivered', ''], Bob: ['sent', ''] });

  const code = /\b[A-Z0-9]{4}\b(?!.*\b[A-Z0-9]{4}\b)/s.exec(toAnna?.fields.Body ?? '')?.[0] ?? '';
  expect(await twilio.replyTo(ANNA, ` ok ${code.toLowerCase()}`, replies)).toMatch(/./);
  const [incident] = await owner.incidents();
  expect(incident?.acknowledgedBy).toContain('Anna');
});

test('whoever answers a call hears what fired, and key 1 acknowledges the incident', async () => {
  const { twilio, owner, fire } = await house({ Anna: 'call' });
  await fire();
  const sid = twilio.calls[0]?.sid ?? '';
  const heard = await twilio.answerCall(sid);
  expect(heard.said[0]).toContain('Shop');
  expect((await twilio.press(sid, '7')).said[0]).toContain(heard.said[0]);
  expect((await twilio.press(sid, '2')).said).toEqual(heard.said);
  expect((await twilio.press(sid, '1')).verbs).toEqual(['Say', 'Hangup']);
  await twilio.tell(sid, 'completed');
  const [incident] = await owner.incidents();
  expect(incident?.acknowledgedBy).toContain('Anna');
  expect(await states(owner)).toEqual({ Anna: ['delivered', ''] });
});

test('what is forged changes nothing', async () => {
  const { twilio, owner, fire, replies } = await house({ Anna: 'call', Bob: 'text' });
  await fire();
  const sid = twilio.calls[0]?.sid ?? '';
  for (const signs of ['wrong', 'missing', 'of_another_url'] as const) {
    expect(await twilio.tell(twilio.messages[0]?.sid ?? '', 'delivered', { signs })).toMatchObject({ status: 403 });
    await expect(twilio.answerCall(sid, { signs })).rejects.toThrow('403');
    await expect(twilio.replyTo(BOB, 'OK', replies, { signs })).rejects.toThrow('403');
  }
  await twilio.answerCall(sid);
  await expect(twilio.press(sid, '1', { signs: 'wrong' })).rejects.toThrow('403');
  const [incident] = await owner.incidents();
  expect(incident?.acknowledgedBy).toBe('');
  expect(await states(owner)).toEqual({ Anna: ['sent', ''], Bob: ['sent', ''] });
});

test.each([
  'garbage',
  'reset',
] as const)('a carrier accepts a text and then does %s: the person gets it once, and nothing is lost', async mode => {
  const { twilio, owner, world, fire } = await house({ Anna: 'text' });
  twilio.behave(mode);
  await fire();
  expect((await states(owner)).Anna?.[1]).toMatch(/^the carrier /);
  twilio.behave('ok');
  await world.advance(5);
  expect(await states(owner)).toEqual({ Anna: ['sent', ''] });
  expect(twilio.messages).toHaveLength(1);

  // The carrier goes on telling of the attempt that it took, which the second one took over.
  const sid = twilio.messages[0]?.sid ?? '';
  await twilio.tell(sid, 'delivered');
  expect(await states(owner)).toEqual({ Anna: ['delivered', ''] });
  await twilio.tell(sid, 'undelivered', { errorCode: 30003 });
  expect(await states(owner)).toEqual({ Anna: ['delivered', ''] });
});

test('a call that the second attempt took over is busy: it is made again, and what is told twice changes nothing', async () => {
  const { twilio, owner, world, fire } = await house({ Anna: 'call' });
  twilio.behave('reset');
  await fire();
  twilio.behave('ok');
  await world.advance(5);
  expect(await states(owner)).toEqual({ Anna: ['sent', ''] });
  const sid = twilio.calls[0]?.sid ?? '';
  await twilio.tell(sid, 'busy');
  expect(await states(owner)).toEqual({ Anna: ['scheduled', 'busy'] });
  await world.advance(15);
  expect(await states(owner)).toEqual({ Anna: ['sent', ''] });
  expect(twilio.calls).toHaveLength(2);
  await twilio.tell(sid, 'busy');
  await world.settle();
  expect(await states(owner)).toEqual({ Anna: ['sent', ''] });
  expect(twilio.calls).toHaveLength(2);
});

test('behind a proxy that ends TLS and takes a path away, what is signed is the public URL and no other', async () => {
  const publicUrl = 'https://alarm.example.com/tocsin';
  const { twilio, owner, world, fire } = await house({ Anna: 'text' }, publicUrl);
  await fire();
  const [message] = twilio.messages;
  const callback = message?.fields.StatusCallback ?? '';
  expect(callback).toMatch(/^https:\/\/alarm\.example\.com\/tocsin\/carrier\/twilio\/status\//);
  const seen = world.url + callback.slice(publicUrl.length);
  const form = { MessageSid: message?.sid ?? '', MessageStatus: 'delivered' };
  const signed = (url: string) =>
    createHmac('sha1', twilio.settings.authToken)
      .update(`${url}MessageSid${form.MessageSid}MessageStatusdelivered`)
      .digest('base64');
  const post = async (url: string) => {
    const headers = {
      'x-twilio-signature': signed(url),
      host: 'alarm.example.com',
      'x-forwarded-host': 'evil.example',
    };
    return (await fetch(seen, { method: 'POST', headers, body: new URLSearchParams(form) })).status;
  };
  for (const other of [seen, callback.replace('/tocsin', ''), callback.replace('https', 'http')]) {
    expect(await post(other)).toBe(403);
  }
  expect(await states(owner)).toEqual({ Anna: ['sent', ''] });
  expect(await post(callback)).toBe(200);
  expect(await states(owner)).toEqual({ Anna: ['delivered', ''] });
});

/** A panic button that tells each of these people over one channel, through Twilio, with links that lead back to the facade. */
async function house(people: Partial<Record<'Anna' | 'Bob', 'text' | 'call'>>, publicUrl = 'of the facade') {
  const twilio = await startTwilio();
  onTestFinished(twilio.stop);
  const world = await startWorld({ carriers: { twilio: twilio.settings }, publicUrl });
  const owner = await world.account();
  const numbers = { Anna: ANNA, Bob: BOB };
  const contacts = [];
  for (const [name, channel] of Object.entries(people)) {
    const contactId = await owner.contact(name, { [channel]: numbers[name as 'Anna' | 'Bob'] });
    contacts.push({ contactId, channels: [channel] });
  }
  const policyId = await owner.policy([{ delayS: 0, contacts }]);
  const button = await owner.panicButton({ policyId, name: 'Shop' });
  const key = await owner.key();
  const fire = async () => {
    expect((await world.get(`/v1/panic/${button}/trigger`, key)).status).toBe(202);
    await world.settle();
  };
  return { twilio, world, owner, fire, replies: `${world.url}/carrier/twilio/text` };
}

/** Status and reason of the message to each person. */
async function states(owner: Awaited<ReturnType<typeof house>>['owner']): Promise<Record<string, [string, string]>> {
  const [incident] = await owner.incidents();
  return Object.fromEntries(
    (incident?.deliveries ?? [])
      .filter(({ kind }) => kind === 'alert')
      .map(({ contactName, status, reason }) => [contactName, [status, reason]]),
  );
}
