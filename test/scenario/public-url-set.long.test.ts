import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { consoleOf, refusal } from '../support/console.ts';
import { twoHouses } from '../support/members.ts';
import { sharedByProcesses } from '../support/shared.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';
import { aButton } from './carriers-rig.ts';

/* DECISIONS.md "The public address set in the console": where links lead is set on the page, and counts without a restart. */

/** Something that answers /livez, at an address of its own. */
async function somethingAt(status: number): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status, { location: '/elsewhere' }).end());
  await new Promise<void>(done => void server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const deploymentOf = (world: World, token = world.operator) => consoleOf(world, token).deployment;

test('an address that answers counts at once: in messages, on the pages of the docs, and after taking it away no more', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url, publicUrl: 'of the facade' });
  const deployment = deploymentOf(world);
  const listens = (await deployment.getDeployment({})).publicUrl;
  expect(await deployment.getDeployment({})).toMatchObject({ publicUrlSetIn: '', publicUrlVersion: 0 });
  const docs = async () => (await fetch(`${listens}/docs`)).text();
  const button = await aButton(world, 'email', 'anna@example.com');
  await docs();

  const url = await somethingAt(200);
  expect(await deployment.setPublicUrl({ publicUrl: ` ${url}/ ` })).toMatchObject({ outcome: 'stored', problem: '' });
  expect(await deployment.getDeployment({})).toMatchObject({
    publicUrl: url,
    publicUrlSetIn: 'console',
    publicUrlVersion: 1,
  });
  await button.press();
  expect((await smtp.next()).text).toContain(`${url}/i/`);
  expect(await docs()).toContain(url);

  await deployment.setPublicUrl({ publicUrl: '', version: 1 });
  expect(await deployment.getDeployment({})).toMatchObject({
    publicUrl: listens,
    publicUrlSetIn: '',
    publicUrlVersion: 2,
  });
  expect(await docs()).not.toContain(url);
});

test('an address that does not answer as the facade does is not stored, with what came instead, unless that is wanted', async () => {
  const world = await startWorld();
  const deployment = deploymentOf(world);
  const elsewhere = await somethingAt(302);
  expect(await deployment.setPublicUrl({ publicUrl: elsewhere })).toMatchObject({
    outcome: 'not_reached',
    problem: `${elsewhere}/livez answers 302, not 200: it may lead to something else.`,
  });
  const nobody = 'http://127.0.0.1:1';
  const came = await deployment.setPublicUrl({ publicUrl: nobody });
  expect(came).toMatchObject({
    outcome: 'not_reached',
    problem: expect.stringContaining('cannot be reached from here'),
  });
  expect(await world.rows('SELECT * FROM deployment_setting')).toEqual([]);
  expect(await deployment.setPublicUrl({ publicUrl: nobody, storeAnyway: true })).toMatchObject({ outcome: 'stored' });
  expect((await deployment.getDeployment({})).publicUrl).toBe(nobody);
});

test.each([
  'alarm.example.com',
  'ftp://alarm.example.com',
  'https://anna@alarm.example.com',
  `https://${'a'.repeat(500)}.example`,
])('%s is refused with what is accepted', async publicUrl => {
  const world = await startWorld();
  expect(await refusal(deploymentOf(world).setPublicUrl({ publicUrl, storeAnyway: true }))).toMatchObject({
    code: 'InvalidArgument',
    fields: { public_url: expect.stringMatching(/^takes an http or https URL/) },
  });
});

test('of two operators at once the second is told who was first; a version of something never stored is refused', async () => {
  const world = await startWorld();
  const [one, other] = await Promise.allSettled(
    ['http://one.example', 'http://other.example'].map(publicUrl =>
      deploymentOf(world).setPublicUrl({ publicUrl, storeAnyway: true }),
    ),
  );
  const refused = [one!, other!].filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(1);
  expect(String((refused[0] as PromiseRejectedResult).reason)).toContain('Operator stored PUBLIC_URL');
  expect(await refusal(deploymentOf(await startWorld()).setPublicUrl({ version: 3 }))).toMatchObject({
    code: 'InvalidArgument',
  });
});

