import { expect, onTestFinished, test } from 'vitest';
import { tokenOf } from '../rpc/incident/incident-rig.ts';
import { anna as aContact } from '../rpc/readiness/verification-rig.ts';
import { consoleOf, refusal } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { wrongCode } from '../support/verified.ts';
import { startWorld } from '../support/world.ts';

const ANNA = '+4366012345678';

/** A live alarm that texts Anna, for which these carriers stand, and mails her if that fails. */
async function family(text: string[]) {
  const [twilio, smtp] = [await startTwilio(), await startSmtp()];
  onTestFinished(async () => {
    await twilio.stop();
    await smtp.stop();
  });
  const carriers = {
    ...(text.includes('twilio') && { twilio: twilio.settings }),
    whatsapp: twilio.whatsApp,
    order: { text },
  };
  const world = await startWorld({ carriers, smtpUrl: smtp.url, publicUrl: 'of the facade' });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { text: ANNA, email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['text'] }] }]);
  const [id, key] = [await owner.alarm({ modes: { away: { policyId } } }), await owner.key()];
  const incident = async () => (await owner.incidents())[0]!;
  const call = async (verb: 'trigger' | 'clear') => {
    await world.get(`/v1/alarm/${id}/${verb}`, key);
    await world.settle();
  };
  return {
    ...{ twilio, smtp, world, owner, anna, incident },
    delivery: async () => (await incident()).deliveries.find(({ kind }) => kind === 'alert')!,
    code: async () => (await world.rows<{ reply_code: string }>('SELECT reply_code FROM incident'))[0]!.reply_code,
    trigger: () => call('trigger'),
    clear: () => call('clear'),
  };
}

test('it stands by for texts: told over WhatsApp, read is delivered, and a reply there acknowledges', async () => {
  const { twilio, world, trigger, incident, delivery, code } = await family(['twilio', 'whatsapp']);
  twilio.failNext({ status: 401, code: 20003 });
  await trigger();
  const [message, ...more] = twilio.messages;
  expect(more).toEqual([]);
  expect(await delivery()).toMatchObject({
    ...{ status: 'sent', carrier: 'whatsapp', providerRef: message!.sid },
    carrierTries: [{ carrier: 'twilio', taken: 'no' }],
  });
  expect((await twilio.tell(message!.sid, 'read', { signs: 'wrong' }))?.status).toBe(403);
  await twilio.tell(message!.sid, 'read');
  expect(await delivery()).toMatchObject({ status: 'delivered', carrier: 'whatsapp' });

  // Each of the two addresses takes what is written, whichever the sender at Twilio was given.
  const [texts, inbound] = [`${world.url}/carrier/twilio/text`, `${world.url}/carrier/whatsapp/text`];
  expect(await twilio.replyTo('whatsapp:+4366099999999', await code(), inbound)).toContain('No alert for you');
  expect(await twilio.replyTo(`whatsapp:${ANNA}`, 'Übernehmen', inbound)).toContain('reply with just the code');
  await expect(twilio.replyTo(`whatsapp:${ANNA}`, await code(), inbound, { signs: 'wrong' })).rejects.toThrow('403');
  expect((await incident()).acknowledgedBy).toBe('');
  expect(await twilio.replyTo(`whatsapp:${ANNA}`, `ok ${await code()}`, texts)).toContain('You acknowledged this');
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna', status: 'open' });
});

test('a number without WhatsApp takes a text from the next carrier, and one that is told so later the next channel', async () => {
  const { twilio, smtp, world, trigger, delivery } = await family(['whatsapp', 'twilio']);
  twilio.failNext({ status: 400, code: 63003 });
  await trigger();
  expect(await delivery()).toMatchObject({
    ...{ status: 'sent', carrier: 'twilio' },
    carrierTries: [{ carrier: 'whatsapp', reason: 'this number has no WhatsApp', taken: 'no' }],
  });
  const [message] = twilio.messages;
  expect(message!.fields.To).toBe(ANNA);
  await twilio.tell(message!.sid, 'undelivered', { errorCode: 30003 });
  await world.settle();
  expect(smtp.mails).toHaveLength(1);
});

