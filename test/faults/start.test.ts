import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { BatchService } from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { eventually } from '../support/wait.ts';
import { emptyFolder, isAlive, serverPid } from './embedded-rig.ts';
import { call, startProduct } from './product.ts';
import { expectRefusal, takenPort } from './refusal.ts';

// A first start on a busy machine is slow, and some tests make three.
vi.setConfig({ testTimeout: 90_000 });

const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64) };

test('describe says where to listen, also where PUBLIC_URL says nothing and the port was chosen by chance', async () => {
  const { apiKey = '', http, realtime } = await startProduct({ DATA_DIR: await emptyFolder() }).ready();
  const response = await fetch(`${http}/v1/integration/describe`, { headers: { 'x-api-key': apiKey } });
  const { data } = (await response.json()) as { data: { realtime: Record<string, string> } };
  const { host } = new URL(http);
  expect(data.realtime).toEqual({
    httpHost: host,
    realtimeHost: host,
    channel: expect.stringMatching(/^\/account\/[a-z0-9]{32}$/),
  });
  expect(realtime).toBe(`ws://${host}/event/realtime`);
});

test('where no facade runs apart, what is for one opens to nobody, not even on this machine', async () => {
  const { rpc } = await startProduct({ DATA_DIR: await emptyFolder() }).ready();
  const transport = createGrpcTransport({ baseUrl: rpc });
  const carried = createClient(BatchService, transport).carry(aMessage());
  for (const ask of [
    () => carried[Symbol.asyncIterator]().next(),
    () => createClient(InventoryService, transport).recheckGrants({}),
  ]) {
    expect(await ask().catch(ConnectError.from)).toMatchObject({ code: Code.Unauthenticated });
  }
});

/** Without a call. */
async function* aMessage() {
  yield {};
}

test('the first start shows one API key, a later one none, and the key still opens /v1', async () => {
  const settings = { DATA_DIR: await emptyFolder() };
  const first = startProduct(settings);
  const { apiKey = '', http } = await first.ready();
  expect(await call({ http }, 'integration/state', apiKey)).toBe(200);
  expect(first.printed().stdout.match(/toc_\w+/g)).toEqual([apiKey]);
  expect(first.printed().stderr).toContain(`export TOCSIN_KEY=${apiKey}`);
  first.signal('SIGTERM');
  expect(await first.ended()).toBe(0);

  const second = startProduct(settings);
  const ready = await second.ready();
  expect(ready).not.toHaveProperty('apiKey');
  expect(await call(ready, 'integration/state', apiKey)).toBe(200);
  const { stdout, stderr } = second.printed();
  expect(stdout + stderr).not.toMatch(/toc_|tcn_/);
});

test.each([
  'SIGTERM',
  'SIGINT',
] as const)('%s to npm start ends the product and its PostgreSQL with exit code 0', async signal => {
  const dataDir = await emptyFolder();
  const product = startProduct({ DATA_DIR: dataDir });
  const { http } = await product.ready();
  const postgres = await serverPid(dataDir);
  product.signal(signal);
  expect(await product.ended()).toBe(0);
  await eventually(() => !isAlive(postgres), { what: 'its PostgreSQL to be gone' });
  await expect(fetch(http)).rejects.toThrow();
});

test('a variable that is nearly one of ours is said at the start, and a line says that the product stopped', async () => {
  const product = startProduct({
    DATA_DIR: await emptyFolder(),
    LOG_LEVEL: 'info',
    SMPT_URL: 'smtp://me:hunter2@mail',
  });
  await product.ready();
  product.signal('SIGTERM');
  expect(await product.ended()).toBe(0);
  const logged = product.printed().stderr.match(/^\{.*\}$/gm)!;
  const said = logged.map(line => JSON.parse(line).msg as string);
  expect(said).toContain('SMPT_URL is set, and nothing reads it: did you mean SMTP_URL?');
  expect(said.filter(line => /stop/i.test(line))).toEqual(['Tocsin has stopped.']);
  expect(said.at(-1)).toBe('Tocsin has stopped.');
  expect(product.printed().stderr).not.toContain('hunter2');
});

