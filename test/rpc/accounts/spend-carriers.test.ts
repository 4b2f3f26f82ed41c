import { expect, onTestFinished, test } from 'vitest';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { startTwilio } from '../../support/twilio.ts';
import { startWorld } from '../../support/world.ts';
import { tokenOf } from '../incident/incident-rig.ts';

/** An owner whose panic button writes to Anna by text, through a carrier that charges; the cap of a day in cents. */
/** `source`: what fires. A panic button stops at the cap, an alarm does not. */
async function anna(
  dailySpendCapCents: number,
  channels: ('text' | 'call')[] = ['text'],
  source: 'alarm' | 'panic' = 'panic',
) {
  const twilio = await startTwilio();
  onTestFinished(() => twilio.stop());
  const world = await startWorld({ carriers: { twilio: twilio.settings }, publicUrl: 'of the facade' });
  const owner = await world.account();
  const contactId = await owner.contact(
    'Anna',
    Object.fromEntries(channels.map(channel => [channel, '+4366012345678'])),
  );
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['text'] }] }]);
  const id =
    source === 'panic' ? await owner.panicButton({ policyId }) : await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  const own = consoleOf(world, await tokenOf(world, owner, 'Anna’s laptop'));
  const { accounts } = consoleOf(world, world.operator, owner.accountId);
  const { account } = await accounts.getAccount({});
  await accounts.updateAccount({ account: { ...account!, dailySpendCapCents } });
  const fire = async () => {
    await world.get(`/v1/${source}/${id}/trigger`, key);
    await world.settle();
    await world.get(`/v1/${source}/${id}/clear`, key);
    await world.settle();
    await world.advance(1);
  };
  const spent = async () => (await own.accounts.getSpend({})).days.map(({ cents }) => cents);
  return { twilio, world, own, contactId, fire, spent };
}

test('over the cap drills and codes are refused by text and call, live incidents go out, and the owner hears once', async () => {
  const { twilio, own, contactId, fire, spent } = await anna(15, ['text', 'call'], 'alarm');
  const drill = (channel: string) => own.drills.drill({ contactId, channel });
  expect((await drill('text')).outcome).toBe('sent');
  const [ofOne] = await spent();
  expect(ofOne).toBeGreaterThanOrEqual(5);
  await fire();
  await fire();
  await fire();
  await own.contacts.createContact({
    contact: { name: 'Ben', channels: ['text', 'call'].map(channel => ({ channel, address: '+4366087654321' })) },
  });
  const before = twilio.messages.length;
  for (const channel of ['text', 'call']) {
    expect(await refusal(drill(channel))).toMatchObject({
      code: 'ResourceExhausted',
      message: expect.stringMatching(/^spend_capped: .* the daily cap is \$0\.15\./),
    });
    expect(await refusal(own.contacts.sendVerificationCode({ contactId: 'ben', channel }))).toMatchObject({
      code: 'ResourceExhausted',
      message: expect.stringMatching(/^spend_capped: /),
    });
  }
  expect(twilio.messages.length).toBe(before);
  expect(twilio.calls).toEqual([]);
  await fire();
  expect(twilio.messages.length).toBe(before + 1);
  const kinds = (await own.accounts.listNotices({})).notices.map(({ kind }) => kind);
  expect(kinds.filter(kind => kind === 'spend_capped')).toEqual(['spend_capped']);
});

test('what the carrier refused costs nothing, what it took costs once', async () => {
  const { twilio, fire, spent } = await anna(0);
  twilio.failNext({ status: 400, code: 21211 });
  await fire();
  expect(await spent()).toEqual([]);
  await fire();
  const [ofOne] = await spent();
  expect(ofOne).toBeGreaterThanOrEqual(5);
});

test('a text that its carrier reports before its sender has heard the answer costs once', async () => {
  const { twilio, world, fire, spent } = await anna(0);
  await fire();
  const [ofOne] = await spent();
  twilio.behave(600);
  const seen = twilio.messages.length;
  const firing = fire();
  const message = await twilio.nextMessage(one => twilio.messages.indexOf(one) >= seen);
  await twilio.tell(message.sid, 'delivered');
  await firing;
  await world.settle();
  expect(await spent()).toEqual([ofOne! * 2]);
});

test('an outsider sees nothing of what another account spends', async () => {
  const { world, fire, spent } = await anna(0);
  await fire();
  expect(await spent()).toHaveLength(1);
  const { console: outsider } = await newOwner(world);
  expect((await outsider.accounts.getSpend({})).days).toEqual([]);
});
