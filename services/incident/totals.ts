import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Pool } from 'pg';
import type {
  GetMonthlyTotalsRequest,
  GetMonthlyTotalsResponseSchema,
  MonthlyTotalsSchema,
} from '../../gen/tocsin/incident/v1/totals_pb.ts';
import { CHANNELS } from '../domain/delivery.ts';
import { invalidField } from '../rpc/fields.ts';
import { MONTH, monthAfter, monthStart } from '../rpc/month.ts';
import { say } from '../rpc/reader.ts';
import { readTotals, thisMonth } from './statements/totals.ts';

const MONTHS = { most: 36, usual: 12 } as const;

/**
 * Returns what happened in the incidents of each month, and how long it took to reach a person. One statement per
 * month, because a year of a busy account exceeds the statement timeout.
 */
export async function monthlyTotals(
  pool: Pool,
  accountId: string,
  request: Pick<GetMonthlyTotalsRequest, 'lastMonth' | 'months'>,
): Promise<MessageInitShape<typeof GetMonthlyTotalsResponseSchema>> {
  const { lastMonth, months: asked } = request;
  if (lastMonth !== '' && !MONTH.test(lastMonth)) {
    throw invalidField('lastMonth', say().accepts.month, lastMonth);
  }
  if (asked < 0 || asked > MONTHS.most) throw invalidField('months', say().accepts.range(0, MONTHS.most), asked);
  const last = monthStart(lastMonth === '' ? await thisMonth(pool) : lastMonth);
  const months: MessageInitShape<typeof MonthlyTotalsSchema>[] = [];
  for (let back = 0; back < (asked === 0 ? MONTHS.usual : asked); back++) {
    const from = monthAfter(last, -back);
    const month = from.toISOString().slice(0, 'YYYY-MM'.length);
    const { deliveries, ...totals } = await readTotals(pool, accountId, from, monthAfter(from, 1));
    const inOrder = CHANNELS.flatMap(channel => deliveries.filter(counted => counted.channel === channel));
    months.push({ month, ...totals, deliveries: inOrder });
  }
  return { months };
}
