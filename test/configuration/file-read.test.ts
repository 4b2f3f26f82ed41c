import { describe, expect, test } from 'vitest';
import { readFile } from '../../services/configuration/file/read.ts';
import { readApart } from '../../services/configuration/file/reader.ts';
import { suggestion } from '../../services/process/suggest.ts';
import { expectInTime } from '../support/wait.ts';
import { withChannels, wrongIn } from './file-rig.ts';

describe('YAML', () => {
  test.each([
    ['a tab as indent', 'version: 1\nalarms:\n\t- key: a\n', '3:1 Tabs are not allowed as indentation.'],
    ['a NUL', 'version: 1\naccount: { name: "a\0b" }\n', '2:20 takes text without control characters, got U+0000.'],
    ['a BOM inside', 'version: 1\n\uFEFFalarms: []\n', '2:1 takes text without control characters, got U+FEFF.'],
    ['a second document', 'version: 1\n---\nversion: 1\n', '2:1 takes one document, got a second one after ---.'],
    ['a directive', '%YAML 1.1\n---\nversion: 1\n', '1:1 takes no directives, got a line that begins with %.'],
    ['a tag', 'version: !!str 1\n', '1:16 takes plain values without a tag.'],
    [
      'a tag that runs code elsewhere',
      'version: 1\nalarms: !!js/function "x"\n',
      '2:23 takes plain values without a tag.',
    ],
    ['a binary', 'version: 1\naccount: { name: !!binary aGk= }\n', '2:27 takes plain values without a tag.'],
    [
      'a merge key',
      'version: 1\nalarms: &a\n  - &b\n    <<: *b\n    key: a\n',
      '4:5 alarms[0] takes no merge keys (<<), which YAML 1.2 does not have: write the fields out.',
    ],
    [
      'an alias of what it is in',
      'version: 1\nalarms: &a\n  - *a\n',
      '3:5 takes no alias of something that it is itself a part of, got *a.',
    ],
    ['an alias of nothing', 'version: 1\nalarms: *a\n', '2:9 unknown alias *a: no anchor &a above.'],
    [
      'a field twice',
      'version: 1\naccount: { name: A, name: B }\n',
      '2:21 account.name takes each field once, got it a second time.',
    ],
    ['a list as a name', 'version: 1\n? [a]\n: 1\n', '2:3 takes a name before the colon, got something else.'],
    ['a quote that never ends', 'version: 1\naccount: { name: "A }\n', '3:1 Missing closing "quote.'],
    [
      'what stands below lines that nothing could be made of',
      'version: 1\nalarms: []\n] a\n  b\nlocations: []\n',
      '5:10 Unexpected map-value-ind token in YAML stream.',
    ],
  ])('%s is refused with its place', (_, text, problem) => {
    expect(wrongIn(text)).toContain(problem);
  });

  test('nesting that is too deep is refused before anything recurses into it', () => {
    const [problem, ...more] = wrongIn(`version: 1\nalarms: ${'['.repeat(15_000)}`);
    expect([problem, more]).toEqual(['2:28 takes lists and maps in each other at most 20 deep, got more.', []]);
  });

  test.each([
    ['lists', '- '.repeat(2_625)],
    ['lists below a name', `version: 1\nx:\n ${'- '.repeat(8_000)}a\n`],
    ['lists before a bracket', `${'- '.repeat(2_625)}\nx: ${'['.repeat(25)}`],
    ['questions', `${'? '.repeat(5_000)}a`],
    ['maps', Array.from({ length: 170 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
    ['lists in a large file', `version: 1\nx:\n ${'- '.repeat(500_000)}a\n`],
  ])('%s in each other without end are refused, and bring nothing down', (_, text) => {
    expect(wrongIn(text).map(problem => problem.replace(/^\S+ /, ''))).toEqual([
      'takes lists and maps in each other at most 20 deep, got more.',
    ]);
  });

  test('brackets that are too deep are refused before they are parsed, in seconds and gigabytes; those in texts are none', () => {
    const began = performance.now();
    const deep = ['[', '{ a: ', '{ ? ['].map(open => wrongIn(`version: 1\nalarms: ${open.repeat(700_000)}`));
    expectInTime(performance.now() - began, 1_000);
    expect(deep.flat().map(problem => problem.replace(/^\S+ /, ''))).toEqual(
      deep.map(() => 'takes lists and maps in each other at most 20 deep, got more.'),
    );
    const brackets = '['.repeat(30);
    const texts = [`"${brackets}"`, `'${brackets}'`, `x${brackets}`, `|\n    ${brackets}`, `x # ${brackets}`];
    for (const text of texts) expect(wrongIn(`version: 1\naccount:\n  name: ${text}\n`).join()).not.toContain('deep');
  });

  test('many mistakes of syntax are told as what they are', () => {
    const problems = wrongIn(`version: 1\naccount:\n${'  name: a: b\n'.repeat(30)}`);
    expect(problems).toHaveLength(20);
    expect(problems[0]).toBe('3:9 Nested mappings are not allowed in compact mappings.');
  });

  test('YAML aliases that multiply are stopped early, and reported once', () => {
    const lists = Array.from({ length: 9 }, (_, n) => {
      const inner = n === 0 ? '{ key: x }' : `*l${n - 1}`;
      return `  - &l${n} [${Array.from({ length: 9 }, () => inner).join(', ')}]\n`;
    });
    const began = performance.now();
    const problems = wrongIn(`version: 1\nalarms:\n${lists.join('')}`);
    expect(problems.filter(text => text.includes('500000 values'))).toHaveLength(1);
    expectInTime(performance.now() - began, 5_000);
  });

  test('aliases that save typing are accepted, as are a byte order mark and Windows line ends', () => {
    const text =
      '\uFEFFversion: 1\r\nalarms:\r\n  - { key: a, name: A, location: home, modes: &m [{ id: away }] }\r\n  - { key: b, name: B, location: home, modes: *m }\r\n';
    const { things, problems } = readFile(text, {});
    expect(problems).toEqual([]);
    expect(things.map(({ doc }) => doc)).toMatchObject([{ modes: [{ id: 'away' }] }, { modes: [{ id: 'away' }] }]);
  });

  test('an empty file is reported as nothing', () => {
    for (const text of ['', '\n', '# only a comment\n', '---\n', 'null\n']) {
      expect(wrongIn(text).join()).toMatch(/got nothing|got a single value/);
    }
  });
});

describe('shape and values', () => {
  test('all that is wrong is told at once, in the order of the file, with what was probably meant', () => {
    const text = `version: 1
locations:
  - { key: home, name: Home, adress: "12 Example Street" }
policies:
  - { key: family, name: Family, steps: [] }
alarms:
  - key: House
    name: [House]
    location: home
    test: yes
    modes: [{ id: away, policy: family, windowS: "30" }, { id: nigth }]
alarmz: []
`;
    expect(wrongIn(text)).toEqual([
      '3:30 locations[0].adress is not a known field: takes key, name, address, emergencyNumber, test, testUntil, got "adress". (address)',
      '5:41 policies[0].steps takes 1 to 20 steps, got 0.',
      '7:10 alarms[0].key takes 1 to 63 lower-case letters, digits and hyphens, beginning with a letter or digit, got "House".',
      '8:11 alarms[0].name takes a text, got a list.',
      '10:11 alarms[0].test takes true or false, got "yes".',
      '11:50 alarms[0].modes[0].windowS takes a whole number from 0 to 120 seconds, got "30".',
      '11:64 alarms[0].modes[1].id takes one of home, away, night, vacation, got "nigth". (night)',
      '12:1 alarmz is not a known field: takes version, account, locations, contacts, duties, policies, alarms, panicButtons, apiKeys. (alarms)',
    ]);
  });

  test('no more than 200 problems are told', () => {
    const text = `version: 1\nalarms:\n${'  - { nonsense: 1 }\n'.repeat(1_000)}`;
    const problems = wrongIn(text);
    expect(problems).toHaveLength(200);
    expect(problems[0]).toMatch(/^3:/);
  });

  test('what is missing is told at the thing that lacks it', () => {
    expect(wrongIn('version: 1\npanicButtons:\n  - key: bed\n    name: Bed\n')).toEqual([
      '3:5 panicButtons[0].location takes the id or the key of one that exists, got nothing.',
      '3:5 panicButtons[0].responseKind takes one of medical, fire, intruder, duress, other, got nothing.',
    ]);
  });

  test.each([
    ['version: 2', 'version takes 1, got something else'],
    ['alarms: []', 'version takes 1, got nothing'],
    ['version: 1\nalarms: { key: a }', 'alarms takes a list, got a map.'],
    ['version: 1\nalarms: [house]', 'alarms[0] takes a map with key, name, '],
    ['version: 1\nalarms: [~]', 'alarms[0] takes a map, got nothing.'],
    [
      'version: 1\naccount: Home',
      'account takes a map with name, ownerEmail, ownerLocale, ownerTimeZone, stillHappeningS, drills, got a single value.',
    ],
    ['version: 1\naccount: { name: 12345678901234567890 }', ''],
    ['[1, 2]', 'takes a map with version, account, '],
    ['version: 1\n__proto__: { a: 1 }', '__proto__ is not a known field'],
    ['version: 1\nlocations: [{ key: a, name: A, constructor: 1 }]', 'locations[0].constructor is not a known field'],
  ])('%j', (text, problem) => {
    expect(wrongIn(text).join('\n')).toContain(problem);
  });

  test('a key that stands twice in a list is refused, in two lists it is fine', () => {
    const twice = 'version: 1\nlocations:\n  - { key: a, name: A }\n  - { key: a, name: B }\n';
    expect(wrongIn(twice)).toEqual([
      '4:12 locations[1].key takes each key once, got "a" a second time: the first is in line 3.',
    ]);
    expect(wrongIn('version: 1\nlocations: [{ key: a, name: A }]\ncontacts: [{ key: a, name: A }]\n')).toEqual([]);
  });

  test('a phone number needs no quotes, and has to be E.164', () => {
    const { things, problems } = readFile(withChannels('{ channel: text, address: +12025550111 }'), {});
    expect(problems).toEqual([]);
    expect(things[0]!.doc).toMatchObject({ channels: [{ address: '+12025550111' }] });
    const e164 = 'takes a phone number in E.164, such as +12025550111: a plus sign and 8 to 15 digits, no blanks, got';
    expect(
      wrongIn(withChannels('{ channel: text, address: 043664123 }', '{ channel: call, address: "+1 202" }')),
    ).toEqual([
      `6:35 contacts[0].channels[0].address ${e164} "043664123".`,
      `7:35 contacts[0].channels[1].address ${e164} "+1 202".`,
    ]);
  });
});

test.each([
  ['alram', ['alarm', 'area'], 'alarm'],
  ['adress', ['key', 'address'], 'address'],
  ['hosue', ['horse', 'house'], 'house'],
  ['FAMILY', ['family'], 'family'],
  ['x', ['house', 'key'], ''],
  ['completely', ['different'], ''],
  ['', ['a'], 'a'],
])('for %j of %j probably %j was meant', (written, known, meant) => {
  expect(suggestion(written, known)).toBe(meant);
});

test('a large file is read in a thread, to the same result as a small one', async () => {
  const text = `version: 1\nlocations:\n${'  - { key: Wrong, name: Home }\n'.repeat(2_000)}`;
  expect(text.length).toBeGreaterThan(32_768);
  const apart = await readApart('home', text, {});
  expect(apart).toEqual(readFile(text, {}));
  expect(apart.problems).toHaveLength(200);
});
