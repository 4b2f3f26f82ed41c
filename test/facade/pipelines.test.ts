import { connect } from 'node:net';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { startWorld } from '../support/world.ts';

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
const NONCE = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
const REALTIME = `GET /event/realtime HTTP/1.1\r\nHost: x\r\n${UPGRADE}`;
const RPC = 'POST /tocsin.alarm.v1.AlarmService/Trigger HTTP/1.1\r\nHost: x\r\n';

/** What a connection may say, whole or cut off: each alone is answered or ends it; nothing promises that of two in a row. */
const PIECES = [
  'GET /livez HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/integration/state HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/integration/state HTTP/1.0\r\n\r\n',
  'GET http://x/v1/integration/describe HTTP/1.1\r\nHost: x\r\n\r\n',
  'HEAD /v1/integration/state HTTP/1.1\r\nHost: x\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /v1/integration/state HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n\r\n',
  'GET /v1/integration/state HTTP/1.1\r\nHost: x\r\nExpect: the unexpected\r\n\r\n',
  'GET /v1/integration/state HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  `${REALTIME}\r\n`,
  `${REALTIME}${NONCE}\r\n`,
  `${REALTIME}${NONCE}Sec-WebSocket-Protocol: aws-appsync-event-ws\r\n\r\n`,
  `GET /elsewhere HTTP/1.1\r\nHost: x\r\n${UPGRADE}${NONCE}\r\n`,
  'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n',
  `POST /event/realtime HTTP/1.1\r\nHost: x\r\n${UPGRADE}${NONCE}Content-Length: 2\r\n\r\n{}`,
  'POST /carrier/twilio/sms HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na=b',
  'POST /i/x/acknowledge HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n',
  'POST /i/x/acknowledge HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  'POST /i/x/acknowledge HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
  'POST /rpc/tocsin.console.v1.SessionService/GetSession HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}',
  `${RPC}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
  `${RPC}Content-Type: application/grpc-web\r\nContent-Length: 5\r\n\r\n\0\0\0\0\0`,
  `${RPC}Content-Type: application/connect+proto\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n`,
  `${RPC}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '\0\0\0\x04\0\0\0\0\0',
  '\0\0\x04\x03\0\0\0\0\x01\0\0\0\x08',
  '\0\0\x01\x01\x04\0\0\0\x01\x82',
  '\x81\x85\0\0\0\0hello',
  '\x88\0',
  '\r\n\r\n',
  'nonsense',
].map(piece => Buffer.from(piece, 'latin1'));

/** An HTTP/2 frame. */
function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Headers as HPACK has them, none of them from its tables. */
function headers(fields: Readonly<Record<string, string>>): Buffer {
  const said = (text: string) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
  return Buffer.concat(
    Object.entries(fields).flatMap(([name, value]) => [Buffer.from([0]), said(name.toLowerCase()), said(value)]),
  );
}

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const CALL = headers({
  ':method': 'POST',
  ':scheme': 'http',
  ':path': '/tocsin.alarm.v1.AlarmService/Trigger',
  ':authority': 'x',
  'content-type': 'application/grpc',
});
const GET = headers({ ':method': 'GET', ':scheme': 'http', ':path': '/livez', ':authority': 'x' });
const number = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** What an HTTP/2 connection may say after its preface, in and out of turn. */
const FRAMES = [1, 3, 0]
  .flatMap(stream => [
    frame(0, 0, stream, Buffer.from([0, 0, 0, 0, 0])),
    frame(0, 1, stream, Buffer.from([0, 0, 0, 0, 0])),
    frame(0, 9, stream, Buffer.from([200])),
    frame(1, 4, stream, CALL),
    frame(1, 5, stream, CALL),
    frame(1, 0, stream, CALL.subarray(0, 20)),
    frame(1, 5, stream, GET),
    frame(1, 5, stream, Buffer.from([0xff, 0xff, 0xff, 0xff])),
    frame(1, 5, stream, headers({ ':method': 'CONNECT', ':authority': 'x' })),
    frame(1, 5, stream, headers({ te: 'trailers' })),
    frame(2, 0, stream, Buffer.from([0, 0, 0, stream, 1])),
    frame(3, 0, stream, number(8)),
    frame(5, 4, stream, Buffer.concat([number(2), GET])),
    frame(8, 0, stream, number(0)),
    frame(8, 0, stream, number(0x7fffffff)),
    frame(9, 4, stream, CALL.subarray(20)),
  ])
  .concat([
    frame(4, 0, 0),
    frame(4, 1, 0),
    frame(4, 0, 0, Buffer.from([0, 4, 0xff, 0xff, 0xff, 0xff])),
    frame(4, 0, 0, Buffer.from([0, 1, 0, 0, 0, 0])),
    frame(6, 0, 0, Buffer.alloc(8)),
    frame(7, 0, 0, Buffer.concat([number(0), number(0)])),
    frame(99, 255, 7, Buffer.from('unknown')),
  ]);

/** What is said in one packet, in how many of them, and whether the sender then hangs up rudely, in order, or waits to be told. */
const talksOf = (pieces: readonly Buffer[]) =>
  fc.record({
    said: fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }),
    cut: fc.nat(400),
    leave: fc.constantFrom('reset' as const, 'end' as const, 'wait' as const),
  });

/** What escapes from a handler would end the process; vitest fails the run for it too, but says nothing of what was said. */
function escapes(): { rethrow(): void } {
  let escaped: unknown = null;
  const note = (error: unknown) => {
    escaped ??= error;
  };
  process.on('uncaughtException', note).on('unhandledRejection', note);
  onTestFinished(() => void process.off('uncaughtException', note).off('unhandledRejection', note));
  return {
    rethrow() {
      if (escaped === null) return;
      const error = escaped;
      escaped = null;
      throw error;
    },
  };
}

test.each([
  ['HTTP/1.1', Buffer.alloc(0), PIECES, 300],
  ['HTTP/2', PREFACE, FRAMES, 300],
])(
  'whatever is said in %s, in whatever order, ends that connection at most',
  async (_, before, pieces, numRuns) => {
    const world = await startWorld();
    const neighbour = await world.account();
    const [alarm, key] = [await neighbour.alarm(), await neighbour.key()];
    const ports = [world.url, world.rpcUrl].map(url => Number(new URL(url).port));
    const escaped = escapes();
    await fc.assert(
      fc.asyncProperty(talksOf(pieces), fc.constantFrom(...ports), async ({ said, cut, leave }, port) => {
        await say(port, Buffer.concat([before, ...said]), cut, leave);
        expect((await world.get(`/v1/alarm/${alarm}/trigger`, key)).status).toBe(202);
        escaped.rethrow();
      }),
      { numRuns },
    );
  },
  120_000,
);

/** Says something in two packets, and comes back once the connection has ended or an answer to it begun. */
function say(port: number, bytes: Buffer, cut: number, leave: 'reset' | 'end' | 'wait'): Promise<void> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.on('connect', () => {
      socket.write(bytes.subarray(0, cut));
      socket.write(bytes.subarray(cut), () => {
        if (leave === 'reset') setImmediate(() => socket.resetAndDestroy());
        if (leave === 'end') socket.end();
      });
    });
    socket.on('data', () => {
      if (leave !== 'end') setImmediate(() => socket.destroy());
    });
    // What is not whole is waited for by the other side: long enough for whatever it begins.
    if (leave !== 'reset') setTimeout(() => socket.destroy(), 50);
  });
}
