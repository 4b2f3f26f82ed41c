import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { DescField, DescMessage, DescService } from '@bufbuild/protobuf';
import { fromBinary, ScalarType } from '@bufbuild/protobuf';
import { protoCamelCase } from '@bufbuild/protobuf/reflect';
import { base64Decode } from '@bufbuild/protobuf/wire';
import {
  type DescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { buildConsole } from '../../../facade/console/bundle.ts';
import * as all from '../../../gen/index.ts';

const PAGE = join(import.meta.dirname, '../../../facade/console/page');

const textsBelow = (folder: string, named: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(file => named.test(file))
    .map(file => readFileSync(join(folder, file), 'utf8'));

/** All descriptors of files that the page takes along. */
async function takenAlong(): Promise<FileDescriptorProto[]> {
  const scripts = (await buildConsole()).files.filter(({ name }) => name.endsWith('.js'));
  const texts = scripts.map(({ plain }) => Buffer.from(plain, 'base64').toString());
  const literals = texts.flatMap(text =>
    [...text.matchAll(/\bbtoa\((`(?:[^`\\]|\\.)*`)\)/gs)].map(([, literal]) => literal!),
  );
  return literals.map(literal => fromBinary(FileDescriptorProtoSchema, base64Decode(btoa(runInNewContext(literal)))));
}

/** The services and messages of gen/, by the names by which the page imports them. */
const OFFERED = new Map<string, unknown>(Object.values(all).flatMap(ofPackage => Object.entries(ofPackage)));

/** What the page calls, as `DutyService.listShifts`, and which messages it looks for, as `InUseSchema`. */
function askedFor(): { calls: Map<string, Set<string>>; messages: Set<string> } {
  const text = textsBelow(PAGE, /\.tsx?$/).join('\n');
  const clients = [...text.matchAll(/export const (\w+) = createClient\((\w+),/g)];
  const calls = new Map<string, Set<string>>();
  for (const [, client, service] of clients) {
    const called = [...text.matchAll(new RegExp(`\\b${client}\\s*\\.(\\w+)\\(`, 'g'))].map(([, method]) => method!);
    calls.set(service!, new Set([...(calls.get(service!) ?? []), ...called]));
  }
  return { calls, messages: new Set(text.match(/\b[A-Z]\w+Schema\b/g)) };
}

const shapeOf = ({ name: inProto, number, label, type, oneofIndex, proto3Optional }: FieldDescriptorProto) => {
  const name = protoCamelCase(inProto);
  return { name, number, label, type, oneofIndex, proto3Optional };
};

test('the page takes along all that it calls, with every field of every message, at its place in its file', async () => {
  const files = await takenAlong();
  const taken = new Map<string, { message: DescriptorProto; place: number }>();
  const add = (within: string, message: DescriptorProto, place: number) => {
    taken.set(`${within}.${message.name}`, { message, place });
    for (const [nth, one] of message.nestedType.entries()) add(`${within}.${message.name}`, one, nth);
  };
  for (const file of files) for (const [nth, one] of file.messageType.entries()) add(file.package, one, nth);
  const seen = new Set<string>();
  const expectWhole = (message: DescMessage, called: string) => {
    if (seen.has(message.typeName)) return;
    seen.add(message.typeName);
    const as = taken.get(called);
    expect(as?.message.field.map(shapeOf), message.typeName).toEqual(message.proto.field.map(shapeOf));
    expect(as?.place, message.typeName).toBe(
      (message.parent?.nestedMessages ?? message.file.messages).indexOf(message),
    );
    expect(as?.message.oneofDecl).toEqual(message.proto.oneofDecl);
    for (const [nth, field] of message.fields.entries())
      if (field.message !== undefined && field.fieldKind !== 'map')
        expectWhole(field.message, as!.message.field[nth]!.typeName.slice(1));
  };
  const { calls, messages } = askedFor();
  expect(calls.size).toBeGreaterThan(15);
  for (const [name, called] of calls) {
    const service = OFFERED.get(name) as DescService;
    const as = files.flatMap(file => (service.typeName.startsWith(`${file.package}.`) ? file.service : []));
    const methods = as.find(({ name }) => name === service.name)!.method;
    const used = service.methods.filter(({ localName }) => called.has(localName));
    expect(used, name).not.toEqual([]);
    for (const { name, input, output } of used) {
      const method = methods.find(method => method.name === name);
      expect(method, `${service.name}.${name}`).toBeDefined();
      expectWhole(input, method!.inputType.slice(1));
      expectWhole(output, method!.outputType.slice(1));
    }
  }
  for (const name of messages) {
    const message = OFFERED.get(name) as DescMessage;
    // Whoever refuses says by its name what the detail is.
    expectWhole(message, message.typeName);
  }
  expect(seen.size).toBeGreaterThan(150);
});

/** Of these the page has neither what reads nor what writes (library-parts.ts). */
const LEFT_OUT = [
  ...[ScalarType.FLOAT, ScalarType.FIXED32, ScalarType.FIXED64, ScalarType.SFIXED32, ScalarType.SFIXED64],
  ...[ScalarType.SINT32, ScalarType.SINT64, ScalarType.UINT64],
];

test('nothing that the page calls needs what its libraries were left without: client streams, groups, JSON in requests, and some numbers', () => {
  const fieldsOf = (message: DescMessage, found = new Map<string, DescField[]>()): DescField[] => {
    if (found.has(message.typeName)) return [];
    found.set(message.typeName, message.fields);
    for (const { message: inner } of message.fields) if (inner !== undefined) fieldsOf(inner, found);
    return [...found.values()].flat();
  };
  for (const [name, called] of askedFor().calls) {
    for (const { localName, methodKind, input, output } of (OFFERED.get(name) as DescService).methods) {
      if (!called.has(localName)) continue;
      expect(['unary', 'server_streaming'], localName).toContain(methodKind);
      expect(fieldsOf(input).map(({ message }) => message?.typeName)).not.toContain('google.protobuf.Struct');
      for (const field of [...fieldsOf(input), ...fieldsOf(output)]) {
        expect('delimitedEncoding' in field && field.delimitedEncoding, String(field)).not.toBe(true);
        expect(LEFT_OUT, String(field)).not.toContain(field.scalar);
        if (field.fieldKind === 'map') expect(LEFT_OUT, String(field)).not.toContain(field.mapKey);
      }
    }
  }
});

test('messages that the page tells apart by their names keep them', async () => {
  const names = (await takenAlong()).flatMap(file => file.messageType.map(({ name }) => `${file.package}.${name}`));
  const told = textsBelow(PAGE, /\.tsx?$/).flatMap(text => text.match(/(?<=typeName === ')[\w.]+/g) ?? []);
  expect(told.length).toBeGreaterThan(0);
  expect(names).toEqual(expect.arrayContaining(told));
});
