import { defineEntity, p } from '@mikro-orm/core';

/**
 * Secrets that were made and that nobody has seen yet, sealed (seal.ts). A start that dies before it has shown them
 * leaves them for the next one; once shown, the row is gone.
 */
export const Unshown = defineEntity({
  name: 'Unshown',
  tableName: 'unshown',
  properties: {
    id: p.text().primary(),
    sealed: p.text(),
  },
});
