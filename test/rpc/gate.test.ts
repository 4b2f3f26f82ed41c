import { globSync } from 'node:fs';
import { create, type DescMethod, type DescService, ScalarType, toBinary } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { expect, test } from 'vitest';
import { isRead } from '../../services/process/call-class.ts';
import { type Console, consoleOf, newOwner } from '../support/console.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "RPC port", "Who opens what": every method of every service, who may call it, and what others are told. */

const SERVICE_TOKEN = 's'.repeat(40);

/** Every service that the protos describe, so that a new one cannot be forgotten. */
const SERVICES = await allServices();

async function allServices(): Promise<DescService[]> {
  const root = new URL('../../gen/', import.meta.url);
  const files = globSync('**/*_pb.ts', { cwd: root });
  const modules: Record<string, unknown>[] = await Promise.all(files.map(file => import(new URL(file, root).href)));
  const exported = modules.flatMap(module => Object.values(module)) as { kind?: string; typeName?: string }[];
  const services = exported.filter(one => one?.kind === 'service') as unknown as DescService[];
  return services.filter(({ typeName }) => /^(tocsin|grpc)\./.test(typeName));
}

/** What opens a method; everything that is not named here is opened by a console token. */
const OPENED_BY: Readonly<Record<string, 'nothing' | 'key' | 'key_or_token' | 'service'>> = {
  'grpc.health.v1.Health': 'nothing',
  'grpc.reflection.v1.ServerReflection': 'key_or_token',
  'grpc.reflection.v1alpha.ServerReflection': 'key_or_token',
  'tocsin.alarm.v1.AlarmService': 'key',
  'tocsin.inventory.v1.InventoryService': 'key',
  'tocsin.inventory.v1.InventoryService/RecheckGrants': 'service',
  'tocsin.incident.v1.ResponderService': 'service',
  'tocsin.internal.v1.BatchService': 'service',
};

const METHODS = SERVICES.flatMap(({ methods }) => methods).map(method => ({
  name: nameOf(method),
  method,
  opens: OPENED_BY[nameOf(method)] ?? OPENED_BY[method.parent.typeName] ?? 'token',
}));

/** Without what takes a stream of questions, over HTTP/2 only: test/rpc/reflection.test.ts. */
const CLOSED = METHODS.filter(({ opens, method }) => opens !== 'nothing' && method.methodKind !== 'bidi_streaming');

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}

/** Two accounts with all that one of them can have. */
async function aWorld() {
  const world = await startWorld({ serviceToken: SERVICE_TOKEN });
  const [victim, outsider] = [await furnished(world, 'Victim'), await furnished(world, 'Outsider')];
  return { world, victim, outsider };
}

/** An account whose things all have its name in theirs. */
async function furnished(world: World, name: string) {
  const { console: own, token, accountId } = await newOwner(world, `${name} account`);
  const { location } = await own.locations.createLocation({ location: { name: `${name} home` } });
  const { contact } = await own.contacts.createContact({
    contact: { name: `${name} person`, channels: [{ channel: 'email', address: `${name}@example.com` }] },
  });
  const { policy } = await own.policies.createPolicy({
    policy: { name: `${name} policy`, steps: [{ contacts: [{ contactId: contact!.id, channels: ['email'] }] }] },
  });
  const { alarm } = await own.alarms.createAlarm({
    alarm: { name: `${name} alarm`, locationId: location!.id, test: false },
  });
  const { panicButton } = await own.panicButtons.createPanicButton({
    panicButton: { name: `${name} button`, locationId: location!.id, responseKind: 'fire' },
  });
  const { apiKey, secret } = await own.apiKeys.createApiKey({ apiKey: { label: `${name} camera` } });
  const made = await consoleOf(world, world.operator, accountId).accounts.createToken({ label: `${name} tablet` });
  const { body } = await world.get(`/v1/alarm/${alarm!.id}/trigger`, secret);
  await world.settle();
  const [incident] = (await own.incidents.listIncidents({})).incidents;
  return {
    own,
    token,
    key: secret,
    accountId,
    /** Ids by the beginnings of the fields that name them. */
    ids: {
      account: accountId,
      location: location!.id,
      contact: contact!.id,
      policy: policy!.id,
      alarm: alarm!.id,
      panic: panicButton!.id,
      source: alarm!.id,
      apiKey: apiKey!.id,
      key: apiKey!.id,
      token: made.token!.id,
      incident: incident!.id,
      trace: body.traceId,
      thing: alarm!.id,
    } as Record<string, string>,
  };
}

const NONSENSE = Buffer.from('\xff\xff\xff\xffnonsense', 'latin1');

/** A request as it stands on the wire: Connect's own, so that nothing of ours makes it well-formed. */
async function posted({ rpcUrl }: World, { parent, name, methodKind }: DescMethod, body: Uint8Array, headers: object) {
  const type = methodKind === 'unary' ? 'application/proto' : 'application/connect+proto';
  const gone = new AbortController();
  const response = await fetch(`${rpcUrl}/${parent.typeName}/${name}`, {
    method: 'POST',
    headers: { 'content-type': type, ...headers },
    body: Buffer.from(body),
    signal: gone.signal,
  });
  // A stream that is let in has no end: its first bytes are enough.
  const { value } = await response.body!.getReader().read();
  gone.abort();
  return Buffer.from(value ?? []).toString('latin1');
}

