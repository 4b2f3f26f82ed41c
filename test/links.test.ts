import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createLinks } from '../services/responder/links.ts';

const links = createLinks({ pepper: 'a pepper', publicUrl: () => 'https://alarm.example.com' });
const IDS = Array.from({ length: 2_000 }, (_, at) => String(at).padStart(32, 'a'));

/* DECISIONS.md "Link and reply code" */
test('links end in a letter or digit, and lead to their message alone', () => {
  for (const id of IDS) {
    const { pageUrl, reference } = links.wayBackOf(id, 3)!;
    expect(pageUrl).toMatch(/^https:\/\/alarm\.example\.com\/i\/[\w-]{47}[A-Za-z0-9]$/);
    const token = pageUrl.split('/').at(-1)!;
    expect(links.deliveryOf(token)).toBe(id);
    expect(links.attemptOf(reference)).toEqual({ deliveryId: id, attempt: 3 });
    expect(links.deliveryOf(`${token.slice(0, -1)}${token.endsWith('A') ? 'E' : 'A'}`)).toBeNull();
  }
});

test('links that were sent before, with a sign at their end, go on working', () => {
  const before = (id: string) =>
    id + createHmac('sha256', 'a pepper').update(`link ${id}`).digest().subarray(0, 12).toString('base64url');
  expect(IDS.map(before).filter(token => /[-_]$/.test(token)).length).toBeGreaterThan(10);
  for (const id of IDS) expect(links.deliveryOf(before(id))).toBe(id);
});

test('a link that was signed under the former pepper is read while both are named, and one of a stranger is not', () => {
  const both = createLinks({ pepper: { now: 'a new one', also: 'a pepper' }, publicUrl: () => 'https://a.example' });
  const alone = createLinks({ pepper: 'a new one', publicUrl: () => 'https://a.example' });
  const stranger = createLinks({ pepper: 'of a stranger', publicUrl: () => 'https://a.example' });
  const tokenOf = (of: typeof links, id: string) => of.wayBackOf(id, 1)!.pageUrl.split('/').at(-1)!;
  for (const id of IDS.slice(0, 200)) {
    expect([both.deliveryOf(tokenOf(links, id)), both.deliveryOf(tokenOf(both, id))]).toEqual([id, id]);
    expect(alone.deliveryOf(tokenOf(both, id))).toBe(id);
    expect([alone.deliveryOf(tokenOf(links, id)), both.deliveryOf(tokenOf(stranger, id))]).toEqual([null, null]);
  }
});
