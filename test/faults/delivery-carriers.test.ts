import { readFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { consoleOf } from '../support/console.ts';
import { startPeer } from '../support/peer.ts';
import { startTwilio } from '../support/twilio.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';
import { startDeliveryRig, withHook } from './delivery-rig.ts';
import { takenPort } from './refusal.ts';

/*
 * Carriers that are down, and carriers that flood.
 */

test('all carriers down for ten minutes: few requests, then what is still of use goes on, and nothing of what was closed', async () => {
  const twilio = await startTwilio();
  const { world, hook } = await withHook({ twilio: twilio.settings });
  onTestFinished(twilio.stop);
  const owner = await world.account();
  const key = await owner.key();
  const house = async (name: string) => {
    const anna = await owner.contact(`Anna of ${name}`, { text: '+12025550111', webhook: `${hook.url}/${name}` });
    const ben = await owner.contact(`Ben of ${name}`, { text: '+12025550122' });
    const step = (delayS: number, contactId: string) => ({
      delayS,
      contacts: [{ contactId, channels: ['text' as const] }],
    });
    // At 0, 300, 590 and 900 s.
    const policyId = await owner.policy([step(0, anna), step(300, ben), step(290, anna), step(310, ben)]);
    return owner.panicButton({ name, policyId });
  };
  const press = async (button: string, action: string) => {
    expect((await world.get(`/v1/panic/${button}/${action}`, key)).status).toBe(202);
    await world.advance(1);
  };
  const told = async (name: string) => {
    const incident = (await owner.incidents()).find(({ sourceName }) => sourceName === name)!;
    return incident.deliveries.map(({ step, channel, status }) => `${step} ${channel} ${status}`).sort();
  };
  const [open, closed] = [await house('open'), await house('closed')];
  twilio.behave('down');
  twilio.behave('down', 'list');
  hook.behave({ status: 503 });
  await press(open, 'trigger');
  await press(closed, 'trigger');
  for (let at = 2; at < 400; at += 7) await world.advance(7);
  await press(closed, 'clear');
  for (let at = 409; at < 600; at += 7) await world.advance(7);

  // Six texts were due, seven tries each at most: a look, a text or both. And four webhooks beside some of them.
  expect(twilio.requests('create') + twilio.requests('list')).toBeLessThanOrEqual(6 * 7 * 2);
  expect(hook.heard.length).toBeLessThanOrEqual(4 * 7);
  // Ben has no other way, so his steps keep their times; Anna's second one goes once his has failed.
  expect(await told('open')).toEqual([
    '0 text scheduled',
    '0 webhook scheduled',
    '1 text scheduled',
    '2 text scheduled',
    '2 webhook scheduled',
    '3 text scheduled',
  ]);
  twilio.behave('ok');
  twilio.behave('ok', 'list');
  hook.behave('ok');
  // Of two to the same person over the same channel, the later one alone: the earlier waits until that has ended.
  await world.advance(250);
  await world.advance(30);
  expect(await told('open')).toEqual([
    '0 text cancelled',
    '0 webhook cancelled',
    '1 text sent',
    '2 text sent',
    '2 webhook delivered',
    '3 text scheduled',
  ]);
  await world.advance(100);
  expect((await told('open')).at(-1)).toBe('3 text sent');
  await world.advance(3_600);
  expect(twilio.messages.map(({ fields }) => fields.To).sort()).toEqual([
    '+12025550111',
    '+12025550122',
    '+12025550122',
  ]);
  expect((await told('closed')).filter(one => / (sent|delivered|scheduled|sending)$/.test(one))).toEqual([]);
});

test.each([
  'clear',
  'acknowledge',
])('%s while messages are at carriers that will refuse them: none is tried again, and none goes over to another channel', async end => {
  const twilio = await startTwilio();
  // 503 lets a message be tried again, 410 lets another channel take over.
  const peer = await startPeer(({ path }, response) => void response.writeHead(Number(path.slice(1))).end());
  onTestFinished(async () => void (await Promise.all([twilio.stop(), peer.stop()])));
  const world = await startWorld({ carriers: { twilio: twilio.settings } });
  const owner = await world.account();
  const key = await owner.key();
  const people = ['503', '410'].map(path =>
    owner.contact(path, { webhook: `${peer.url}/${path}`, text: '+12025550111' }),
  );
  const contacts = (await Promise.all(people)).map(contactId => ({ contactId, channels: ['webhook' as const] }));
  const button = await owner.panicButton({ policyId: await owner.policy([{ delayS: 0, contacts }]) });
  const heard = (count: number) => eventually(() => peer.heard.length === count, { what: `${count} messages` });
  const told = async () => {
    const { deliveries } = (await owner.incidents())[0]!;
    return deliveries
      .filter(({ kind }) => kind === 'alert')
      .map(({ contactName, channel, status }) => `${contactName} ${channel} ${status}`);
  };

  peer.behave(500);
  await world.get(`/v1/panic/${button}/trigger`, key);
  await heard(2);
  if (end === 'clear') await world.get(`/v1/panic/${button}/clear`, key);
  else {
    const { incidents } = consoleOf(world, world.operator, owner.accountId);
    await incidents.acknowledge({ incidentId: (await owner.incidents())[0]!.id, by: 'Cleo' });
  }
  expect((await told()).sort()).toEqual(['410 webhook sending', '503 webhook sending']);
  await world.settle();
  expect((await told()).sort()).toEqual(['410 webhook failed', '503 webhook cancelled']);
  await world.advance(3_600);
  expect((await told()).sort()).toEqual(['410 webhook failed', '503 webhook cancelled']);
  // Those who were being told when somebody acknowledged may hear who it was.
  expect(peer.heard.filter(({ body }) => JSON.parse(body).type === 'alert').length).toBe(2);
  if (end === 'clear') expect([peer.heard.length, twilio.messages.length]).toEqual([2, 0]);
});

test('a carrier floods callbacks, true and forged: nothing changes, every trigger is accepted and alerts, memory does not grow', async () => {
  const FLOOD = 2_000;
  const rig = await startDeliveryRig();
  const { twilio } = rig;
  const { port, close } = await takenPort();
  await close();
  const life = await rig.start({ HTTP_PORT: `${port}`, PUBLIC_URL: `http://127.0.0.1:${port}` });
  const [arrived, standing] = [await rig.button({ afterS: 0, text: 1 }), await rig.button({ afterS: 0, text: 1 })];
  const buttons = await Promise.all(Array.from({ length: 10 }, () => rig.button({ afterS: 0, text: 1 })));
  const sidOf = async (button: string) => {
    await rig.press(life, button);
    return (await rig.stand(button, ['text sent']))[0]!.provider_ref!;
  };
  const [told, forged] = [await sidOf(arrived), await sidOf(standing)];
  expect((await twilio.tell(told, 'delivered'))!.status).toBe(200);
  await rig.stand(arrived, ['text delivered']);
  // The version of a row tells whether it was ever written again, whatever it says.
  const rowsOf = () => rig.rows('SELECT xmin, d::text FROM delivery d WHERE provider_ref = ANY ($1)', [[told, forged]]);
  const counts = () => countsOf(rig.rows);
  const [rowsBefore, countsBefore, memoryBefore] = [await rowsOf(), await counts(), await memoryOfProduct()];
  expect(memoryBefore).toBeGreaterThan(50);

  const answers = { true: new Map<number, number>(), forged: new Map<number, number>() };
  const count = (of: Map<number, number>, status: number) => of.set(status, (of.get(status) ?? 0) + 1);
  let left = FLOOD;
  const senders = Array.from({ length: 20 }, async () => {
    while (left-- > 0) {
      const [one, other] = await Promise.all([
        twilio.tell(told, 'delivered'),
        twilio.tell(forged, 'failed', { errorCode: 30005, signs: left % 2 === 0 ? 'wrong' : 'missing' }),
      ]);
      count(answers.true, one!.status);
      count(answers.forged, other!.status);
    }
  });
  for (const button of buttons) {
    expect(await rig.press(life, button)).toBe(202);
    await rig.stand(button, ['text sent']);
  }
  expect(left).toBeGreaterThan(0);
  await Promise.all(senders);

  expect([...answers.true]).toEqual([[200, FLOOD]]);
  expect([...answers.forged]).toEqual([[403, FLOOD]]);
  expect(await rowsOf()).toEqual(rowsBefore);
  const after = await counts();
  const grown = Object.keys(after).flatMap(table => {
    const by = Number(after[table]) - Number(countsBefore[table]);
    return by === 0 ? [] : [[table, by]];
  });
  // What the triggers left, and nothing else.
  const theirs = ['logged_call', 'delivery', 'incident', 'incident_entry', 'source_spend', 'source_told'];
  expect(Object.fromEntries(grown)).toEqual(Object.fromEntries(theirs.map(table => [table, buttons.length])));
  expect(twilio.messages.length).toBe(2 + buttons.length);
  expect((await memoryOfProduct()) - memoryBefore).toBeLessThan(150);
});

/** How many rows each table of the product has; the watchman leaves its one whenever it first looks. */
async function countsOf(rows: World['rows']): Promise<Record<string, string>> {
  const tables = await rows<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> 'watch'",
  );
  const counts: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await rows<{ count: string }>(`SELECT count(*) FROM "${name}"`);
    counts[name] = row!.count;
  }
  return counts;
}

/** What the largest of the processes that this one started takes, and those that they started, in megabytes. */
async function memoryOfProduct(parent = process.pid): Promise<number> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8');
  const pids = children.split(' ').flatMap(pid => (pid.trim() === '' ? [] : [Number(pid)]));
  const sizes = pids.map(async pid => {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.max(Number(kilobytes ?? 0) / 1000, await memoryOfProduct(pid));
  });
  return Math.max(0, ...(await Promise.all(sizes)));
}
