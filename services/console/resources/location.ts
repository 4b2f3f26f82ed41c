import { z } from 'zod';
import { key, lines, name, switchOr } from '../fields.ts';
import type { Resource } from '../resource.ts';

const schema = z.strictObject({ key, name, address: lines(500).default(''), test: switchOr(false) });

export type LocationDoc = z.infer<typeof schema>;

/** Where sources stand (SPEC.md 2 "Location"). */
export const location: Resource<LocationDoc> = {
  kind: 'location',
  word: 'location',
  schema,
  nameOf: doc => doc.name,
  references: () => [],
  select: `
SELECT t.id, t.seq, t.version,
  json_build_object('key', t.key, 'name', t.name, 'address', t.address, 'test', t.test) AS doc, '{}'::json AS facts
FROM location t WHERE t.account_id = $1 AND t.deleted_at IS NULL`,
  rows: ({ accountId, id, doc }) => ({ saved: { location: [{ account_id: accountId, id, ...doc }] } }),
  gone: ({ accountId, id }) => ({ buried: { location: [{ account_id: accountId, id }] } }),
};
