import { expect, test } from 'vitest';
import { type Asker, type CodesSent, oneMoreCode } from '../../services/domain/sign-in.ts';

/* DECISIONS.md "Sign-in": what a stranger asks for never counts against the person whose codes it would be. */

const NOW = Date.UTC(2026, 10, 23, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const ago = (...ms: number[]) => ms.map(one => NOW - one);
const NONE: CodesSent = { browser: [], network: [], strangers: [] };
const MANY = ago(...Array.from({ length: 10 }, (_, n) => (n + 1) * 2 * HOUR));

test.each<[string, Asker, Partial<CodesSent>, readonly string[] | null]>([
  ['a first one', 'stranger', {}, ['network', 'strangers']],
  ['a second one within a minute', 'stranger', { network: ago(30_000) }, null],
  ['a second one after it', 'stranger', { network: ago(MINUTE) }, ['network', 'strangers']],
  ['a fifth one of a network in a day', 'stranger', { network: MANY.slice(0, 4) }, ['network', 'strangers']],
  ['a sixth one', 'stranger', { network: MANY.slice(0, 5) }, null],
  ['the tenth one of all networks', 'stranger', { strangers: MANY.slice(0, 9) }, ['network', 'strangers']],
  ['the eleventh one', 'stranger', { strangers: MANY }, null],
  ['whatever strangers had, at home', 'known_network', { strangers: MANY }, ['network']],
  ['a second one within a minute, at home', 'known_network', { network: ago(30_000) }, null],
  ['a sixth one of a day, at home', 'known_network', { network: MANY.slice(0, 5) }, ['network']],
  ['whatever others had, in a known browser', 'known_browser', { strangers: MANY, network: MANY }, ['browser']],
  ['a second one within a minute, in a known browser', 'known_browser', { browser: ago(30_000) }, null],
  ['an eleventh one of a day, in a known browser', 'known_browser', { browser: MANY }, null],
])('%s', (_what, asker, sent, counted) => {
  expect(oneMoreCode(asker, { ...NONE, ...sent }, NOW)).toEqual(counted);
});

test('ten a day are ten within any 24 hours', () => {
  const strangers = MANY.map(at => at - 22 * HOUR);
  expect(oneMoreCode('stranger', { ...NONE, strangers }, NOW)).toEqual(['network', 'strangers']);
});
