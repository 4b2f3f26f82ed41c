import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

const ALARMS = 10_000;

test('whoever asks for much and reads none of it is told to read first; a neighbour is not, and once it is read it goes on', async () => {
  const world = await startWorld();
  const [large, neighbour] = [await world.account(), await world.account()];
  const alarmId = await neighbour.alarm();
  const [key, neighboursKey] = [await large.key(), await neighbour.key()];
  await world.rows(
    `INSERT INTO source (account_id, id, key, kind, location_id, name, test)
     SELECT $1, 'a' || lpad(n::text, 31, '0'), 'alarm-' || n, 'alarm', $2, repeat('A long name ', 8) || n, false
     FROM generate_series(1, $3::int) n`,
    [large.accountId, large.locationId, ALARMS],
  );
  const { hostname, port } = new URL(world.url);
  const ask = `GET /v1/integration/describe HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`;
  const describe = (as: string) => world.get('/v1/integration/describe', as);
  const crowd: Socket[] = [];
  onTestFinished(() => crowd.forEach(socket => void socket.destroy()));
  await eventually(
    async () => {
      const socket = connect({ host: hostname, port: Number(port) }).pause();
      socket.on('error', () => {});
      crowd.push(socket);
      socket.write(ask.repeat(10));
      return (await describe(key)).status === 429;
    },
    { what: 'so much to wait that no more is given', within: 45_000 },
  );
  expect(crowd.length).toBeLessThan(20);
  const refused = await describe(key);
  expect(refused.body.message).toContain('Answers to earlier calls with this key have not been read yet.');
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await describe(neighboursKey)).status).toBe(200);
  expect((await world.get(`/v1/alarm/${alarmId}/trigger`, neighboursKey)).status).toBe(202);
  for (const socket of crowd) socket.destroy();
  await eventually(async () => (await describe(key)).status === 200, { what: 'the key to be served again' });
});
