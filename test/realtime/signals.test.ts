import { describe, expect, test } from 'vitest';
import { subjects } from '../../services/changes/bus.ts';
import { eventually } from '../support/wait.ts';
import { KEYS, startRig } from './rig.ts';

const { owner, alarmA, alarmB, outsider } = KEYS;
const SUBJECT = subjects.change(owner.accountId);
/** Windows so short that nothing is held back longer than a test takes to look. */
const QUICK = { times: { coalesce: 1 } };

describe('who hears of what', () => {
  test('both kinds, by every subscription of the account, and by nobody else', async () => {
    const rig = await startRig(QUICK);
    const [own, stranger] = [await rig.listening(), await rig.listening(outsider)];
    await own.subscribe('s2', `/account/${owner.accountId}`, owner.secret);
    rig.change('state');
    rig.change('inventory', alarmA.alarmId);
    await eventually(() => own.signals.length === 4, { what: 'the signals' });
    expect(own.signals).toEqual([
      { id: 's1', kind: 'state' },
      { id: 's2', kind: 'state' },
      { id: 's1', kind: 'inventory' },
      { id: 's2', kind: 'inventory' },
    ]);
    await stranger.settled();
    expect(stranger.signals).toEqual([]);
  });

  test.each([
    ['its own channel', `/account/${alarmA.accountId}/alarm/${alarmA.alarmId}`],
    ["the account's channel", `/account/${alarmA.accountId}`],
  ])('a key for one alarm hears of that alarm and of what is for all, and never when another changes: %s', async (_, channel) => {
    const rig = await startRig(QUICK);
    const client = await rig.listening(alarmA, channel);
    const whole = await rig.listening();
    for (const kind of ['state', 'inventory']) {
      rig.change(kind, alarmB.alarmId);
      await eventually(() => whole.signals.some(signal => signal.kind === kind), { what: 'the account to hear' });
    }
    await client.settled();
    expect(client.signals).toEqual([]);
    rig.change('state', alarmA.alarmId);
    rig.change('inventory', '');
    await eventually(() => client.signals.length === 2, { what: 'its own signals' });
    expect(client.signals.map(({ kind }) => kind)).toEqual(['state', 'inventory']);
  });

  test('signals that are held back go only to those whom they concern', async () => {
    const rig = await startRig({ times: { coalesce: 100 } });
    const [whole, a, b] = [await rig.listening(), await rig.listening(alarmA), await rig.listening(alarmB)];
    for (let n = 0; n < 20; n += 1) rig.change('state', alarmA.alarmId);
    await eventually(() => whole.signals.length === 2 && a.signals.length === 2, { what: 'both signals' });
    await b.settled();
    expect(b.signals).toEqual([]);
  });

  test.each([
    ['no payload', undefined],
    ['null', null],
    ['text', 'state'],
    ['a list', ['state']],
    ['an unknown kind', { kind: 'weather' }],
    ['a kind that every object has', { kind: 'constructor' }],
    ['a kind that is no text', { kind: { toString: 'state' } }],
  ])('a message of the bus that is no change, %s, is left alone', async (_, payload) => {
    const rig = await startRig(QUICK);
    const client = await rig.listening();
    rig.bus.publish(SUBJECT, payload);
    rig.change('state');
    await client.told({ type: 'data' });
    await client.settled();
    expect(client.signals).toEqual([{ id: 's1', kind: 'state' }]);
  });
});

describe('how often', () => {
  test('a burst of 500 changes gives three frames of a kind at most, the first at once', async () => {
    // A window that outlasts the test: what arrives nevertheless was not held back.
    const endless = await startRig({ times: { coalesce: 600_000 } });
    const early = await endless.listening();
    for (let n = 0; n < 500; n += 1) endless.change('state');
    await early.told({ type: 'data' });
    await early.settled();
    expect(early.signals.length).toBe(1);

    const rig = await startRig();
    const client = await rig.listening();
    for (let n = 0; n < 500; n += 1) rig.change('state');
    await eventually(() => client.signals.length === 2, { what: 'the signal after the window' });
    rig.change('inventory');
    await client.told({ event: '{"v":"1","kind":"inventory"}' });
    expect(client.signals.length).toBeLessThanOrEqual(3);
  });
});

