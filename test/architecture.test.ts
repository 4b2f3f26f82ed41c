import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  environmentReaders,
  importCycles,
  longFiles,
  looseFiles,
  type Sources,
  sentencesForOwners,
  sentencesInDomain,
  strayTopLevel,
  wrongImports,
} from './support/architecture.ts';
import { importsOf } from './support/source-scan.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What git tracks or would track, so that a file counts before it is committed. */
const paths = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\0')
  .filter(path => path !== '' && existsSync(root + path));

const sources: Sources = new Map(
  paths
    .filter(path => /^(package\.json|(gen|services|facade|proto|test)\/.*\.(tsx?|proto|css|html|js|sql))$/.test(path))
    .map(path => [path, readFileSync(root + path, 'utf8')]),
);

const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
  dependencies: Record<string, string>;
};

describe('the house', () => {
  test('the checks below see it', () => {
    const seen = [...sources.keys()];
    for (const folder of ['services/domain/', 'services/store/', 'services/engine/', 'facade/', 'gen/', 'proto/']) {
      expect(seen.filter(path => path.startsWith(folder)).length, folder).toBeGreaterThan(1);
    }
  });

  test('imports go one way', () => {
    expect(wrongImports(sources, new Set(Object.keys(dependencies)))).toEqual([]);
  });

  test('every file of services stands in a room', () => {
    expect(looseFiles(sources.keys())).toEqual([]);
  });

  test('the domain says nothing: sentences stand in services/words', () => {
    expect(sentencesInDomain(sources)).toEqual([]);
    const saying = new Map([['services/domain/a.ts', "const fix = 'Name somebody else.'; // a comment may say it"]]);
    expect(sentencesInDomain(saying)).toHaveLength(1);
  });

  test('what answers owners says nothing but what stands in services/words, in every language', () => {
    expect(sentencesForOwners(sources)).toEqual([]);
    const saying = new Map([
      ['services/accounts/a.ts', "throw new ConnectError('There is no room left.', 1); // a comment may say it"],
      ['services/incident/a.ts', 'log.warn({ a: f(1) }, `it did not go well`); throw new Error("this is ours alone");'],
    ]);
    expect(sentencesForOwners(saying)).toHaveLength(1);
  });

  test('no file imports itself by way of others', () => {
    expect(importCycles(sources)).toEqual([]);
  });

  test('only the two config files look into the environment', () => {
    expect(environmentReaders(sources)).toEqual([]);
  });

  test('no hand-written file outside test is longer than 400 lines', () => {
    expect(longFiles(sources)).toEqual([]);
  });

  test('the top level holds the prescribed names and dot-files only', () => {
    expect(strayTopLevel(paths)).toEqual([]);
  });
});

