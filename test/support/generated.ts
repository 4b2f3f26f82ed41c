import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What is for the parts of a deployment alone: nobody else is told of it. */
const INTERNAL = 'tocsin/internal';

/**
 * Makes all that is made from the protos, in the folder `gen` of `parent`: a module for each file, the modules of `tocsin/rpc`,
 * descriptors with comments, and the OpenAPI document of /v1. What was there before is removed. Needs nothing from outside.
 */
export async function generateInto(parent: string): Promise<void> {
  const gen = join(parent, 'gen');
  // The template writes to ../gen, as seen from the folder of the protos.
  buf('proto', 'generate', '--template', 'buf.gen.yaml', '--output', join(parent, 'proto'));
  writeModules(gen);
  const descriptors = join(gen, 'tocsin.binpb');
  buf('.', 'build', '--as-file-descriptor-set', '--exclude-path', `proto/${INTERNAL}`, '--output', descriptors);
  // It reads gen itself: not before that is there.
  const { openApiOf } = await import('./openapi.ts');
  const protos = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptors)));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  writeFileSync(join(gen, 'openapi.json'), `${JSON.stringify(openApiOf(protos, version), null, 2)}\n`);
}

function buf(folder: string, ...command: string[]): void {
  const PATH = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH };
  execFileSync('buf', command, { cwd: join(root, folder), env, stdio: ['ignore', 'inherit', 'inherit'] });
}

/** What `tocsin/rpc` gives: each package of the protos under its name with `_` for each dot, without the leading `tocsin`. */
function writeModules(gen: string): void {
  const files = readdirSync(gen, { recursive: true, encoding: 'utf8' }).sort();
  const modules = files.map(file => file.replaceAll('\\', '/')).filter(file => file.endsWith('_pb.ts'));
  const open = modules.filter(file => !file.startsWith(`${INTERNAL}/`));
  const packages = Map.groupBy(open, file => file.slice(0, file.lastIndexOf('/')));
  for (const [folder, members] of packages) {
    const lines = members.map(file => `export * from './${relative(folder, file)}';\n`);
    writeFileSync(join(gen, folder, 'index.ts'), HEAD + lines.join(''));
  }
  const lines = [...packages.keys()].map(folder => {
    const name = folder.replace(/^tocsin\//, '').replaceAll('/', '_');
    return `export * as ${name} from './${folder}/index.ts';\n`;
  });
  writeFileSync(join(gen, 'index.ts'), HEAD + lines.join(''));
}

const HEAD = '// Made from the protos by npm run generate: do not edit.\n\n';
