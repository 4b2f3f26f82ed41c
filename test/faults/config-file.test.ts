import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { newSecret } from '../../services/store/secret.ts';
import { emptyFolder } from './embedded-rig.ts';
import { connectTo } from './live-demo.ts';
import { call, startProduct } from './product.ts';

// A first start on a busy machine is slow, and some tests make three.
vi.setConfig({ testTimeout: 90_000 });

const HOME = `version: 1
account: { name: Our home }
locations: [{ key: home, name: Home }]
contacts:
  - { key: anna, name: Anna, channels: [{ channel: webhook, address: { file: hook } }] }
policies: [{ key: anna, name: Anna, steps: [{ contacts: [{ contact: anna, channels: [webhook] }] }] }]
alarms: [{ key: house, name: House, location: home, modes: [{ id: away, policy: anna }] }]
apiKeys:
  - { key: camera, label: The camera, secret: { env: CAMERA_KEY } }
  - { key: gate, label: The gate }
`;

/** A folder with this file and a secret beside it, and a folder for the data. */
async function deployment(text: string) {
  const folder = await emptyFolder();
  const path = join(folder, 'tocsin.yaml');
  await writeFile(path, text);
  await writeFile(join(folder, 'hook'), 'https://hooks.example.com/s3cret\n');
  return { path, settings: { DATA_DIR: await emptyFolder(), CONFIG_FILE: path } };
}

test('CONFIG_FILE makes the first account, with secrets from environment and files; the next start changes only what differs', async () => {
  const { path, settings } = await deployment(HOME);
  const cameraKey = newSecret('toc');
  const first = startProduct({ ...settings, CAMERA_KEY: cameraKey });
  const ready = await first.ready();
  expect(ready).not.toHaveProperty('apiKey');
  expect(await call(ready, 'integration/state', cameraKey)).toBe(200);
  const shown = /The gate \(gate\) {2}(toc_\w{36})/.exec(first.printed().stderr)?.[1] ?? '';
  expect(await call(ready, 'integration/state', shown)).toBe(200);
  expect(first.printed().stderr).not.toMatch(/s3cret|Demo/);
  const pool = await connectTo(settings.DATA_DIR);
  const ids = async () => (await pool.query('SELECT id, name, version FROM source')).rows;
  const made = await ids();
  expect(made).toMatchObject([{ name: 'House' }]);
  expect((await pool.query('SELECT name FROM account')).rows).toEqual([{ name: 'Our home' }]);
  first.signal('SIGTERM');
  expect(await first.ended()).toBe(0);

  await writeFile(path, HOME.replace('name: House', 'name: The house'));
  const second = startProduct({ ...settings, CAMERA_KEY: cameraKey });
  expect(await call(await second.ready(), 'integration/state', shown)).toBe(200);
  expect(second.printed().stderr).not.toMatch(/toc_|tcn_/);
  const again = await connectTo(settings.DATA_DIR);
  expect((await again.query('SELECT id, name FROM source')).rows).toEqual([{ id: made[0].id, name: 'The house' }]);
});

test('a wrong CONFIG_FILE stops the start with a sentence for each mistake, and leaves nothing', async () => {
  const wrong = HOME.replace('location: home', 'location: hoem').replace('name: Anna,', 'nam: Anna,');
  const { path, settings } = await deployment(wrong);
  const failed = startProduct(settings);
  expect(await failed.ended()).toBe(1);
  expect(failed.printed()).toEqual({
    stdout: '',
    stderr: [
      `${path}:5:5: contacts[0].name takes 1 to 100 characters in one line, without control characters, got nothing.`,
      `${path}:5:18: contacts[0].nam is not a known field: takes key, name, locale, timeZone, voice, showNumber, channels, got "nam". Did you mean name?`,
      `${path}:7:47: alarms[0].location takes the key of a location of this file or this account, got "hoem". Did you mean home?`,
      `${path}:9:47: apiKeys[0].secret takes the secret that env:CAMERA_KEY names, got nothing.`,
      '',
    ].join('\n'),
  });

  await writeFile(path, HOME);
  const right = startProduct({ ...settings, CAMERA_KEY: newSecret('toc') });
  await right.ready();
  const pool = await connectTo(settings.DATA_DIR);
  expect((await pool.query('SELECT name FROM account')).rows).toEqual([{ name: 'Our home' }]);
  right.signal('SIGTERM');
  expect(await right.ended()).toBe(0);

  // Once configured, a wrong file stops the start too: what runs is what the file says, or nothing.
  await writeFile(path, `${HOME}alarmz: []\n`);
  const later = startProduct({ ...settings, CAMERA_KEY: newSecret('toc') });
  expect(await later.ended()).toBe(1);
  expect(later.printed().stderr).toBe(
    `${path}:11:1: alarmz is not a known field: takes version, account, locations, contacts, duties, policies, alarms, panicButtons, apiKeys. Did you mean alarms?\n`,
  );
});

test.each([
  ['is not there', 'nowhere.yaml', null, /: there is no such file\.$/],
  ['is no UTF-8', 'latin.yaml', Buffer.from([0x76, 0xe4]), /: it is not UTF-8\.$/],
])('a CONFIG_FILE that %s stops the start with one sentence', async (_, name, bytes, reason) => {
  const folder = await emptyFolder();
  const path = join(folder, name);
  if (bytes !== null) await writeFile(path, bytes);
  const product = startProduct({ DATA_DIR: await emptyFolder(), CONFIG_FILE: path });
  expect(await product.ended()).toBe(1);
  const { stdout, stderr } = product.printed();
  expect(stdout).toBe('');
  expect(stderr.trimEnd()).not.toContain('\n');
  expect(stderr).toContain(`CONFIG_FILE takes the path of a YAML file, got "${path}"`);
  expect(stderr.trimEnd()).toMatch(reason);
});

test('keys that a killed start has made are shown by the next one', async () => {
  const { settings } = await deployment('version: 1\napiKeys: [{ key: gate, label: The gate }]\n');
  const port = '1';
  // The RPC port cannot be had: the file was applied, and nothing was shown.
  const failed = startProduct({ ...settings, RPC_HOST: '203.0.113.1', RPC_PORT: port, SERVICE_TOKEN: 's'.repeat(32) });
  expect(await failed.ended()).toBe(1);
  expect(failed.printed().stderr).not.toContain('toc_');
  const next = startProduct(settings);
  const ready = await next.ready();
  const shown = /The gate \(gate\) {2}(toc_\w{36})/.exec(next.printed().stderr)?.[1] ?? '';
  expect(await call(ready, 'integration/state', shown)).toBe(200);
});
