import { expect, test } from 'vitest';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { classOf } from '../../services/process/call-class.ts';
import { figureOf } from '../support/figures.ts';
import { eventually } from '../support/wait.ts';
import { ALARM, ask, type Got, KEY, PANIC, type Rig, startRig } from './rig.ts';

test('reads are shed first, then actions, triggers last, with 503 and when to come again', async () => {
  const rig = await startRig({ limits: { read: 1, action: 2, trigger: 3 } });
  const held = hold(rig);

  const trigger = await held.start(`/v1/alarm/${ALARM}/trigger`);
  for (const read of ['/v1/integration/state', '/v1/integration/describe', '/v1/nothing']) {
    expectShed(await ask(rig, read));
  }
  expectShed(await ask(rig, `/v1/alarm/${ALARM}/trigger`, { method: 'POST' }));

  const arm = await held.start(`/v1/alarm/${ALARM}/arm`);
  for (const verb of ['arm', 'disarm', 'clear']) expectShed(await ask(rig, `/v1/alarm/${ALARM}/${verb}`));
  expectShed(await ask(rig, `/v1/panic/${PANIC}/clear`));

  const panic = await held.start(`/v1/panic/${PANIC}/trigger`);
  expectShed(await ask(rig, `/v1/alarm/${ALARM}/trigger/away`));
  expect(acted(rig)).toEqual(['Trigger', 'Arm', 'TriggerPanic']);

  held.release();
  for (const { answer } of [trigger, arm, panic]) expect((await answer).status).toBe(202);
  expect((await ask(rig, '/v1/integration/state')).status).toBe(200);
  expect(await figureOf(rig.url, 'tocsin_http_calls_in_flight')).toBe(0);
});

test('what is no key, or fails its checksum, is a 401 under overload too, on every path, and takes no place from others', async () => {
  const rig = await startRig({ limits: { read: 1, action: 1, trigger: 1 } });
  const held = hold(rig);
  const paths = [
    'integration/state',
    'nothing',
    `alarm/${ALARM}/arm`,
    `alarm/${ALARM}/trigger`,
    `panic/${PANIC}/trigger`,
  ];
  const bad = [undefined, 'nonsense', KEY.slice(0, -1), KEY.replace(/.$/, sign => (sign === 'a' ? 'b' : 'a'))];
  const answers = async () =>
    Promise.all(
      paths.flatMap(path =>
        bad.flatMap(key =>
          ['GET', 'POST'].map(method => ask(rig, `/v1/${path}`, { method, headers: { 'x-api-key': key } })),
        ),
      ),
    );
  // Many of them at once leave the one place to a good key.
  const before = answers();
  const trigger = await held.start(`/v1/alarm/${ALARM}/trigger`);
  const bodies = new Set([...(await before), ...(await answers())].map(({ status, body }) => `${status} ${body}`));
  expect([...bodies]).toEqual([expect.stringMatching(/^401 \{"message":"[^"]+"\}$/)]);
  expectShed(await ask(rig, `/v1/panic/${PANIC}/trigger`));
  expect(acted(rig)).toEqual(['Trigger']);
  held.release();
  expect((await trigger.answer).status).toBe(202);
});

test('a call that fails gives its place back', async () => {
  const rig = await startRig({ limits: { read: 1, action: 1, trigger: 1 } });
  for (let call = 0; call < 3; call++) expect((await ask(rig, '/v1/alarm/unknown/arm')).status).toBe(404);
  expect((await ask(rig, `/v1/alarm/${ALARM}/arm`)).status).toBe(202);
});

test('the class of an RPC is in its proto', () => {
  const methods = [...AlarmService.methods, ...InventoryService.methods].filter(
    method => method.methodKind === 'unary',
  );
  const classes = methods.map(method => [method.name, classOf(method)]);
  expect(Object.fromEntries(classes)).toEqual({
    Arm: 'action',
    Disarm: 'action',
    Trigger: 'trigger',
    Clear: 'action',
    TriggerPanic: 'trigger',
    ClearPanic: 'action',
    Describe: 'read',
    GetState: 'read',
    CheckKey: 'read',
    AuthorizeChannel: 'read',
    RecheckGrants: 'read',
  });
});

test('what was shed and what was answered is counted, by route and status, without any identifier', async () => {
  const rig = await startRig({ limits: { read: 0, action: 9, trigger: 9 } });
  const answered = 'tocsin_http_calls_total{route="/v1/alarm/{alarm_id}/trigger/{mode_id}",status="202"}';
  const shed = 'tocsin_http_calls_shed_total{class="read"}';
  const before = { answered: await figureOf(rig.url, answered), shed: await figureOf(rig.url, shed) };
  await ask(rig, `/v1/alarm/${ALARM}/trigger/away`);
  await ask(rig, '/v1/integration/state');
  expect(await figureOf(rig.url, answered)).toBe(before.answered + 1);
  expect(await figureOf(rig.url, shed)).toBe(before.shed + 1);
  const { body, headers } = await ask(rig, '/metrics', { headers: { 'x-api-key': undefined } });
  expect(body).not.toContain(ALARM);
  expect(headers['content-type']).toContain('text/plain');
});

test('actions that were shed are reported to the services by key and source, as their number', async () => {
  const rig = await startRig({ limits: { read: 9, action: 0, trigger: 0 } });
  for (let call = 0; call < 3; call++) expectShed(await ask(rig, `/v1/alarm/${ALARM}/trigger/away`));
  expectShed(await ask(rig, `/v1/panic/${PANIC}/trigger`));
  const reports = await eventually(() => rig.backend.calls.length >= 2 && rig.backend.calls, { what: 'the reports' });
  expect(reports).toMatchObject([
    { rpc: 'CheckKey', apiKey: KEY, request: { refusal: 'shed', verb: 'trigger', sourceId: ALARM, times: 3 } },
    { rpc: 'CheckKey', apiKey: KEY, request: { refusal: 'shed', verb: 'trigger', sourceId: PANIC, times: 1 } },
  ]);
});

/** What reached the services but for reports of what did not. */
function acted(rig: Rig): string[] {
  return rig.backend.calls.map(({ rpc }) => rpc).filter(rpc => rpc !== 'CheckKey');
}

/** Lets calls reach the services and not come back before the release. */
function hold(rig: Rig) {
  const release = Promise.withResolvers<void>();
  rig.backend.behaviour = () => release.promise;
  return {
    release: () => release.resolve(),
    /** Makes a call and returns when it is in flight. */
    async start(path: string): Promise<{ answer: Promise<Got> }> {
      const before = acted(rig).length;
      const answer = ask(rig, path);
      await eventually(() => acted(rig).length > before, { what: `${path} in flight` });
      return { answer };
    },
  };
}

function expectShed({ status, headers, body }: Got): void {
  expect(status).toBe(503);
  expect(headers).toMatchObject({ 'retry-after': '1', 'cache-control': 'no-store' });
  expect(JSON.parse(body)).toMatchObject({ error: true, links: {}, data: {}, traceId: expect.any(String) });
}
