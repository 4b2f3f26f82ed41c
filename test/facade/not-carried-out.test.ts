import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { ALARM, ask, type Got, KEY, startRig } from './rig.ts';

/* The answers to calls that could not be carried out (DECISIONS.md "Could not commit, deadline, overload"). */

test.each([
  ['Unavailable', Code.Unavailable],
  ['DeadlineExceeded', Code.DeadlineExceeded],
  ['Aborted', Code.Aborted],
  ['Canceled', Code.Canceled],
])('%s is a 503 that says when to come again', async (_, code) => {
  const answer = await failingWith(new ConnectError('secret words', code));
  expect(answer.status).toBe(503);
  expect(answer.headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
  const message = 'The call could not be taken at the moment. Send it again.';
  expect(JSON.parse(answer.body)).toEqual({ error: true, message, links: {}, traceId: expect.any(String), data: {} });
});

test('ResourceExhausted is a 429 that says when to come again: the account of the key has made too many calls', async () => {
  const answer = await failingWith(new ConnectError('secret words', Code.ResourceExhausted));
  expect(answer.status).toBe(429);
  expect(answer.headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
  expect(JSON.parse(answer.body).message).toMatch(/^Too many calls were made with this key or by its account/);
});

test('services that do not answer within 1.5 s are a 503', async () => {
  const rig = await startRig();
  rig.backend.behaviour = () => new Promise(() => {});
  const started = performance.now();
  expect((await ask(rig, `/v1/alarm/${ALARM}/trigger`)).status).toBe(503);
  expect(performance.now() - started).toBeGreaterThan(1_400);
});

test.each([
  ['Internal', new ConnectError('secret words', Code.Internal)],
  ['Unknown', new ConnectError('secret words', Code.Unknown)],
  ['InvalidArgument', new ConnectError('secret words', Code.InvalidArgument)],
  ['PermissionDenied', new ConnectError('secret words', Code.PermissionDenied)],
  ['Unimplemented', new ConnectError('secret words', Code.Unimplemented)],
  ['no ConnectError at all', new TypeError('secret words')],
])('%s is a 500 that says nothing but its traceId, under which the log has it, without the key', async (_, error) => {
  const rig = await startRig();
  rig.backend.behaviour = () => {
    throw error;
  };
  const answer = await ask(rig, `/v1/alarm/${ALARM}/trigger`);
  expect(answer.status).toBe(500);
  expect(answer.headers['cache-control']).toBe('no-store');
  const { traceId, ...rest } = JSON.parse(answer.body);
  const message = 'Something went wrong on our side. Report it with the traceId.';
  expect(rest).toEqual({ error: true, message, links: {}, data: {} });
  const logged = rig.log.filter(line => line.includes(traceId));
  expect(logged).toHaveLength(1);
  expect(JSON.parse(logged[0]!)).toMatchObject({ level: 50, route: '/v1/alarm/{alarm_id}/trigger' });
  expect(rig.log.join('')).not.toContain(KEY);
});

async function failingWith(error: Error): Promise<Got> {
  const rig = await startRig();
  rig.backend.behaviour = () => {
    throw error;
  };
  return ask(rig, `/v1/alarm/${ALARM}/trigger`);
}