test('a first start that failed for want of a port has not used up the API key', async () => {
  const { port, close } = await takenPort();
  const settings = { DATA_DIR: await emptyFolder(), HTTP_HOST: '127.0.0.1' };
  const failed = startProduct({ ...settings, HTTP_PORT: String(port) });
  expect(await failed.ended()).toBe(1);
  await close();
  expect(await startProduct(settings).ready()).toHaveProperty('apiKey');
});

test('a product that was killed goes on with the same data at its next start, and stops its PostgreSQL then', async () => {
  const dataDir = await emptyFolder();
  const killed = startProduct({ DATA_DIR: dataDir });
  const { apiKey = '' } = await killed.ready();
  await killed.kill();
  const postgres = await serverPid(dataDir);
  expect(isAlive(postgres)).toBe(true);

  const next = startProduct({ DATA_DIR: dataDir });
  expect(await call(await next.ready(), 'integration/state', apiKey)).toBe(200);
  next.signal('SIGTERM');
  expect(await next.ended()).toBe(0);
  await eventually(() => !isAlive(postgres), { what: 'the adopted PostgreSQL to be gone' });
});

describe('stops the start with one sentence and exit code 1:', () => {
  test('a bad setting of either side', async () => {
    await expectRefusal(
      startProduct({ RPC_PORT: 'abc' }),
      'RPC_PORT takes a whole number from 0 to 65535 (0 takes any free port), got "abc".',
    );
    await expectRefusal(
      startProduct({ HTTP_HOST: 'a b' }),
      'HTTP_HOST takes an IP address or a host name, without a port, got "a b".',
    );
  });

  test.each(['HTTP_PORT', 'RPC_PORT'])('%s in use', async name => {
    const { port } = await takenPort();
    await expectRefusal(
      startProduct({ DATA_DIR: await emptyFolder(), HTTP_HOST: '127.0.0.1', [name]: String(port) }),
      `${name} is ${port}, but another program on this machine uses that port: stop it or choose another port (0 takes any free one).`,
    );
  });

  test('a DATA_DIR that another product uses', async () => {
    const settings = { DATA_DIR: await emptyFolder() };
    await startProduct(settings).ready();
    await expectRefusal(
      startProduct(settings),
      /^The data in ".+" are in use by another Tocsin \(process \d+\): .+\.$/,
    );
  });

  test('a DATA_DIR that is a file', async () => {
    const dataDir = join(await emptyFolder(), 'file');
    await writeFile(dataDir, '');
    await expectRefusal(
      startProduct({ DATA_DIR: dataDir }),
      `DATA_DIR takes a folder in which Tocsin may write, got "${dataDir}": it is a file, or lies in one.`,
    );
  });

  test('data of another major version', async () => {
    const dataDir = await emptyFolder();
    await mkdir(join(dataDir, 'postgres'));
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
    await expectRefusal(
      startProduct({ DATA_DIR: dataDir }),
      /holds data of PostgreSQL 17, but this Tocsin comes with PostgreSQL 18: /,
    );
  });

  test('a database that cannot be reached', async () => {
    await expectRefusal(
      startProduct({ ...SECRETS, DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/alarms' }),
      'The database of DATABASE_URL (alarms at 127.0.0.1:1) cannot be reached (ECONNREFUSED): check that PostgreSQL runs there and listens on that address.',
    );
  });

  test('a database that refuses the password', async () => {
    const url = new URL(inject('postgresUrl'));
    url.password = 'hunter2';
    await expectRefusal(
      startProduct({ ...SECRETS, DATABASE_URL: url.href }),
      `The database of DATABASE_URL (tocsin at ${url.host}) refuses the user or the password: check both.`,
    );
  });

  test('a database that does not exist', async () => {
    const url = new URL(inject('postgresUrl'));
    url.pathname = '/nowhere';
    await expectRefusal(
      startProduct({ ...SECRETS, DATABASE_URL: url.href }),
      `The database of DATABASE_URL (nowhere at ${url.host}) does not exist on that server: create it or name another one.`,
    );
  });

  test('a NATS server that refuses the login', async () => {
    const nats = await startNatsServer({ config: 'authorization { token: "right" }' });
    onTestFinished(nats.stop);
    await expectRefusal(
      startProduct({ DATA_DIR: await emptyFolder(), NATS_URL: nats.url.replace('//', '//hunter2@') }),
      /^NATS at 127.0.0.1:\d+ refused the user, password or token\. Check NATS_URL and the server\.$/,
    );
  });
});
