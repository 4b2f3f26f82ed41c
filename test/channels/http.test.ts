import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { get, HttpFault, NotAllowed, post } from '../../services/channels/http.ts';
import { rawServer } from '../support/raw-server.ts';

const LONG = { headers: {}, timeoutMs: 5_000 };

describe('an answer', () => {
  test('has status and text, and the request its headers and body', async () => {
    const heard: unknown[] = [];
    const { url } = await server((request, response) => {
      request.setEncoding('utf8').once('data', body => {
        heard.push([request.method, request.url, request.headers['x-one'], request.headers['content-length'], body]);
        response.writeHead(201, { 'content-type': 'text/plain' }).end('grüß dich');
      });
    });
    const answer = await post(`${url}/a?b=c`, { ...LONG, headers: { 'x-one': '1' }, body: 'ü' });
    expect(answer).toEqual({ status: 201, text: 'grüß dich', retryAfterS: null });
    expect(heard).toEqual([['POST', '/a?b=c', '1', '2', 'ü']]);
  });

  test.each([
    ['30', 30],
    ['0', 0],
    ['Sat, 21 Nov 2026 11:52:09 GMT', null],
    ['-1', null],
    ['99999999999999', null],
  ])('with Retry-After %s asks for %s s', async (value, retryAfterS) => {
    const { url } = await server((_request, response) => response.writeHead(429, { 'retry-after': value }).end());
    expect(await get(url, LONG)).toEqual({ status: 429, text: '', retryAfterS });
  });

  test.each([301, 302, 307, 308])('that leads elsewhere (%i) is not followed', async status => {
    let asked = 0;
    const { url } = await server((_request, response) => {
      asked++;
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await get(url, LONG)).toMatchObject({ status });
    expect(asked).toBe(1);
  });

  test('comes over a connection that is kept', async () => {
    const { url, connections } = await server((_request, response) => response.end('ok'));
    for (let i = 0; i < 3; i++) await post(url, { ...LONG, body: 'x' });
    expect(connections()).toBe(1);
  });
});

describe('a request without an answer says why, and whether the other side may have got it', () => {
  test('nobody listens', async () => {
    const { url, stop } = await server(() => {});
    await stop();
    expect(await faultOf(get(url, LONG))).toMatchObject({ kind: 'unreachable', sent: 'no', message: 'ECONNREFUSED' });
  });

  test('a name that does not exist', async () => {
    const fault = await faultOf(get('http://nowhere.tocsin.invalid', LONG));
    expect(fault).toMatchObject({ kind: 'unreachable', sent: 'no' });
  });

  test('a server that takes the message and never answers', async () => {
    const { url } = await server(() => {});
    const fault = await faultOf(post(url, { ...LONG, timeoutMs: 100, body: 'x' }));
    expect(fault).toMatchObject({ kind: 'timeout', sent: 'maybe', message: 'no answer within 0.1 s' });
  });

  test('a server that drips its answer', async () => {
    const { url } = await server((_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(drip));
    });
    expect(await faultOf(get(url, { ...LONG, timeoutMs: 200 }))).toMatchObject({ kind: 'timeout', sent: 'maybe' });
  });

  test('one that speaks no TLS where it should: nothing was sent yet', async () => {
    const port = await rawServer(socket => void socket.write('hello'), 'connected');
    const fault = await faultOf(post(`https://127.0.0.1:${port}`, { ...LONG, body: 'x' }));
    expect(fault).toMatchObject({ kind: 'unreachable', sent: 'no' });
  });

  test('one that never gets through the handshake of TLS', async () => {
    const port = await rawServer(() => {}, 'connected');
    const fault = await faultOf(post(`https://127.0.0.1:${port}`, { ...LONG, timeoutMs: 100, body: 'x' }));
    expect(fault).toMatchObject({ kind: 'timeout', sent: 'no' });
  });

  test.each([
    ['a reset in place of an answer', (socket: Socket) => socket.resetAndDestroy()],
    ['an end in place of an answer', (socket: Socket) => socket.end()],
    ['an answer that breaks off', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')],
    ['an answer that is no HTTP', (socket: Socket) => socket.end('\x00\x01garbage\r\n\r\n')],
  ])('%s', async (_what, answer) => {
    const port = await rawServer(answer);
    const fault = await faultOf(post(`http://127.0.0.1:${port}`, { ...LONG, body: 'x' }));
    expect(fault).toMatchObject({ kind: 'reset', sent: 'maybe' });
  });

  test('100 MB: it stops reading after 64 KB', async () => {
    let written = 0;
    const { url } = await server((_request, response) => {
      const chunk = Buffer.alloc(1 << 20);
      response.writeHead(200);
      const pour = () => {
        while (written < 100 << 20 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pour);
        }
      };
      pour();
    });
    expect(await faultOf(get(url, LONG))).toMatchObject({ kind: 'too_large', sent: 'maybe' });
    expect(written).toBeLessThan(20 << 20);
  });

  test('an address that the look-up refuses', async () => {
    const fault = await faultOf(
      get('http://anywhere.test', {
        ...LONG,
        lookup: (_host, _options, found) => found(new NotAllowed('not this one'), ''),
      }),
    );
    expect(fault).toMatchObject({ kind: 'not_allowed', sent: 'no', message: 'not this one' });
  });
});

test('a look-up of its own leads to the address that it gives, over a connection that nobody else uses', async () => {
  const { url, connections } = await server((request, response) => response.end(request.headers.host));
  const { port } = new URL(url);
  const lookup = ((_host, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }])) as NonNullable<
    Parameters<typeof get>[1]['lookup']
  >;
  for (let i = 0; i < 2; i++) {
    expect(await get(`http://anywhere.test:${port}`, { ...LONG, lookup })).toMatchObject({
      text: `anywhere.test:${port}`,
    });
  }
  expect(connections()).toBe(2);
});

async function faultOf(answer: Promise<unknown>): Promise<HttpFault> {
  const fault = await answer.then(
    () => null,
    error => error,
  );
  expect(fault).toBeInstanceOf(HttpFault);
  return fault;
}

async function server(handle: RequestListener) {
  let connections = 0;
  const http = createServer(handle).on('connection', () => connections++);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const stop = async () => {
    http.close();
    http.closeAllConnections();
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, connections: () => connections, stop };
}