describe('the check itself', () => {
  const known = new Set(['pg', '@scope/name']);
  const targets = {
    'package.json': '',
    'gen/a_pb.ts': '',
    'services/domain/a.ts': '',
    'services/store/a.ts': '',
    'services/engine/accept/accept.ts': '',
    'services/engine/apply/apply.ts': '',
    'services/channels/channel.ts': '',
    'services/channels/email.ts': '',
    'services/changes/bus.ts': '',
    'services/changes/nats.ts': '',
    'services/alarm/service.ts': '',
    'services/rpc/auth.ts': '',
    'services/start/app.ts': '',
    'services/standalone.ts': '',
    'facade/app.ts': '',
    'test/support/wait.ts': '',
  };
  const check = (file: string, source: string) =>
    wrongImports(new Map(Object.entries({ ...targets, [file]: source })), known);

  test.each([
    ['services/domain/b.ts', './a.ts'],
    ['services/store/b.ts', '../domain/a.ts'],
    ['services/store/b.ts', 'pg'],
    ['services/store/b.ts', '@scope/name/deep'],
    ['services/store/b.ts', 'node:crypto'],
    ['services/engine/b.ts', '../changes/bus.ts'],
    ['services/engine/b.ts', '../channels/channel.ts'],
    ['services/channels/text.ts', './channel.ts'],
    ['services/incident/service.ts', '../engine/accept/accept.ts'],
    ['services/accounts/accounts.ts', '../rpc/auth.ts'],
    ['services/accounts/accounts.ts', '../../gen/a_pb.ts'],
    ['services/start/app.ts', '../changes/nats.ts'],
    ['services/standalone.ts', '../facade/app.ts'],
    ['services/standalone.ts', '../package.json'],
    ['facade/realtime/hub.ts', '../../gen/a_pb.ts'],
    ['facade/realtime/hub.ts', '../../services/changes/bus.ts'],
    ['facade/main.ts', '../services/changes/nats.ts'],
    ['gen/b_pb.ts', './a_pb.ts'],
    ['gen/b_pb.ts', '@bufbuild/protobuf/codegenv2'],
    ['test/b.test.ts', '../services/domain/a.ts'],
  ])('%s may import %s', (file, specifier) => {
    expect(check(file, `import { x } from '${specifier}';`)).toEqual([]);
  });

  test.each([
    ['services/domain/b.ts', '../store/a.ts'],
    ['services/domain/b.ts', '../../gen/a_pb.ts'],
    ['services/domain/b.ts', 'node:crypto'],
    ['services/domain/b.ts', 'pg'],
    ['services/store/b.ts', '../engine/apply/apply.ts'],
    ['services/store/b.ts', 'left-pad'],
    ['services/store/b.ts', '../../package.json'],
    ['services/store/b.ts', '../domain/missing.ts'],
    ['services/engine/accept/accept.ts', '../apply/apply.ts'],
    ['services/engine/b.ts', '../changes/nats.ts'],
    ['services/engine/b.ts', '../channels/email.ts'],
    ['services/engine/b.ts', '../../gen/a_pb.ts'],
    ['services/engine/b.ts', '../alarm/service.ts'],
    ['services/channels/text.ts', '../store/a.ts'],
    ['services/channels/channel.ts', 'node:net'],
    ['services/changes/local.ts', '../domain/a.ts'],
    ['services/alarm/service.ts', '../engine/apply/apply.ts'],
    ['services/alarm/service.ts', '../changes/nats.ts'],
    ['services/alarm/service.ts', '../start/app.ts'],
    ['services/accounts/accounts.ts', '../start/app.ts'],
    ['services/incident/service.ts', '../alarm/service.ts'],
    ['services/rpc/auth.ts', '../alarm/service.ts'],
    ['services/start/app.ts', '../../facade/app.ts'],
    ['services/start/app.ts', '../standalone.ts'],
    ['services/standalone.ts', '../test/support/wait.ts'],
    ['facade/cli/main.ts', '../../services/domain/a.ts'],
    ['facade/main.ts', '../services/standalone.ts'],
    ['facade/realtime/hub.ts', '../../services/rpc/auth.ts'],
    ['facade/realtime/hub.ts', '../../services/store/a.ts'],
    ['facade/main.ts', '../test/support/wait.ts'],
    ['gen/b_pb.ts', '../services/domain/a.ts'],
    ['gen/b_pb.ts', 'pg'],
  ])('%s may not import %s', (file, specifier) => {
    expect(check(file, `import { x } from '${specifier}';`)).toHaveLength(1);
  });

  test('a fault says which import it is, what is allowed and what to do', () => {
    expect(check('services/domain/b.ts', "import { x } from '../store/a.ts';")).toEqual([
      'services/domain/b.ts imports services/store/a.ts: domain may import domain, pure ground only. Hand in what it needs as an argument.',
    ]);
  });

  test.each([
    ["import a from './x.ts';"],
    ["import './x.ts';"],
    ['import * as a from "./x.ts"'],
    ["import type { A } from './x.ts';"],
    ["import {\n  a,\n  type B,\n} from './x.ts';"],
    ["import a, { b } from './x.ts' with { type: 'json' };"],
    ["export { a } from './x.ts';"],
    ["export * from './x.ts';"],
    ["export type { A } from './x.ts';"],
    ["const a = await import('./x.ts');"],
    ["type A = import('./x.ts').A;"],
    ["const text = 'it\\'s'; // it's\nconst quote = /['\"`]/;\nawait import('./x.ts');"],
  ])('it sees the import in %j', source => {
    expect(importsOf('services/a.ts', source).map(({ path }) => path)).toEqual(['services/x.ts']);
  });

  test.each([
    ["// import a from './x.ts';"],
    ["/* import a from './x.ts';\n export * from './x.ts' */"],
    ['const text = "import a from \'./x.ts\'";'],
    ["const page = `\n<script>\nimport a from './x.ts';\n</script>`;"],
    ["export const from = 'x';\nexport function a() { return 'x'; }"],
    ["const here = import.meta.url; object.import('./x.ts');"],
  ])('it sees no import in %j', source => {
    expect(importsOf('services/a.ts', source)).toEqual([]);
  });

  test('an import() that cannot be read is a fault', () => {
    expect(check('services/store/b.ts', 'await import(path);')).toHaveLength(1);
    expect(check('services/store/b.ts', `await import(\`./\${name}.ts\`);`)).toHaveLength(1);
  });

  test('it finds a ring of imports, types included', () => {
    const ring = new Map([
      ['services/a.ts', "import './b.ts';"],
      ['services/b.ts', "import type { C } from './store/c.ts';"],
      ['services/store/c.ts', "export * from '../b.ts';"],
    ]);
    expect(importCycles(ring)).toEqual([
      'services/b.ts → services/store/c.ts → services/b.ts: move what both need into a file of its own.',
    ]);
  });

  test.each([
    ['services/a.ts', 'const port = process.env.PORT;', 1],
    ['services/a.ts', `const port = \`\${process.env.PORT}\`;`, 1],
    ['facade/a.ts', "import { env } from 'node:process';", 1],
    ['facade/a.ts', "const { env } = process['x'];", 1],
    ['services/a.ts', "// process.env\nconst text = 'process.env';", 0],
    ['services/a.ts', 'const { env } = process;', 1],
    ['services/a.ts', 'const config = readConfig(process.env);', 1],
    ['services/standalone.ts', 'const port = process.env.PORT;', 1],
    ['services/standalone.ts', 'const config = readConfig(process.env);', 0],
    ['services/start/config.ts', 'const port = process.env.PORT;', 0],
    ['test/a.ts', 'const port = process.env.PORT;', 0],
  ])('reading the environment in %s by %j counts %i', (file, source, faults) => {
    expect(environmentReaders(new Map([[file, source]]))).toHaveLength(faults);
  });

  test('401 lines are too many, 400 are not, and generated code, tests and the sentences of a language may have more', () => {
    const long = new Map([
      ['services/long.ts', 'x\n'.repeat(401)],
      ['services/fits.ts', 'x\n'.repeat(400)],
      ['services/words/owner/eo.ts', 'x\n'.repeat(401)],
      ['gen/long_pb.ts', 'x\n'.repeat(401)],
      ['test/long.test.ts', 'x\n'.repeat(401)],
    ]);
    expect(longFiles(long)).toEqual([expect.stringContaining('services/long.ts')]);
  });

  test('a file in no room is found', () => {
    const files = [
      'services/main.ts',
      'services/auth.ts',
      'services/attic/a.ts',
      'services/rpc/auth.ts',
      'facade/a.ts',
    ];
    expect(looseFiles(files)).toEqual([
      expect.stringContaining('services/auth.ts'),
      expect.stringContaining('services/attic/a.ts'),
    ]);
  });

  test('a stray name at the top is found', () => {
    const stray = strayTopLevel([
      'README.md',
      '.ci/run',
      'services/a.ts',
      'tsconfig.json',
      'docker-compose.yml',
      'src/a.ts',
    ]);
    expect(stray).toEqual([expect.stringContaining('docker-compose.yml'), expect.stringContaining('src')]);
  });
});
