import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyDesc, clearField, clone, create, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf';
import { embedFileDesc } from '@bufbuild/protobuf/codegenv2';
import { protoCamelCase } from '@bufbuild/protobuf/reflect';
import { base64Decode } from '@bufbuild/protobuf/wire';
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  file_google_protobuf_descriptor,
} from '@bufbuild/protobuf/wkt';
import type { Plugin } from 'rolldown';
import * as offered from '../../gen/index.ts';

/*
 * What the console takes along of the descriptors in gen/: they say all that any service offers, and the page calls a part of it.
 */

/** Where everything stands that the page is made of, besides gen/ and libraries. */
const PAGE = ['page', 'words', 'design', '../recipes'].map(folder => join(import.meta.dirname, folder));

/** What is kept, by full names. */
interface Kept {
  methods: ReadonlySet<string>;
  /** With what each is called in the page, within its package. */
  messages: ReadonlyMap<string, string>;
}

/**
 * Returns what leaves out the rest. What is kept stands there as the bytes that it is: in base64 the same name looks different at each
 * of three places, so that nothing compresses it. 10 kB, of which 6 are by that.
 */
export function neededDescriptors(): Plugin {
  const kept = findKept();
  const boot = JSON.stringify(descriptorOfDescriptors());
  return {
    name: 'needed-descriptors',
    transform: code =>
      code
        .replace(/\bfileDesc\("([\w+/=]+)"/, (_, base64: string) => {
          const bytes = Buffer.from(partOf(base64, kept)).toString('latin1');
          return `fileDesc(btoa(${JSON.stringify(bytes)})`;
        })
        .replace(/\bboot\(\{.*\}\);/, () => `boot(${boot});`),
  };
}

/**
 * Finds what the page may use: methods and messages that it names, and all messages that these consist of. A name counts wherever it
 * stands as a word, so that this keeps too much rather than too little. Messages that the page does not name are numbered.
 */
function findKept(): Kept {
  const words = wordsOfPage();
  const methods = new Set<string>();
  const messages = new Map<string, string>();
  const keep = (message: DescMessage) => {
    if (messages.has(message.typeName)) return;
    const isOurs =
      message.file.name.startsWith('tocsin/') && message.parent === undefined && message.proto.nestedType.length === 0;
    const isNamed = [message.name, `${message.name}Schema`].some(name => words.has(name));
    messages.set(message.typeName, isOurs && !isNamed ? `m${messages.size}` : message.name);
    if (message.parent !== undefined) keep(message.parent);
    for (const field of message.fields) if (field.message !== undefined) keep(field.message);
  };
  const all: [string, AnyDesc][] = Object.values<object>(offered).flatMap(ofPackage => Object.entries(ofPackage));
  for (const [name, desc] of all) {
    if (!words.has(name)) continue;
    if (desc.kind === 'message') keep(desc);
    if (desc.kind !== 'service') continue;
    for (const { name, input, output } of desc.methods.filter(({ localName }) => words.has(localName))) {
      methods.add(`${desc.typeName}.${name}`);
      keep(input);
      keep(output);
    }
  }
  return { methods, messages };
}

/** Returns the descriptor of a file, which comes in base64, with what is kept alone. */
function partOf(base64: string, { methods, messages }: Kept): Uint8Array {
  const file = fromBinary(FileDescriptorProtoSchema, base64Decode(base64));
  const fullName = ({ name }: { name: string }) => `${file.package}.${name}`;
  const called = (type: string) => {
    const end = type.lastIndexOf('.') + 1;
    return type.slice(0, end) + (messages.get(type.slice(1)) ?? type.slice(end));
  };
  // Files find each other by it.
  file.name = file.name.replace(/.*\/|\.proto$/g, '');
  file.options = undefined;
  file.messageType = inPlace(file.messageType, message => messages.has(fullName(message)));
  for (const message of file.messageType.filter(message => messages.has(fullName(message)))) {
    message.name = messages.get(fullName(message))!;
    for (const field of message.field) {
      // As the page knows it, and spells it elsewhere.
      field.name = protoCamelCase(field.name);
      if (field.typeName !== '') field.typeName = called(field.typeName);
    }
  }
  for (const service of file.service) {
    service.method = service.method.filter(({ name }) => methods.has(`${fullName(service)}.${name}`));
    for (const method of service.method) {
      method.options = undefined;
      method.inputType = called(method.inputType);
      method.outputType = called(method.outputType);
    }
  }
  return toBinary(FileDescriptorProtoSchema, file);
}

/**
 * What protobuf-es reads of a descriptor of a file (its registry.js), where files are of proto3, without extensions, and without options
 * but those of maps.
 */
const READ: Readonly<Record<string, readonly string[]>> = {
  FileDescriptorProto: ['name', 'package', 'dependency', 'message_type', 'enum_type', 'service', 'extension', 'syntax'],
  DescriptorProto: ['name', 'field', 'nested_type', 'enum_type', 'extension', 'oneof_decl', 'options'],
  FieldDescriptorProto: ['name', 'number', 'label', 'type', 'type_name', 'oneof_index', 'proto3_optional'],
  OneofDescriptorProto: ['name'],
  MessageOptions: ['map_entry'],
  EnumDescriptorProto: ['name', 'value'],
  EnumValueDescriptorProto: ['name', 'number'],
  ServiceDescriptorProto: ['name', 'method'],
  MethodDescriptorProto: ['name', 'input_type', 'output_type', 'client_streaming', 'server_streaming'],
};

/** Returns the descriptor of descriptors themselves, with what is read alone, as protobuf-es starts with it. */
function descriptorOfDescriptors(): object {
  const file = clone(FileDescriptorProtoSchema, file_google_protobuf_descriptor.proto);
  file.enumType = [];
  file.messageType = inPlace(file.messageType, ({ name }) => READ[name] !== undefined);
  for (const message of file.messageType) keepRead(message);
  const embedded = embedFileDesc(file);
  if (!embedded.bootable)
    throw new Error(`protobuf-es no longer starts with ${file.name}. Look at how it does, and keep what it reads.`);
  return embedded.boot();
}

/** Enums are read as the numbers that they are. */
function keepRead(message: DescriptorProto): void {
  message.field = message.field.filter(({ name }) => READ[message.name]?.includes(name));
  Object.assign(message, { nestedType: [], enumType: [], extensionRange: [] });
  const { field: known } = FieldDescriptorProtoSchema;
  for (const field of message.field) {
    for (const none of [known.options, known.defaultValue]) clearField(field, none);
    if (field.type !== FieldDescriptorProto_Type.ENUM) continue;
    field.type = FieldDescriptorProto_Type.INT32;
    clearField(field, known.typeName);
  }
}

/** Returns some messages of a file. Generated code knows them by their places, so that an empty one stands for each of the others. */
function inPlace(
  messages: readonly DescriptorProto[],
  isKept: (message: DescriptorProto) => boolean,
): DescriptorProto[] {
  const upToLast = messages.slice(0, messages.findLastIndex(isKept) + 1);
  return upToLast.map(message => (isKept(message) ? message : create(DescriptorProtoSchema)));
}

function wordsOfPage(): ReadonlySet<string> {
  const files = PAGE.flatMap(folder =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(file => join(folder, file)),
  );
  const texts = files.filter(file => /\.tsx?$/.test(file)).map(file => readFileSync(file, 'utf8'));
  return new Set(texts.flatMap(text => text.match(/\w+/g) ?? []));
}
