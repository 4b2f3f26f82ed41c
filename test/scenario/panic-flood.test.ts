import { expect, onTestFinished, test } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { consoleOf } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { startWorld } from '../support/world.ts';

/* DECISIONS.md "Panic buttons": ten messages to a person over a channel within ten minutes, and what becomes of more. */

const ANNA = '+12025550101';

/** A world with carriers, and an account in it whose button tells Anna at once over these channels. */
async function aHouse(channels: ChannelKind[], addresses: Partial<Record<ChannelKind, string>>) {
  const [twilio, smtp] = await Promise.all([startTwilio(), startSmtp()]);
  onTestFinished(async () => void (await Promise.all([twilio.stop(), smtp.stop()])));
  const world = await startWorld({
    carriers: { twilio: twilio.settings },
    smtpUrl: smtp.url,
    publicUrl: 'https://a.test',
  });
  const house = await withButton(addresses);

  /** An account whose button and alarm tell somebody at once. */
  async function withButton(reached: Partial<Record<ChannelKind, string>>) {
    const owner = await world.account();
    const contactId = await owner.contact('Anna', reached);
    const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels }] }]);
    const [key, button] = [await owner.key(), await owner.panicButton({ policyId })];
    const call = async (path: string) => {
      expect((await world.get(`/v1/${path}`, key)).status).toBe(202);
      await world.settle();
    };
    return {
      owner,
      button,
      alarm: await owner.alarm({ modes: { away: { policyId } } }),
      call,
      press: () => call(`panic/${button}/trigger`),
      clear: () => call(`panic/${button}/clear`),
    };
  }

  return {
    world,
    ...house,
    withButton,
    async flood(times: number, apartS: number) {
      for (let nth = 0; nth < times; nth++) {
        await house.press();
        await house.clear();
        await world.advance(apartS);
      }
    },
    textsTo: (number: string) => twilio.messages.filter(({ fields }) => fields.To === number),
    callsTo: (number: string) => twilio.calls.filter(({ fields }) => fields.To === number),
    mailsTo: (address: string) => smtp.mails.filter(({ envelope }) => envelope.to.includes(address)),
  };
}

test('a flood of presses sends a person ten texts and ten mails; the next says how many more, and the neighbour does not notice', async () => {
  const house = await aHouse(['text', 'email'], { text: ANNA, email: 'anna@example.com' });
  await house.flood(16, 0.4);
  expect([house.textsTo(ANNA).length, house.mailsTo('anna@example.com').length]).toEqual([10, 10]);

  const neighbour = await house.withButton({ text: '+12025550199', email: 'ben@example.com' });
  await neighbour.press();
  expect([house.textsTo('+12025550199').length, house.mailsTo('ben@example.com').length]).toEqual([1, 1]);

  // One that stays open is told within a minute, with all that nobody was told of.
  await house.press();
  expect(house.textsTo(ANNA)).toHaveLength(10);
  await house.world.advance(60);
  expect(house.textsTo(ANNA)).toHaveLength(11);
  expect(house.textsTo(ANNA).at(-1)!.fields.Body).toContain('and 6 more within 10 min');
  expect(house.mailsTo('anna@example.com')).toHaveLength(11);
  // Ten minutes later there is room for ten again.
  await house.clear();
  await house.world.advance(600);
  await house.flood(3, 1);
  expect(house.textsTo(ANNA)).toHaveLength(14);
});

test('where a person can be called, a call takes the place of a text that is held back', async () => {
  const house = await aHouse(['text'], { text: ANNA, email: 'anna@example.com', call: ANNA });
  await house.flood(10, 1);
  expect([house.textsTo(ANNA).length, house.callsTo(ANNA).length]).toEqual([10, 0]);
  await house.press();
  expect([house.textsTo(ANNA).length, house.callsTo(ANNA).length]).toEqual([10, 1]);
  expect(house.mailsTo('anna@example.com')).toEqual([]);
  const [incident] = await house.owner.incidents();
  expect(incident!.deliveries.map(({ channel, status, reason }) => `${channel} ${status} ${reason}`.trim())).toEqual([
    'call sent',
    'text scheduled throttled',
  ]);
});

test('what an alarm sends leaves a panic button its ten', async () => {
  const house = await aHouse(['text'], { text: ANNA });
  for (let nth = 0; nth < 14; nth++) {
    await house.call(`alarm/${house.alarm}/trigger`);
    await house.call(`alarm/${house.alarm}/clear`);
    await house.world.advance(1);
  }
  const before = house.textsTo(ANNA).length;
  await house.flood(10, 1);
  expect(house.textsTo(ANNA)).toHaveLength(before + 10);
});

test('one button costs no more on a day than the cap of its account; the first text to each person goes, and other channels do', async () => {
  const house = await aHouse(['text'], { text: ANNA, email: 'anna@example.com' });
  const operator = consoleOf(house.world, house.world.operator, house.owner.accountId);
  const { account } = await operator.accounts.getAccount({});
  await operator.accounts.updateAccount({
    account: { ...account!, dailySpendCapCents: 20, dailySpendCeilingCents: 0 },
  });
  await house.flood(8, 1);
  expect((await operator.accounts.getSpend({})).days).toMatchObject([{ cents: 20 }]);
  expect([house.textsTo(ANNA).length, house.mailsTo('anna@example.com').length]).toEqual([4, 4]);
  // Another button of the account has its own, and so has an alarm: only what one button does is held to it.
  await house.call(`alarm/${house.alarm}/trigger`);
  expect(house.textsTo(ANNA)).toHaveLength(5);
  await house.world.advance(24 * 3600);
  await house.press();
  expect(house.textsTo(ANNA).length).toBeGreaterThan(5);
});
