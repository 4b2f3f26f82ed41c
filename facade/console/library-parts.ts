import type { Plugin } from 'rolldown';

/*
 * Leaves out of the libraries what the console never runs, where a bundler cannot know: it calls unary methods and server streams, by
 * POST, with protobuf in binary (page/rpc/rpc.ts). A test holds that no descriptor asks for more.
 */

/** Protobuf as JSON, calls as GET, and defaults of fields, which proto3 has not. 6 kB. */
const FILES = /^\.\/((from|to)-json|get-request|wire\/text-format)\.js$/;

const NONE_OF_THEM = `
  const no = () => { throw new Error('binary POST alone') };
  export { no as fromJson, no as fromJsonString, no as mergeFromJson, no as mergeFromJsonString, no as enumFromJson,
    no as isEnumJson, no as toJson, no as toJsonString, no as enumToJson, no as transformConnectPostToGetRequest };
  const none = () => undefined;
  export { none as parseTextFormatEnumValue, none as parseTextFormatScalarValue };
`;

/**
 * Functions and methods that nothing calls, by the ends of the names of their files. Where `BigInt` is, which the page needs itself,
 * nothing reads 64 bits as a text. 1.4 kB.
 */
const NEVER_CALLED: Readonly<Record<string, readonly string[]>> = {
  '/connect/dist/esm/promise-client.js': ['createClientStreamingFn', 'createBiDiStreamingFn'],
  '/connect/dist/esm/protocol/serialization.js': ['createJsonSerialization'],
  '/protobuf/dist/esm/proto-int64.js': ['assertInt64String', 'assertUInt64String'],
  '/protobuf/dist/esm/reflect/message.js': ['wktValueToReflect'],
  '/protobuf/dist/esm/wire/binary-encoding.js': [
    ...['float', 'fixed32', 'fixed64', 'sfixed32', 'sfixed64', 'sint32', 'sint64', 'uint64'],
  ],
  '/protobuf/dist/esm/wire/text-encoding.js': ['emulateEncodeInto'],
  '/protobuf/dist/esm/wire/varint.js': ['int64FromString', 'int64ToString', 'uInt64ToString'],
};

/** Functions that make or look for what is not there: groups, extensions, names of the values of enums, a browser without `fetch`. 0.4 kB. */
const FINDS_NOTHING: Readonly<Record<string, readonly string[]>> = {
  '/connect-web/dist/esm/assert-fetch-api.js': ['assertFetchApi'],
  '/protobuf/dist/esm/from-binary.js': ['compileGroupReader'],
  '/protobuf/dist/esm/registry.js': ['addExtensions', 'findEnumSharedPrefix', 'findEnumValueJsonName'],
};

const withoutFiles: Plugin = {
  name: 'without-files',
  resolveId: (source, importer) =>
    FILES.test(source) && /\/@(bufbuild\/protobuf|connectrpc\/connect)\//.test(importer ?? '')
      ? '\0none-of-them'
      : null,
  load: id => (id === '\0none-of-them' ? NONE_OF_THEM : null),
};

const withoutBodies = (of: Readonly<Record<string, readonly string[]>>, instead: string): Plugin => ({
  name: 'without-bodies',
  transform: (code, id) => {
    const names = Object.entries(of).find(([file]) => id.endsWith(file))?.[1] ?? [];
    return names.reduce((rest, name) => {
      // As TypeScript lays out a function, or a method of a class.
      const found = new RegExp(`^((?:export )?function |(    ))(${name}\\([^()]*\\) \\{)$.*?^\\2?\\}$`, 'gms');
      if (rest.search(found) < 0)
        throw new Error(`${id} has no ${name} any more: look at what stands for it, and name that`);
      return rest.replaceAll(found, `$1$3 ${instead} }`);
    }, code);
  },
});

/** An enum as TypeScript writes it stays even where nobody reads it: what may be left out must say so. 1.3 kB. */
const enumsIfRead: Plugin = {
  name: 'enums-if-read',
  transform: code =>
    code.replaceAll(
      /^export var (\w+);\n\(function \(\1\) (\{.*?^)\}\)\(\1 \|\| \(\1 = \{\}\)\);$/gms,
      'export const $1 = /*@__PURE__*/ (function ($1) $2 return $1; })({});',
    ),
};

export const withoutUnused: readonly Plugin[] = [
  withoutFiles,
  withoutBodies(NEVER_CALLED, "throw new Error('left out');"),
  withoutBodies(FINDS_NOTHING, ''),
  enumsIfRead,
];
