import { describe, expect, test } from 'vitest';
import { holderOf, SUBPROTOCOL } from './client.ts';
import { KEYS, startRig } from './rig.ts';

const { owner, outsider, alarmA } = KEYS;
const CHANNEL = `/account/${owner.accountId}`;
const shown = (fields: object) => holderOf({ host: 'localhost:8080', ...fields });

describe('the ways in which clients show their key', () => {
  test.each([
    ['Authorization, ours first', [SUBPROTOCOL, shown({ Authorization: owner.secret })], {}],
    ['Authorization, ours last', [shown({ Authorization: owner.secret }), SUBPROTOCOL], {}],
    ['x-api-key', [SUBPROTOCOL, shown({ 'x-api-key': owner.secret })], {}],
    ['other letter case', [SUBPROTOCOL, shown({ 'X-API-KEY': owner.secret })], {}],
    ['a Bearer', [SUBPROTOCOL, shown({ authorization: `Bearer ${owner.secret}` })], {}],
    ['a plain x-api-key', [SUBPROTOCOL], { 'X-Api-Key': owner.secret }],
    ['a plain Authorization', [SUBPROTOCOL], { Authorization: `bearer ${owner.secret}` }],
    ['another subprotocol besides', ['chat', SUBPROTOCOL], { 'x-api-key': owner.secret }],
  ])('%s', async (_, protocols, headers) => {
    const rig = await startRig();
    const client = await rig.open({ protocols, headers });
    expect(client.ws.protocol).toBe(SUBPROTOCOL);
    await client.greet();
    expect(client.messages.slice(0, 2)).toEqual([
      { type: 'connection_ack', connectionTimeoutMs: 300_000 },
      { type: 'ka' },
    ]);
    expect(rig.services.asked).toEqual([{ key: owner.secret, channel: '' }]);
  });

  test.each([
    ['none', [SUBPROTOCOL], {}],
    ['an unknown one', [SUBPROTOCOL, shown({ Authorization: 'toc_unknown' })], {}],
    ['one that no header can carry', [SUBPROTOCOL, shown({ Authorization: 'töc\n' })], {}],
    ['one of 10 KB', [SUBPROTOCOL], { 'x-api-key': 'k'.repeat(10_000) }],
    ['an object', [SUBPROTOCOL, shown({ Authorization: { key: owner.secret } })], {}],
    ['one in the query string', [SUBPROTOCOL], {}, `/event/realtime?x-api-key=${owner.secret}`],
  ])('a bad key, %s, is told so once and for all when it speaks', async (_, protocols, headers, path = undefined) => {
    const rig = await startRig({ times: { refusedSilence: 60_000 } });
    const client = await rig.open({ protocols, headers, ...(path !== undefined && { path }) });
    expect(client.messages).toEqual([]);
    client.say({ type: 'connection_init' });
    expect(await client.end()).toEqual({ code: 4401, reason: 'The API key is missing or not valid.' });
    expect(client.messages).toEqual([
      { type: 'connection_error', errors: [{ errorType: 'UnauthorizedException', message: expect.any(String) }] },
    ]);
  });

  test('a bad key that says nothing is told all the same', async () => {
    const rig = await startRig({ times: { refusedSilence: 1 } });
    const client = await rig.open({ key: 'toc_unknown' });
    expect((await client.end()).code).toBe(4401);
    expect(client.messages.map(({ type }) => type)).toEqual(['connection_error']);
  });
});