test('accepted and refused later, because no template was taken: the next channel goes, with the reason', async () => {
  const { twilio, smtp, world, trigger, delivery } = await family(['whatsapp']);
  await trigger();
  await twilio.tell(twilio.messages[0]!.sid, 'failed', { errorCode: 63016 });
  await world.settle();
  expect(await delivery()).toMatchObject({
    status: 'failed',
    reason: 'WhatsApp takes nothing but templates: check TWILIO_WHATSAPP_TEMPLATES',
  });
  expect(smtp.mails).toHaveLength(1);
});

test('the reply of a number that another account texts too acknowledges that of its code alone', async () => {
  const { twilio, world, trigger, incident, code } = await family(['whatsapp']);
  const other = await world.account();
  const ben = await other.contact('Ben', { text: ANNA });
  const policyId = await other.policy([{ delayS: 0, contacts: [{ contactId: ben, channels: ['text'] }] }]);
  const alarm = await other.alarm({ modes: { away: { policyId } } });
  await trigger();
  const its = await code();
  await world.get(`/v1/alarm/${alarm}/trigger`, await other.key());
  await world.settle();
  await twilio.replyTo(`whatsapp:${ANNA}`, its, `${world.url}/carrier/whatsapp/text`);
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna' });
  expect((await other.incidents())[0]).toMatchObject({ acknowledgedBy: '' });
});

test('it counts as a text: it is charged as one, and stops at the ceiling', async () => {
  const { twilio, smtp, world, owner, trigger, clear, delivery } = await family(['whatsapp']);
  const operator = consoleOf(world, world.operator, owner.accountId);
  const { account } = await operator.accounts.getAccount({});
  // Room for one text of the alarm, a fifth of the day's.
  await operator.accounts.updateAccount({
    account: { ...account!, dailySpendCeilingCents: 25, dailySpendCapCents: 0 },
  });
  await trigger();
  const { days } = await consoleOf(world, await tokenOf(world, owner, 'A token')).accounts.getSpend({});
  expect(days[0]!.cents).toBeGreaterThan(0);
  await clear();
  await world.advance(1);
  await trigger();
  expect(await delivery()).toMatchObject({ channel: 'text', status: 'failed', reason: 'spend_ceiling' });
  expect([twilio.messages.length, smtp.mails.length]).toEqual([1, 1]);
});

test('it needs a plan that has texts', async () => {
  const { twilio, smtp, world, owner, trigger, delivery } = await family(['whatsapp']);
  const operator = consoleOf(world, world.operator, owner.accountId);
  const { account } = await operator.accounts.getAccount({});
  await operator.accounts.updateAccount({ account: { ...account!, plan: 'free' } });
  await world.advance(15 * 24 * 3600);
  await trigger();
  expect(await delivery()).toMatchObject({ channel: 'text', status: 'failed', reason: 'plan_required' });
  expect([twilio.messages.length, smtp.mails.length]).toEqual([0, 1]);
});

test('an address is verified over it by a code of its own template', async () => {
  const twilio = await startTwilio();
  onTestFinished(twilio.stop);
  const { send, tell, verified } = await aContact({
    carriers: { whatsapp: twilio.whatsApp, order: { text: ['whatsapp'] } },
  });
  expect(await send('text')).toMatchObject({ outcome: 'sent' });
  const said = twilio.textOf(twilio.messages[0]!);
  const [code] = /\d{6}/.exec(said)!;
  expect(said).toBe(`${code} is your verification code.`);
  expect(await refusal(tell(wrongCode(code), 'text'))).toMatchObject({ code: 'FailedPrecondition' });
  await tell(code, 'text');
  expect(await verified()).toContain('text');
});
