import { createHash } from 'node:crypto';
import type { Migration } from '@mikro-orm/migrations';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createOrm } from '../services/store/orm.ts';

/*
 * What databases have run is never changed: those that ran it before would differ from those that run it now, and nobody
 * would see it. Each migration that has landed stands here with a digest of all that it says to the database. Until the
 * first release the first schema may change, under another name: a database that ran the one before is refused then.
 */

const LANDED: Readonly<Record<string, string>> = {
  '20261130-first': '9a30b901213fd71f1e9159f26206f6c6',
};

test('no migration that databases have run was changed, left out or put elsewhere', async () => {
  // Connects to nothing.
  const orm = await createOrm('postgres://nobody@127.0.0.1:9/none', pino({ level: 'silent' }));
  onTestFinished(() => orm.close(true));
  const listed = orm.config.get('migrations').migrationsList as (new (
    ...on: unknown[]
  ) => Migration & { name: string })[];
  const digests: Record<string, string> = {};
  for (const Listed of listed) {
    const migration = new Listed(orm.em.getDriver(), orm.config);
    await migration.up();
    digests[migration.name] = digestOf(migration);
  }
  for (const [name, digest] of Object.entries(LANDED)) {
    expect(
      digests[name],
      `The SQL of ${name} is not what it was. Databases have run it: put it back, and make a new migration, or before the first release rename the first one.`,
    ).toBe(digest);
  }
  const order = Object.keys(digests);
  expect(
    order.slice(0, Object.keys(LANDED).length),
    'A migration stands before one that databases have run, or its line is missing here. A new one stands last, in services/store/orm.ts and here.',
  ).toEqual(Object.keys(LANDED));
  const missing = order.filter(name => !(name in LANDED)).map(name => `'${name}': '${digests[name]}',`);
  expect(missing, 'A new migration: put its line into LANDED.').toEqual([]);
});

/** Of what it says, not of how that is laid out. */
function digestOf(migration: Migration): string {
  const said = migration.getQueries().map(query => String(query).replace(/\s+/g, ' ').trim());
  return createHash('sha256').update(said.join(';')).digest('hex').slice(0, 32);
}
