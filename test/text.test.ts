import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clean, cleanLines, escapeHtml, mismatch, shown, shownSecret } from '../services/process/text.ts';

test.each([
  ['an ordinary name', 'Front door', 'Front door'],
  ['a name in another script', 'Главный вход', 'Главный вход'],
  ['an emoji of several characters', '👩‍👧 home', '👩‍👧 home'],
  ['blanks around', '  House  ', 'House'],
  ['CR and LF', 'House\r\nBcc: everybody@example.com', 'House Bcc: everybody@example.com'],
  ['NUL', 'Ho\0use', 'Ho use'],
  ['a C1 control', 'Ho\u009Buse', 'Ho use'],
  ['DEL and escape', '\x7f\x1b[31mHouse', '[31mHouse'],
  ['the line separators of Unicode', 'a\u2028b\u2029c\u0085d', 'a b c d'],
  ['an override of the direction', 'exe.\u202Egpj', 'exe.gpj'],
  ['isolates and marks of direction', '\u2066a\u2069\u200Eb\u200F\u061Cc', 'abc'],
  ['a letter and its accent', 'Cafe\u0301', 'Café'],
  ['half of a pair', 'a\uD800b', 'a\uFFFDb'],
  ['nothing but what is taken out', '\u202E\r\n\0', ''],
])('%s', (_what, written, shown) => {
  expect(clean(written, 80)).toBe(shown);
});

test('a text that is too long is cut where it shows, between characters', () => {
  expect(clean('x'.repeat(80), 80)).toBe('x'.repeat(80));
  expect(clean('x'.repeat(10_240), 80)).toBe(`${'x'.repeat(79)}…`);
  expect(clean('🔥'.repeat(81), 80)).toBe(`${'🔥'.repeat(79)}…`);
});

test.each([
  ['12 Example Street\n1010 Example City', '12 Example Street, 1010 Example City'],
  ['12 Example Street\r\n\r\n  1010 Example City\n', '12 Example Street, 1010 Example City'],
  ['a\u2028b\u2029c\vd', 'a, b, c, d'],
  ['', ''],
])('the lines of %j become one', (written, shown) => {
  expect(cleanLines(written, 300)).toBe(shown);
});

test('whatever is written: one line, no controls, not too long, and cleaning twice changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 2, max: 40 }), (written, most) =>
      [clean(written, most), cleanLines(written, most)].every(
        shown =>
          !/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(shown) &&
          [...shown].length <= most &&
          clean(shown, most) === shown,
      ),
    ),
    { numRuns: 2_000 },
  );
});

test('HTML stands for itself', () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
    '&#60;a href=&#34;x&#34; title=&#39;y&#39;&#62;&#38;amp;&#60;/a&#62;',
  );
});

test('a wrong value is shown short and safe, a secret by its length alone', () => {
  expect(mismatch('0 to 200', shown(300))).toBe('takes 0 to 200, got 300.');
  expect(['a\u202eb\n', undefined, null, ['x']].map(shown)).toEqual(['"ab\\n"', 'nothing', 'null', '["x"]']);
  expect(shown('x'.repeat(500))).toBe(`"${'x'.repeat(78)}…`);
  expect(shownSecret('hush')).toBe('4 characters');
});
