import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigError } from '../services/process/settings.ts';
import { StartError, startSentence } from '../services/process/start-errors.ts';
import { targetOf } from '../services/store/hosts.ts';

const NOTHING_SET = { ports: {}, databaseUrl: null };

test('a port in use is told with its setting', async () => {
  const port = portOf(await listen(0));
  const fault = await faultOf(() => listen(port));
  expect(startSentence(fault, { ports: { HTTP_PORT: 8080, RPC_PORT: port }, databaseUrl: null })).toBe(
    `RPC_PORT is ${port}, but another program on this machine uses that port: stop it or choose another port (0 takes any free one).`,
  );
  expect(startSentence(fault, { ports: { HTTP_PORT: port, RPC_PORT: port }, databaseUrl: null })).toBe(
    `HTTP_PORT and RPC_PORT are both ${port}: give each a port of its own.`,
  );
});

test('an address that this machine does not have is told with its setting', async () => {
  const fault = await faultOf(() => listen(40_123, '192.0.2.1'));
  expect(startSentence(fault, { ports: { HTTP_PORT: 40_123 }, databaseUrl: null })).toBe(
    'HTTP_PORT is 40123, but its host setting names an address that this machine does not have.',
  );
});

test.each([
  '127.0.0.1',
  'localhost',
])('a database at %s that cannot be reached is told without its password', async host => {
  const free = await listen(0);
  const port = portOf(free);
  free.close();
  await once(free, 'close');
  const databaseUrl = `postgres://me:hunter2@${host}:${port}/alarms`;
  const fault = await faultOf(() => new Client({ connectionString: databaseUrl }).connect());
  expect(startSentence(fault, { ports: {}, databaseUrl })).toBe(
    `The database of DATABASE_URL (alarms at ${host}:${port}) cannot be reached (ECONNREFUSED): check that PostgreSQL runs there and listens on that address.`,
  );
});

test('of several hosts each is told why it is not written to, without their password', async () => {
  const free = await listen(0);
  const port = portOf(free);
  free.close();
  await once(free, 'close');
  const databaseUrl = `postgres://me:hunter2@127.0.0.1:${port},localhost:${port}/alarms`;
  const fault = await faultOf(() => new Client(targetOf(databaseUrl)).connect());
  expect(startSentence(fault, { ports: {}, databaseUrl })).toBe(
    `The database of DATABASE_URL (alarms at 127.0.0.1:${port}, localhost:${port}) has no host that takes writes: 127.0.0.1:${port} does not answer, localhost:${port} does not answer.`,
  );
});

test('a folder without a Unix socket of PostgreSQL is told as such', async () => {
  const databaseUrl = 'postgres://me:hunter2@%2Fnowhere:5433/alarms';
  const fault = await faultOf(() => new Client(targetOf(databaseUrl)).connect());
  expect(startSentence(fault, { ports: {}, databaseUrl })).toBe(
    'The database of DATABASE_URL (alarms at /nowhere:5433) cannot be reached (ENOENT): there is no Unix socket of PostgreSQL in that folder: check the folder and the port.',
  );
});

test('a database that takes the connection and then says nothing cannot be reached either', async () => {
  const port = portOf(await listen(0));
  const databaseUrl = `postgres://me@127.0.0.1:${port}/alarms`;
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 50 });
  const fault = await faultOf(() => client.connect());
  expect(startSentence(fault, { ports: {}, databaseUrl })).toContain('cannot be reached (ETIMEDOUT)');
});

test('a folder that cannot be used is told with its path', async () => {
  const fault = await faultOf(() => writeFile('/dev/null/file', ''));
  expect(startSentence(fault, NOTHING_SET)).toBe('"/dev/null/file" cannot be used: it is a file, or lies in one.');
});

test('a fault that is a sentence already stands as it is, also as the cause of another', () => {
  expect(startSentence(new StartError('Do this.'), NOTHING_SET)).toBe('Do this.');
  expect(startSentence(new ConfigError('Do that.'), NOTHING_SET)).toBe('Do that.');
  expect(startSentence(new Error('wrapped', { cause: new StartError('Do this.') }), NOTHING_SET)).toBe('Do this.');
});

test('what fails while a failed start is stopped does not hide why it failed', async () => {
  const fault = await faultOf(async () => {
    await using running = new AsyncDisposableStack();
    running.defer(() => Promise.reject(new Error('The stop failed.')));
    throw new StartError('Do this.');
  });
  expect(startSentence(fault, NOTHING_SET)).toBe('Do this.');
});

test('a fault that nobody foresaw has no sentence', () => {
  expect(startSentence(new TypeError('x is not a function'), NOTHING_SET)).toBeNull();
  expect(startSentence('text', NOTHING_SET)).toBeNull();
});

async function listen(port: number, host = '127.0.0.1'): Promise<Server> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function faultOf(attempt: () => Promise<unknown>): Promise<unknown> {
  return attempt().then(
    () => expect.fail('It went well.'),
    (fault: unknown) => fault,
  );
}
