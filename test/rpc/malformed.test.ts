import { type IncomingHttpHeaders, request as requestOverHttp1 } from 'node:http';
import { connect } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { codeFromString } from '@connectrpc/connect/protocol-connect';
import { afterEach, expect, test, vi } from 'vitest';
import { ArmRequestSchema } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { startWorld } from '../support/world.ts';

/* DECISIONS.md "Bytes that are no message": they are their caller's fault, over every protocol. */

const UNARY = 'tocsin.alarm.v1.AlarmService/Arm';
const STREAM = 'tocsin.incident.v1.IncidentService/WatchIncidents';
const BOTH_WAYS = 'grpc.reflection.v1.ServerReflection/ServerReflectionInfo';

/** How a protocol carries messages, and what it answered. */
interface Protocol {
  http: 1 | 2;
  contentType: string;
  encoding: string;
  framed: boolean;
  read(answer: RawAnswer): { code: Code | undefined; message: string };
}

interface RawAnswer {
  body: Buffer;
  trailers: Record<string, unknown>;
}

const ofTrailers = (trailers: Record<string, unknown>) => ({
  code: Number(trailers['grpc-status']),
  message: decodeURIComponent(String(trailers['grpc-message'])),
});
const ofJson = (error: { code?: string; message?: string } | undefined) => ({
  code: codeFromString(error?.code ?? ''),
  message: error?.message ?? '',
});
const lastFrame = ({ body }: RawAnswer) => body.subarray(5).toString();
const fromWeb = (answer: RawAnswer) =>
  ofTrailers(
    Object.fromEntries(
      lastFrame(answer)
        .split('\r\n')
        .map(line => line.split(/: (.*)/)),
    ),
  );
const web = { contentType: 'application/grpc-web+proto', encoding: 'grpc-encoding', framed: true, read: fromWeb };
const connectUnary = {
  contentType: 'application/proto',
  encoding: 'content-encoding',
  framed: false,
  read: ({ body }: RawAnswer) => ofJson(JSON.parse(body.toString())),
};
const connectStream = {
  contentType: 'application/connect+proto',
  encoding: 'connect-content-encoding',
  framed: true,
  read: (answer: RawAnswer) => ofJson(JSON.parse(lastFrame(answer)).error),
};
const grpc: Protocol = {
  http: 2,
  contentType: 'application/grpc',
  encoding: 'grpc-encoding',
  framed: true,
  read: ({ trailers }) => ofTrailers(trailers),
};
const WAYS: [string, string, Protocol][] = [
  ['gRPC', UNARY, grpc],
  ['gRPC-Web over HTTP/1.1', UNARY, { http: 1, ...web }],
  ['gRPC-Web over HTTP/2', UNARY, { http: 2, ...web }],
  ['Connect over HTTP/1.1', UNARY, { http: 1, ...connectUnary }],
  ['Connect over HTTP/2', UNARY, { http: 2, ...connectUnary }],
  ['gRPC, a stream', STREAM, grpc],
  ['gRPC-Web, a stream', STREAM, { http: 1, ...web }],
  ['Connect, a stream', STREAM, { http: 1, ...connectStream }],
  ['gRPC, a stream both ways', BOTH_WAYS, grpc],
  ['Connect, a stream both ways', BOTH_WAYS, { http: 2, ...connectStream }],
];

const good = toBinary(ArmRequestSchema, create(ArmRequestSchema, { alarmId: 'x'.repeat(32), modeId: 'night' }));

const NO_MESSAGES: Record<string, Uint8Array> = {
  'words instead of a message': Buffer.from('this is no message'),
  'a message that was cut': good.subarray(0, good.length - 3),
  'field 0': Buffer.from([0, 1]),
  'a wire type that does not exist': Buffer.from([0x0f]),
  'a number without an end': Buffer.alloc(40, 0xff),
  'a length beyond the end': Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x0f]),
  'groups, 500 deep': Buffer.alloc(500, 0x7b),
  'a group without an end': Buffer.from([0x7b]),
};

/** Bytes around messages that are no frames, or frames without what they announce. */
const NO_FRAMES: Record<string, Uint8Array> = {
  'half a head': Buffer.from([0, 0, 0]),
  'half a frame': frame(good).subarray(0, 10),
  'a frame said to be compressed': frame(good, 1),
};

const printed = vi.spyOn(console, 'error');
afterEach(() => printed.mockClear());

