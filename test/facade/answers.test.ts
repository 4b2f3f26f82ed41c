import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { ALARM, ask, type Got, KEY, LOCATION, notFound, PANIC, startRig, unknownMode } from './rig.ts';

const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('a call that the services take', () => {
  test.each([
    [`/v1/alarm/${ALARM}/arm`, 'Arm', { alarmId: ALARM }],
    [`/v1/alarm/${ALARM}/arm/away`, 'Arm', { alarmId: ALARM, modeId: 'away' }],
    [`/v1/alarm/${ALARM}/disarm`, 'Disarm', { alarmId: ALARM }],
    [`/v1/alarm/${ALARM}/trigger`, 'Trigger', { alarmId: ALARM }],
    [`/v1/alarm/${ALARM}/trigger/away`, 'Trigger', { alarmId: ALARM, modeId: 'away' }],
    [`/v1/alarm/${ALARM}/clear`, 'Clear', { alarmId: ALARM }],
    [`/v1/panic/${PANIC}/trigger`, 'TriggerPanic', { panicId: PANIC }],
    [`/v1/panic/${PANIC}/clear`, 'ClearPanic', { panicId: PANIC }],
  ])('%s answers 202 with the receipt in the envelope', async (path, rpc, request) => {
    const rig = await startRig();
    const answer = await ask(rig, path);
    expect(answer.status).toBe(202);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.body)),
      'cache-control': 'no-store',
    });
    expect(answer.headers).not.toHaveProperty('vary');
    const envelope = JSON.parse(answer.body);
    expect(Object.keys(envelope)).toEqual(['error', 'message', 'links', 'traceId', 'data']);
    expect(envelope).toEqual({
      error: false,
      message: null,
      links: {},
      traceId: expect.stringMatching(UUID_7),
      data: { environment: 'live', location: LOCATION },
    });
    expect(rig.backend.calls).toMatchObject([{ rpc, request }]);
    expect(Object.keys(rig.backend.calls[0]!.request).length).toBe(Object.keys(request).length);
  });

  test('describe answers 200 and may be kept for an hour by this caller; what is absent stays absent', async () => {
    const answer = await ask(await startRig(), '/v1/integration/describe');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'cache-control': 'private, max-age=3600', vary: 'X-API-Key' });
    const modes = [{ id: 'away', name: 'Away' }];
    const locations = [{ ...LOCATION, alarms: [{ id: ALARM, name: 'House', modes }], panicButtons: [] }];
    expect(JSON.parse(answer.body).data).toEqual({ version: '1.0.0', locations });
  });

  test('state answers 200, is never kept, and a list without entries is there', async () => {
    const answer = await ask(await startRig(), '/v1/integration/state');
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(answer.body).data).toEqual({ version: '1.0.0', alarms: [] });
  });

  test('the traceId of the answer is the trace id that the services got, and differs from call to call', async () => {
    const rig = await startRig();
    const paths = ['arm', 'trigger', 'nothing-like-this'].map(verb => `/v1/alarm/${ALARM}/${verb}`);
    const ids: string[] = [];
    for (const path of paths) ids.push(JSON.parse((await ask(rig, path)).body).traceId);
    expect(new Set(ids).size).toBe(3);
    expect(ids.toSorted()).toEqual(ids);
    expect(rig.backend.calls.map(({ traceId, apiKey }) => [traceId, apiKey])).toEqual(ids.map(id => [id, KEY]));
  });
});

