import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Carrier } from '../../services/channels/carrier.ts';
import { CARRIERS, type CarrierSettings } from '../../services/channels/carriers.ts';
import { readConfig } from '../../services/start/config.ts';
import { commandLine } from '../cli/command-line.ts';
import { tokenOf } from '../rpc/incident/incident-rig.ts';
import { consoleOf } from '../support/console.ts';
import { type Loft, pigeons } from '../support/made-up-carrier.ts';
import { startWorld, type World } from '../support/world.ts';

/** A carrier is one folder and one entry in this list: here it gets one more. */
const carriers = CARRIERS as Carrier<string, unknown>[];
beforeAll(() => void carriers.push(pigeons as Carrier<string, unknown>));
afterAll(() => void carriers.pop());

/** What doctor says of push messages. */
async function doctor(world: World): Promise<{ verdict: string; found: string; fix: string }> {
  const { json } = await commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator }).json('doctor');
  return json.checks.find((check: { name: string }) => check.name === 'push');
}

/** A world in which Anna is told by push. */
async function aWorld(loft: Loft | null) {
  const world = await startWorld({
    carriers: { pigeon: loft } as Partial<CarrierSettings>,
    publicUrl: 'of the facade',
  });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { push: 'the-roof-of-anna' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['push'] }] }]);
  const alarm = await owner.alarm({ name: 'House', modes: { away: { policyId } } });
  const { readiness } = consoleOf(world, await tokenOf(world, owner, 'A token'));
  const [source] = (await readiness.getReadiness({})).sources;
  return { world, owner, alarm, findings: source!.findings.map(({ code }) => code) };
}

test('a carrier added by one folder and one entry sends alerts, and reports what became of them', async () => {
  const loft: Loft = { pigeons: [], problem: null, ring: 'r1' };
  const { world, owner, alarm, findings } = await aWorld(loft);
  expect(findings).not.toContain('no_carrier');
  await world.get(`/v1/alarm/${alarm}/trigger`, await owner.key());
  await world.settle();
  expect(loft.pigeons).toMatchObject([{ to: 'the-roof-of-anna', subject: 'ALARM: House - Away (A key)' }]);
  const status = () => world.rows<{ status: string }>('SELECT status FROM delivery');
  expect(await status()).toEqual([{ status: 'sent' }]);

  const tell = (ring: string) =>
    fetch(loft.pigeons[0]!.statusUrl, { method: 'POST', body: 'pigeon 1', headers: { 'x-pigeon-signature': ring } });
  expect((await tell('another')).status).toBe(403);
  expect(await status()).toEqual([{ status: 'sent' }]);
  expect((await tell('r1')).status).toBe(200);
  expect(await status()).toEqual([{ status: 'delivered' }]);
});

test('doctor asks it, and names its settings where it fails', async () => {
  const loft: Loft = { pigeons: [], problem: null, ring: 'r1' };
  const { world } = await aWorld(loft);
  // This world listens where nobody else reaches it.
  expect(await doctor(world)).toMatchObject({
    verdict: 'warn',
    found: expect.stringMatching(/^The carrier answers\./),
  });
  const ill = await aWorld({ ...loft, problem: 'the loft is closed' });
  expect(await doctor(ill.world)).toMatchObject({
    verdict: 'fail',
    found: expect.stringContaining('the loft is closed'),
    fix: 'Check NTFY_URL, or PUSHOVER_TOKEN, or WEB_PUSH_CONTACT, or PIGEON_URL and PIGEON_RING.',
  });
});

test('where neither is set up, readiness, doctor and the message say so and name its settings', async () => {
  const { world, owner, alarm, findings } = await aWorld(null);
  expect(findings).toContain('no_carrier');
  expect((await doctor(world)).fix).toContain(
    'Set NTFY_URL, or PUSHOVER_TOKEN, or WEB_PUSH_CONTACT, or PIGEON_URL and PIGEON_RING where Tocsin runs',
  );
  await world.get(`/v1/alarm/${alarm}/trigger`, await owner.key());
  await world.settle();
  const [kept] = await world.rows<{ reason: string }>('SELECT reason FROM delivery');
  expect(kept!.reason).toContain(
    'set NTFY_URL, or PUSHOVER_TOKEN, or WEB_PUSH_CONTACT, or PIGEON_URL and PIGEON_RING, to send it',
  );
});

test('its settings are read with the others, and half of them is an error that names the other half', () => {
  const read = (env: Record<string, string>) => readConfig(env).carriers;
  expect(read({ PIGEON_URL: 'https://loft.example.com', PIGEON_RING: 'r1' })).toMatchObject({ pigeon: { ring: 'r1' } });
  expect(read({})).toMatchObject({ pigeon: null });
  expect(() => read({ PIGEON_RING: 'r1' })).toThrow(
    'PIGEON_URL is missing: PIGEON_RING is set. Set all of them or none.',
  );
  expect(() => read({ PIGEON_URL: 'the loft' })).toThrow(/^PIGEON_URL takes .*, got "the loft"/);
});
