import { expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

test('what waits is listed, and called off by name; an outsider sees and ends nothing', async () => {
  const world = await startWorld();
  const [owner, outsider] = [await world.account(), await world.account()];
  const { rpcUrl: TOCSIN_RPC_URL, operator: TOCSIN_TOKEN } = world;
  const shellOf = ({ accountId }: { accountId: string }) =>
    commandLine({ TOCSIN_RPC_URL, TOCSIN_TOKEN, TOCSIN_ACCOUNT: accountId });
  const [shell, theirs] = [shellOf(owner), shellOf(outsider)];
  const id = await owner.alarm({ name: 'Shop', modes: { away: { policyId: await owner.policy([]), windowS: 60 } } });
  expect((await shell.text('incidents', 'windows')).out).toBe('Nothing waits.\n');
  await world.get(`/v1/alarm/${id}/trigger/away`, await owner.key());
  await world.settle();
  expect((await shell.text('incidents', 'windows')).out).toMatch(/^Shop alerts in \d+s: away, Home, tripped by /);
  expect((await theirs.text('incidents', 'windows')).out).toBe('Nothing waits.\n');
  expect((await theirs.text('incidents', 'call-off', id)).out).not.toContain('Called off');
  expect((await shell.text('incidents', 'call-off', id, '--by', 'Anna')).out).toMatch(
    /^Called off: no incident opened/,
  );
  expect((await shell.text('incidents', 'call-off', id)).out).toMatch(/^Nothing waits there/);
  await world.advance(61);
  expect(await owner.incidents()).toEqual([]);
});
