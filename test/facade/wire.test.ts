import { describe, expect, test } from 'vitest';
import { eventually } from '../support/wait.ts';
import { ALARM, get, open, raw, startRig, statuses } from './rig.ts';

const PATH = `/v1/alarm/${ALARM}/trigger`;

describe('a call in a shape that devices use', () => {
  test.each([
    ['HTTP/1.0 without Host', get(PATH, [], '1.0')],
    ['HTTP/1.1 without Host', get(PATH)],
    ['an empty Host', get(PATH, ['Host:'])],
    ['two Hosts', get(PATH, ['Host: a', 'Host: b'])],
    ['an absolute target', get(`http://elsewhere.example${PATH}`, ['Host: x'])],
    ['a fragment', get(`${PATH}#x`)],
    ['an empty line first', `\r\n${get(PATH)}`],
    ['Content-Length: 0', get(PATH, ['Content-Length: 0'])],
    ['a body', `${get(PATH, ['Content-Length: 3'])}abc`],
    ['an empty chunked body', `${get(PATH, ['Transfer-Encoding: chunked'])}0\r\n\r\n`],
    ['an offer of HTTP/2', get(PATH, ['Connection: close, Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQ'])],
    ['letters beyond ASCII in another header', get(PATH, ['User-Agent: Kamera M\xfcller'])],
    [
      '90 headers',
      get(
        PATH,
        Array.from({ length: 90 }, (_, index) => `X-${index}: y`),
      ),
    ],
  ])('%s: 202', async (_, bytes) => {
    const rig = await startRig();
    expect(statuses(await raw(rig, Buffer.from(bytes, 'latin1')))).toEqual([202]);
    expect(rig.backend.acted).toEqual(['Trigger']);
  });

  test('Expect: 100-continue: 100, then 202', async () => {
    const rig = await startRig();
    expect(statuses(await raw(rig, get(PATH, ['Expect: 100-continue'])))).toEqual([100, 202]);
  });

  test.each(['200-ok', '100-Continue, x', ''])('an Expect that nobody knows (%j) is ignored', async expected => {
    const rig = await startRig();
    const text = await raw(rig, get(PATH, [`Expect: ${expected}`, 'Connection: keep-alive']) + get(PATH));
    expect(statuses(text).filter(status => status !== 100)).toEqual([202, 202]);
    expect(rig.backend.acted).toEqual(['Trigger', 'Trigger']);
  });

  test.each([
    '1.0',
    '1.1',
  ])('a device that speaks HTTP/%s and closes its sending side still gets its answer', async version => {
    const rig = await startRig();
    const release = Promise.withResolvers<void>();
    rig.backend.behaviour = ({ rpc }) => (rpc === 'Trigger' ? release.promise : undefined);
    const answered = raw(rig, get(PATH, ['Connection: keep-alive'], version), 'half_close');
    await eventually(() => rig.backend.calls.length, { what: 'the call' });
    // Round trips behind the half-close: the facade has seen it.
    for (let trip = 0; trip < 3; trip++) await raw(rig, get('/v1/integration/state'));
    release.resolve();
    expect(statuses(await answered)).toEqual([202]);
  });

  test('a device that hangs up before the answer does not stop its call', async () => {
    const rig = await startRig();
    const release = Promise.withResolvers<void>();
    let done = false;
    rig.backend.behaviour = async () => {
      await release.promise;
      done = true;
    };
    const { socket } = open(rig);
    socket.write(get(PATH));
    await eventually(() => rig.backend.calls.length, { what: 'the call' });
    socket.resetAndDestroy();
    await new Promise(resolve => socket.once('close', resolve));
    // A round trip behind the reset: the facade has seen it.
    rig.backend.behaviour = () => {};
    await raw(rig, get(PATH));
    expect(rig.backend.calls[0]!.signal.aborted).toBe(false);
    release.resolve();
    await eventually(() => done, { what: 'the end of the call' });
  });

  test('one connection carries many calls, several at a time, and each gets its own answer in order', async () => {
    const rig = await startRig();
    const paths = [PATH, '/v1/nothing', '/v1/integration/state', `/v1/alarm/${ALARM}/arm/x`, PATH];
    const bytes = paths.map((path, index) => get(path, index < 4 ? ['Connection: keep-alive'] : []));
    const text = await raw(rig, bytes.join(''));
    expect(statuses(text)).toEqual([202, 404, 200, 404, 202]);
    expect(new Set(text.match(/"traceId":"[^"]+"/g)).size).toBe(5);
  });

  test('a call after a GET whose body came with it is read correctly', async () => {
    const rig = await startRig();
    const first = `${get(PATH, ['Connection: keep-alive', 'Content-Length: 5'])}GET /`;
    expect(statuses(await raw(rig, first + get('/v1/integration/state')))).toEqual([202, 200]);
  });

  test('a body that never comes does not hold the answer up', async () => {
    const rig = await startRig();
    const { socket, received } = open(rig);
    socket.write(`${get(PATH, ['Connection: keep-alive', 'Content-Length: 1000'])}abc`);
    await eventually(() => statuses(received()).includes(202), { what: 'the answer' });
  });
});

describe('what is no HTTP request', () => {
  test.each([
    ['a blank in the path', get('/v1/alarm/a b/trigger'), 400],
    ['raw letters beyond ASCII in the query', get(`${PATH}?cam=Haust\xfcr`), 400],
    ['raw letters beyond ASCII in the path', get('/v1/alarm/\xfc/trigger'), 400],
    ['NUL in the path', get('/v1/alarm/\0/trigger'), 400],
    ['a path without a slash', get('v1/alarm/a/trigger'), 400],
    ['bare line feeds', get(PATH).replaceAll('\r\n', '\n'), 400],
    ['a blank before a colon', get(PATH, ['Host : x']), 400],
    ['a folded header', get(PATH, ['X-A: b', ' c']), 400],
    ['Content-Length and Transfer-Encoding', get(PATH, ['Content-Length: 3', 'Transfer-Encoding: chunked']), 400],
    ['two different lengths', get(PATH, ['Content-Length: 3', 'Content-Length: 4']), 400],
    ['a length that is none', get(PATH, ['Content-Length: x']), 400],
    ['HTTP/3.7', get(PATH, [], '3.7'), 400],
    ['the hello of TLS', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', 400],
    ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['a header of 17 KB', get(PATH, [`X-A: ${'y'.repeat(17_408)}`]), 431],
    [
      '110 headers',
      get(
        PATH,
        Array.from({ length: 110 }, (_, index) => `X-${index}: y`),
      ),
      431,
    ],
    ['a path of 17 KB', get(`/v1/${'y'.repeat(17_408)}`), 431],
  ])('%s: a short refusal, the end of the connection, and nothing is done', async (_, bytes, status) => {
    const rig = await startRig();
    const text = await raw(rig, Buffer.from(bytes, 'latin1'));
    expect(statuses(text)).toEqual([status]);
    expect(text).toMatch(/\r\n\r\n\{"message":"This request cannot be read\."\}$/);
    expect(text).toMatch(/^Cache-Control: no-store\r$/m);
    expect(text).toMatch(/^Connection: close\r$/m);
    expect(rig.backend.calls).toEqual([]);
  });

  test('bytes behind a whole call, such as a body without its length, do not spoil its answer', async () => {
    const rig = await startRig();
    const text = await raw(rig, `${get(PATH, ['Connection: keep-alive'])}{"a":1}`);
    expect(statuses(text)).toEqual([202]);
    expect(text).toContain('Connection: close');
    expect(rig.backend.acted).toEqual(['Trigger']);
  });

  test('after an answered call, on the same connection, gets its own refusal', async () => {
    const rig = await startRig();
    const { socket, received } = open(rig);
    socket.write(get(PATH, ['Connection: keep-alive']));
    await eventually(() => statuses(received()).length, { what: 'the first answer' });
    socket.write('nonsense\r\n\r\n');
    await eventually(() => statuses(received()).length === 2, { what: 'the second answer' });
    expect(statuses(received())).toEqual([202, 400]);
  });
});