test.each(
  WAYS,
)('%s: bytes that are no message are refused with a sentence, and leave nothing in the log', async (_, path, protocol) => {
  const lines: string[] = [];
  const world = await startWorld({ logLines: lines });
  const owner = await world.account();
  await owner.alarm();
  const headers = {
    'content-type': protocol.contentType,
    te: 'trailers',
    ...(path === STREAM
      ? { authorization: `Bearer ${world.operator}`, 'x-tocsin-account': owner.accountId }
      : { 'x-api-key': await owner.key() }),
  };
  const ask = async (body: Uint8Array, more: Record<string, string> = {}) =>
    protocol.read(await post(protocol.http, `${world.rpcUrl}/${path}`, { ...headers, ...more }, body));
  const asSent = (message: Uint8Array) => (protocol.framed ? frame(message) : message);

  const bodies = Object.entries(NO_MESSAGES).map(([what, message]) => [what, asSent(message)] as const);
  for (const [what, body] of [...bodies, ...(protocol.framed ? Object.entries(NO_FRAMES) : [])]) {
    const { code, message } = await ask(body);
    expect([Code[code ?? 0], message], what).toEqual([
      'InvalidArgument',
      expect.stringMatching(/ cannot be read as (tocsin|grpc)\..*\.$/),
    ]);
  }
  const zipped = gzipSync(good).subarray(0, 12);
  const cut = await ask(protocol.framed ? frame(zipped, 1) : zipped, { [protocol.encoding]: 'gzip' });
  expect([Code[cut.code ?? 0], cut.message]).toEqual([
    'InvalidArgument',
    expect.stringContaining('(decompression failed)'),
  ]);
  const announced = Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2]);
  for (const body of [asSent(Buffer.alloc(1024 * 1024 + 1, 0x0a)), ...(protocol.framed ? [announced] : [])]) {
    const tooLarge = await ask(body);
    expect([Code[tooLarge.code ?? 0], tooLarge.message]).toEqual([
      'ResourceExhausted',
      expect.stringContaining('too large'),
    ]);
  }

  const loud = lines.map(line => JSON.parse(line)).filter(({ level }) => level > 30);
  expect([loud, printed.mock.calls]).toEqual([[], []]);
});

test('a query that is no message is refused likewise', async () => {
  const lines: string[] = [];
  const world = await startWorld({ logLines: lines });
  const owner = await world.account();
  const headers = { 'x-api-key': await owner.key() };
  for (const query of [
    'encoding=proto&base64=1&message=!!!',
    'encoding=proto&message=zzzz',
    'encoding=json&message=zzz',
    'encoding=json&base64=1&message=%ff',
    'encoding=proto&base64=1&compression=gzip&message=AAAA',
  ]) {
    const response = await fetch(`${world.rpcUrl}/tocsin.inventory.v1.InventoryService/GetState?connect=v1&${query}`, {
      headers,
    });
    expect([response.status, await response.json()], query).toEqual([
      400,
      { code: 'invalid_argument', message: expect.stringContaining('tocsin.inventory.v1.GetStateRequest') },
    ]);
  }
  expect([lines.filter(line => JSON.parse(line).level > 30), printed.mock.calls]).toEqual([[], []]);
});

test('who shows no credential learns nothing of what was wrong with the bytes', async () => {
  const world = await startWorld();
  const answer = await post(
    2,
    `${world.rpcUrl}/${UNARY}`,
    { 'content-type': 'application/grpc' },
    frame(Buffer.from('x')),
  );
  expect(grpc.read(answer)).toEqual({ code: Code.Unauthenticated, message: expect.not.stringContaining('read') });
});

function frame(message: Uint8Array, flags = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function post(http: 1 | 2, url: string, headers: Record<string, string>, body: Uint8Array): Promise<RawAnswer> {
  return http === 1 ? postOverHttp1(url, headers, body) : postOverHttp2(url, headers, body);
}

function postOverHttp1(url: string, headers: IncomingHttpHeaders, body: Uint8Array): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const asked = requestOverHttp1(url, { method: 'POST', headers, agent: false }, response => {
      const chunks: Buffer[] = [];
      response.on('data', chunk => chunks.push(chunk));
      response.on('end', () => resolve({ body: Buffer.concat(chunks), trailers: response.trailers }));
    });
    asked.on('error', reject).end(body);
  });
}

function postOverHttp2(url: string, headers: Record<string, string>, body: Uint8Array): Promise<RawAnswer> {
  const { origin, pathname } = new URL(url);
  const session = connect(origin);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let trailers = {};
    const asked = session.request({ ':method': 'POST', ':path': pathname, ...headers });
    asked.on('trailers', seen => {
      trailers = seen;
    });
    asked.on('data', chunk => chunks.push(chunk));
    asked.on('end', () => resolve({ body: Buffer.concat(chunks), trailers }));
    session.on('error', reject);
    asked.on('error', reject).end(body);
  }).finally(() => session.destroy()) as Promise<RawAnswer>;
}
