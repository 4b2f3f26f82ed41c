import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSecret } from '../services/process/secret-shape.ts';
import { isId, newId } from '../services/store/id.ts';
import { createSeal, SealFault } from '../services/store/seal.ts';
import { newSecret } from '../services/store/secret.ts';

describe('a key (DECISIONS.md "Key format")', () => {
  test('is thirty letters, each of the 62 as likely as another, and their checksum', () => {
    const secrets = Array.from({ length: 10_000 }, () => newSecret('toc'));
    expect(new Set(secrets).size).toBe(secrets.length);
    expect(secrets.filter(secret => !isSecret('toc', secret))).toEqual([]);
    const counts = new Map<string, number>();
    for (const letter of secrets.flatMap(secret => [...secret.slice(4, 34)])) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    // 4,839 of each are expected; eight standard deviations away is no chance.
    for (const [letter, count] of counts) expect(Math.abs(count - 300_000 / 62), letter).toBeLessThan(8 * 70);
  });

  test('with any letter mistyped, cut, or of the other kind, is none', () => {
    const secret = newSecret('toc');
    for (let at = 0; at < secret.length; at++) {
      const typo = secret[at] === 'x' ? 'y' : 'x';
      expect(isSecret('toc', secret.slice(0, at) + typo + secret.slice(at + 1)), `letter ${at}`).toBe(false);
    }
    for (const wrong of [secret.slice(1), secret.slice(0, -1), `${secret}0`, ` ${secret}`, '']) {
      expect(isSecret('toc', wrong), wrong).toBe(false);
    }
    expect([isSecret('tcn', secret), isSecret('tcn', newSecret('tcn'))]).toEqual([false, true]);
  });
});

test('an id is 32 lower-case letters and digits, each of the 36 as likely as another (DECISIONS.md "Ids")', () => {
  const ids = Array.from({ length: 10_000 }, newId);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter(id => !isId(id))).toEqual([]);
  const counts = new Map<string, number>();
  for (const letter of ids.join('')) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  expect([...counts.keys()].sort().join('')).toBe('0123456789abcdefghijklmnopqrstuvwxyz');
  // 8,889 of each are expected; eight standard deviations away is no chance.
  for (const [letter, count] of counts) expect(Math.abs(count - 320_000 / 36), letter).toBeLessThan(8 * 94);
});

describe('a sealed address', () => {
  const text = 'anna@example.com';
  const seal = createSeal(randomBytes(32));

  test('is opened by its key, is not to be read, and looks different each time', () => {
    const sealed = seal.seal(text);
    expect(seal.open(sealed)).toBe(text);
    expect(sealed).not.toContain(Buffer.from(text).toString('base64url'));
    expect(seal.seal(text)).not.toBe(sealed);
  });

  test('that was altered in any part, or is of another key, is not opened', () => {
    const sealed = seal.seal(text);
    const parts = sealed.split('.');
    for (const [index, part] of parts.entries()) {
      const altered = parts.with(index, (part[0] === 'A' ? 'B' : 'A') + part.slice(1)).join('.');
      expect(() => seal.open(altered), altered).toThrow();
      expect(() => seal.open(parts.toSpliced(index, 1).join('.')), `without part ${index}`).toThrow();
    }
    expect(() => createSeal(randomBytes(32)).open(sealed)).toThrow(SealFault);
  });
});
