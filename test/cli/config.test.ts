import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

const FILE = `version: 1
locations:
  - { key: home, name: Home }
contacts:
  - key: anna
    name: Anna
    channels: [{ channel: email, address: anna@example.com }]
policies:
  - key: family
    name: Family
    steps: [{ contacts: [{ contact: anna, channels: [email] }] }]
alarms:
  - { key: house, name: House, location: home, modes: [{ id: away, policy: family, windowS: 30 }] }
`;

async function folder(): Promise<(name: string, text: string) => Promise<string>> {
  const path = await mkdtemp(join(tmpdir(), 'tocsin-cli-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return async (name, text) => {
    await writeFile(join(path, name), text);
    return join(path, name);
  };
}

async function owner() {
  const world = await startWorld();
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json } = await operator.json('accounts', 'create', '--name', 'An owner');
  const as = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: json.token };
  return { world, as, owner: commandLine(as) };
}

test('a file is checked, compared, applied, exported and applied again without a change', async () => {
  const write = await folder();
  const { owner: line, as } = await owner();
  const path = await write('tocsin.yaml', FILE);
  expect((await line.text('config', 'check', path)).out).toMatch(
    /is in order\. \d things would be changed: \d created\.$/m,
  );
  const diff = await line.text('config', 'diff', path);
  expect(diff).toMatchObject({ exit: 0, err: '' });
  expect(diff.out).toMatch(/^\+ create alarm house \(House\)$/m);
  const applied = await line.text('config', 'apply', path);
  expect(applied).toMatchObject({ exit: 0, err: '' });
  expect(applied.out).toMatch(/things were changed: \d created\.$/m);
  expect((await line.json('alarms', 'show', 'house')).json.alarm).toMatchObject({
    modes: [{ id: 'away', windowS: 30 }],
  });

  const exported = await write('exported.yaml', '');
  expect(await line.text('config', 'export', '--output', exported)).toMatchObject({ exit: 2 });
  await rm(exported);
  await line.text('config', 'export', '--output', exported);
  const again = await commandLine(as, { stdin: await readFile(exported, 'utf8') }).json('config', 'apply', '-');
  expect(again).toMatchObject({ exit: 0, json: { outcome: 'unchanged', total: 0 } });
  const schema = await line.text('config', 'schema');
  expect(JSON.parse(schema.out)).toMatchObject({ type: 'object' });
});

test('what is wrong in a file stands with its place, and ends with 1', async () => {
  const write = await folder();
  const { owner: line } = await owner();
  const path = await write('wrong.yaml', FILE.replace('name: Home', 'nam: Home'));
  const checked = await line.text('config', 'check', path);
  expect(checked.exit).toBe(1);
  expect(checked.out).toContain(`${path}:3:18: locations[0].nam `);
  expect(checked.out).toContain('Did you mean name?');
  expect(await line.text('config', 'apply', path)).toMatchObject({ exit: 1, out: checked.out });
  expect(await line.text('config', 'check', 'nowhere.yaml')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('ENOENT'),
  });
});

test('nothing is deleted where nobody can be asked, unless --yes says so', async () => {
  const write = await folder();
  const { owner: line } = await owner();
  await line.text('config', 'apply', await write('tocsin.yaml', FILE));
  const less = await write('less.yaml', FILE.slice(0, FILE.indexOf('alarms:')));
  expect(await line.json('config', 'apply', less)).toMatchObject({ json: { outcome: 'unchanged' } });
  const asked = await line.text('config', 'apply', less, '--prune');
  expect(asked).toMatchObject({ exit: 1, out: '' });
  expect(asked.err).toMatch(/Delete 1 thing \(alarm house\)\? There is no terminal to confirm this: pass --yes/);
  expect((await line.text('alarms', 'show', 'house')).exit).toBe(0);
  const done = await line.text('config', 'apply', less, '--prune', '--yes');
  expect(done.out).toMatch(/^- delete alarm house \(House\)$/m);
  expect((await line.text('alarms', 'show', 'house')).exit).toBe(3);
});

test('secrets that a file refers to come from the environment and the files of whoever runs the command', async () => {
  const write = await folder();
  const { world, as, owner: line } = await owner();
  // Two secrets that no key ever had: made elsewhere, in another account of another world.
  const other = await owner();
  const secretOf = async () => (await other.owner.json('keys', 'create', '--label', 'Made elsewhere')).json.secret;
  const [first, second] = [await secretOf(), await secretOf()];
  await write('secret.txt', `${second}\n`);
  const path = await write(
    'keys.yaml',
    `version: 1
apiKeys:
  - { key: camera, label: Camera, secret: { env: CAMERA_KEY } }
  - { key: door, label: Door, secret: { file: ./secret.txt } }
`,
  );
  const missing = await line.text('config', 'apply', path);
  expect(missing).toMatchObject({ exit: 1, out: '' });
  expect(missing.err).toMatch(/secrets that are not here: set CAMERA_KEY in the environment\. Nothing was changed/);
  const applied = await commandLine({ ...as, CAMERA_KEY: first }).text('config', 'apply', path);
  expect(applied.exit).toBe(0);
  expect(applied.out + applied.err).not.toContain(first);
  for (const secret of [first, second]) {
    expect((await world.get('/v1/integration/describe', secret)).status).toBe(200);
  }
});
