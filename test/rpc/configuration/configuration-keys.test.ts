import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { newSecret, secretDigest } from '../../../services/store/secret.ts';
import { PEPPER } from '../../support/world.ts';
import { type Configured, changed, startConfigured, told } from './configuration-rig.ts';

const BEGIN = `version: 1
locations: [{ key: home, name: Home }]
alarms:
  - { key: house, name: House, location: home, test: false }
  - { key: shop, name: Shop, location: home, test: false }
apiKeys:
`;

const CHOSEN = `${BEGIN}  - { key: camera, label: Camera, secret: { env: CAMERA_KEY } }\n`;
const MINTED = `${BEGIN}  - { key: camera, label: Camera }\n`;

test('a chosen secret opens /v1, is not shown, and another one ends it at once', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const [first, second] = [newSecret('toc'), newSecret('toc')];
  const state = async (secret: string) => (await world.get('/v1/integration/state', secret)).status;

  // Cameras that were set up before their keys were: what was refused is not remembered against them.
  expect([await state(first), await state(second)]).toEqual([401, 401]);
  expect(await home.apply(CHOSEN, { secrets: { 'env:CAMERA_KEY': first } })).toMatchObject({ newSecrets: [] });
  expect([await state(first), await state(second)]).toEqual([200, 401]);
  expect(await home.apply(CHOSEN, { secrets: { 'env:CAMERA_KEY': first } })).toMatchObject({ outcome: 'unchanged' });

  const { changes } = await home.apply(CHOSEN, { secrets: { 'env:CAMERA_KEY': second } });
  expect(changed(changes)).toEqual(['update api_key camera secret']);
  expect(JSON.stringify(changes)).not.toMatch(/toc_/);
  expect([await state(first), await state(second)]).toEqual([401, 200]);

  const back = await home.apply(CHOSEN, { secrets: { 'env:CAMERA_KEY': first } });
  expect(told(back.problems)).toEqual([
    '7 apiKeys[0].secret takes a secret that no API key ever had, got one from env:CAMERA_KEY that one has or had.',
  ]);
});

/** A key of an owner's own making: with the right checksum, as one who wants to choose it all works out. */
function madeUp(text: string): string {
  const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const digits = Array.from({ length: 6 }, (_, at) => Math.floor(crc32(`toc_${text}`) / 62 ** (5 - at)) % 62);
  return `toc_${text}${digits.map(digit => BASE62[digit]).join('')}`;
}

test('a chosen key that can be guessed is refused; one that is stored already goes on', async () => {
  const { world, account } = await startConfigured();
  const [home, outsider] = [await account(), await account('An outsider')];
  const state = async (secret: string) => (await world.get('/v1/integration/state', secret)).status;
  const zeros = madeUp('0'.repeat(30));
  const problem =
    '7 apiKeys[0].secret takes an API key whose 30 characters after "toc_" are random, of letters in both cases and digits, ' +
    'got one from env:CAMERA_KEY that can be guessed. Leave the secret out, and a random one is created and shown once.';
  for (const weak of [zeros, madeUp('abcdefghijklmnopqrstuvwxyzABCD')]) {
    const refused = await home.apply(CHOSEN, { secrets: { 'env:CAMERA_KEY': weak } });
    expect([refused.outcome, told(refused.problems)]).toEqual(['refused', [problem]]);
    expect(JSON.stringify(refused.problems.map(one => one.problem))).not.toContain(weak);
    expect(await state(weak)).toBe(401);
  }
  const strong = newSecret('toc');
  expect((await home.apply(CHOSEN, { secrets: { 'env:CAMERA_KEY': strong } })).outcome).toBe('applied');
  const another = await home.apply(CHOSEN, { secrets: { 'env:CAMERA_KEY': zeros } });
  expect(told(another.problems)).toEqual([problem]);
  expect(await state(strong)).toBe(200);

  // One that is stored goes on.
  await world.rows('UPDATE api_key_secret SET digest = $1', [secretDigest(PEPPER, zeros)]);
  expect(await home.apply(CHOSEN, { secrets: { 'env:CAMERA_KEY': zeros } })).toMatchObject({ outcome: 'unchanged' });
  expect(await state(zeros)).toBe(200);
  // That it is somebody's is told as of every other secret.
  const tried = await outsider.apply(CHOSEN, { secrets: { 'env:CAMERA_KEY': zeros } });
  expect(tried.problems[0]!.problem).toContain('takes a secret that no API key ever had');
});

test('the secret of another key, also of another account, is refused before anything is written', async () => {
  const { account } = await startConfigured();
  const [home, outsider] = [await account(), await account()];
  const secrets = { 'env:CAMERA_KEY': newSecret('toc') };
  await home.apply(CHOSEN, { secrets });
  expect(await outsider.apply(CHOSEN, { secrets })).toMatchObject({ outcome: 'refused', problems: [{ line: 7 }] });
  const twice = `${CHOSEN}  - { key: gate, label: Gate, secret: { env: CAMERA_KEY } }\n`;
  const { problems } = await home.apply(twice, { secrets });
  expect(problems).toMatchObject([{ line: 8, field: 'apiKeys[1].secret' }]);
});