/** The error that an answer is; that of a stream stands in its last message. */
function errorIn(answer: string): { code: string; message: string } | null {
  const [json] = /\{"(error|code)".*\}/s.exec(answer) ?? [];
  if (json === undefined) return null;
  const { error, ...plain } = JSON.parse(json);
  return error ?? plain;
}

test('the table of who may call names every service, and none that does not exist', () => {
  const known = new Set([...METHODS.map(({ name }) => name), ...SERVICES.map(({ typeName }) => typeName)]);
  expect(Object.keys(OPENED_BY).filter(name => !known.has(name))).toEqual([]);
  expect(METHODS.length).toBeGreaterThan(60);
});

test('whatever is sent to whatever method, whoever has no right credential is told that first, and nothing else', async () => {
  const { world, victim } = await aWorld();
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const wrong = {
    key: [{}, { 'x-api-key': 'nonsense' }, { 'x-api-key': victim.token }, bearer(victim.token), bearer(victim.key)],
    token: [{}, bearer('nonsense'), bearer(victim.key), { 'x-api-key': victim.key }, { 'x-api-key': victim.token }],
    service: [{}, { 'x-tocsin-service': 't'.repeat(40) }, { 'x-api-key': victim.key }, bearer(victim.token)],
  };
  const long = Buffer.alloc(64 * 1024, 'x');
  for (const { name, method, opens } of CLOSED) {
    const told = new Set<string>();
    for (const headers of wrong[opens as keyof typeof wrong]) {
      for (const body of [Buffer.alloc(0), NONSENSE, long]) {
        const error = errorIn(await posted(world, method, body, headers));
        expect(error?.code, `${name} ${JSON.stringify(headers)}`).toBe('unauthenticated');
        told.add(error!.message);
      }
    }
    // One and the same sentence, whatever is wrong with it.
    expect([...told].length, name).toBe(1);
  }
  expect((await world.get(`/v1/alarm/${victim.ids.alarm}/trigger`, victim.key)).status).toBe(202);
});

test('an outsider who names the ids of another account learns and changes nothing: they are told what they are of ids that never were', async () => {
  const { world, victim, outsider } = await aWorld();
  const before = await stateOf(victim.own);
  const credentials = { 'x-api-key': outsider.key, authorization: `Bearer ${outsider.token}` };
  const nobody = Object.fromEntries(Object.entries(victim.ids).map(([of, id]) => [of, id.replaceAll(/[^-]/g, '0')]));
  for (const { name, method, opens } of CLOSED) {
    for (const headers of [credentials, { ...credentials, 'x-tocsin-account': victim.accountId }]) {
      const answer = await posted(world, method, filled(method, victim.ids), headers);
      expect(/victim/i.test(answer), `${name}: ${answer}`).toBe(false);
      const named = 'x-tocsin-account' in headers ? { ...headers, 'x-tocsin-account': nobody.account } : headers;
      const ofNobody = await posted(world, method, filled(method, nobody), named);
      expect(errorIn(answer), name).toEqual(errorIn(ofNobody));
      if (opens === 'service') expect(errorIn(answer)!.code, name).toBe('unauthenticated');
    }
  }
  expect(await stateOf(victim.own)).toEqual(before);
  // What the outsider is not told is there: its owner is.
  const owns = { 'x-api-key': victim.key, authorization: `Bearer ${victim.token}` };
  const reads = CLOSED.filter(({ method, opens }) => opens !== 'service' && isRead(method));
  const told = await Promise.all(reads.map(({ method }) => posted(world, method, filled(method, victim.ids), owns)));
  expect(told.filter(answer => /victim/i.test(answer)).length).toBeGreaterThan(20);
  expect((await world.get(`/v1/alarm/${victim.ids.alarm}/trigger`, victim.key)).status).toBe(202);
});

/** All that the victim has, as it sees it. */
async function stateOf(own: Console) {
  return {
    file: (await own.configuration.export({})).text,
    tokens: (await own.accounts.listTokens({})).tokens.map(({ id, revokedAt }) => [id, revokedAt === undefined]),
    keys: (await own.apiKeys.listApiKeys({})).apiKeys.map(({ id, version }) => [id, version]),
    changes: (await own.audit.listChanges({})).changes.length,
    incidents: (await own.incidents.listIncidents({})).incidents.map(({ id, status }) => [id, status]),
  };
}

/** A request that names things of somebody else wherever it can name any. */
function filled({ input, methodKind }: DescMethod, ids: Record<string, string>): Uint8Array {
  const message = reflect(input, create(input));
  for (const field of input.fields) {
    const id = ids[field.localName.replace(/Id$/, '')];
    if (id === undefined) continue;
    if (field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING) message.set(field, id);
    if (field.fieldKind !== 'message') continue;
    const inner = reflect(field.message, create(field.message));
    inner.set(inner.findNumber(1)!, id);
    message.set(field, inner);
  }
  const bytes = toBinary(input, message.message);
  if (methodKind === 'unary') return bytes;
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
