import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { newOwner } from '../support/console.ts';
import { verified } from '../support/verified.ts';
import { startWorld, type World } from '../support/world.ts';
import { commandLine } from './command-line.ts';

/** The YAML file that the guide shows. */
async function guideFile(): Promise<string> {
  const guide = await readFile(new URL('../../facade/docs/guide.md', import.meta.url), 'utf8');
  const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  if (yaml === undefined) throw new Error('The guide shows no YAML file.');
  const path = join(tmpdir(), `tocsin-guide-${newId()}.yaml`);
  await writeFile(path, yaml);
  return path;
}

async function anOwner(world: World) {
  const { accountId, token } = await newOwner(world);
  const environment = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token, ANNA_PHONE: '+12025550111' };
  return {
    accountId,
    ...commandLine(environment),
    readingFrom: (stdin: string) => commandLine(environment, { stdin }),
  };
}

/** What integrations would see, without the ids, and what owners see besides. */
async function inventory(owner: Awaited<ReturnType<typeof anOwner>>) {
  const lists = ['locations', 'contacts', 'policies', 'alarms', 'panic-buttons', 'keys'];
  const read = await Promise.all(lists.map(async list => (await owner.json(list, 'list')).json.items));
  return JSON.parse(JSON.stringify(read), (name, value) =>
    /^(id|.*Id|secrets|createdAt|version)$/.test(name) && !['home', 'away', 'night', 'vacation'].includes(value)
      ? undefined
      : value,
  );
}

test('the file in the guide makes an account whose alarm alerts, is acknowledged and cleared; applied again it changes nothing', async () => {
  const world = await startWorld();
  const owner = await anOwner(world);
  const file = await guideFile();
  expect((await owner.text('config', 'check', file)).exit).toBe(0);

  const applied = await owner.json('config', 'apply', file);
  expect(applied.json).toMatchObject({ outcome: 'applied', total: 7, newSecrets: [{ key: 'camera' }] });
  const again = await owner.json('config', 'apply', file);
  expect(again.json).toMatchObject({ outcome: 'unchanged', newSecrets: [] });

  for (const contactId of ['anna', 'noah']) await verified(world, { accountId: owner.accountId, contactId });
  const secret: string = applied.json.newSecrets[0].secret;
  const id: string = (await owner.json('alarms', 'show', 'house')).json.alarm.id;
  expect((await owner.text('rehearse', 'house', '--mode', 'night')).exit).toBe(0);
  await world.advance(1);
  expect((await owner.text('alarms', 'update', 'house', '--live')).exit).toBe(0);
  for (const action of ['arm/night', 'trigger']) {
    expect((await world.get(`/v1/alarm/${id}/${action}`, secret)).status).toBe(202);
  }
  await world.settle();
  expect((await owner.json('incidents', 'ack', 'house', '--by', 'Anna')).json).toMatchObject({
    outcome: 'acknowledged',
  });
  expect((await world.get(`/v1/alarm/${id}/clear`, secret)).status).toBe(202);
  await world.settle();
  const [incident] = (await owner.json('incidents', 'list')).json.items;
  expect(incident).toMatchObject({
    environment: 'live',
    status: 'closed',
    closeReason: 'clear',
    acknowledgedBy: 'Anna',
  });
  expect((await owner.text('incidents', 'show', 'house')).out).toMatch(/email to Anna → no_carrier/);
});

test('what is exported makes an equal inventory on a fresh database', async () => {
  const [here, there] = [await startWorld(), await startWorld()];
  const [owner, other] = [await anOwner(here), await anOwner(there)];
  await owner.text('config', 'apply', await guideFile());
  const bed = ['--name', 'Bed', '--location', 'home', '--response', 'medical', '--policy', 'family'];
  expect(await owner.text('panic-buttons', 'create', ...bed)).toMatchObject({ exit: 0, err: '' });
  const exported = await owner.text('config', 'export');
  expect(exported.out).not.toContain('toc_');

  const applied = await other.readingFrom(exported.out).json('config', 'apply', '-');
  expect(applied.json).toMatchObject({ outcome: 'applied', total: 8 });
  const equal = await inventory(other);
  expect(equal).toEqual(await inventory(owner));
  expect(equal.flat().length).toBe(7);
  expect((await other.text('config', 'export')).out).toBe(exported.out);
});