describe('a bad key', () => {
  const BAD_KEYS: [string, string | string[] | undefined][] = [
    ['missing', undefined],
    ['empty', ''],
    ['malformed', 'hello'],
    ['unknown', `toc_${'x'.repeat(36)}`],
    ['doubled', [KEY, KEY]],
    ['doubled with another', [KEY, 'hello']],
    ['with something behind it', `${KEY},`],
    ['of 10 KB', 'k'.repeat(10_240)],
    ['not ASCII', `${KEY}é`],
  ];
  const PATHS = ['/v1', '/v1/nothing', `/v1/alarm/${ALARM}/trigger`, '/v1/alarm/x/arm/stay', '/v1/integration/state'];

  test.each(BAD_KEYS)('that is %s gets the same 401 everywhere, and nothing is done', async (_, key) => {
    const rig = await startRig();
    const answers: Got[] = [];
    for (const path of PATHS) {
      for (const method of ['GET', 'POST', 'OPTIONS', 'PROPFIND']) {
        const answer = await ask(rig, path, { method, headers: { 'x-api-key': key } });
        delete answer.headers.date;
        answers.push(answer);
      }
    }
    for (const answer of answers) expect(answer).toEqual(REFUSED);
    expect(rig.backend.calls).toEqual([]);
  });

  const BODY = '{"message":"The API key is missing or not valid. Send a valid key in the X-API-Key header."}';
  const REFUSED: Got = {
    status: 401,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-length': String(BODY.length),
      connection: 'close',
    },
    body: BODY,
  };

  test('gets 401 for HEAD too, without a body', async () => {
    const rig = await startRig();
    const path = `/v1/alarm/${ALARM}/trigger`;
    expect(await ask(rig, path, { method: 'HEAD', headers: { 'x-api-key': undefined } })).toMatchObject({
      status: 401,
      body: '',
    });
    expect(rig.backend.calls).toEqual([]);
  });

  test.each([
    '',
    'k'.repeat(10_240),
    `${KEY}é`,
  ])('that not every transport can carry is refused without asking anybody', async key => {
    const rig = await startRig();
    expect((await ask(rig, `/v1/alarm/${ALARM}/trigger`, { headers: { 'x-api-key': key } })).status).toBe(401);
    expect(rig.backend.calls).toEqual([]);
  });

  test('that is padded or whose header is written in another case is no bad key', async () => {
    const rig = await startRig();
    const headers = { 'x-api-key': undefined, 'X-API-KEY': `  ${KEY}  ` };
    expect((await ask(rig, `/v1/alarm/${ALARM}/trigger`, { headers })).status).toBe(202);
  });
});

describe('a call that the services refuse', () => {
  const REFUSALS: [string, string, () => ConnectError][] = [
    ['a source out of reach', `/v1/alarm/${'x'.repeat(32)}/trigger`, notFound],
    ['another verb', `/v1/alarm/${'x'.repeat(32)}/clear`, notFound],
    ['a panic button', `/v1/panic/${ALARM}/trigger`, notFound],
    ['a refusal without a detail', `/v1/alarm/${ALARM}/trigger`, () => new ConnectError('secret words', Code.NotFound)],
    ['a path that does not exist', '/v1/alarms', notFound],
  ];

  test('is answered with one and the same 404, whatever the reason', async () => {
    const answers: Got[] = [];
    for (const [_, path, refusal] of REFUSALS) {
      const rig = await startRig();
      rig.backend.behaviour = ({ rpc }) => {
        if (rpc !== 'CheckKey') throw refusal();
      };
      const answer = await ask(rig, path);
      const envelope = JSON.parse(answer.body);
      expect(envelope).toMatchObject({ error: true, links: {}, data: {}, traceId: expect.stringMatching(UUID_7) });
      expect(envelope.message).toMatch(/^ID not found\./);
      delete answer.headers.date;
      answers.push({ ...answer, body: answer.body.replace(envelope.traceId, 'TRACE') });
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 404, headers: { 'cache-control': 'no-store' } });
  });

  test('for its unknown mode names the mode and the four that there are, and links to a guide that is there', async () => {
    const rig = await startRig();
    const answer = await ask(rig, `/v1/alarm/${ALARM}/arm/hmoe`);
    expect(answer.status).toBe(404);
    expect(answer.headers['cache-control']).toBe('no-store');
    const { message, links, ...rest } = JSON.parse(answer.body);
    expect(message).toBe('Unknown mode "hmoe". The modes are home, away, night and vacation.');
    expect(links).toEqual({ help: `http://localhost:${rig.port}/docs/arming` });
    expect(rest).toEqual({ error: true, data: {}, traceId: expect.stringMatching(UUID_7) });
    const guide = await ask(rig, new URL(links.help).pathname, { headers: { 'x-api-key': undefined } });
    expect(guide.status).toBe(200);
    expect(guide.body).toContain('Unknown mode');
  });

  test('for its unknown mode links to the public URL, path included, where one is set', async () => {
    const rig = await startRig({ config: { publicUrl: 'https://alarm.example.com/tocsin' } });
    const { links } = JSON.parse((await ask(rig, `/v1/alarm/${ALARM}/trigger/x`)).body);
    expect(links).toEqual({ help: 'https://alarm.example.com/tocsin/docs/arming' });
  });

  test('says a word only as the services let it be shown, and stays JSON', async () => {
    const rig = await startRig();
    const shown = `"},<b>\\'${'ü'.repeat(50)}`;
    rig.backend.behaviour = () => {
      throw unknownMode(shown);
    };
    const answer = await ask(rig, `/v1/alarm/${ALARM}/arm/${'hidden'.repeat(50)}`);
    expect(answer.body).not.toContain('hidden');
    expect(JSON.parse(answer.body).message).toBe(
      `Unknown mode "${shown}". The modes are home, away, night and vacation.`,
    );
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });
});
