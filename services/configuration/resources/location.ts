import { type InferEntity, raw } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { Location } from '../../store/entities/location.ts';
import { rowsOf } from '../../store/save-rows.ts';
import { emergencyNumber, key, lines, name } from '../fields.ts';
import type { Resource } from '../resource.ts';
import { settleTest, testFields, testOf, testRow } from '../test-switch.ts';

const schema = z.strictObject({ key, name, address: lines(500).default(''), emergencyNumber, ...testFields(false) });

export type LocationDoc = z.infer<typeof schema>;

/** Where sources are (SPEC.md 2 "Location"). */
export const location: Resource<LocationDoc, InferEntity<typeof Location>> = {
  kind: 'location',
  schema,
  nameOf: doc => doc.name,
  settle: settleTest,
  references: () => [],
  entity: Location,
  living: { deletedAt: null },
  reader:
    async () =>
    ({ key, name, address, emergencyNumber, ...row }) => ({
      doc: { key, name, address, emergencyNumber, ...testOf(row) },
      facts: {},
    }),
  rows: ({ accountId, id, doc }) => ({ saved: [rowsOf(Location, [{ accountId, id, ...doc, ...testRow(doc) }])] }),
  remove: (em, accountId, ids) =>
    em.nativeUpdate(Location, { accountId, id: { $in: ids } }, { deletedAt: raw('tocsin_now()') }),
};
