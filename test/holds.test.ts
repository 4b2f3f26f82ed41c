import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readHeld, titlesOf, wrongRulings, wrongStatements, wrongTests } from './support/holds.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => (existsSync(root + path) ? readFileSync(root + path, 'utf8') : null);
const doc = (name: string) => read(`services/docs/${name}`) ?? '';

/** What no test shows yet: this number only ever goes down. */
const GAPS = 0;

const held = readHeld(doc('HOLDS.md'));

describe('the table of what holds', () => {
  test('names tests that are there', () => {
    expect(held.length).toBeGreaterThan(150);
    expect(wrongTests(held, read)).toEqual([]);
  });

  test('says of SPEC.md what it says, and leaves nothing out that it lists', () => {
    expect(wrongStatements(held, doc('SPEC.md'))).toEqual([]);
  });

  test('has every row of DECISIONS.md, and no other', () => {
    expect(wrongRulings(held, doc('DECISIONS.md'))).toEqual([]);
  });

  test('has no more gaps than it had', () => {
    expect(held.filter(({ gap }) => gap !== null).length).toBeLessThanOrEqual(GAPS);
  });
});

describe('the check itself', () => {
  const BOOK =
    '# S\n\nWhat it is.\n\n## 1. Doors\n\n- **Open**: it opens\n  at once.\n\n| A | B |\n|---|---|\n| key | one |\n\nLeft open.\n';
  const RULED = '## Doors\n| Point | Ruling |\n|---|---|\n| Lock | Yes |\n| `links` | Always |\n';
  const FILE =
    "test('opens at once', () => {});\ntest.each([1])(\n  'shuts %i',\n  () => {},\n);\ndescribe(\"a key's\", () => {});";
  const TABLE = (statement: string, shown = '`test/a.test.ts` "opens"') =>
    readHeld(`## SPEC.md 1\n\n| Statement | Shown by |\n|---|---|\n| ${statement} | ${shown} |\n`);
  const files = (path: string) => (path === 'test/a.test.ts' ? FILE : null);

  test('it reads names in every form', () => {
    expect(titlesOf(FILE)).toEqual(['opens at once', 'shuts %i', "a key's"]);
  });

  test.each([
    ['`test/a.test.ts` "opens at once", "shuts", "a key\'s"', []],
    ['`test/a.test.ts` "opens nothing"', ['which no test in test/a.test.ts is called']],
    ['`test/b.test.ts` "opens"', ['which is no file with tests']],
    ['`test/a.test.ts`', ['and no test of it']],
    ['seen by hand', ['names no test']],
    ['no test yet: how it opens', []],
  ])('tests named as %s: %j', (shown, faults) => {
    expect(wrongTests(TABLE('Open', shown), files)).toEqual(faults.map(fault => expect.stringContaining(fault)));
  });

  test.each([
    [['Open: it opens at once', 'key one'], []],
    [['Open: … at once', 'key one'], []],
    [
      ['Open: it shuts', 'key one'],
      ['does not say "Open: it shuts"', 'lists what is left out: "Open: it opens at once."'],
    ],
    [['at once … Open', 'key one'], ['does not say']],
    [['Open'], ['lists what is left out: "key one"']],
    [['Left open.'], ['"Open: it opens at once."', '"key one"']],
  ])('statements %j: %j', (statements, faults) => {
    const rows = statements.flatMap(statement => TABLE(statement));
    expect(wrongStatements(rows, BOOK)).toEqual(faults.map(fault => expect.stringContaining(fault)));
  });

  test('a section that is left out is told', () => {
    expect(wrongStatements([], BOOK)).toEqual(['SPEC.md 1 is left out.']);
  });

  test('rows that are left out, made up or in another section are told', () => {
    const row = '| Lock | `test/a.test.ts` "opens" |\n| links | `test/a.test.ts` "opens" |';
    expect(wrongRulings(readHeld(`## DECISIONS.md, Doors\n${row}`), RULED)).toEqual([]);
    expect(wrongRulings(readHeld(`## DECISIONS.md, Windows\n${row}`), RULED)).toHaveLength(4);
    expect(wrongRulings([], RULED)).toEqual([
      'DECISIONS.md has a row that is left out: Doors: Lock.',
      'DECISIONS.md has a row that is left out: Doors: links.',
    ]);
  });
});
