import { expect, onTestFinished, test } from 'vitest';
import type { Call } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import type { Owner } from '../support/owner.ts';
import { startSmtp } from '../support/smtp.ts';
import { type Answer, startWorld } from '../support/world.ts';

/*
 * Every answer of /v1 to a known key is found by its traceId, with what became of it in a word and in a sentence
 * (DECISIONS.md "Outcome of each call").
 */

async function aHouse() {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const key = await owner.keyWithId();
  const modes = { away: { policyId }, night: { policyId, windowS: 30 } };
  const call = (path: string) => world.get(`/v1/${path}`, key.secret);
  return { world, owner, key, policyId, modes, call };
}

/** The call of a 401, whose answer names no traceId: the newest of its key. */
async function lastOf(world: Awaited<ReturnType<typeof startWorld>>, owner: Owner, keyId: string): Promise<Call> {
  await world.settle();
  const [row] = await world.rows<{ trace_id: string }>(
    'SELECT trace_id FROM call_log WHERE key_id = $1 ORDER BY id DESC LIMIT 1',
    [keyId],
  );
  return owner.call({ body: { traceId: row!.trace_id } } as Answer);
}

test('the log says what each call came to: opened, folded, cleared, nothing open, armed, disarmed', async () => {
  const { world, owner, key, modes, call } = await aHouse();
  const id = await owner.alarm({ modes });
  const actions = ['arm/night', 'trigger/away', 'trigger/away', 'clear', 'clear', 'disarm'];
  const answers: Answer[] = [];
  for (const action of actions) answers.push(await call(`alarm/${id}/${action}`));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 202]);
  await world.settle();
  const calls = await Promise.all(answers.map(owner.call));
  const [incident] = await owner.incidents();
  const opened = { incidentId: incident!.id };
  expect(calls).toMatchObject([
    { verb: 'arm', outcome: 'armed', mode: 'night', incidentId: '', explanation: expect.stringContaining('armed') },
    { verb: 'trigger', outcome: 'opened', ...opened, explanation: expect.stringContaining('are alerted') },
    { verb: 'trigger', outcome: 'folded', ...opened, explanation: expect.stringContaining('nobody was alerted again') },
    { verb: 'clear', outcome: 'closed', ...opened, explanation: expect.stringContaining('closed the open incident') },
    {
      verb: 'clear',
      outcome: 'nothing_open',
      incidentId: '',
      explanation: expect.stringContaining('no open incident to clear'),
    },
    { verb: 'disarm', outcome: 'disarmed', incidentId: '', explanation: expect.stringContaining('disarmed') },
  ]);
  for (const one of calls) {
    expect(one).toMatchObject({ sourceId: id, sourceName: 'House', keyId: key.id, actor: '', environment: 'live' });
    expect(one.appliedAt).toBeDefined();
  }
});

test('the log follows a false-alarm window: pending, then opened; pending, folded, then both cancelled', async () => {
  const { world, owner, modes, call } = await aHouse();
  const id = await owner.alarm({ modes });
  const first = await call(`alarm/${id}/trigger/night`);
  await world.settle();
  expect(await owner.call(first)).toMatchObject({ outcome: 'pending', advice: expect.stringContaining('Disarm') });
  await world.advance(30);
  expect(await owner.call(first)).toMatchObject({ outcome: 'opened' });
  await call(`alarm/${id}/clear`);

  const second = await call(`alarm/${id}/trigger/night`);
  const third = await call(`alarm/${id}/trigger/night`);
  await world.settle();
  const folded = {
    outcome: 'folded',
    incidentId: '',
    explanation: expect.stringContaining('already waiting in its false-alarm window'),
  };
  expect(await owner.call(third)).toMatchObject(folded);
  const disarm = await call(`alarm/${id}/disarm`);
  await world.settle();
  for (const answer of [second, third]) {
    expect(await owner.call(answer)).toMatchObject({
      outcome: 'cancelled',
      incidentId: '',
      explanation: expect.stringContaining('nobody was alerted'),
    });
  }
  expect(await owner.call(disarm)).toMatchObject({
    cancelledPending: true,
    explanation: expect.stringContaining('trigger in its false-alarm window was cancelled'),
  });
});