test('label and expiry change, the reach never does', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const { newSecrets } = await home.apply(MINTED);
  const later = MINTED.replace('label: Camera', 'label: The camera, expiresAt: "2027-01-31T12:00:00Z"');
  expect(changed((await home.apply(later)).changes)).toEqual(['update api_key camera label,expiresAt']);
  expect((await world.get('/v1/integration/state', newSecrets[0]!.secret)).status).toBe(200);

  const other = await home.apply(MINTED.replace('label: Camera', 'label: Camera, alarm: house'));
  expect(told(other.problems)).toEqual([
    '7 apiKeys[0].alarm cannot change: the reach of a key is fixed when it is created. Create another one, with another key here.',
  ]);
});

test('what is pruned is revoked, with its alarm, and its key can be given to another one', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const one = MINTED.replace('label: Camera', 'label: Camera, alarm: house');
  const { newSecrets } = await home.apply(one);
  const pruned = await home.apply(BEGIN.replace(/ {2}- { key: house.*\n/, ''), { prune: true });
  expect(changed(pruned.changes)).toEqual(['delete alarm house', 'delete api_key camera']);
  expect((await world.get('/v1/integration/state', newSecrets[0]!.secret)).status).toBe(401);
  expect(await world.rows("SELECT revoked_at IS NULL AS living FROM api_key WHERE key = 'camera'")).toEqual([
    { living: false },
  ]);
  expect(await home.apply(BEGIN.replace(/ {2}- { key: house.*\n/, ''), { prune: true })).toMatchObject({
    outcome: 'unchanged',
  });

  const again = await home.apply(one);
  expect(told(again.problems)).toEqual([]);
  expect(again.newSecrets).toHaveLength(1);
  expect((await world.get('/v1/integration/state', again.newSecrets[0]!.secret)).status).toBe(200);
  const rows = await world.rows<{ key: string }>('SELECT key FROM api_key ORDER BY seq');
  expect(rows.map(({ key }) => key)).toEqual([expect.stringMatching(/^camera-\w{8}$/), 'camera']);
});

test('what has expired stays out of the file, and is taken up again where the file names it', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const short = MINTED.replace('label: Camera', 'label: Camera, alarm: house, expiresAt: "2026-01-15T21:00:00Z"');
  const { newSecrets } = await home.apply(short);
  const open = async () => (await world.get('/v1/integration/state', newSecrets[0]!.secret)).status;
  expect(await open()).toBe(200);
  await world.advance(3_601);
  expect(await open()).toBe(401);
  expect(await home.export()).not.toContain('camera');
  expect(await home.apply(await home.export(), { prune: true })).toMatchObject({ outcome: 'unchanged' });
  expect((await home.apply(short.replace('2026-01-15T21', '2027-01-15T21'))).outcome).toBe('applied');
  expect(await open()).toBe(200);
});

test('an expired key does not keep its alarm from being pruned', async () => {
  const { world, account } = await startConfigured();
  const home: Configured = await account();
  await home.apply(MINTED.replace('label: Camera', 'label: Camera, alarm: house, expiresAt: "2026-01-15T21:00:00Z"'));
  await world.advance(3_601);
  const { changes } = await home.apply(BEGIN.replace(/ {2}- { key: house.*\n/, ''), { prune: true });
  expect(changed(changes)).toEqual(['delete alarm house', 'delete api_key camera']);
});

test('a file says where to look, and an export says it again; what is no such link is refused in its line', async () => {
  const { account } = await startConfigured();
  const [home, outsider] = [await account(), await account('An outsider')];
  const lookUrl = 'https://cameras.example.com/front';
  const withLink = `${BEGIN}  - { key: camera, label: Camera, lookUrl: ${lookUrl} }\n`;
  expect(changed((await home.apply(withLink)).changes)).toContain('create api_key camera');
  expect(await home.apply(withLink)).toMatchObject({ outcome: 'unchanged' });
  expect(await home.export()).toContain(`lookUrl: "${lookUrl}"`);
  expect(changed((await home.apply(MINTED)).changes)).toEqual(['update api_key camera lookUrl']);
  expect(await home.export()).not.toContain('lookUrl');
  const wrong = await outsider.apply(withLink.replace('https', 'javascript'));
  expect(told(wrong.problems)).toEqual([
    '7 apiKeys[0].lookUrl takes an https URL without a login, at most 500 characters, or nothing for none, ' +
      'got "javascript://cameras.example.com/front".',
  ]);
});

test('a file says that a silence alerts; without an alarm to trigger it is refused with what to do', async () => {
  const { account } = await startConfigured();
  const home = await account();
  const camera = (more: string) =>
    `${BEGIN}  - { key: camera, label: Camera, supervisionS: 300, onSilence: alert${more} }\n`;
  const refused = await home.apply(camera(''));
  expect([refused.outcome, told(refused.problems)]).toEqual([
    'refused',
    [
      '7 apiKeys[0].onSilence can be alert only where the key reaches one alarm, which is triggered then. Create a key for that alarm, or choose notify.',
    ],
  ]);
  expect((await home.apply(camera(', alarm: house'))).outcome).toBe('applied');
  expect(await home.apply(camera(', alarm: house'))).toMatchObject({ outcome: 'unchanged' });
});
