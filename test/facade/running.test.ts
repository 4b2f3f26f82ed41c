import { describe, expect, test } from 'vitest';
import { publicUrlAt } from '../../facade/config.ts';
import { facadeConfig } from '../support/facade-config.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { ALARM, ask, get, open, raw, startRig, statuses } from './rig.ts';

const PATH = `/v1/alarm/${ALARM}/trigger`;
const NO_KEY = { headers: { 'x-api-key': undefined } };

describe('health', () => {
  test('livez answers while the process does, whatever the services say', async () => {
    const rig = await startRig();
    rig.backend.health = 'down';
    expect(await ask(rig, '/livez', NO_KEY)).toMatchObject({ status: 200, body: '{"status":"alive"}' });
    expect((await ask(rig, '/livez', { ...NO_KEY, method: 'HEAD' })).status).toBe(200);
  });

  test.each([
    ['serving', 200, 'ready'],
    ['not_serving', 503, 'services_not_ready'],
    ['down', 503, 'services_not_ready'],
  ] as const)('readyz with services that are %s is %i', async (health, status, word) => {
    const rig = await startRig();
    rig.backend.health = health;
    const answer = await ask(rig, '/readyz', NO_KEY);
    expect(answer).toMatchObject({ status, body: `{"status":"${word}"}` });
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  test('readyz follows the services', async () => {
    const rig = await startRig();
    const seen: number[] = [];
    for (const health of ['serving', 'down', 'serving'] as const) {
      rig.backend.health = health;
      seen.push((await ask(rig, '/readyz', NO_KEY)).status);
    }
    expect(seen).toEqual([200, 503, 200]);
  });

  test('they are at their own paths alone, so that a proxy can keep them to itself', async () => {
    const rig = await startRig();
    for (const path of ['/livez', '/readyz', '/metrics']) {
      const [, first, rest] = /^\/(.)(.*)/.exec(path)!;
      const encoded = `/%${first!.charCodeAt(0).toString(16)}${rest}`;
      for (const other of [`${path}/`, `${path}//`, `/${path}`, encoded, `${path};x`, `${path}/?x`]) {
        expect((await ask(rig, other, NO_KEY)).status, other).toBe(404);
      }
      expect((await ask(rig, `${path}?x=y`, NO_KEY)).status).toBe(200);
      const absolute = `GET http://x${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      expect(statuses(await raw(rig, absolute))).toEqual([404]);
    }
  });

  test('readyz asked many times at once asks the services once', async () => {
    const rig = await startRig();
    const asked = [...Array(9).fill(get('/readyz', ['Connection: keep-alive'])), get('/readyz')];
    expect(statuses(await raw(rig, asked.join('')))).toEqual(Array(10).fill(200));
    expect(rig.backend.healthChecks).toBe(1);
  });
});

describe('the end', () => {
  test('a call under way gets its answer, waiting connections end, and nobody new gets in', async () => {
    const rig = await startRig();
    const idle = open(rig);
    idle.socket.write(get('/livez', ['Connection: keep-alive']));
    await eventually(() => statuses(idle.received()).length, { what: 'the idle connection' });
    const release = Promise.withResolvers<void>();
    rig.backend.behaviour = () => release.promise;
    const underWay = open(rig);
    underWay.socket.write(get(PATH, ['Connection: keep-alive']));
    await eventually(() => rig.backend.calls.length, { what: 'the call' });

    const closed = rig.facade.close();
    await eventually(() => idle.socket.closed, { what: 'the end of the idle connection' });
    await expect(ask(rig, PATH)).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN(REFUSED|RESET)$/) });
    release.resolve();
    const released = performance.now();
    await closed;
    expectInTime(performance.now() - released, 2_000);
    await eventually(() => underWay.socket.closed, { what: 'the end of the connection' });
    expect(statuses(underWay.received())).toEqual([202]);
    expect(rig.backend.calls).toHaveLength(1);
  });

  test('while it closes, connections that are still open take calls, and readyz says what happens', async () => {
    const rig = await startRig();
    const release = Promise.withResolvers<void>();
    rig.backend.behaviour = () => release.promise;
    const [device, balancer] = [open(rig), open(rig)];
    for (const { socket } of [device, balancer]) socket.write(get(PATH, ['Connection: keep-alive']));
    await eventually(() => rig.backend.calls.length === 2, { what: 'the calls' });
    const closed = rig.facade.close();
    await expect(ask(rig, PATH)).rejects.toMatchObject({ code: expect.stringMatching(/^ECONN(REFUSED|RESET)$/) });
    balancer.socket.write(get('/readyz', ['Connection: keep-alive']));
    device.socket.write(get(PATH, ['Connection: keep-alive']));
    await eventually(() => rig.backend.calls.length === 3, { what: 'the call during the end' });
    release.resolve();
    await closed;
    await eventually(() => device.socket.closed && balancer.socket.closed, { what: 'the end of the connections' });
    expect(statuses(device.received())).toEqual([202, 202]);
    expect(statuses(balancer.received())).toEqual([202, 503]);
    expect(balancer.received()).toContain('{"status":"closing"}');
  });

  test('a call that never ends holds the end up for 5 s and no longer', async () => {
    const rig = await startRig();
    const half = open(rig);
    half.socket.write('GET /v1');
    await eventually(() => half.socket.readyState === 'open', { what: 'the connection' });
    await ask(rig, '/livez');
    const started = performance.now();
    await rig.facade.close();
    expectInTime(performance.now() - started, 6_000);
  });

  test('closing twice is fine', async () => {
    const rig = await startRig();
    await rig.facade.close();
    await rig.facade.close();
  });
});

test('a port in use is reported by the system error, with its port', async () => {
  const { port } = await startRig();
  await expect(startRig({ config: { port } })).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'listen', port });
});

test.each([
  ['0.0.0.0', /^http:\/\/localhost:\d+$/],
  ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
  ['::1', /^http:\/\/\[::1\]:\d+$/],
])('a facade on %s says where it can be reached', async (host, url) => {
  const rig = await startRig({ config: { host } });
  expect(rig.url).toMatch(url);
  expect((await fetch(`${rig.url}/livez`)).status).toBe(200);
});

test('the public URL is that of the port that it listens on unless one is set', () => {
  const config = facadeConfig({ host: '::' });
  expect(publicUrlAt(config, 1234)).toBe('http://localhost:1234');
});
