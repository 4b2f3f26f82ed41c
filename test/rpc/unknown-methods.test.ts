import { Code, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { describe, expect, test } from 'vitest';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import { refusal } from '../support/console.ts';
import { startWorld } from '../support/world.ts';

/* What is no call of a method is answered with a sentence that says what there is. */

async function asked(path: string, init: RequestInit = {}) {
  const { rpcUrl } = await startWorld();
  const response = await fetch(rpcUrl + path, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text), headers: response.headers };
}

const json = (body: string): RequestInit => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body });

test.each([
  '/',
  '/v1/integration/describe',
  '/console',
  '/i/abc',
])('%s came to the wrong port, and is told which', async path => {
  const { status, body } = await asked(path);
  expect([status, body.code]).toEqual([404, 'unimplemented']);
  expect(body.message).toContain('This is the RPC port of Tocsin');
  expect(body.message).toContain('HTTP_PORT');
});

test('a method and a service that are mistyped are named, with what was meant and what there is', async () => {
  const method = await asked('/tocsin.incident.v1.IncidentService/ListIncident', json('{}'));
  expect(method.status).toBe(404);
  expect(method.body.message).toMatch(
    /has no method "ListIncident"\. Did you mean ListIncidents\? It has: ListIncidents, /,
  );
  const service = await asked('/tocsin.incident.v1.IncidentsService/ListIncidents', json('{}'));
  expect(service.body.message).toContain('Did you mean tocsin.incident.v1.IncidentService?');
  expect(service.body.message).toContain('tocsin.console.v1.AlarmService');
  expect(service.body.message).not.toContain('internal');
});

test('a body of another type is refused with what is taken, and a good one goes on to the method', async () => {
  const path = '/tocsin.incident.v1.IncidentService/ListIncidents';
  const form = await asked(path, { method: 'POST', body: new URLSearchParams({ page: '1' }) });
  expect(form.status).toBe(415);
  expect(form.body.message).toMatch(/takes application\/proto, .*; got "application\/x-www-form-urlencoded/);
  expect(form.headers.get('accept-post')).toContain('application/json');
  expect((await asked(path, { method: 'POST' })).body.message).toContain('got none');
  for (const type of ['application/json', 'application/json; charset=utf-8', 'application/proto']) {
    const { body } = await asked(path, { method: 'POST', headers: { 'content-type': type } });
    expect([type, body.code]).toEqual([type, 'unauthenticated']);
  }
});

describe('every client of a method that is not there reads the sentence', () => {
  /** A client that believes in a method of a later version. */
  const later = { ...IncidentService, typeName: 'tocsin.incident.v9.IncidentService' } as typeof IncidentService;
  const methods = Object.fromEntries(
    Object.entries(IncidentService.method).map(([name, method]) => [name, { ...method, parent: later }]),
  );
  const future = { ...later, method: methods, methods: Object.values(methods) } as unknown as typeof IncidentService;

  test.each([
    ['Connect', (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
    ['Connect over HTTP/2', (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '2' })],
    ['gRPC', (baseUrl: string) => createGrpcTransport({ baseUrl })],
    ['gRPC-Web', (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
  ])('%s', async (_name, transportTo) => {
    const { rpcUrl } = await startWorld();
    const client = createClient(future, transportTo(rpcUrl));
    const refused = await refusal(client.listIncidents({}));
    expect(refused.code).toBe(Code[Code.Unimplemented]);
    expect(refused.message).toContain('Did you mean tocsin.incident.v1.IncidentService?');
  });
});

test('whoever is no service at all stays one sentence: a path of 8 kB, and names that would break a header', async () => {
  const long = await asked(`/tocsin.${'x'.repeat(8_000)}/Y`, json('{}'));
  expect(long.body.message.length).toBeLessThan(3_000);
  const odd = await asked('/a.b%0d%0aSet-Cookie:x/C', json('{}'));
  expect(odd.headers.get('set-cookie')).toBeNull();
});
