import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openStore } from '../../services/store/store.ts';
import { dropDatabase, makeDatabase, TEMPLATE } from '../support/database.ts';

/** What Postgres says when a connection is ready, and when an administrator ends it. */
const READY = Buffer.from('5a0000000549', 'hex');
const ENDED = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');

test('a connection that is lost the moment it is ready costs a statement, not the process', async () => {
  const postgresUrl = inject('postgresUrl');
  const name = 'lost_while_connecting';
  const databaseUrl = new URL(await makeDatabase(postgresUrl, { name, from: TEMPLATE }));
  onTestFinished(() => dropDatabase(postgresUrl, name));
  const line = await startLine(Number(databaseUrl.port));
  databaseUrl.port = String(line.port);
  const store = await openStore(databaseUrl.href, pino({ level: 'silent' }));
  onTestFinished(() => store.close());

  for (const pool of [store.working, store.accepting]) {
    line.endNext();
    await expect(
      pool.connect().then(client => client.query('SELECT 1').finally(() => client.release(true))),
    ).rejects.toThrow();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  }
});

/** A way to Postgres that can end a connection with the very packet that says that it is ready. */
async function startLine(port: number) {
  let next: 'passes' | 'ends' = 'passes';
  const server = createServer(near => {
    const far = connect({ host: '127.0.0.1', port });
    const here = next;
    next = 'passes';
    near.pipe(far);
    far.on('data', said => {
      if (here === 'passes' || said.indexOf(READY) === -1) return void near.write(said);
      near.end(Buffer.concat([said, ENDED]));
      far.destroy();
    });
    for (const socket of [near, far]) socket.on('error', () => {});
    near.on('close', () => far.destroy());
    far.on('close', () => near.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    port: (server.address() as AddressInfo).port,
    endNext() {
      next = 'ends';
    },
  };
}

function message(type: string, text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(4 + Buffer.byteLength(text));
  return Buffer.concat([Buffer.from(type), length, Buffer.from(text)]);
}
