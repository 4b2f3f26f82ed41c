import { once } from 'node:events';
import { create, createFileRegistry, type DescService, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { type ClientDuplexStream, credentials, Metadata, makeGenericClientConstructor, status } from '@grpc/grpc-js';
import { expect, onTestFinished, test } from 'vitest';
import * as v1 from '../../gen/grpc/reflection/v1/reflection_pb.ts';
import * as v1alpha from '../../gen/grpc/reflection/v1alpha/reflection_pb.ts';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { BatchService } from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { newOwner } from '../support/console.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Reflection", as gRPC tools see it: with a gRPC client of another maker. */

type Question = v1.ServerReflectionRequest['messageRequest'];
type Answer = v1.ServerReflectionResponse['messageResponse'];

/** One stream of questions. `ask` gives the answer to each; what ends the stream is thrown. */
function reflection(world: World, service: DescService, headers: Record<string, string>) {
  const [{ input, output }] = service.methods as unknown as [typeof v1.ServerReflection.method.serverReflectionInfo];
  const definition = {
    ask: {
      path: `/${service.typeName}/ServerReflectionInfo`,
      requestStream: true,
      responseStream: true,
      requestSerialize: (question: Question) =>
        Buffer.from(toBinary(input, create(input, { messageRequest: question }))),
      requestDeserialize: (bytes: Buffer) => fromBinary(input, bytes),
      responseSerialize: (answer: v1.ServerReflectionResponse) => Buffer.from(toBinary(output, answer)),
      responseDeserialize: (bytes: Buffer) => fromBinary(output, bytes),
    },
  };
  const Client = makeGenericClientConstructor(definition, service.typeName);
  const client = new Client(new URL(world.rpcUrl).host, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const stream = (client.ask as (metadata: Metadata) => ClientDuplexStream<Question, v1.ServerReflectionResponse>)(
    metadata,
  );
  const ended = new Promise<status>(resolve => stream.once('status', ({ code }) => resolve(code)));
  stream.on('error', () => {});
  onTestFinished(() => {
    stream.cancel();
    client.close();
  });
  return {
    ended,
    end: () => stream.end(),
    async ask(question: Question): Promise<Answer> {
      const [answer] = await Promise.all([once(stream, 'data'), stream.write(question)]);
      return (answer as [v1.ServerReflectionResponse])[0].messageResponse;
    },
  };
}

async function aWorld() {
  const world = await startWorld();
  const { token } = await newOwner(world);
  const owner = await world.account();
  return { world, token: { authorization: `Bearer ${token}` }, key: { 'x-api-key': await owner.key() } };
}

/** The files of an answer, the one that was asked for first. */
function filesIn(answer: Answer) {
  if (answer.case !== 'fileDescriptorResponse') throw new Error(`no files: ${JSON.stringify(answer)}`);
  return answer.value.fileDescriptorProto.map(bytes => fromBinary(FileDescriptorProtoSchema, bytes));
}

const ask = {
  services: { case: 'listServices', value: '' },
  symbol: (value: string): Question => ({ case: 'fileContainingSymbol', value }),
  file: (value: string): Question => ({ case: 'fileByFilename', value }),
} as const;

test.each([
  ['v1', v1.ServerReflection],
  ['v1alpha', v1alpha.ServerReflection],
])('%s: a tool lists the services, and what it gets of them compiles by itself and makes the call', async (_, service) => {
  const { world, key, token } = await aWorld();
  for (const headers of [key, token, { authorization: `Bearer ${world.operator}` }]) {
    const stream = reflection(world, service, headers);
    const listed = await stream.ask(ask.services);
    const names = listed.case === 'listServicesResponse' ? listed.value.service.map(({ name }) => name) : [];
    expect(names).toContain(AlarmService.typeName);
    expect(names).toContain('grpc.health.v1.Health');
    expect(names).toContain(service.typeName);
    expect(names).not.toContain(BatchService.typeName);

    // On one stream no file comes twice, unless it is asked for.
    const seen = new Map<string, ReturnType<typeof filesIn>[number]>();
    for (const name of names) {
      const [first, ...imported] = filesIn(await stream.ask(ask.symbol(name)));
      expect(imported.filter(file => seen.has(file.name))).toEqual([]);
      for (const file of [first!, ...imported]) seen.set(file.name, file);
    }
    const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: sorted([...seen.values()]) }));
    expect(registry.getService(AlarmService.typeName)!.methods.map(({ name }) => name)).toContain('Trigger');
    expect(
      [...registry]
        .filter(({ kind }) => kind === 'service')
        .map(({ typeName }) => typeName)
        .sort(),
    ).toEqual(names);
    stream.end();
    expect(await stream.ended).toBe(status.OK);
  }
});

