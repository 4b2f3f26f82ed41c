import { type DescMethod, fromBinary, toJsonString } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect, onTestFinished, test } from 'vitest';
import { ResponderService } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { ROLES } from '../../services/domain/role.ts';
import { isRead } from '../../services/process/call-class.ts';
import { consoleOf, newOwner } from '../support/console.ts';
import { logInto } from '../support/log.ts';
import { nobody, signedIn } from '../support/members.ts';
import { startSmtp } from '../support/smtp.ts';
import { codeIn } from '../support/verified.ts';
import { PEPPER, startWorld } from '../support/world.ts';
import { filled, SERVICES } from './gate-rig.ts';
import { tokenOf } from './responder/responder-rig.ts';

/* DECISIONS.md "Link and reply code": what one person was sent is read by nobody else, whoever asks and whatever they ask. */

/**
 * A live incident of Anna, who has a link by mail, a text that no carrier takes, and a second mail that its server
 * refused with the words of the mail itself.
 */
async function anIncidentOfAnna() {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const lines: string[] = [];
  const world = await startWorld({
    smtpUrl: smtp.url,
    publicUrl: 'https://alarm.test',
    contactVerification: 'trusted',
    log: logInto(lines, 'trace'),
  });
  const elms = await newOwner(world, 'Elms');
  const own = elms.console;
  const { location } = await own.locations.createLocation({ location: { name: 'House' } });
  const address = { text: '+12025550100', email: 'anna@example.com' };
  const { contact } = await own.contacts.createContact({
    contact: {
      name: 'Anna',
      channels: Object.entries(address).map(([channel, address]) => ({ channel, address })),
    },
  });
  const channels = ['text', 'email'];
  const steps = [0, 60].map(delayS => ({ delayS, contacts: [{ contactId: contact!.id, channels }] }));
  const { policy } = await own.policies.createPolicy({ policy: { name: 'Anna', steps } });
  const modes = [{ id: 'away', name: 'Away', policyId: policy!.id }];
  const { alarm } = await own.alarms.createAlarm({
    alarm: { name: 'Front door', locationId: location!.id, test: false, modes },
  });
  const { apiKey, secret: key } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  await world.get(`/v1/alarm/${alarm!.id}/trigger`, key);
  await world.settle();
  const rows = await world.rows<{ id: string }>('SELECT id FROM delivery ORDER BY seq');
  const links = rows.map(tokenOf);
  const refused = `5.7.1 Spam: https://alarm.test/i/${links.at(-1)}`;
  smtp.failNext(554, { message: refused });
  await world.advance(60);
  const [incident] = await world.rows<{ id: string; replyCode: string }>(
    'SELECT id, reply_code AS "replyCode" FROM incident',
  );
  const ids = {
    account: elms.accountId,
    location: location!.id,
    contact: contact!.id,
    policy: policy!.id,
    alarm: alarm!.id,
    source: alarm!.id,
    thing: alarm!.id,
    apiKey: apiKey!.id,
    key: apiKey!.id,
    incident: incident!.id,
  } as Record<string, string>;
  return { smtp, world, elms, key, links, incident: incident!, ids, lines };
}

test('whoever reads an incident gets no link to act in the name of the person alerted, and no code to reply with', async () => {
  const { smtp, world, elms, links, incident } = await anIncidentOfAnna();
  await elms.console.members.inviteMember({ email: 'vera@example.com', role: 'viewer' });
  const vera = consoleOf(world, await signedIn(world, smtp, 'vera@example.com'));
  const { timeline } = await vera.incidents.getIncident({ incidentId: incident.id });
  const kept = timeline.flatMap(({ entry }) =>
    entry.case === 'delivery' && entry.value.status === 'no_carrier' ? [entry.value.keptMessage] : [],
  );
  expect(kept.length).toBeGreaterThan(0);
  for (const message of kept) {
    expect(message).toContain('Front door');
    expect(message).not.toMatch(/https?:/);
    expect(message).not.toContain(incident.replyCode);
  }
  const refused = timeline.flatMap(({ entry }) => (entry.case === 'delivery' ? [entry.value.reason] : []));
  expect(refused.join()).toContain('Spam: https://alarm.test/i/[link]');
  // Anna herself has it, by mail.
  const { text = '' } = smtp.mails.find(({ envelope }) => envelope.to.includes('anna@example.com'))!;
  const [, token = ''] = /\/i\/(\S+)/.exec(text) ?? [];
  expect(links).toContain(token);
  const responder = createClient(
    ResponderService,
    createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }),
  );
  await responder.acknowledgeByLink({ token });
  await world.settle();
  const { incident: now } = await vera.incidents.getIncident({ incidentId: incident.id });
  expect(now).toMatchObject({ acknowledgedBy: 'Anna', acknowledgedVia: 'link' });
});