test('in test, and with nobody to alert: opened, and the sentence says that nobody was told and what to do', async () => {
  const { world, owner, modes, call } = await aHouse();
  const inTest = await call(`alarm/${await owner.alarm({ modes, test: true })}/trigger`);
  const nobody = await call(`alarm/${await owner.alarm()}/trigger`);
  const button = await call(`panic/${await owner.panicButton({ test: true })}/trigger`);
  await world.settle();
  expect(await owner.call(inTest)).toMatchObject({
    outcome: 'opened',
    environment: 'test',
    explanation: expect.stringMatching(/^The alarm is in test: .* nobody was alerted\.$/),
    advice: expect.stringContaining('switch test off'),
  });
  for (const answer of [nobody, button]) {
    expect(await owner.call(answer)).toMatchObject({
      outcome: 'opened',
      explanation: expect.stringContaining('nobody to alert'),
      advice: expect.stringContaining('Bind a policy'),
    });
  }
});

test('refused with 404: held by the gate, mode missing, unknown mode, disabled, not found', async () => {
  const { world, owner, key, modes, call } = await aHouse();
  const gated = await owner.alarm({ modes, onlyWhenArmed: true });
  const plain = await owner.alarm({ modes });
  await world.rows("DELETE FROM mode WHERE source_id = $1 AND id = 'home'", [plain]);
  const disabled = await owner.alarm({ modes });
  await world.rows('UPDATE source SET disabled = true WHERE id = $1', [disabled]);
  const foreign = await (await world.account()).alarm({ name: 'A house of somebody else' });
  const cases = [
    [`alarm/${gated}/trigger`, 'held_by_gate', gated, 'House', 'Arm the alarm first'],
    [`alarm/${plain}/trigger/home`, 'mode_missing', plain, 'House', 'Add the mode'],
    [`alarm/${plain}/arm/Away`, 'unknown_mode', plain, 'House', 'lower case'],
    [`alarm/${disabled}/disarm`, 'source_disabled', disabled, 'House', 'Enable it'],
    // Not even its owner's own log says what an id of another account is called.
    [`alarm/${foreign}/trigger`, 'not_found', foreign, '', 'Copy the id'],
    ['alarm/nonsense/trigger', 'not_found', '', '', 'Copy the id'],
  ] as const;
  for (const [path, outcome, sourceId, sourceName, advice] of cases) {
    const answer = await call(path);
    expect([answer.status, path]).toEqual([404, path]);
    await world.settle();
    const found = await owner.call(answer);
    expect(found).toMatchObject({ outcome, sourceId, sourceName, keyId: key.id, environment: '', incidentId: '' });
    expect(found.appliedAt).toBeUndefined();
    expect(found.explanation).toContain('refused (404)');
    expect(found.advice).toContain(advice);
  }
});

test('refused with 401: a revoked and an expired key are known by their key; an unknown one leaves no trace', async () => {
  const { world, owner, modes } = await aHouse();
  const id = await owner.alarm({ modes });
  for (const [column, outcome] of [
    ['revoked_at', 'key_revoked'],
    ['expires_at', 'key_expired'],
  ] as const) {
    const key = await owner.keyWithId();
    await world.rows(`UPDATE api_key SET ${column} = tocsin_now() WHERE id = $1`, [key.id]);
    const { status, body } = await world.get(`/v1/alarm/${id}/trigger`, key.secret);
    expect([status, Object.keys(body)]).toEqual([401, ['message']]);
    expect(await lastOf(world, owner, key.id)).toMatchObject({
      outcome,
      keyId: key.id,
      explanation: expect.stringContaining('refused (401)'),
    });
  }
  const before = await world.rows('SELECT count(*)::int AS n FROM call_log');
  expect((await world.get(`/v1/alarm/${id}/trigger`, 'toc_nobody')).status).toBe(401);
  await world.settle();
  expect(await world.rows('SELECT count(*)::int AS n FROM call_log')).toEqual(before);
});

