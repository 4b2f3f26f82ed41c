import { defineEntity, p } from '@mikro-orm/core';

/**
 * Secrets created but not yet shown to anybody, sealed (seal.ts). A start that fails before showing them leaves them
 * for the next one; once shown, the row is deleted.
 */
export const Unshown = defineEntity({
  name: 'Unshown',
  tableName: 'unshown',
  properties: {
    id: p.text().primary(),
    sealed: p.text(),
  },
});
