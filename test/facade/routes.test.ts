import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { clone, create, createFileRegistry, type DescService, getOption, setExtension } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  type MethodDescriptorProto,
  MethodDescriptorProtoSchema,
  MethodOptionsSchema,
} from '@bufbuild/protobuf/wkt';
import { createRouterTransport } from '@connectrpc/connect';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createFacade } from '../../facade/app.ts';
import { bindingsOf } from '../../facade/bindings.ts';
import { http } from '../../gen/google/api/annotations_pb.ts';
import { type HttpRule, HttpRuleSchema } from '../../gen/google/api/http_pb.ts';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { facadeConfig } from '../support/facade-config.ts';

/** SPEC.md 4: all of /v1. */
const SPECIFIED = [
  '/v1/alarm/{alarm_id}/arm',
  '/v1/alarm/{alarm_id}/arm/{mode_id}',
  '/v1/alarm/{alarm_id}/clear',
  '/v1/alarm/{alarm_id}/disarm',
  '/v1/alarm/{alarm_id}/trigger',
  '/v1/alarm/{alarm_id}/trigger/{mode_id}',
  '/v1/integration/describe',
  '/v1/integration/state',
  '/v1/panic/{panic_id}/clear',
  '/v1/panic/{panic_id}/trigger',
];

test('every annotation of every proto is a route of the facade, and /v1 is what SPEC.md 4 lists', async () => {
  const annotated = (await generatedServices()).flatMap(service =>
    service.methods.flatMap(method => {
      const rule = getOption(method, http);
      return [rule, ...rule.additionalBindings].flatMap(({ pattern }) => (pattern.case === 'get' ? pattern.value : []));
    }),
  );
  expect(annotated.toSorted()).toEqual(SPECIFIED);

  const { app: facade } = await createFacade({
    transport: createRouterTransport(() => {}),
    config: facadeConfig(),
    log: pino({ level: 'silent' }),
  });
  const camelCase = (path: string) =>
    path.replaceAll(
      /\{(\w+)\}/g,
      (_, name) => `:${name.replaceAll(/_(\w)/g, (_: string, a: string) => a.toUpperCase())}`,
    );
  for (const path of annotated) expect(facade.hasRoute({ method: 'GET', url: camelCase(path) }), path).toBe(true);
  await facade.close();
});

test('the paths that the facade makes are those of the annotations, each once', () => {
  const templates = bindingsOf([AlarmService, InventoryService]).map(({ template }) => template);
  expect(templates.toSorted()).toEqual(SPECIFIED);
});

test('a new RPC with an annotation becomes a route without facade code, its path variables being fields', () => {
  const bindings = bindingsOf([withMethod({}, { case: 'get', value: '/v1/alarm/{alarm_id}/silence' })]);
  expect(bindings.map(({ method, ...rest }) => ({ rpc: method.name, ...rest }))).toContainEqual({
    rpc: 'Silence',
    template: '/v1/alarm/{alarm_id}/silence',
    path: '/v1/alarm/:alarmId/silence',
  });
});

test.each<[string, Partial<MethodDescriptorProto>, HttpRule['pattern'], string, string]>([
  ['a POST', {}, { case: 'post', value: '/v1/a' }, '', 'it is not bound to a GET without a body'],
  ['a body', {}, { case: 'get', value: '/v1/a' }, '*', 'it is not bound to a GET without a body'],
  ['a stream', { serverStreaming: true }, { case: 'get', value: '/v1/a' }, '', 'it is a stream'],
  ['a variable that is no field', {}, { case: 'get', value: '/v1/{no_field}' }, '', 'single value named no_field'],
])('an annotation that no bodyless GET can carry stops the start: %s', (_, method, pattern, body, reason) => {
  expect(() => bindingsOf([withMethod(method, pattern, body)])).toThrow(`AlarmService.Silence makes no route: `);
  expect(() => bindingsOf([withMethod(method, pattern, body)])).toThrow(reason);
});

/** AlarmService as it would be generated with one more RPC. */
function withMethod(method: Partial<MethodDescriptorProto>, pattern: HttpRule['pattern'], body = ''): DescService {
  const options = create(MethodOptionsSchema);
  setExtension(options, http, create(HttpRuleSchema, { pattern, body }));
  const { file } = AlarmService;
  const proto = clone(FileDescriptorProtoSchema, file.proto);
  const [inputType, outputType] = ['.tocsin.alarm.v1.DisarmRequest', '.tocsin.alarm.v1.DisarmResponse'];
  const added = create(MethodDescriptorProtoSchema, { name: 'Silence', inputType, outputType, options, ...method });
  proto.service[0]!.method.push(added);
  const registry = createFileRegistry(proto, name => file.dependencies.find(({ proto }) => proto.name === name));
  return registry.getService(AlarmService.typeName)!;
}

async function generatedServices(): Promise<DescService[]> {
  const folder = fileURLToPath(new URL('../../gen/tocsin', import.meta.url));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => name.endsWith('_pb.ts'));
  const modules = await Promise.all(files.map(name => import(pathToFileURL(join(folder, name)).href)));
  const exported: unknown[] = modules.flatMap(module => Object.values(module));
  return exported.filter(isService);
}

function isService(value: unknown): value is DescService {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'service';
}
