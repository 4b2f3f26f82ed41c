import { execFile } from 'node:child_process';
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { copyTree, type Replacement } from '../support/tree.ts';

const PARTS = ['package.json', 'gen', 'proto', 'services', 'facade'];

/** What a language is, beside the entries that list it. */
const FILES = [
  'services/words/$.ts',
  'services/words/owner/$.ts',
  'facade/console/words/$/first.ts',
  'facade/console/words/$/rest.ts',
];

/** Its entries, in the three lists of languages. */
const LISTED: readonly Replacement[] = [
  {
    file: 'services/words/languages.ts',
    was: 'export const LANGUAGES: readonly Words[] = [en, de];',
    is: "import { en as eo } from './eo.ts';\nexport const LANGUAGES: readonly Words[] = [en, de, { ...eo, language: 'eo' }];",
  },
  {
    file: 'facade/console/page/words.ts',
    was: "de: 'Deutsch' }",
    is: "de: 'Deutsch', eo: 'Esperanto' }",
  },
  {
    file: 'facade/console/page/words.ts',
    was: '  de: { first: ',
    is: "  eo: { first: () => import('../words/eo/first.ts'), rest: () => import('../words/eo/rest.ts') },\n  de: { first: ",
  },
  {
    file: 'facade/console/words/unreadable.ts',
    was: '  de: {',
    is: "  eo: { title: 'Tocsin ne estis ŝargita.', do: 'Reŝargi' },\n  de: {",
  },
];

const run = promisify(execFile);

test('a language is four files and its place in the lists: services speak it, and the console fetches it', async () => {
  const tree = await copyTree(PARTS, LISTED);
  onTestFinished(() => rm(tree, { recursive: true, force: true }));
  for (const file of FILES) {
    await cp(join(tree, file.replace('$', 'en')), join(tree, file.replace('$', 'eo')), { recursive: true });
  }
  const services =
    "import('./services/words/languages.ts').then(({ LANGUAGES: all }) => console.log(all.map(one => one.language).join()))";
  expect((await run(process.execPath, ['-e', services], { cwd: tree })).stdout).toBe('en,de,eo\n');

  const { stdout } = await run(process.execPath, ['facade/console/build.ts'], {
    cwd: tree,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { files } = JSON.parse(stdout) as { files: { name: string }[] };
  const fetched = files.map(({ name }) => /^eo-(\w+)-/.exec(name)?.[1]).filter(part => part !== undefined);
  expect(fetched.toSorted()).toEqual(['first', 'rest']);
});

test('no other file says anything in a language of its own', async () => {
  const { stdout } = await run('git', ['ls-files', 'services/words', 'facade/console/words'], { cwd: process.cwd() });
  const german = stdout.split('\n').filter(file => /[/-]de[/.-]/.test(file));
  expect(german).toEqual(FILES.map(file => file.replace('$', 'de')).toSorted());
  for (const file of german) expect(await readFile(file, 'utf8'), file).toMatch(/[äöüß]/);
});
