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
