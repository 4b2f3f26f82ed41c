import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { registerDoor } from '../../../facade/console/door.ts';
import { createOverload } from '../../../facade/overload.ts';
import { PanicButtonService } from '../../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { SessionService } from '../../../gen/tocsin/console/v1/sessions_pb.ts';
import { IncidentService } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { createPlaces } from '../../../services/limits/places.ts';
import { NO_SLOWDOWN } from '../../../services/limits/slowdown.ts';
import { NO_STRANGERS } from '../../../services/limits/strangers.ts';
import { newId } from '../../../services/store/id.ts';
import { tokenOf } from '../../rpc/incident/incident-rig.ts';
import { startFacadeApart } from '../../support/facade-apart.ts';
import { eventually } from '../../support/wait.ts';
import { startWorld } from '../../support/world.ts';
import { call } from './door-rig.ts';

/* DECISIONS.md "Pressed in the console": whoever presses on and on takes nothing from anybody. */

const PRESS = 'tocsin.console.v1.PanicButtonService/TriggerPanicButton';
const LIST = 'tocsin.incident.v1.IncidentService/ListIncidents';
const ACKNOWLEDGE = 'tocsin.incident.v1.IncidentService/Acknowledge';
const SIGN_IN = 'tocsin.console.v1.SessionService/SignIn';

test('one session presses without end: a neighbour lists and acknowledges beside it, and every press is stored', {
  timeout: 60_000,
}, async () => {
  const world = await startWorld();
  const { url } = await startFacadeApart(world.rpcUrl, {
    rateLimits: 'on',
    limits: { read: 30, action: 40, trigger: 2_000 },
  });
  const signedIn = async ({ token }: { token: string }) => {
    const { headers } = await call({ url }, SIGN_IN, { body: { consoleToken: { token } } });
    const cookie = String(headers['set-cookie']).split(';')[0]!;
    return (method: string, body: object = {}) => call({ url }, method, { body, headers: { cookie } });
  };
  const [greedy, neighbour] = [await world.account(), await world.account()];
  const [panicButtonId, theirs] = [await greedy.panicButton({}), await neighbour.panicButton({})];
  const consoleOwner = async (of: typeof greedy) => ({ token: await tokenOf(world, of, 'Noah') });
  const [presses, beside] = [await signedIn(await consoleOwner(greedy)), await signedIn(await consoleOwner(neighbour))];
  const { body } = await beside(PRESS, { panicButtonId: theirs, pressId: newId() });
  const { incidentId } = (body as { call: { incidentId: string } }).call;

  let answered = 0;
  const flood = Array.from({ length: 300 }, async () => {
    const { status } = await presses(PRESS, { panicButtonId, pressId: newId() });
    answered++;
    return status;
  });
  const noticed: string[] = [];
  let asked = 0;
  while (answered < 300) {
    const answers = await Promise.all([beside(LIST), beside(ACKNOWLEDGE, { incidentId, by: 'Noah' })]);
    for (const { status, text } of answers) if (status !== 200) noticed.push(text);
    asked++;
  }
  expect(asked).toBeGreaterThan(3);
  expect(noticed).toEqual([]);
  expect(new Set(await Promise.all(flood))).toEqual(new Set([200]));
  await world.settle();
  expect(await greedy.incidents()).toMatchObject([{ triggerCount: 300 }]);
});

/** A door whose presses come to what the test says, and whose limits are used up. */
async function startFull(came: () => Promise<void>, slow = NO_SLOWDOWN) {
  const transport = createRouterTransport(router => {
    router.service(SessionService, { getSession: () => ({ kind: 'member' }) });
    router.service(IncidentService, { listIncidents: () => ({}) });
    router.service(PanicButtonService, {
      async triggerPanicButton({ panicButtonId }) {
        await came();
        return { call: { sourceId: panicButtonId, outcome: 'opened' } };
      },
    });
  });
  const app = fastify();
  onTestFinished(() => app.close());
  const overload = createOverload({ read: 4, action: 4, trigger: 100 });
  registerDoor(app, {
    ...{ transport, overload, strangers: NO_STRANGERS, places: createPlaces(), openLine: 'taken', pressed: slow },
    publicUrl: () => '',
    rateLimits: { take: ({ callClass }) => (callClass === 'action' ? 'too_many' : 'taken'), learn() {} },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(app.server.address() as { port: number }).port}`;
  return {
    press: () => call({ url }, PRESS, { body: { panicButtonId: 'a', pressId: newId() } }),
    list: () => call({ url }, LIST),
  };
}

test('whoever waits for the answer to a press takes no place of others', async () => {
  const held = Promise.withResolvers<void>();
  let waiting = 0;
  const slow = async () => {
    waiting++;
    await held.promise;
  };
  const door = await startFull(async () => {}, { ...NO_SLOWDOWN, slow });
  const presses = Array.from({ length: 20 }, door.press);
  await eventually(() => waiting === 20, { what: 'all to wait' });
  expect((await door.list()).status).toBe(200);
  held.resolve();
  expect((await Promise.all(presses)).map(({ status }) => status)).toEqual(Array(20).fill(200));
});

test.each([
  ['is not there', Code.NotFound],
  ['is off', Code.FailedPrecondition],
  ['may not be pressed', Code.PermissionDenied],
  ['has no good name', Code.InvalidArgument],
])('a press of what %s counts as an action; one that is stored is never limited', async (_, code) => {
  let is: 'stored' | 'refused' = 'refused';
  const door = await startFull(async () => {
    if (is === 'refused') throw new ConnectError('Nothing was triggered.', code);
  });
  expect((await door.press()).body).toMatchObject({ code: 'resource_exhausted' });
  is = 'stored';
  expect((await door.press()).status).toBe(200);
});

test('a press of which nobody knows what came of it is not limited', async () => {
  const door = await startFull(async () => {
    throw new ConnectError('The services are away.', Code.Unavailable);
  });
  expect((await door.press()).body).toMatchObject({ code: 'unavailable' });
});