describe('subscribing', () => {
  test('without connection_init, as some clients do', async () => {
    const rig = await startRig();
    const client = await rig.open({ protocols: [SUBPROTOCOL], headers: { 'x-api-key': owner.secret } });
    await client.subscribe('one', CHANNEL, owner.secret);
    rig.change('state');
    expect(await client.told({ type: 'data' })).toEqual({
      type: 'data',
      id: 'one',
      event: '{"v":"1","kind":"state"}',
    });
  });

  test.each([
    CHANNEL.slice(1),
    `${CHANNEL}/`,
    `${CHANNEL.slice(1)}/`,
  ])('a channel may be written as %s', async channel => {
    const rig = await startRig();
    await rig.listening(owner, channel);
    expect(rig.services.asked.at(-1)).toEqual({ key: owner.secret, channel: CHANNEL });
  });

  test('the key of the message counts, not that of the socket', async () => {
    const rig = await startRig();
    const client = await rig.open({ key: owner.secret });
    await client.subscribe('one', `/account/${outsider.accountId}`, outsider.secret);
    rig.change('state', '', outsider.accountId);
    expect(await client.told({ type: 'data' })).toMatchObject({ id: 'one' });
  });

  test.each([
    ["somebody else's", `/account/${outsider.accountId}`, { Authorization: owner.secret }],
    ["an outsider's key for it", CHANNEL, { Authorization: outsider.secret }],
    ['one that does not exist', `/account/${'n'.repeat(32)}`, { Authorization: owner.secret }],
    ['no key in the message', CHANNEL, undefined],
    ['a host only', CHANNEL, { host: 'localhost' }],
    ['a key that is no text', CHANNEL, { Authorization: 5 }],
    ['an unknown key', CHANNEL, { 'x-api-key': 'toc_unknown' }],
    ['all below its own', `${CHANNEL}/*`, { Authorization: owner.secret }],
    ['everything', '/*', { Authorization: owner.secret }],
    ['all accounts', '*', { Authorization: owner.secret }],
    ['another letter case', CHANNEL.toUpperCase(), { Authorization: owner.secret }],
    ['an alarm with the key of another', `${CHANNEL}/alarm/${KEYS.alarmB.alarmId}`, { Authorization: alarmA.secret }],
  ])('%s is refused in the same words, and siblings live on', async (_, channel, authorization) => {
    const rig = await startRig();
    const client = await rig.listening();
    client.say({ type: 'subscribe', id: 'two', channel, authorization });
    const refused = await client.told({ type: 'subscribe_error', id: 'two' });
    expect(refused.errors).toEqual([
      {
        errorType: 'UnauthorizedException',
        message: 'The API key is missing, not valid, or not for this channel.',
      },
    ]);
    rig.change('state');
    rig.change('state', '', outsider.accountId);
    await client.told({ type: 'data' });
    await client.settled();
    expect(client.signals).toEqual([{ id: 's1', kind: 'state' }]);
  });

  test('a channel is never asked for as none at all: the services would take it for a question about the key', async () => {
    const rig = await startRig();
    const client = await rig.open({ key: owner.secret });
    for (const [n, channel] of ['', '/', '//', ' ', null, undefined, []].entries()) {
      client.say({ type: 'subscribe', id: `n${n}`, channel, authorization: { Authorization: owner.secret } });
      const refused = await client.told({ type: 'subscribe_error', id: `n${n}` });
      expect(refused.errors?.[0]?.errorType).toBe('BadRequestException');
    }
    expect(rig.services.asked).toHaveLength(1);
  });

  test('an id can be used again after it was given back, and not before', async () => {
    const rig = await startRig();
    const client = await rig.listening();
    client.say({ type: 'subscribe', id: 's1', channel: CHANNEL, authorization: { Authorization: owner.secret } });
    const refused = await client.told({ type: 'subscribe_error', id: 's1' });
    expect(refused.errors?.[0]?.errorType).toBe('DuplicatedOperationError');
    rig.change('state');
    await client.told({ type: 'data', id: 's1' });
    client.say({ type: 'unsubscribe', id: 's1' });
    await client.told({ type: 'unsubscribe_success', id: 's1' });
    rig.change('inventory');
    await rig.bus.flush();
    await client.settled();
    expect(client.signals).toEqual([{ id: 's1', kind: 'state' }]);
    client.messages.length = 0;
    await client.subscribe('s1', CHANNEL, owner.secret);
    expect(client.messages.map(({ type }) => type)).toEqual(['subscribe_success']);
  });

  test('a subscription given back while it is asked for never comes to life', async () => {
    const rig = await startRig();
    const client = await rig.open({ key: owner.secret });
    const release = Promise.withResolvers<void>();
    rig.services.behaviour = () => release.promise;
    client.say({ type: 'subscribe', id: 'one', channel: CHANNEL, authorization: { Authorization: owner.secret } });
    client.say({ type: 'unsubscribe', id: 'one' });
    await client.told({ type: 'unsubscribe_success', id: 'one' });
    release.resolve();
    rig.services.behaviour = () => {};
    await client.subscribe('two', CHANNEL, owner.secret);
    rig.change('state');
    await client.told({ type: 'data' });
    expect(client.signals).toEqual([{ id: 'two', kind: 'state' }]);
    expect(client.messages.filter(({ type }) => type === 'subscribe_success')).toHaveLength(1);
  });
});