test('what stands in the environment counts alone, and a copy with CONSOLE_CARRIERS=refused takes nothing', async () => {
  const set = { publicUrl: 'https://typed.example', storeAnyway: true };
  const fixed = await startWorld({ publicUrl: 'https://alarm.example.com' });
  expect(await refusal(deploymentOf(fixed).setPublicUrl(set))).toMatchObject({
    code: 'FailedPrecondition',
    message: expect.stringContaining('PUBLIC_URL is set in the environment'),
  });
  expect(await deploymentOf(fixed).getDeployment({})).toMatchObject({
    publicUrl: 'https://alarm.example.com',
    publicUrlSetIn: 'environment',
  });

  const { database, dataKey } = await sharedByProcesses();
  const original = await startWorld({ database, dataKey });
  await deploymentOf(original).setPublicUrl(set);
  const copy = await startWorld({ database, dataKey, consoleCarriers: 'refused' });
  expect((await deploymentOf(copy, original.operator).getDeployment({})).publicUrl).toBe('');
  expect(await refusal(deploymentOf(copy, original.operator).setPublicUrl({ ...set, version: 1 }))).toMatchObject({
    code: 'FailedPrecondition',
    message: expect.stringContaining('CONSOLE_CARRIERS=refused'),
  });
});

test('another process goes by it, whether or not the bus tells it, and so does the next start; no carrier is made of it', async () => {
  const { database, dataKey } = await sharedByProcesses();
  const one = await startWorld({ database, dataKey });
  const other = await startWorld({ database, dataKey });
  await deploymentOf(one).setPublicUrl({ publicUrl: 'https://alarm.example.com', storeAnyway: true });
  const seen = async () => (await deploymentOf(other, one.operator).getDeployment({})).publicUrl;
  await eventually(async () => (await seen()) === 'https://alarm.example.com', { what: 'the other process to notice' });
  // What it has not seen yet, nobody changes through it unasked.
  const elsewhere = 'https://elsewhere.example.com';
  await deploymentOf(one).setPublicUrl({ publicUrl: elsewhere, version: 1, storeAnyway: true });
  const { publicUrl, publicUrlVersion } = await deploymentOf(other, one.operator).getDeployment({});
  expect([
    ['https://alarm.example.com', 1],
    [elsewhere, 2],
  ]).toContainEqual([publicUrl, publicUrlVersion]);
  const next = await startWorld({ database, dataKey });
  expect((await deploymentOf(next, one.operator).getDeployment({})).publicUrl).toBe(elsewhere);
  const { carriers } = await consoleOf(next, one.operator).carriers.listCarriers({});
  expect(carriers.map(({ name }) => name)).not.toContain('public_url');
  expect((await deploymentOf(next, one.operator).getDeployment({})).setUpCarriers).toEqual([]);
});

test('only the operator sets it, and sees where it is set', async () => {
  const { world, elms, as } = await twoHouses();
  const set = { publicUrl: 'https://evil.example', storeAnyway: true };
  for (const { deployment } of [elms.console, await as('owner', 'Rita')]) {
    expect(await refusal(deployment.setPublicUrl(set))).toMatchObject({ code: 'PermissionDenied' });
  }
  expect(await refusal(deploymentOf(world, 'tcn_nobody').setPublicUrl(set))).toMatchObject({ code: 'Unauthenticated' });
  expect(await elms.console.deployment.getDeployment({})).toMatchObject({ publicUrlSetIn: '' });
});

test('a large inventory that is remembered says where to listen by the address of now', async () => {
  const world = await startWorld({ publicUrl: 'of the facade' });
  const owner = await world.account();
  await world.rows(
    `INSERT INTO source (account_id, id, key, kind, location_id, name, test)
     SELECT $1, md5(n::text), 'alarm-' || n, 'alarm', $2, 'Alarm ' || n, false FROM generate_series(1, $3::int) n`,
    [owner.accountId, owner.locationId, 600],
  );
  await world.rows('INSERT INTO source_state (account_id, source_id) SELECT account_id, id FROM source');
  const key = await owner.key();
  const hostOf = async () => {
    const { body } = await world.get('/v1/integration/describe', key);
    return (body.data as { realtime: { httpHost: string } }).realtime.httpHost;
  };
  const before = await hostOf();
  expect(await hostOf()).toBe(before);
  await deploymentOf(world).setPublicUrl({ publicUrl: 'https://alarm.example.com', storeAnyway: true });
  expect(await hostOf()).toBe('alarm.example.com');
});
