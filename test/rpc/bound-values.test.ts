import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { newOwner } from '../support/console.ts';
import { startWorld } from '../support/world.ts';

test('what owners write, and what secrets become, never stands in the text of a statement, which a database may log', async () => {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    const channels = [{ channel: 'email', address: 'zaphod@tocsin.invalid' }];
    const { contact } = await own.contacts.createContact({ contact: { name: 'Zaphod', key: 'z', channels } });
    await own.contacts.updateContact({ contact: { ...contact!, name: 'Zaphod Beeblebrox', channels: [] } });
    await own.accounts.updateAccount({ account: { name: 'Heart of Gold', version: 1 } });
    await own.apiKeys.createApiKey({ apiKey: { label: 'Marvin' } });
    const texts = query.mock.calls.map(([asked]) =>
      typeof asked === 'string' ? asked : (asked as { text: string }).text,
    );
    const stored = texts.filter(text => /^\s*(INSERT|UPDATE|DELETE)/i.test(text));
    expect(stored.length).toBeGreaterThan(5);
    expect(stored.filter(text => /zaphod|heart of gold|marvin/i.test(text))).toEqual([]);
    expect(stored.filter(text => text.includes('\\x'))).toEqual([]);
  } finally {
    query.mockRestore();
  }
});
