import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differences } from '../../services/console/file/differences.ts';
import { entryLines, fieldLines } from '../../services/console/file/emit.ts';
import { readYaml } from '../../services/console/file/text.ts';
import type { Tree } from '../../services/console/file/tree.ts';

/** What a tree says, without its places. */
function plain(tree: Tree): unknown {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'list') return tree.items.map(plain);
  return Object.fromEntries([...tree.entries].map(([field, { value }]) => [field, plain(value)]));
}

/** What a reader of YAML makes of the lines of an entry. */
function readBack(lines: readonly string[]): unknown {
  const { tree, problems } = readYaml(`version: 1\nthings:\n${lines.join('\n')}\n`);
  expect(problems).toEqual([]);
  return (plain(tree!) as { things: unknown[] }).things[0];
}

test('every text is read back as it was written', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...' -?:,[]{}#&*!|>\'"%@`~\\\n\t0aE+.y') }),
    fc.constantFrom('true', 'No', 'null', '~', '0x1f', '1_000', '1e3', '.inf', '2027-01-31', '12:30', '=', '<<', ''),
  );
  fc.assert(
    fc.property(text, value => {
      // Half a character is no text: it can neither be sent nor stored.
      fc.pre(value.isWellFormed());
      expect(readBack(entryLines({ key: 'a', name: value }, '  '))).toEqual({ key: 'a', name: value });
    }),
    { numRuns: 2_000 },
  );
});

test('what has nothing inside stands on one line, the rest in blocks', () => {
  const step = { delayS: 5, contacts: [{ contact: 'anna', channels: ['email', 'call'] }] };
  const policy = { key: 'family', steps: [step, { contacts: [] }] };
  expect(entryLines(policy, '  ')).toEqual([
    '  - key: family',
    '    steps:',
    '      - delayS: 5',
    '        contacts:',
    '          - { contact: anna, channels: [email, call] }',
    '      - { contacts: [] }',
  ]);
  expect(readBack(entryLines(policy, '  '))).toEqual(policy);
  expect(fieldLines('name', 'no', '  ')).toEqual(['  name: "no"']);
});

describe('differences', () => {
  const anna = { key: 'anna', channels: [{ channel: 'email', address: 'a@b.cd' }] };

  test('go as deep as both have the same shape', () => {
    const other = { key: 'anna', name: 'Anna', channels: [{ channel: 'email', address: 'e@f.gh' }] };
    expect(differences(anna, other, {})).toEqual([
      { field: 'channels[0].address', before: '"a@b.cd"', after: '"e@f.gh"' },
      { field: 'name', before: '', after: '"Anna"' },
    ]);
    expect(differences({ modes: [1, 2] }, { modes: [1] }, {})).toEqual([
      { field: 'modes', before: '[1,2]', after: '[1]' },
    ]);
    expect(differences(anna, structuredClone(anna), {})).toEqual([]);
  });

  test('show neither a secret nor what may have been one', () => {
    const hook = { channel: 'webhook', address: 'https://h/s3cret' };
    const hidden = { 'channels[1].address': 'env:HOOK' };
    const added = differences(anna, { ...anna, channels: [...anna.channels, hook] }, hidden);
    expect(added).toEqual([
      {
        field: 'channels',
        before: '"…"',
        after: '[{"channel":"email","address":"a@b.cd"},{"channel":"webhook","address":{"env":"HOOK"}}]',
      },
    ]);
    const swapped = differences({ channels: [hook, anna.channels[0]] }, { channels: [anna.channels[0], hook] }, hidden);
    expect(JSON.stringify(swapped)).not.toContain('s3cret');
  });
});
