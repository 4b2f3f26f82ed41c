import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/wait.ts';
import { attempt, closeCode, HOLDER, open } from './bad-input-rig.ts';
import { KEYS, startRig } from './rig.ts';

const { owner, outsider } = KEYS;

/** A frame of a client (RFC 6455, section 5.2), right or wrong. */
function frame(
  payload: Buffer | string,
  { opcode = 1, bits = 0x80, masking = 'masked', length }: FrameShape = {},
): Buffer {
  const data = Buffer.from(payload);
  const size = length ?? data.length;
  const masked = masking === 'masked' ? 0x80 : 0;
  const head =
    size < 126
      ? Buffer.from([bits | opcode, masked | size])
      : Buffer.from([
          bits | opcode,
          masked | 127,
          0,
          0,
          0,
          0,
          ...new Uint8Array(new Uint32Array([size]).buffer).reverse(),
        ]);
  if (masking === 'plain') return Buffer.concat([head, data]);
  const mask = randomBytes(4);
  const hidden = data.map((byte, at) => byte ^ mask[at % 4]!);
  return Buffer.concat([head, mask, hidden]);
}

interface FrameShape {
  opcode?: number;
  bits?: number;
  masking?: 'masked' | 'plain';
  length?: number;
}

describe('frames that are wrong', () => {
  const bad = Buffer.from([0xff, 0xfe, 0xfd]);
  test.each<[string, Buffer[], number]>([
    ['unmasked', [frame('{}', { masking: 'plain' })], 1002],
    ['with a reserved bit', [frame('{}', { bits: 0xc0 })], 1002],
    ['with an unknown opcode', [frame('{}', { opcode: 3 })], 1002],
    ['a continuation of nothing', [frame('{}', { opcode: 0 })], 1002],
    ['a ping in pieces', [frame('', { opcode: 9, bits: 0 })], 1002],
    ['a ping of 126 bytes', [frame(Buffer.alloc(126), { opcode: 9 })], 1002],
    ['a close with an invalid code', [frame(Buffer.from([0x03, 0xed]), { opcode: 8 })], 1002],
    ['text that is no UTF-8', [frame(bad)], 1007],
    ['a message of 16 KB and one byte', [frame(Buffer.alloc(16 * 1024 + 1, 'x'))], 1009],
    ['the announcement of 4 GB', [frame('', { length: 0xffff_ffff })], 1009],
    [
      'many small pieces of one message',
      [frame('x', { bits: 0 }), ...repeat(100, frame('x', { opcode: 0, bits: 0 }))],
      1008,
    ],
    [
      'large pieces of one message',
      [frame(Buffer.alloc(9_000), { bits: 0 }), frame(Buffer.alloc(9_000), { opcode: 0, bits: 0 })],
      1009,
    ],
    ['binary', [frame('{}', { opcode: 2 })], 1003],
    ['51 messages at once', repeat(51, frame('{}')), 1008],
    ['51 pings at once', repeat(51, frame('', { opcode: 9 })), 1008],
  ])('%s: the socket ends with the code for that, and others notice nothing', async (_, frames, code) => {
    const rig = await startRig();
    const bystander = await rig.listening(outsider);
    const { socket } = await attempt(rig);
    const ended = closeCode(socket!);
    for (const bytes of frames) socket!.write(bytes);
    expect(await ended).toBe(code);
    rig.change('state', '', outsider.accountId);
    await bystander.told({ type: 'data' });
    await bystander.settled();
    expect(bystander.signals).toHaveLength(1);
  });

  test('50 messages at once and one of 16 KB are accepted, and what is not understood is answered as such', async () => {
    const rig = await startRig();
    const client = await rig.open({ key: owner.secret });
    client.say('x'.repeat(16 * 1024));
    for (let n = 1; n < 50; n += 1) client.say({ type: 'weather', id: `${n}` });
    await client.told({ type: 'error', id: '49' });
    expect(client.messages).toHaveLength(50);
    expect(new Set(client.messages.map(({ errors }) => errors?.[0]?.errorType))).toEqual(
      new Set(['UnsupportedOperation']),
    );
  });

  test('noise on hundreds of connections leaves nothing behind', async () => {
    const rig = await startRig({ limits: { socketsPerKey: 5 } });
    const bystander = await rig.listening(outsider);
    for (let round = 0; round < 60; round += 1) {
      const sockets = await Promise.all(Array.from({ length: 5 }, () => attempt(rig)));
      for (const { socket } of sockets) socket!.write(randomBytes(round + 1));
      for (const { socket } of sockets) socket!.destroy();
      await eventually(async () => (await open(rig)) === 1, { what: 'the end of all of them' });
    }
    await rig.listening(owner);
    rig.change('state', '', outsider.accountId);
    await bystander.told({ type: 'data' });
  });
});

describe('publishing over HTTP', () => {
  test.each([
    ['a good key', { 'x-api-key': owner.secret }, JSON.stringify({ channel: '/account', events: ['{}'] })],
    ["an outsider's key", { authorization: outsider.secret }, '{}'],
    ['no key', {}, ''],
    ['a body that is no JSON', { 'content-type': 'application/json' }, '{'],
    ['a large body', { 'content-type': 'text/plain' }, 'x'.repeat(2_000_000)],
  ])('with %s is refused in the form that clients read', async (_, headers, body) => {
    const rig = await startRig();
    const answer = await fetch(`${rig.url}/event`, {
      method: 'POST',
      headers: headers as Record<string, string>,
      body,
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('x-amzn-errortype')).toBe('UnauthorizedException');
    const message = 'Nobody may publish here.';
    expect(await answer.json()).toEqual({ message, errors: [{ errorType: 'UnauthorizedException', message }] });
    expect(rig.services.asked).toEqual([]);
    expect(rig.bus.published).toEqual([]);
  });
});

test('no key is ever written to the log, whatever goes wrong', async () => {
  const rig = await startRig();
  const client = await rig.listening();
  rig.services.state = 'down';
  client.say({ type: 'subscribe', id: 'b', channel: '/account', authorization: { Authorization: owner.secret } });
  await client.end();
  await attempt(rig);
  expect(rig.log.length).toBeGreaterThan(0);
  expect(rig.log.join('')).not.toContain(owner.secret);
  expect(rig.log.join('')).not.toContain(HOLDER.slice('header-'.length));
});

function repeat(count: number, bytes: Buffer): Buffer[] {
  return Array.from({ length: count }, () => bytes);
}