/** Files in an order in which each comes after what it imports. */
function sorted(files: ReturnType<typeof filesIn>): ReturnType<typeof filesIn> {
  const done = new Set<string>();
  const order: ReturnType<typeof filesIn> = [];
  const visit = (name: string) => {
    const file = files.find(one => one.name === name)!;
    if (done.has(name)) return;
    done.add(name);
    file.dependency.forEach(visit);
    order.push(file);
  };
  for (const { name } of files) visit(name);
  return order;
}

test('it finds methods, messages, files and extensions by their names, and says so where there is no such thing', async () => {
  const { world, token } = await aWorld();
  const stream = reflection(world, v1.ServerReflection, token);
  const alarm = 'tocsin/alarm/v1/alarm.proto';
  for (const symbol of ['.Trigger', '']) {
    expect(filesIn(await stream.ask(ask.symbol(AlarmService.typeName + symbol)))[0]!.name).toBe(alarm);
  }
  expect(filesIn(await stream.ask(ask.symbol('tocsin.alarm.v1.ArmRequest')))[0]!.name).toBe(alarm);
  expect(filesIn(await stream.ask(ask.file(alarm)))[0]!.name).toBe(alarm);
  const http = { containingType: 'google.protobuf.MethodOptions', extensionNumber: 72295728 };
  const extension = filesIn(
    await stream.ask({ case: 'fileContainingExtension', value: create(v1.ExtensionRequestSchema, http) }),
  );
  expect(extension[0]!.name).toBe('google/api/annotations.proto');
  const numbers = await stream.ask({ case: 'allExtensionNumbersOfType', value: http.containingType });
  expect(numbers).toMatchObject({ value: { extensionNumber: [http.extensionNumber] } });

  for (const name of [
    'tocsin.alarm.v1.AlarmService.Nothing',
    'nothing',
    '',
    BatchService.typeName,
    '../package.json',
  ]) {
    for (const question of [
      ask.symbol(name),
      ask.file(name),
      { case: 'allExtensionNumbersOfType', value: name } as const,
    ]) {
      expect(await stream.ask(question), name).toMatchObject({ value: { errorCode: status.NOT_FOUND } });
    }
  }
  expect(await stream.ask({ case: undefined })).toMatchObject({ value: { errorCode: status.INVALID_ARGUMENT } });
});

test.each([
  ['v1', v1.ServerReflection],
  ['v1alpha', v1alpha.ServerReflection],
])('%s: strangers, and who shows what has ended, are told nothing', async (_, service) => {
  const { world, key, token } = await aWorld();
  const owner = await world.account();
  const ended = await owner.keyWithId();
  await world.rows('UPDATE api_key SET revoked_at = tocsin_now() WHERE id = $1', [ended.id]);
  const { token: expired } = await newOwner(world);
  await world.rows("UPDATE console_token SET expires_at = tocsin_now() WHERE label <> 'operator' AND kind = 'account'");
  const wrong = [{}, { 'x-api-key': 'nonsense' }, { authorization: 'Bearer nonsense' }, { 'x-api-key': ended.secret }];
  for (const headers of [...wrong, { authorization: `Bearer ${expired}` }, token, { 'x-api-key': world.operator }]) {
    expect(await reflection(world, service, headers).ended, JSON.stringify(headers)).toBe(status.UNAUTHENTICATED);
  }
  const stream = reflection(world, service, key);
  expect((await stream.ask(ask.services)).case).toBe('listServicesResponse');
});

test('a stream is bounded in questions and in their size, and a key in streams; the neighbour does not notice', async () => {
  const world = await startWorld();
  const [greedy, neighbour] = [await world.account(), await world.account()];
  const key = { 'x-api-key': await greedy.key() };

  const large = reflection(world, v1.ServerReflection, key);
  void large.ask(ask.symbol('x'.repeat(2_000))).catch(() => {});
  expect(await large.ended).toBe(status.RESOURCE_EXHAUSTED);

  const many = reflection(world, v1.ServerReflection, key);
  for (let nth = 0; nth < 1_000; nth++) await many.ask(ask.symbol('x'));
  void many.ask(ask.services).catch(() => {});
  expect(await many.ended).toBe(status.RESOURCE_EXHAUSTED);

  const open = Array.from({ length: 20 }, () => reflection(world, v1.ServerReflection, key));
  for (const stream of open) await stream.ask(ask.services);
  expect(await reflection(world, v1.ServerReflection, key).ended).toBe(status.RESOURCE_EXHAUSTED);
  const other = reflection(world, v1.ServerReflection, { 'x-api-key': await neighbour.key() });
  expect((await other.ask(ask.services)).case).toBe('listServicesResponse');
});

test('a stream that nobody ends is ended in time', async () => {
  const times = { firstBytes: 10_000, headers: 1_000, request: 1_000, idle: 600_000 };
  const world = await startWorld({ rpc: { times } });
  const key = { 'x-api-key': await (await world.account()).key() };
  const stream = reflection(world, v1.ServerReflection, key);
  expect((await stream.ask(ask.services)).case).toBe('listServicesResponse');
  expect(await stream.ended).toBe(status.CANCELLED);
});
