import { type EntityManager, type InferEntity, raw } from '@mikro-orm/postgresql';
import { Source } from '../../store/entities/source.ts';
import { type Rows, rowsOf } from '../../store/save-rows.ts';

/** What the owner of an alarm or a panic button sets of its row. */
type SourceRow = Pick<
  InferEntity<typeof Source>,
  | 'accountId'
  | 'id'
  | 'kind'
  | 'key'
  | 'locationId'
  | 'name'
  | 'test'
  | 'testUntil'
  | 'disabled'
  | 'onlyWhenArmed'
  | 'clearOnDisarm'
  | 'responseKind'
  | 'responseText'
  | 'policyId'
>;

/** Writes all columns for both kinds, so that one statement writes both. */
export function sourceRow(row: SourceRow): Rows {
  return rowsOf(Source, [row]);
}

/** Deleted sources stay, disabled: calls and incidents still refer to them. */
export function buried(em: EntityManager, accountId: string, ids: string[]): Promise<unknown> {
  const gone = { deletedAt: raw('tocsin_now()'), disabled: true, policyId: null };
  return em.nativeUpdate(Source, { accountId, id: { $in: ids } }, gone);
}
