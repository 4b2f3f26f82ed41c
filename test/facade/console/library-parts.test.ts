import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  create,
  type DescField,
  type DescMessage,
  type DescService,
  fromBinary,
  type Message,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { neededDescriptors } from '../../../facade/console/descriptors.ts';
import { withoutUnused } from '../../../facade/console/library-parts.ts';
import * as all from '../../../gen/index.ts';

const CONSOLE = join(import.meta.dirname, '../../../facade/console');
const OFFERED = new Map<string, unknown>(Object.values(all).flatMap(ofPackage => Object.entries(ofPackage)));

/** What the page has of the libraries and of the descriptors. */
interface Taken {
  create: typeof create;
  fromBinary: typeof fromBinary;
  toBinary: typeof toBinary;
  services: Readonly<Record<string, DescService>>;
}

/** Runs what the page takes along of services, as the build leaves it. */
async function taken(services: readonly string[]): Promise<Taken> {
  const entry = join(CONSOLE, 'entry.ts');
  const text = `
    export { create, fromBinary, toBinary } from '@bufbuild/protobuf';
    import { ${services.join(', ')} } from './page-services.ts';
    export const services = { ${services.join(', ')} };`;
  const from = (service: string) => `export { ${service} } from '../../gen/${packageOf(service)}/index.ts';`;
  const files = new Map([
    [entry, text],
    [join(CONSOLE, 'page-services.ts'), services.map(from).join('\n')],
  ]);
  const build = await rolldown({
    input: entry,
    tsconfig: false,
    platform: 'browser',
    logLevel: 'warn',
    plugins: [
      {
        name: 'entry',
        resolveId: (id, importer) =>
          [...files.keys()].find(file => file === id || (importer === entry && file === join(CONSOLE, id))) ?? null,
        load: id => files.get(id) ?? null,
      },
      ...withoutUnused,
      neededDescriptors(),
    ],
  });
  const { output } = await build.generate({ format: 'es', minify: true });
  await build.close();
  return (await import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`)) as Taken;
}

const packageOf = (service: string) => (OFFERED.get(service) as DescService).file.proto.package.replaceAll('.', '/');

/** The services that the page calls, with the names of all methods that it may mean. */
function called(): Map<string, Set<string>> {
  const page = join(CONSOLE, 'page');
  const files = readdirSync(page, { recursive: true, encoding: 'utf8' }).filter(file => /\.tsx?$/.test(file));
  const text = files.map(file => readFileSync(join(page, file), 'utf8')).join('\n');
  const services = new Set([...text.matchAll(/createClient\((\w+),/g)].map(([, service]) => service!));
  const words = new Set(text.match(/\w+/g));
  return new Map([...services].map(service => [service, words]));
}

/** A message with every field set, as deep as it goes, and one of a kind in itself once. */
function filled(message: DescMessage, within: readonly string[] = []): Message {
  const inside = [...within, message.typeName];
  const one = (field: DescField): unknown => {
    if (field.message !== undefined) {
      if (field.message.typeName === 'google.protobuf.Struct') return { a: 'ü', b: [1.5, null, { c: true }] };
      return inside.includes(field.message.typeName) ? undefined : filled(field.message, inside);
    }
    if (field.scalar === ScalarType.BOOL) return true;
    if (field.scalar === ScalarType.STRING) return `ä${field.number}`;
    if (field.scalar === ScalarType.BYTES) return new Uint8Array([1, 255]);
    return field.scalar === ScalarType.INT64 ? -9_007_199_254_740_993n : -field.number;
  };
  const value = (field: DescField): unknown => {
    const some = one(field);
    if (some === undefined) return undefined;
    if (field.fieldKind === 'map') return { k: some };
    return field.fieldKind === 'list' ? [some, some] : some;
  };
  const init = message.members.map(member => {
    if (member.kind === 'field') return [member.localName, value(member)] as const;
    const last = member.fields.at(-1)!;
    return [member.localName, { case: last.localName, value: value(last) }] as const;
  });
  return create(message, Object.fromEntries(init.filter(([, value]) => value !== undefined)));
}

/** Without the names of messages, which may be numbers in the page. */
const plain = (message: unknown): unknown =>
  JSON.parse(
    JSON.stringify(message, (name, value: unknown) =>
      name === '$typeName' ? undefined : typeof value === 'bigint' ? String(value) : value,
    ),
  );

/** The same as the page states it. */
function unnamed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unnamed);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const fields = Object.entries(value).filter(([name]) => name !== '$typeName');
  return Object.fromEntries(fields.map(([name, field]) => [name, unnamed(field)]));
}

test('with what its libraries are left, the page writes every request that it makes, and reads every answer, whole', async () => {
  const asked = called();
  const page = await taken([...asked.keys()]);
  let count = 0;
  for (const [name, words] of asked) {
    for (const { localName, input, output } of (OFFERED.get(name) as DescService).methods) {
      if (!words.has(localName)) continue;
      const method = page.services[name]!.method[localName]!;
      const request = filled(input);
      const sent = page.toBinary(method.input, page.create(method.input, unnamed(request) as Record<string, unknown>));
      expect(plain(fromBinary(input, sent)), localName).toEqual(plain(request));
      const answer = filled(output);
      expect(plain(page.fromBinary(method.output, toBinary(output, answer))), localName).toEqual(plain(answer));
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(90);
});
