import { expect, onTestFinished, test } from 'vitest';
import { commandLine } from '../cli/command-line.ts';
import { tokenOf } from '../rpc/incident/incident-rig.ts';
import { consoleOf } from '../support/console.ts';
import { startTelnyx } from '../support/telnyx.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld } from '../support/world.ts';

const ANNA = '+4366012345678';

/** A live alarm that tells Anna, for whom Telnyx stands by behind Twilio. */
async function family(channel: 'text' | 'call', locale = 'en-GB') {
  const [twilio, telnyx] = await Promise.all([startTwilio(), startTelnyx()]);
  const order = { text: ['twilio', 'telnyx'], call: ['twilio', 'telnyx'] };
  const carriers = { twilio: twilio.settings, telnyx: telnyx.settings, order };
  const world = await startWorld({ carriers, publicUrl: 'of the facade' });
  onTestFinished(async () => void (await Promise.all([twilio.stop(), telnyx.stop()])));
  const owner = await world.account();
  const anna = await owner.contact('Anna', { [channel]: ANNA });
  await world.rows('UPDATE contact SET locale = $1', [locale]);
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: [channel] }] }]);
  const [id, key] = [await owner.alarm({ modes: { away: { policyId } } }), await owner.key()];
  const incident = async () => (await owner.incidents())[0]!;
  const delivery = async () => (await incident()).deliveries.find(({ kind }) => kind === 'alert')!;
  const trigger = async () => void (await world.get(`/v1/alarm/${id}/trigger`, key));
  return { twilio, telnyx, world, owner, trigger, incident, delivery, inbound: `${world.url}/carrier/telnyx/text` };
}

test('Twilio refuses everybody: the call comes from the next provider at once, and a key acknowledges', async () => {
  const { twilio, telnyx, world, trigger, incident, delivery } = await family('call', 'de');
  twilio.failNext({ status: 401, code: 20003 });
  await trigger();
  await world.settle();
  expect([twilio.calls.length, telnyx.calls.length]).toEqual([0, 1]);
  expect(await delivery()).toMatchObject({
    ...{ status: 'sent', carrier: 'telnyx', providerRef: telnyx.calls[0]!.ref },
    carrierTries: [{ carrier: 'twilio', taken: 'no' }],
  });
  const { ref } = telnyx.calls[0]!;
  const said = await telnyx.answerCall(ref);
  expect(said.said[0]).toContain('House');
  expect(said.xml).toContain('<Say language="de-DE" voice="alice">');
  const confirmed = await telnyx.press(ref, '1');
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna', status: 'open' });
  expect(confirmed.verbs).toEqual(['Say', 'Hangup']);
  // The carrier sends it again: it comes to what it came to.
  const action = said.gathers[0]!.attributes.action!;
  expect((await telnyx.post(action, `CallSid=${ref}&Digits=1`)).body).toBe(confirmed.xml);
  await telnyx.tell(ref, 'completed');
  expect(await delivery()).toMatchObject({ status: 'delivered', carrier: 'telnyx' });
});

test('Twilio hangs: the text comes from the next provider, and a reply to its number acknowledges and is answered from there', async () => {
  const { twilio, telnyx, world, trigger, incident, delivery, inbound } = await family('text');
  twilio.behave('hang');
  twilio.behave('hang', 'list');
  await trigger();
  await world.settle();
  expect(telnyx.texts).toHaveLength(1);
  const sent = await delivery();
  expect(sent).toMatchObject({
    status: 'sent',
    carrier: 'telnyx',
    carrierTries: [{ carrier: 'twilio', taken: 'maybe' }],
  });
  // 4 s of silence, and 2 s in which Twilio could say that it has it.
  expect(sent.carrierTries[0]!.tookMs).toBeLessThan(6_500);
  const [row] = await world.rows<{ reply_code: string }>('SELECT reply_code FROM incident');
  const code = row!.reply_code;
  expect(telnyx.texts[0]!.fields.text).toContain(code);

  expect((await telnyx.replyTo(ANNA, 'who is this?', inbound)).status).toBe(200);
  expect((await incident()).acknowledgedBy).toBe('');
  for (const signs of ['wrong', 'long_ago'] as const)
    expect((await telnyx.replyTo(ANNA, `OK ${code}`, inbound, { signs })).status).toBe(403);
  expect((await incident()).acknowledgedBy).toBe('');
  expect((await telnyx.replyTo(ANNA, `OK ${code}`, inbound)).status).toBe(200);
  const acknowledged = await incident();
  expect(acknowledged).toMatchObject({ acknowledgedBy: 'Anna', status: 'open' });
  // The carrier tells it twice, as it may: nothing happens twice.
  expect((await telnyx.replyTo(ANNA, `OK ${code}`, inbound)).status).toBe(200);
  expect((await incident()).acknowledgedAt).toEqual(acknowledged.acknowledgedAt);
  const { fields } = await telnyx.nextText(each => String(each.fields.text).startsWith('You acknowledged this.'));
  expect(fields).toMatchObject({ to: ANNA, from: telnyx.settings.from });
  // Twilio has nothing to do with it.
  expect(twilio.messages).toHaveLength(1);
});

