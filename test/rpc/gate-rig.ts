import { globSync } from 'node:fs';
import { create, type DescMethod, type DescService, ScalarType, toBinary } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { type Console, consoleOf, newOwner } from '../support/console.ts';
import type { World } from '../support/world.ts';

/** Every service that the protos describe, so that a new one cannot be forgotten. */
export const SERVICES = await allServices();

async function allServices(): Promise<DescService[]> {
  const root = new URL('../../gen/', import.meta.url);
  const files = globSync('**/*_pb.ts', { cwd: root });
  const modules: Record<string, unknown>[] = await Promise.all(files.map(file => import(new URL(file, root).href)));
  const exported = modules.flatMap(module => Object.values(module)) as { kind?: string; typeName?: string }[];
  const services = exported.filter(one => one?.kind === 'service') as unknown as DescService[];
  return services.filter(({ typeName }) => /^(tocsin|grpc)\./.test(typeName));
}

/** An account whose things all have its name in theirs. */
export async function furnished(world: World, name: string) {
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
  const { member } = await own.members.inviteMember({
    email: `${name}@example.org`,
    role: 'viewer',
    name: `${name} friend`,
  });
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
      member: member!.id,
      incident: incident!.id,
      trace: body.traceId,
      thing: alarm!.id,
    } as Record<string, string>,
  };
}

/** A request as it stands on the wire: Connect's own, so that nothing of ours makes it well-formed. */
export async function posted(
  url: string,
  { parent, name, methodKind }: DescMethod,
  body: Uint8Array,
  headers: object,
): Promise<string> {
  const type = methodKind === 'unary' ? 'application/proto' : 'application/connect+proto';
  const gone = new AbortController();
  const response = await fetch(`${url}/${parent.typeName}/${name}`, {
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
export function errorIn(answer: string): { code: string; message: string } | null {
  const [json] = /\{"(error|code)".*\}/s.exec(answer) ?? [];
  if (json === undefined) return null;
  const { error, ...plain } = JSON.parse(json);
  return error ?? plain;
}

/** All that the victim has, as it sees it. */
export async function stateOf(own: Console) {
  return {
    file: (await own.configuration.export({})).text,
    tokens: (await own.accounts.listTokens({})).tokens.map(({ id, revokedAt }) => [id, revokedAt === undefined]),
    keys: (await own.apiKeys.listApiKeys({})).apiKeys.map(({ id, version }) => [id, version]),
    members: (await own.members.listMembers({})).members.map(({ id, role, version }) => [id, role, version]),
    changes: (await own.audit.listChanges({})).changes.length,
    incidents: (await own.incidents.listIncidents({})).incidents.map(({ id, status }) => [id, status]),
  };
}

/** A request that names things of somebody else wherever it can name any. */
export function filled({ input, methodKind }: DescMethod, ids: Record<string, string>): Uint8Array {
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

/** Ids of the same shape that nothing ever had. */
export function idsOfNobody(ids: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(ids).map(([of, id]) => [of, id.replaceAll(/[^-]/g, '0')]));
}
