import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Document } from 'yaml';
import { differences } from '../../services/configuration/file/differences.ts';
import { readYaml, writeYaml } from '../../services/configuration/file/yaml.ts';

/** What a reader of YAML makes of a value that was written. */
function readBack(value: unknown): unknown {
  const { contents, problems } = readYaml(writeYaml({ version: 1, things: [value] }));
  expect(problems).toEqual([]);
  return (new Document(contents).toJS() as { things: unknown[] }).things[0];
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
      const thing = { key: 'a', name: value, more: [{ name: value, several: [value] }] };
      expect(readBack(thing)).toEqual(thing);
    }),
    { numRuns: 2_000 },
  );
});

test('what holds nothing deeper stands on one line of its list, the rest in blocks', () => {
  const step = { delayS: 5, contacts: [{ contact: 'anna', channels: ['email', 'call'] }] };
  const policy = { key: 'family', steps: [step, { contacts: [] }] };
  expect(writeYaml({ policies: [policy] })).toBe(`policies:
  - key: family
    steps:
      - delayS: 5
        contacts:
          - { contact: anna, channels: [ email, call ] }
      - { contacts: [] }
`);
  expect(readBack(policy)).toEqual(policy);
  expect(writeYaml({ account: { name: 'no' } })).toBe('account:\n  name: "no"\n');
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
