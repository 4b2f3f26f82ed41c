import type { DescMethod } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { CONSOLE_SERVICES } from '../../../facade/console/door.ts';
import { SessionService } from '../../../gen/tocsin/console/v1/sessions_pb.ts';
import { LEAST } from '../../../services/domain/role.ts';
import { isRead } from '../../../services/process/call-class.ts';
import { consoleToken } from '../../rpc/access/sign-in-rig.ts';
import { errorIn, filled, furnished, idsOfNobody, posted, stateOf } from '../../rpc/gate-rig.ts';
import { startWorld } from '../../support/world.ts';

/* DECISIONS.md "Console door": in one process the services are called directly, so each method is tried through this door too. */

const MADE_UP = `tocsin-session=tcs_${'m'.repeat(36)}`;

const endsSessions = ({ name }: DescMethod) => name.startsWith('End');

/** All that need a session; those that end some come last. */
const METHODS = CONSOLE_SERVICES.flatMap(({ methods }) => methods)
  .filter(({ parent, name }) => LEAST[parent.typeName]![name] !== 'nobody')
  .toSorted((one, other) => Number(endsSessions(one)) - Number(endsSessions(other)));

test('with a session of another account, and the ids of a house, no method tells or changes anything of it: as for ids that never were', async () => {
  const world = await startWorld();
  const [victim, outsider] = [await furnished(world, 'Victim'), await furnished(world, 'Outsider')];
  const sessions = createClient(SessionService, world.services.transport);
  const from = { headers: { 'x-tocsin-client': '192.0.2.1 A browser' } };
  const cookieOf = async (token: string) =>
    `tocsin-session=${(await sessions.signIn(consoleToken(token), from)).secret}`;
  const page = { origin: world.url, 'connect-protocol-version': '1' };
  const door = `${world.url}/rpc`;

  const outsiders = await cookieOf(outsider.token);
  const cookieFor = async (method: DescMethod) => (endsSessions(method) ? cookieOf(outsider.token) : outsiders);

  const before = await stateOf(victim.own);
  const nobody = idsOfNobody(victim.ids);
  for (const method of METHODS) {
    const name = `${method.parent.name}.${method.name}`;
    const stranger = await posted(door, method, filled(method, victim.ids), { ...page, cookie: MADE_UP });
    expect(errorIn(stranger)?.code, name).toBe('unauthenticated');
    for (const account of [{}, { 'x-tocsin-account': victim.accountId }]) {
      const cookie = await cookieFor(method);
      const answer = await posted(door, method, filled(method, victim.ids), { ...page, cookie, ...account });
      expect(/victim/i.test(answer), `${name}: ${answer}`).toBe(false);
      const named = 'x-tocsin-account' in account ? { 'x-tocsin-account': nobody.account } : {};
      const again = { ...page, cookie: await cookieFor(method), ...named };
      expect(errorIn(answer), name).toEqual(errorIn(await posted(door, method, filled(method, nobody), again)));
    }
  }
  expect(await stateOf(victim.own)).toEqual(before);
  // What the outsider is not told is there: its owner is.
  const owns = { ...page, cookie: await cookieOf(victim.token) };
  const reads = METHODS.filter(isRead);
  const told = await Promise.all(reads.map(method => posted(door, method, filled(method, victim.ids), owns)));
  expect(told.filter(answer => /victim/i.test(answer)).length).toBeGreaterThan(20);
  expect((await world.get(`/v1/alarm/${victim.ids.alarm}/trigger`, victim.key)).status).toBe(202);
});