test('what it reports counts once, is believed only if signed, and not for a carrier that was asked before', async () => {
  const { twilio, telnyx, world, trigger, delivery } = await family('text');
  twilio.failNext({ status: 401, code: 20003 });
  await trigger();
  await world.settle();
  const { ref, fields } = telnyx.texts[0]!;
  const own = String(fields.webhook_url);
  expect(own).toMatch(/\/2\?proof=/);
  expect((await telnyx.tell(ref, 'delivered', { signs: 'wrong' }))?.status).toBe(403);
  expect((await telnyx.tell(ref, 'delivered', { url: own.replace('/2?', '/1?') }))?.status).toBe(403);
  expect((await delivery()).status).toBe('sent');
  expect((await telnyx.tell(ref, 'delivered'))?.status).toBe(200);
  expect((await telnyx.tell(ref, 'delivered'))?.status).toBe(200);
  expect(await delivery()).toMatchObject({ status: 'delivered', carrier: 'telnyx', attempts: 1 });
  // A state only moves forward.
  await telnyx.tell(ref, 'delivery_failed', { errorCode: '40008' });
  expect((await delivery()).status).toBe('delivered');
});

test('accepted and failed later: the reason is told, and the next channel would go', async () => {
  const { twilio, telnyx, world, trigger, delivery } = await family('text');
  twilio.failNext({ status: 401, code: 20003 });
  await trigger();
  await world.settle();
  await telnyx.tell(telnyx.texts[0]!.ref, 'delivery_failed', { errorCode: '40001' });
  expect(await delivery()).toMatchObject({ status: 'failed', reason: 'landline or unreachable carrier' });
});

test('what the second one sends is charged like any other, and doctor asks it', async () => {
  const { twilio, telnyx, world, owner, trigger } = await family('text');
  twilio.failNext({ status: 401, code: 20003 });
  await trigger();
  await world.settle();
  const own = consoleOf(world, await tokenOf(world, owner, 'A token'));
  expect((await own.accounts.getSpend({})).days[0]!.cents).toBeGreaterThan(0);
  telnyx.credit('-0.01');
  const { json } = await commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator }).json('doctor');
  const found = (json.checks as { name: string; verdict: string; found: string; fix: string }[]).filter(({ name }) =>
    ['text', 'call'].includes(name),
  );
  expect(found).toMatchObject(
    ['text', 'call'].map(name => ({
      ...{ name, verdict: 'warn' },
      found: expect.stringMatching(/^telnyx does not work: the account at the carrier has no credit left/),
      fix: expect.stringContaining('TELNYX_API_KEY'),
    })),
  );
});

test('it is the only one where nothing else is set up, and answers at once where all is well', async () => {
  const telnyx = await startTelnyx();
  onTestFinished(telnyx.stop);
  const world = await startWorld({ carriers: { telnyx: telnyx.settings }, publicUrl: 'of the facade' });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { text: ANNA, call: ANNA });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['call', 'text'] }] }]);
  const id = await owner.panicButton({ policyId });
  await world.get(`/v1/panic/${id}/trigger`, await owner.key());
  await world.settle();
  expect(telnyx.calls).toHaveLength(1);
  await telnyx.tell(telnyx.calls[0]!.ref, 'no-answer');
  await world.settle();
  expect(telnyx.texts).toHaveLength(1);
});