test('no answer of any method, to any role, nor the log, has a link, a code or a secret of somebody', async () => {
  const { smtp, world, elms, key, links, incident, ids, lines } = await anIncidentOfAnna();
  const callers: Record<string, Record<string, string>> = {};
  const secrets: Record<string, string> = { key, pepper: PEPPER, replyCode: incident.replyCode };
  for (const [at, link] of links.entries()) secrets[`link ${at}`] = link;
  const callsAs = (name: string, secret: string, more: Record<string, string> = {}) => {
    secrets[`secret of ${name}`] = secret;
    callers[name] = { authorization: `Bearer ${secret}`, 'x-api-key': key, ...more };
  };
  callsAs('outsider', (await newOwner(world, 'Outsider')).token);
  for (const role of [...ROLES].reverse()) {
    const email = `${role}@example.com`;
    const { member } = await elms.console.members.inviteMember({ email, role });
    ids.member = member!.id;
    callsAs(role, await signedIn(world, smtp, email));
  }
  callsAs('account token', elms.token);
  callsAs('operator', world.operator, { 'x-tocsin-account': elms.accountId });
  // A code that is still good.
  await nobody(world).sessions.startSignIn({ email: 'owner@example.com', locale: 'en' });
  const { subject = '' } = await smtp.next(
    mail => mail.envelope.to.includes('owner@example.com') && mail === smtp.mails.at(-1),
  );
  secrets.signInCode = codeIn(subject);

  const found: string[] = [];
  const answers = { read: 0, written: 0 };
  const look = (where: string, text: string) => {
    for (const [what, secret] of Object.entries(secrets)) {
      if (new RegExp(`(?<![A-Za-z0-9])${secret}(?![A-Za-z0-9])`).test(text)) found.push(`${where}: ${what}`);
    }
  };
  for (const method of IN_ORDER) {
    for (const [name, headers] of Object.entries(callers)) {
      const { status, text } = await asked(world.rpcUrl, method, filled(method, ids), headers);
      look(`${method.parent.name}.${method.name} as ${name}`, text);
      if (status === 200) answers[isRead(method) ? 'read' : 'written']++;
    }
  }
  for (const path of ['integration/describe', 'integration/state', `alarm/${ids.alarm}/trigger`]) {
    look(`/v1/${path}`, JSON.stringify((await world.get(`/v1/${path}`, key)).body));
  }
  look('the log', lines.join(''));
  expect(found).toEqual([]);
  // Had nobody been answered, nothing would have been found either.
  expect(answers.read).toBeGreaterThan(100);
  expect(answers.written).toBeGreaterThan(10);
  expect(lines.length).toBeGreaterThan(10);
});

/** Reads first, and what ends something last, so that those before still have something to find. */
const IN_ORDER = SERVICES.flatMap(({ methods }) => methods)
  .filter(({ methodKind, parent }) => methodKind !== 'bidi_streaming' && !parent.typeName.startsWith('grpc.'))
  .sort((one, other) => place(one) - place(other));

function place(method: DescMethod): number {
  if (isRead(method)) return 0;
  return /^(Delete|Remove|Revoke|End|Erase)/.test(method.name) ? 2 : 1;
}

/** What a method answers, as JSON: all of it, of a stream the first part. */
async function asked(url: string, method: DescMethod, request: Uint8Array, headers: Record<string, string>) {
  const isUnary = method.methodKind === 'unary';
  const json = toJsonString(method.input, fromBinary(method.input, isUnary ? request : request.subarray(5)));
  const gone = new AbortController();
  const response = await fetch(`${url}/${method.parent.typeName}/${method.name}`, {
    method: 'POST',
    headers: { 'content-type': isUnary ? 'application/json' : 'application/connect+json', ...headers },
    body: isUnary ? json : enveloped(json),
    signal: gone.signal,
  });
  if (isUnary) return { status: response.status, text: await response.text() };
  const { value } = await response.body!.getReader().read();
  gone.abort();
  return { status: response.status, text: Buffer.from(value ?? []).toString() };
}

function enveloped(json: string): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(Buffer.byteLength(json), 1);
  return Buffer.concat([head, Buffer.from(json)]);
}
