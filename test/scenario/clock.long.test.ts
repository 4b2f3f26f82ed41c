import { expect, onTestFinished, test } from 'vitest';
import { commandLine } from '../cli/command-line.ts';
import { consoleOf } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "One clock": what somebody does to the database's clock mutes nothing, brings nothing forward, doubles nothing. */

const HOUR = 3_600;
const DAY = 24 * HOUR;
const STEPS = [-HOUR, -20, 20, HOUR, -30 * DAY, 30 * DAY];

/** What the database's clock says, in seconds since 1970. */
async function wallS(world: World): Promise<number> {
  const [clock] = await world.rows<{ s: number }>('SELECT extract(epoch FROM at)::float8 AS s FROM test_clock');
  return clock!.s;
}

/** A house whose alarm tells Anna at once, and again after five minutes, and a neighbour beside it. */
async function aHouse() {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url, clock: 'settable' });
  const made = async (mail: string) => {
    const owner = await world.account({ ownerEmail: `owner-of-${mail}` });
    const contactId = await owner.contact('Anna', { email: mail });
    const contacts = [{ contactId, channels: ['email' as const] }];
    const policyId = await owner.policy([
      { delayS: 0, contacts },
      { delayS: 300, contacts },
    ]);
    const alarmId = await owner.alarm({ modes: { away: { windowS: 30, policyId }, night: { policyId } } });
    const panicId = await owner.panicButton({ policyId });
    const key = await owner.key();
    const call = async (path: string) => {
      const answer = await world.get(`/v1/${path}`, key);
      expect(answer.status).toBe(202);
      await world.settle();
      return answer;
    };
    return {
      owner,
      trigger: (mode: string) => call(`alarm/${alarmId}/trigger/${mode}`),
      alarm: (verb: string) => call(`alarm/${alarmId}/${verb}`),
      panic: () => call(`panic/${panicId}/trigger`),
      mails: () => smtp.mails.filter(({ envelope }) => envelope.to.includes(mail)).length,
    };
  };
  return { world, smtp, house: await made('anna@example.com'), neighbour: await made('ben@example.com') };
}

test.for(STEPS)('a clock set by %i s after one call: what is accepted now alerts now, everybody’s', async byS => {
  const { world, house, neighbour } = await aHouse();
  await house.alarm('clear');
  await world.setClock(byS);
  await house.panic();
  await neighbour.trigger('night');
  expect([house.mails(), neighbour.mails()]).toEqual([1, 1]);
});

test('a call right after the machine stood still has its whole window', async () => {
  const { world, house } = await aHouse();
  await house.alarm('clear');
  await world.standStill(60);
  const fired = await house.trigger('away');
  await world.advance(29.9);
  expect((await house.owner.call(fired)).outcome).toBe('pending');
  await world.advance(0.1);
  expect((await house.owner.call(fired)).outcome).toBe('opened');
});

test.for(STEPS)('a clock set by %i s: a window and a step wait for as long as they had to, and act once', async byS => {
  const { world, house } = await aHouse();
  await house.panic();
  const fired = await house.trigger('away');
  await world.advance(12);
  await world.setClock(byS);
  expect((await house.owner.call(fired)).outcome).toBe('pending');
  await world.advance(17.999);
  expect((await house.owner.call(fired)).outcome).toBe('pending');
  expect(house.mails()).toBe(1);
  await world.advance(0.001);
  expect((await house.owner.call(fired)).outcome).toBe('opened');
  expect(house.mails()).toBe(2);
  await world.advance(269.999);
  expect(house.mails()).toBe(2);
  await world.advance(0.001);
  expect(house.mails()).toBe(3);
  await world.advance(HOUR);
  expect(house.mails()).toBe(4);
});

test.for(
  STEPS,
)('a clock set by %i s: an open incident closes by itself a day after its escalation, no sooner', async byS => {
  const { world, house } = await aHouse();
  await house.trigger('night');
  await world.advance(300);
  await world.setClock(byS);
  await world.advance(DAY - 1);
  expect(await house.owner.incidents()).toMatchObject([{ status: 'open' }]);
  await world.advance(1);
  expect(await house.owner.incidents()).toMatchObject([{ status: 'closed', closeReason: 'auto_close' }]);
});

test('a disarm that comes in time is in time whatever the clock says, there and back again', async () => {
  const { world, house } = await aHouse();
  const fired = await house.trigger('away');
  for (const byS of [-HOUR, 2 * HOUR, -HOUR - 20, 20]) await world.setClock(byS);
  await world.advance(29);
  await house.alarm('disarm');
  await world.advance(HOUR);
  expect((await house.owner.call(fired)).outcome).toBe('cancelled');
  expect(house.mails()).toBe(0);
});

test('times are told as clocks show them now, those from before it was set too', async () => {
  const { world, smtp, house } = await aHouse();
  await house.panic();
  await world.setClock(-HOUR);
  await house.trigger('night');
  const opened = (await house.owner.incidents()).map(({ openedAt }) => Number(openedAt!.seconds));
  expect(opened).toEqual([await wallS(world), await wallS(world)]);
  // The clock of the tests begins at 20:00.
  expect(smtp.mails.at(-1)!.text).toContain('7:00:00 PM UTC');
});

test('sessions, keys and rotations keep the time that they had; owners hear of ends that they chose, operators of the step', async () => {
  const { world, smtp, house, neighbour } = await aHouse();
  const { accountId } = house.owner;
  const console = consoleOf(world, world.operator, accountId);
  const seconds = BigInt((await wallS(world)) + 10 * DAY);
  const { apiKey, secret } = await console.apiKeys.createApiKey({
    apiKey: { label: 'Camera', expiresAt: { seconds } },
  });
  const { secret: second } = await console.apiKeys.rotateApiKey({ apiKeyId: apiKey!.id, overlapS: HOUR });
  await world.setClock(30 * DAY);
  const status = async (key: string) => (await world.get('/v1/integration/state', key)).status;
  expect([await status(secret), await status(second)]).toEqual([200, 200]);
  const shown = (await console.apiKeys.getApiKey({ apiKeyId: apiKey!.id })).apiKey!;
  expect(shown.expiresAt!.seconds - seconds).toBe(BigInt(30 * DAY));
  await world.advance(HOUR);
  expect([await status(secret), await status(second)]).toEqual([401, 200]);
  await world.advance(10 * DAY - HOUR);
  expect(await status(second)).toBe(401);

  const told = smtp.mails.filter(({ subject }) => subject?.includes('end at another time'));
  expect(told.map(({ envelope }) => envelope.to)).toEqual([['owner-of-anna@example.com']]);
  expect(told[0]!.text).toContain('set forward by 30 d');
  expect(told[0]!.text).toContain('Camera will end that much later');
  expect(neighbour.mails()).toBe(0);

  const cli = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator, TOCSIN_ACCOUNT: accountId });
  await world.setClock(-HOUR);
  const { out } = await cli.text('doctor');
  expect(out).not.toMatch(/set forward/);
  const { clockSteppedByS } = await console.deployment.getDeployment({});
  expect(clockSteppedByS).toBe(BigInt(-HOUR));
});