test('a path that does not exist and another method are kept for the owner of a good key, and for nobody else', async () => {
  const { world, owner, key, modes } = await aHouse();
  const neighbour = await world.account();
  const id = await owner.alarm({ modes });
  const foreign = await neighbour.alarm({ name: 'A house of somebody else' });
  const cases = [
    ['GET', '/v1/nonsense', 404, 'unknown_path', '', '', ''],
    ['GET', `/v1/alarm/${id}/fire`, 404, 'unknown_path', '', '', ''],
    ['POST', `/v1/alarm/${id}/trigger`, 405, 'wrong_method', 'trigger', id, 'House'],
    ['PUT', `/v1/alarm/${id}/arm/night`, 405, 'wrong_method', 'arm', id, 'House'],
    ['POST', `/v1/alarm/${foreign}/clear`, 405, 'wrong_method', 'clear', foreign, ''],
    ['DELETE', '/v1/integration/state', 405, 'wrong_method', 'state', '', ''],
  ] as const;
  for (const [method, path, status, outcome, verb, sourceId, sourceName] of cases) {
    const response = await fetch(world.url + path, { method, headers: { 'x-api-key': key.secret } });
    expect([response.status, path]).toEqual([status, path]);
    const answer = { body: await response.json() } as Answer;
    await world.settle();
    expect(await owner.call(answer)).toMatchObject({
      outcome,
      verb,
      sourceId,
      sourceName,
      keyId: key.id,
      explanation: expect.stringContaining(`refused (${status})`),
      advice: expect.stringMatching(/GET|path/),
    });
    await expect(neighbour.call(answer)).rejects.toThrow('No call with this trace id');
  }
  expect(await world.rows('SELECT 1 FROM call_log WHERE account_id = $1', [neighbour.accountId])).toEqual([]);
});

test('a read is not kept, and who asks for it is told so', async () => {
  const { world, owner, call } = await aHouse();
  const state = await call('integration/state');
  await world.settle();
  await expect(owner.call(state)).rejects.toThrow(/Reads \(describe, state\) are not kept/);
});

test.each([
  ['GET', '/v1/integration/describe', 'describe'],
  ['GET', '/v1/integration/state', 'state'],
  ['GET', '/v1/nonsense', ''],
  ['POST', '/v1/integration/state', 'state'],
  ['POST', '/v1/alarm/nonsense/disarm', 'disarm'],
])('a revoked key is known by its key on %s %s', async (method, path, verb) => {
  const { world, owner, key } = await aHouse();
  await world.rows('UPDATE api_key SET revoked_at = tocsin_now() WHERE id = $1', [key.id]);
  expect((await fetch(world.url + path, { method, headers: { 'x-api-key': key.secret } })).status).toBe(401);
  expect(await lastOf(world, owner, key.id)).toMatchObject({ outcome: 'key_revoked', verb, keyId: key.id });
});

test('every 202 of a busy hour is found, each with one of the words of an applied call', async () => {
  const { world, owner, modes, call } = await aHouse();
  const id = await owner.alarm({ modes, onlyWhenArmed: true });
  const actions = ['arm', 'trigger', 'disarm', 'trigger/night', 'clear', 'trigger', 'arm/night', 'trigger/night'];
  const answers: Answer[] = [];
  for (let round = 0; round < 5; round++) {
    answers.push(...(await Promise.all(actions.map(action => call(`alarm/${id}/${action}`)))));
    await world.advance(7);
  }
  await world.advance(60);
  const accepted = answers.filter(({ status }) => status === 202);
  expect(accepted.length).toBeGreaterThan(answers.length / 2);
  const calls = await Promise.all(accepted.map(owner.call));
  expect(calls.map(({ traceId }) => traceId)).toEqual(accepted.map(({ body }) => body.traceId));
  const applied = ['armed', 'disarmed', 'opened', 'folded', 'cancelled', 'closed', 'nothing_open', 'held_by_gate'];
  for (const { outcome, explanation } of calls) {
    expect(applied).toContain(outcome);
    expect(explanation).not.toBe('');
  }
});
