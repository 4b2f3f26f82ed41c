import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { getComments } from '@bufbuild/protoplugin';
import { Code, ConnectError } from '@connectrpc/connect';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { bindingsOf } from '../../facade/bindings.ts';
import { OPENAPI_TEXT } from '../../facade/openapi.ts';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { startWorld } from '../support/world.ts';
import { ALARM, ask, KEY, PANIC, startRig } from './rig.ts';

/* The OpenAPI document of /v1 against the facade as it runs: each path, each status, each answer. */

interface Operation {
  operationId: string;
  parameters?: { name: string }[];
  responses: Record<string, { headers?: Record<string, unknown>; content: Record<string, { schema: object }> }>;
}

const document = JSON.parse(OPENAPI_TEXT) as {
  paths: Record<string, { get: Operation }>;
  components: { schemas: Record<string, object> };
};

const CALLS = Object.entries(document.paths).map(([path, { get }]) => ({ path, ...get }));

/** The document with every object closed, so that an answer may not have what is not described. */
const closed = JSON.parse(OPENAPI_TEXT, (_, value) =>
  value?.type === 'object' && value.properties !== undefined ? { ...value, additionalProperties: false } : value,
) as typeof document;

const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  formats: { uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, uri: /^https?:\/\//, int32: true },
});
ajv.addSchema({ $id: 'document', ...closed });

/** What is wrong with an answer by what the document says of it; nothing, if it is as described. */
function wrongWith(path: string, status: number, headers: Record<string, unknown>, body: unknown): unknown {
  const described = document.paths[path]!.get.responses[status];
  if (described === undefined) return `${status} is not described`;
  const missing = Object.keys(described.headers ?? {}).filter(name => headers[name.toLowerCase()] === undefined);
  if (missing.length > 0) return `${missing.join()} is missing`;
  const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1');
  const at = encodeURI(`#/paths/${pointer}/get/responses/${status}/content/application~1json/schema`);
  const validate = ajv.getSchema(`document${at}`)!;
  return validate(body) === true ? null : validate.errors;
}

const fill = (path: string, ids: Record<string, string>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name]!);

describe('the document', () => {
  test('is OpenAPI 3.1, as its own schema has it', async () => {
    const validator = new Validator();
    expect((await validator.validate(JSON.parse(OPENAPI_TEXT))).errors).toBeUndefined();
    expect(validator.version).toBe('3.1');
  });

  test('has every path that the protos make, each operation by a name of its own, and a word on everything', () => {
    const templates = bindingsOf([AlarmService, InventoryService]).map(({ template }) => template);
    expect(CALLS.map(({ path }) => path).sort()).toEqual(templates.toSorted());
    expect(new Set(CALLS.map(({ operationId }) => operationId)).size).toBe(CALLS.length);
    for (const { path, parameters = [] } of CALLS) {
      expect(parameters.map(({ name }) => `{${name}}`)).toEqual([...path.matchAll(/\{\w+\}/g)].map(([name]) => name));
    }
    const described = [...OPENAPI_TEXT.matchAll(/"(description|summary)": "([^"]*)"/g)].map(([, , words]) => words!);
    expect(described.length).toBeGreaterThan(60);
    expect(described.filter(words => words === '' || /\.md|NOT_FOUND|metadata/.test(words))).toEqual([]);
  });

  test('is served where the page says, and the descriptors too: whole, with comments, without what is for the deployment alone', async () => {
    const rig = await startRig();
    const served = await ask(rig, '/docs/openapi.json', { headers: { 'x-api-key': undefined } });
    expect([served.status, served.body]).toEqual([200, OPENAPI_TEXT]);
    expect(served.headers['content-type']).toBe('application/json; charset=utf-8');
    const response = await fetch(`${rig.url}/docs/tocsin.binpb`);
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    const protos = createFileRegistry(fromBinary(FileDescriptorSetSchema, await response.bytes()));
    const arm = protos.getService(AlarmService.typeName)!.method.arm!;
    expect(getComments(arm).leading).toContain('Arm arms an alarm.');
    expect([...protos].filter(({ typeName }) => typeName.startsWith('tocsin.internal.'))).toEqual([]);
    expect(protos.getService('grpc.reflection.v1.ServerReflection')).toBeDefined();
  });

  test('is shown whole on its page', async () => {
    const { body } = await ask(await startRig(), '/docs/openapi', { headers: { 'x-api-key': undefined } });
    for (const { operationId, path, responses } of CALLS) {
      expect(body).toContain(`<h3 id="${operationId}"><code>GET ${path}</code>`);
      for (const status of Object.keys(responses)) expect(body).toContain(`<td>${status}</td>`);
    }
    for (const name of Object.keys(document.components.schemas)) expect(body).toContain(`id="schema-${name}"`);
    expect(body).not.toMatch(/undefined|\[object|anything/);
  });
});

test.each(CALLS)('$path answers what the document says: with a key, a bad one, no such id, an unknown mode', async ({
  path,
}) => {
  const world = await startWorld({ publicUrl: 'of the facade' });
  const owner = await world.account();
  const ids = { alarm_id: await owner.alarm(), panic_id: await owner.panicButton(), mode_id: 'away' };
  const key = await owner.key();
  const said = async (given: Record<string, string>, secret: string | undefined) => {
    const { status, headers, body } = await world.get(fill(path, given), secret);
    expect(wrongWith(path, status, Object.fromEntries(headers), body), `${path} ${status}`).toBeNull();
    return { status, body };
  };
  const kind = path.startsWith('/v1/integration') ? 'read' : 'action';
  expect((await said(ids, key)).status).toBe(kind === 'read' ? 200 : 202);
  expect((await said(ids, undefined)).status).toBe(401);
  if (kind === 'read') return;
  const nobodys = '0'.repeat(32);
  expect((await said({ ...ids, alarm_id: nobodys, panic_id: nobodys }, key)).status).toBe(404);
  if (!path.includes('{mode_id}')) return;
  const unknown = await said({ ...ids, mode_id: 'siesta' }, key);
  expect([unknown.status, unknown.body.links.help]).toEqual([404, expect.stringMatching('/docs/arming$')]);
});

test('every status that the document has is one that a call can meet, and it is answered as described', async () => {
  const rig = await startRig();
  const faults: Record<string, Code | null> = {
    429: Code.ResourceExhausted,
    500: Code.Internal,
    503: Code.Unavailable,
    404: Code.NotFound,
    401: null,
    202: null,
    200: null,
  };
  for (const { path, responses } of CALLS) {
    for (const status of Object.keys(responses)) {
      expect(Object.keys(faults)).toContain(status);
      rig.backend.behaviour = () => {
        if (faults[status] != null) throw new ConnectError('x', faults[status]);
      };
      const headers = { 'x-api-key': status === '401' ? 'nonsense' : KEY };
      const filled = fill(path, { alarm_id: ALARM, panic_id: PANIC, mode_id: 'away' });
      const answer = await ask(rig, filled, { headers });
      expect(answer.status, `${path} ${status}`).toBe(Number(status));
      expect(wrongWith(path, answer.status, answer.headers, JSON.parse(answer.body))).toBeNull();
    }
  }
});