describe('the bus', () => {
  test('is listened to once for each account with sockets here, and not at all a while after the last has gone', async () => {
    const rig = await startRig({ times: { linger: 1 } });
    const revocations = subjects.keyRevoked('*');
    expect(rig.bus.heard).toEqual([revocations]);
    const clients = [await rig.listening(), await rig.listening(), await rig.listening(outsider)];
    expect(rig.bus.heard).toEqual([revocations, SUBJECT, subjects.change(outsider.accountId)]);
    for (const client of clients) client.ws.terminate();
    await eventually(() => rig.bus.heard.length === 1, { what: 'the end of listening' });
    const again = await rig.listening();
    rig.change('state');
    await again.told({ type: 'data' });
  });

  test('keeps listening for those who come back in a moment', async () => {
    const rig = await startRig({ times: { linger: 60_000 } });
    const first = await rig.listening();
    const heard = [...rig.bus.heard];
    first.ws.terminate();
    await first.end();
    await rig.listening();
    expect(rig.bus.heard).toEqual(heard);
  });

  test('has the subscription before anybody is told that it listens', async () => {
    const rig = await startRig({ times: { busPatience: 60_000 } });
    rig.bus.lose();
    const client = await rig.open({ key: owner.secret });
    client.say({
      type: 'subscribe',
      id: 'one',
      channel: `/account/${owner.accountId}`,
      authorization: { Authorization: owner.secret },
    });
    await eventually(() => rig.bus.heard.includes(SUBJECT), { what: 'the subscription' });
    await client.settled();
    expect(client.messages.some(({ type }) => type === 'subscribe_success')).toBe(false);
    rig.bus.comeBack();
    await client.told({ type: 'subscribe_success' });
  });

  test('that is away for long keeps nobody waiting, and each gets both signals once it has the subscription', async () => {
    const rig = await startRig({ times: { busPatience: 1, coalesce: 1 } });
    rig.bus.lose();
    const client = await rig.listening();
    expect(client.signals).toEqual([]);
    rig.bus.comeBack();
    await eventually(() => new Set(client.signals.map(({ kind }) => kind)).size === 2, { what: 'both signals' });
  });

  test('that was away gives every subscription one signal of each kind, whatever was missed', async () => {
    const rig = await startRig();
    const clients = [await rig.listening(), await rig.listening(alarmA), await rig.listening(outsider)];
    await clients[0]!.subscribe('s2', `/account/${owner.accountId}`, owner.secret);
    rig.bus.lose();
    rig.bus.comeBack();
    for (const client of clients) await client.told({ event: '{"v":"1","kind":"inventory"}' });
    await clients[0]!.settled();
    expect(clients.map(({ signals }) => signals.map(({ id, kind }) => `${id} ${kind}`))).toEqual([
      ['s1 state', 's1 inventory', 's2 state', 's2 inventory'],
      ['s1 state', 's1 inventory'],
      ['s1 state', 's1 inventory'],
    ]);
  });

  test('that was away gives its signals spread over time, and none to a subscription given back meanwhile', async () => {
    const rig = await startRig({ times: { spread: 2_000, spreadEach: 300 } });
    const client = await rig.open({ key: owner.secret });
    const ids = Array.from({ length: 10 }, (_, n) => `s${n}`);
    for (const id of ids) await client.subscribe(id, `/account/${owner.accountId}`, owner.secret);
    const before = client.raw.length;
    rig.bus.comeBack();
    client.say({ type: 'unsubscribe', id: 's9' });
    await client.told({ type: 'unsubscribe_success', id: 's9' });
    expect(client.raw.length - before).toBeLessThan(17);
    await eventually(() => client.signals.length === 18, { what: 'the other signals' });
    await client.settled();
    expect(client.signals.map(({ id }) => id)).toEqual(ids.slice(0, 9).flatMap(id => [id, id]));
  });

  test('hears nothing from any client', async () => {
    const rig = await startRig();
    const client = await rig.listening();
    client.say({ type: 'publish', id: 'p', channel: `/account/${owner.accountId}`, events: ['{"kind":"state"}'] });
    const refused = await client.told({ type: 'publish_error', id: 'p' });
    expect(refused.errors?.[0]?.errorType).toBe('UnauthorizedException');
    await client.settled();
    expect(client.signals).toEqual([]);
    expect(rig.bus.published).toEqual([]);
  });
});
