import { defineEntity, p } from '@mikro-orm/core';

/** Where sources are: the name that /v1 shows, the address that people alerted see, the number they can call for help, and a test switch for all of it. */
export const Location = defineEntity({
  name: 'Location',
  tableName: 'location',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    /** The owner's own stable name for it; its id if none was chosen. */
    key: p.text().onCreate(({ id }: { id: string }) => id),
    name: p.text(),
    address: p.text().default(''),
    emergencyNumber: p.text().default(''),
    test: p.boolean().default(false),
    /** When the test ends by itself; null: when its owner lets it go live (DECISIONS.md \"A test ends\"). */
    testUntil: p.datetime().nullable(),
    /** Deleted locations stay for the incidents that refer to them. */
    deletedAt: p.datetime().nullable(),
    version: p.integer().version(),
  },
});
