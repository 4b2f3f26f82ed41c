import { defineEntity, p } from '@mikro-orm/core';

/** Where sources stand: the name that /v1 shows, the address that people alerted see, and a test switch for all of it. */
export const Location = defineEntity({
  name: 'Location',
  tableName: 'location',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    name: p.text(),
    address: p.text().default(''),
    test: p.boolean().default(false),
    version: p.integer().version(),
  },
});
