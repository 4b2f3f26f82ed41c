import { expect, test } from 'vitest';
import { newOwner } from '../support/console.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

test('where links lead is shown, set where something answers, set all the same where nothing does, and taken back', async () => {
  const world = await startWorld({ publicUrl: 'of the facade' });
  const environment = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator };
  const operator = commandLine(environment);
  const show = async () => (await operator.text('public-url', 'show')).out;
  expect(await show()).toMatch(/^Links lead to \S+\.\nThat is where the facade listens: nothing says otherwise\.\n/);

  expect(await operator.text('public-url', 'set', 'http://127.0.0.1:1')).toMatchObject({
    exit: 1,
    out: expect.stringMatching(/cannot be reached from here.*\nNothing was stored\. With --store-anyway it is\.\n$/),
  });
  expect(await operator.text('public-url', 'set', world.url)).toMatchObject({
    exit: 0,
    out: `Links lead to ${world.url}.\n`,
  });
  expect(await show()).toContain('That was set in the console, or by this command.');
  expect(await operator.text('public-url', 'set', 'http://127.0.0.1:1', '--store-anyway')).toMatchObject({ exit: 0 });
  expect((await operator.json('public-url', 'show')).json).toMatchObject({
    publicUrl: 'http://127.0.0.1:1',
    publicUrlSetIn: 'console',
    publicUrlVersion: 2,
  });
  expect(await operator.text('public-url', 'unset')).toMatchObject({
    exit: 0,
    out: 'Links lead to where the facade listens.\n',
  });

  const wrong = await operator.text('public-url', 'set', 'alarm.example.com');
  expect(wrong).toMatchObject({ exit: 2, err: expect.stringContaining('takes an http or https URL') });
  const owner = commandLine({ ...environment, TOCSIN_TOKEN: (await newOwner(world)).token });
  expect((await owner.text('public-url', 'set', 'https://evil.example')).exit).not.toBe(0);
});
