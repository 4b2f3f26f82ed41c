import { expect, test } from 'vitest';
import { tokenActor } from '../../services/domain/actor.ts';

const told = (label: string) => tokenActor({ id: 't', kind: 'account', label }).name;

test('the operator\'s token is the operator, whatever its label (DECISIONS.md "Console tokens")', () => {
  const actor = tokenActor({ id: 'operator', kind: 'operator', label: 'Anna' });
  expect(actor).toEqual({ kind: 'operator', tokenId: 'operator', name: 'Operator' });
});

test('an account’s token is told by its label', () => {
  expect(tokenActor({ id: 't', kind: 'account', label: 'Anna’s laptop' })).toEqual({
    kind: 'account',
    tokenId: 't',
    name: 'Anna’s laptop',
  });
  expect(told('Operator of the mill')).toBe('Operator of the mill');
});

test.each([
  'Operator',
  'OPERATOR',
  ' operator ',
  'Ｏｐｅｒａｔｏｒ',
  'CONFIG_FILE',
  'config_file',
  'Demo  data',
  'Plan',
])('an account’s token labelled %j is told as a label', label => {
  expect(told(label)).toBe(`Token "${label}"`);
});
