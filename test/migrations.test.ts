import { createHash } from 'node:crypto';
import type { Migration } from '@mikro-orm/migrations';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createOrm } from '../services/store/orm.ts';

/*
 * What databases have run is never changed: those that ran it before would differ from those that run it now, and nobody
 * would see it. Each migration that has landed stands here with a digest of all that it says to the database.
 */

const LANDED: Readonly<Record<string, string>> = {
  '20261121-first': 'c2d0a7668b8145b325b46022cfb2cb1b',
  '20261121-console': 'bc013b495fb1026d09df1ec6bbd60849',
  '20261121-recent': '10c6f5dff1f906d53df9dc33183c1c7d',
  '20261122-reached': 'f521abb3ab4442f99c40131e2019c23e',
  '20261122-journal': '6fc0c70f7a04f7ac7c3196e1b55af942',
  '20261122-fair-sending': '2b1df62aa09188e9541d14fd018b61a9',
  '20261122-retention': 'dfbaa6c61286a9f1ff5f66a0843ec202',
  '20261122-versions': 'a314eef60dd13f7ccdd7230512d54114',
  '20261122-flapping': 'f5f1293ec1f0b1a18cc7706458f4e85f',
  '20261122-proofs': 'b9ae20e7c618ed5cc3beaffd300d5de7',
  '20261122-spending': '68fd7ab2938a0ed1ba504d83e04cf50d',
  '20261122-tokens': 'af19e74901afe2d02eee6917b03b3c93',
  '20261122-audit': 'bd3a30d103f3874b08400b1860fc6c46',
  '20261122-roles': 'e19753c04c60bed27a5b615d9c53bd5c',
  '20261122-unreached': '65779b0943c8030f5b1687c2ee5f68db',
  '20261122-panic-other': '960f317b63f2bfd2ccc140be32ef3bd7',
  '20261122-call-parents': '78425d2de617736d3a6c063d182a5255',
  '20261122-owner-language': 'f6c1f77f979b2e6abbb1002eff45415d',
  '20261122-told': '669e64a06762c36b17b2180f5b872c3e',
  '20261122-deleted-accounts': '05224975a7a0958f671425fed292d1ae',
  '20261123-words': '360b6c137a40e8ab6bf74dd882cf669c',
  '20261123-members': 'ee6b6166e78b2bdc0710e7189850bd17',
  '20261123-backups': '76d9518b86961afa68da7f8f23bb70b9',
  '20261123-sign-in-askers': '506ba9429004aafed6debfc2534de431',
  '20261125-clock': '994a635d97f17c98e853a0e7c315b227',
  '20261125-instead': 'da4cebbf7100e63653d8d5c29ef2ce51',
  '20261125-retries': '97b3b7db84b1dcc6761129de962c0a15',
  '20261125-listeners': '2a0b079526d2502776efe0e70a0cd171',
  '20261125-kept-messages': 'b84a213d93b8194b9b0c5e4a8a2d39a7',
  '20261125-limited-calls': '46f21079cab37bd35a3fe4b2bfe51556',
  '20261125-went-back': '4d64097949878a1a034e670c18abd05e',
  '20261126-watch': '20ab00d9200112ce7888ca41a5326cd4',
  '20261126-rotation': '5e5309165869101c033b956a6c307197',
  '20261126-people': '6c2fb698d265b7995710177efac24ae3',
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
      `The SQL of ${name} is not what it was. Databases have run it: put it back, and make a new migration.`,
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
