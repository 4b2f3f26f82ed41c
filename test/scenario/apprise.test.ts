import { expect, onTestFinished, test } from 'vitest';
import { startApprise } from '../support/apprise.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';

/** A family whose Anna is told over Apprise, and by mail if that fails. */
async function family() {
  const [apprise, smtp] = [await startApprise(), await startSmtp()];
  onTestFinished(apprise.stop);
  onTestFinished(smtp.stop);
  const carriers = { apprise: apprise.settings };
  const world = await startWorld({ carriers, smtpUrl: smtp.url, publicUrl: 'of the facade' });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { chat: 'apprise:anna', email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['chat'] }] }]);
  const alarm = await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  return {
    ...{ apprise, smtp, world, owner },
    async trigger() {
      await world.get(`/v1/alarm/${alarm}/trigger`, key);
      await world.settle();
    },
  };
}

test('whoever is told over Apprise acknowledges by the link in the message', async () => {
  const { apprise, owner, trigger } = await family();
  await trigger();
  const { body } = await apprise.next();
  const [link] = /https?:\/\/\S+\/i\/[\w-]{48}/.exec(body)!;
  await fetch(`${link}/acknowledge`, { method: 'POST', redirect: 'manual' });
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ acknowledgedBy: 'Anna' });
  expect(incident!.deliveries).toMatchObject([{ channel: 'chat', status: 'sent', carrier: 'apprise' }]);
});

test('what Apprise may have taken goes over the next channel, and not to Apprise again', async () => {
  const { apprise, smtp, owner, trigger, world } = await family();
  apprise.turns('some_fail');
  await trigger();
  await world.settle();
  expect(apprise.notified).toHaveLength(1);
  expect(smtp.mails).toHaveLength(1);
  const [incident] = await owner.incidents();
  expect(incident!.deliveries.map(({ channel, status }) => [channel, status])).toEqual([
    ['chat', 'failed'],
    ['email', 'sent'],
  ]);
});
