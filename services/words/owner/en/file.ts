import type { SyntaxFault, Thing } from '../types.ts';
import { accepts } from './accepts.ts';
import { aThing } from './things.ts';

const { mismatch } = accepts;
const A_REFERENCE = 'a reference to a secret, { env: NAME } or { file: path }';
const NO_TAG = 'takes plain values without a tag.';

/** What is wrong in a configuration file, each after the name of its field. */
export const file = {
  /** At the head of a file that is exported. */
  head: `# The configuration of an account. Check it with \`tocsin config check\`, apply it with \`tocsin config apply\`.
# It holds the addresses of people. The secrets of API keys are not in it: a key that is made from it gets a new one,
# unless it says { env: NAME } or { file: path } as its secret.
`,
  kinds: { map: 'a map', list: 'a list', single: 'a single value' },
  aMap: (fields: readonly string[]) => (fields.length === 0 ? 'a map' : `a map with ${fields.join(', ')}`),
  somethingElse: 'something else',
  elseFrom: (reference: string) => `something else from ${reference}`,
  aText: 'a text',
  aWholeNumber: 'a whole number',
  version: 'the version of this format',
  unknownSection: (known: readonly string[]) => `is not a known field: takes ${known.join(', ')}.`,
  unknownField: (known: readonly string[], name: string) => `is not a known field: ${mismatch(known.join(', '), name)}`,
  keyOnce: (key: string, line: number) =>
    mismatch('each key once', accepts.aSecondTime(key), `the first is in line ${line}`),
  fieldOnce: mismatch('each field once', 'it a second time'),
  nameBeforeColon: mismatch('a name before the colon', 'something else'),
  noMergeKeys: 'takes no merge keys (<<), which YAML 1.2 does not have: write the fields out.',
  keyOf: (thing: Thing, prune: 'keep' | 'prune') =>
    `the key of ${aThing(thing)} ${prune === 'keep' ? 'of this file or this account' : 'of this file (what it does not name is deleted)'}`,

  aReference: A_REFERENCE,
  neverTheSecret: `takes ${A_REFERENCE}, never the secret itself.`,
  fields: (count: number) => `${count} fields`,
  sources: { env: 'the name of an environment variable', file: 'the path of a file' },
  secretNamed: (reference: string) => `the secret that ${reference} names`,
  apiKeySecret: 'an API key as Tocsin makes them, "toc_" and 36 letters and digits with their checksum',
  secretHad: (reference: string) =>
    mismatch('a secret that no API key ever had', `one from ${reference} that one has or had`),
  secretGuessable: (reference: string) =>
    `${mismatch('an API key whose 30 characters after "toc_" are random, of letters in both cases and digits', `one from ${reference} that can be guessed`)} Leave the secret out, and a random one is created and shown once.`,
  reachIsFixed:
    'cannot change: the reach of a key is fixed when it is created. Create another one, with another key here.',

  tooLarge: (most: number, got: string) => `A file ${mismatch(`at most ${most} MB`, `${got} MB`, 'split it')}`,
  tooSlow: (s: number) => unreadable(`be read within ${s} seconds`),
  tooMuchMemory: (megabytes: number) => unreadable(`be read in ${megabytes} MB of memory`),
  tooDeep: (most: number) => mismatch(`lists and maps in each other at most ${most} deep`, 'more'),
  empty: mismatch('a configuration that begins with version: 1', 'nothing'),
  noDirectives: mismatch('no directives', 'a line that begins with %'),
  controlCharacter: (code: string) => mismatch('text without control characters', code),
  noTag: NO_TAG,
  unknownAlias: (name: string) => `unknown alias *${name}: no anchor &${name} above.`,
  ownAlias: (name: string) => mismatch('no alias of something that it is itself a part of', `*${name}`),
  tooManyAliased: (most: number) => mismatch(`aliases that stand for at most ${most} values together`, 'more'),
  /** `said`: the parser's own sentence, in English. */
  syntax(fault: SyntaxFault, said: string): string {
    if (fault === 'MULTIPLE_DOCS') return mismatch('one document', 'a second one after ---');
    return fault === 'TAG_RESOLVE_FAILED' ? NO_TAG : said;
  },
};

function unreadable(can: string): string {
  return mismatch(`a file that can ${can}`, 'one that cannot', 'split it, or leave out what repeats');
}
