import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import * as consoleApi from '../../../gen/tocsin/console/v1/index.ts';
import { IncidentService } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { LEAST, ROLES, type Role } from '../../../services/domain/role.ts';
import { consoleOf, refusal } from '../../support/console.ts';
import { twoHouses } from '../../support/members.ts';

const services: DescService[] = [
  ...Object.values(consoleApi as Record<string, unknown>).filter(isService),
  IncidentService,
];

function isService(one: unknown): one is DescService {
  return (one as Partial<DescService>).kind === 'service';
}

test('every method of the console and of incidents has a row, and every row a method', () => {
  const methods = services.map(({ typeName, methods }) => [typeName, methods.map(({ name }) => name).sort()]);
  const rows = Object.entries(LEAST).map(([service, of]) => [service, Object.keys(of).sort()]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(methods));
  expect(services.length).toBeGreaterThan(12);
});

/** What an empty call comes to with a session; streams are asked for their first answer. */
async function refused(rpcUrl: string, secret: string, method: DescMethod): Promise<ConnectError | null> {
  const transport = createConnectTransport({ baseUrl: rpcUrl, httpVersion: '1.1' });
  const call = (createClient(method.parent, transport) as Record<string, unknown>)[method.localName] as (
    ...of: unknown[]
  ) => Promise<unknown> & AsyncIterable<unknown>;
  const ended = new AbortController();
  const asking = { headers: { authorization: `Bearer ${secret}` }, signal: ended.signal };
  try {
    if (method.methodKind === 'unary') await call({}, asking);
    else for await (const _ of call({}, asking)) break;
    return null;
  } catch (fault) {
    return ConnectError.from(fault);
  } finally {
    ended.abort();
  }
}

/** What a member who may not is told; null: they may, whatever else is wrong with an empty call. */
const SAID = {
  operator: /takes the operator's token, got an account's own\.$/,
  role: (needed: string, role: Role) =>
    `This needs the role "${needed}" in this account, and yours is "${role}": ask an owner.`,
};

test('each row holds: the roles below the least are refused and told which one it takes, the others are not', async () => {
  const { world, invite, signIn } = await twoHouses();
  const secrets = new Map<Role, string>();
  for (const role of ROLES) {
    await invite(`${role}@example.com`, role);
    secrets.set(role, await signIn(`${role}@example.com`));
  }
  const rows = services.flatMap(({ methods }) => methods);
  for (const method of rows) {
    const least = LEAST[method.parent.typeName]![method.name]!;
    if (least === 'signed_in' || least === 'nobody') continue;
    for (const role of ROLES) {
      const fault = await refused(world.rpcUrl, secrets.get(role)!, method);
      const what = `${method.parent.name}.${method.name} as ${role}: ${fault?.message}`;
      if (least === 'operator') {
        expect(fault?.code, what).toBe(Code.PermissionDenied);
        expect(fault?.rawMessage, what).toMatch(SAID.operator);
      } else if (ROLES.indexOf(role) > ROLES.indexOf(least)) {
        expect(fault?.code, what).toBe(Code.PermissionDenied);
        expect(fault?.rawMessage, what).toBe(SAID.role(least, role));
      } else expect(fault?.code, what).not.toBe(Code.PermissionDenied);
    }
  }
});

test('a role in one account is none in another: the owner of another account is told that there is no such account', async () => {
  const { world, elms, signIn } = await twoHouses();
  const otto = consoleOf(world, await signIn('otto@example.org'), elms.accountId);
  const asked = [
    () => otto.members.listMembers({}),
    () => otto.members.inviteMember({ email: 'otto@example.org', role: 'owner' }),
    () => otto.apiKeys.createApiKey({ apiKey: { label: 'Mine' } }),
    () => otto.incidents.listIncidents({}),
    () => otto.deployment.getDeployment({}),
  ];
  for (const ask of asked) {
    expect(await refusal(ask())).toMatchObject({
      code: 'NotFound',
      message: 'There is no account with the id in x-tocsin-account (--account).',
    });
  }
});
