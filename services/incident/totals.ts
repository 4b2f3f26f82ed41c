import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Pool } from 'pg';
import type {
  GetMonthlyTotalsRequest,
  GetMonthlyTotalsResponseSchema,
  MonthlyTotalsSchema,
  SpreadSchema,
} from '../../gen/tocsin/incident/v1/totals_pb.ts';
import { CHANNELS } from '../domain/delivery.ts';
import { invalidField } from '../rpc/fields.ts';
import { readTotals, type SpreadRow, type TotalsRow, thisMonth } from '../store/statements/totals.ts';

const MONTHS = { most: 36, usual: 12 } as const;

const MONTH = /^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$/;

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
    const accepted = 'a month of the years 1970 to 2999 such as 2026-11, or nothing for this one';
    throw invalidField('lastMonth', accepted, lastMonth);
  }
  if (asked < 0 || asked > MONTHS.most) throw invalidField('months', `0 to ${MONTHS.most}`, asked);
  const last = startOf(lastMonth === '' ? await thisMonth(pool) : lastMonth);
  const months: MessageInitShape<typeof MonthlyTotalsSchema>[] = [];
  for (let back = 0; back < (asked === 0 ? MONTHS.usual : asked); back++) {
    const from = monthAfter(last, -back);
    const month = from.toISOString().slice(0, 'YYYY-MM'.length);
    months.push({ month, ...totalsView(await readTotals(pool, accountId, from, monthAfter(from, 1))) });
  }
  return { months };
}

function startOf(month: string): Date {
  return new Date(`${month}-01T00:00:00Z`);
}

function monthAfter(start: Date, months: number): Date {
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months));
}

function totalsView(row: TotalsRow): MessageInitShape<typeof MonthlyTotalsSchema> {
  return {
    incidents: row.incidents,
    testIncidents: row.test_incidents,
    acknowledged: row.acknowledged,
    exhausted: row.exhausted,
    nobodyToAlert: row.nobody_to_alert,
    lateSteps: row.late_steps,
    missedSteps: row.missed_steps,
    deliveries: CHANNELS.flatMap(channel => row.deliveries.filter(counted => counted.channel === channel)),
    toApplied: spreadView(row.to_applied),
    toFirstAttempt: spreadView(row.to_first_attempt),
    toFirstDelivered: spreadView(row.to_first_delivered),
    toAcknowledged: spreadView(row.to_acknowledged),
  };
}

function spreadView({ count, mean, p50, p95, max }: SpreadRow): MessageInitShape<typeof SpreadSchema> {
  return { count, meanMs: mean ?? 0, p50Ms: p50 ?? 0, p95Ms: p95 ?? 0, maxMs: max ?? 0 };
}
