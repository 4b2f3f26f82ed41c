import { defineEntity, p } from '@mikro-orm/core';

/** What remains of a deleted account: its audit outlives it until it is erased (DECISIONS.md "Deleting an account"). */
export const DeletedAccount = defineEntity({
  name: 'DeletedAccount',
  tableName: 'deleted_account',
  properties: {
    accountId: p.text().primary(),
    /** The number that the account had. */
    seq: p.bigint('string'),
    deletedAt: p.datetime().defaultRaw('tocsin_now()'),
    erasedAt: p.datetime().nullable(),
    erasedBy: p.text().nullable(),
  },
});
