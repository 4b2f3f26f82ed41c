import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { RECIPE_NAMES } from '../../facade/recipes/recipes.ts';
import { newOwner } from '../support/console.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

test('recipes: each by its name, with the id and the address of this deployment; what is printed runs with a key put in', async () => {
  const world = await startWorld({ publicUrl: 'https://alarm.example/tocsin' });
  const { token } = await newOwner(world);
  const owner = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token });
  await owner.text('locations', 'create', '--name', 'Home');
  await owner.text('alarms', 'create', '--name', 'House', '--location', 'home');
  await owner.text('panic-buttons', 'create', '--name', 'Bedside', '--location', 'home', '--response', 'fire');
  const { id } = (await owner.json('alarms', 'show', 'house')).json.alarm;

  const all = await owner.text('recipes', 'house');
  expect(all.exit).toBe(0);
  for (const name of RECIPE_NAMES) {
    expect(all.out).toMatch(new RegExp(`^${name} `, 'm'));
    expect((await owner.text('recipes', 'house', '--for', name)).out).toContain(
      'https://alarm.example/tocsin/v1/alarm/',
    );
  }
  const bedside = await owner.json('recipes', 'bedside', '--for', 'ha');
  expect(bedside.json).toMatchObject({ for: 'ha', file: 'packages/tocsin_bedside.yaml' });
  expect(bedside.json.text).toContain('/v1/panic/');

  const { out, err } = await owner.text('recipes', 'house', '--for', 'curl');
  expect(err).toContain('Replace toc_PUT_YOUR_KEY_HERE with an API key.');
  const { secret } = (await owner.json('keys', 'create', '--label', 'Camera', '--alarm', 'house')).json;
  const script = out.replace('toc_PUT_YOUR_KEY_HERE', secret).replace('https://alarm.example/tocsin', world.url);
  // A new alarm is offered "only when armed".
  expect((await world.get(`/v1/alarm/${id}/arm`, secret)).status).toBe(202);
  await world.settle();
  const answer = await promisify(execFile)('sh', ['-ec', script]);
  expect(JSON.parse(answer.stdout).data).toMatchObject({ environment: 'test' });
  expect(script).toContain(id);

  expect(await owner.text('recipes', 'house', '--for', 'toaster')).toMatchObject({ exit: 2 });
  const stranger = await newOwner(world);
  const theirs = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: stranger.token });
  expect(await theirs.text('recipes', id, '--for', 'curl')).toMatchObject({ exit: 3, out: '' });
});
