import type { Command } from 'commander';
import {
  GetMonthlyTotalsResponseSchema,
  type MonthlyCarrier,
  type MonthlyDeliveries,
  type MonthlyTotals,
  type Spread,
} from '../../../gen/tocsin/incident/v1/totals_pb.ts';
import { examples } from '../flags.ts';
import { wholeNumber } from '../pages.ts';
import { PATIENT } from '../rpc.ts';
import type { Act } from '../session.ts';
import { table } from '../table.ts';
import { lasted } from '../time-to-human.ts';

interface TotalsOptions {
  months?: number;
  lastMonth?: string;
}

/** `tocsin incidents totals`: each month in figures, including how long it took to reach a person. */
export function addTotals(incidents: Command, act: Act): void {
  const totals = incidents
    .command('totals')
    .description('shows for each month what opened, what reached people and how long it took')
    .option('--months <number>', 'how many, 1 to 36 (12)', wholeNumber)
    .option('--last-month <month>', 'the last of them, such as 2026-11, in UTC (this one)');
  examples(totals, 'incidents totals', 'incidents totals --months 3 --last-month 2026-11').action(
    act(async (session, { months = 0, lastMonth = '' }: TotalsOptions) => {
      const answer = await session.rpc.incidents.getMonthlyTotals({ months, lastMonth }, PATIENT);
      session.answer(GetMonthlyTotalsResponseSchema, answer, () => totalsLines(answer.months));
    }),
  );
}

function totalsLines(months: readonly MonthlyTotals[]): string[] {
  const sent = months.flatMap(({ month, deliveries }) => deliveries.map(counted => ({ ...counted, month })));
  const by = months.flatMap(({ month, carriers }) => carriers.map(counted => ({ ...counted, month })));
  return [
    'Live incidents by the month in which they opened (UTC); times since acceptance, median / 95th percentile:',
    ...table(INCIDENTS, months),
    ...(sent.length === 0 ? [] : ['', 'Their messages:', ...table(MESSAGES, sent)]),
    ...(by.length === 0 ? [] : ['', 'What carriers did with them:', ...table(CARRIERS, by)]),
  ];
}

const INCIDENTS = [
  ['month', ({ month }: MonthlyTotals) => month],
  ['live', ({ incidents }: MonthlyTotals) => String(incidents)],
  ['acknowledged', ({ acknowledged }: MonthlyTotals) => String(acknowledged)],
  ['unanswered', ({ exhausted }: MonthlyTotals) => String(exhausted)],
  ['nobody to alert', ({ nobodyToAlert }: MonthlyTotals) => String(nobodyToAlert)],
  ['false alarms', falseAlarms],
  ['late steps', ({ lateSteps }: MonthlyTotals) => String(lateSteps)],
  ['missed steps', ({ missedSteps }: MonthlyTotals) => String(missedSteps)],
  ['to applied', ({ toApplied }: MonthlyTotals) => spread(toApplied)],
  ['to first attempt', ({ toFirstAttempt }: MonthlyTotals) => spread(toFirstAttempt)],
  ['to arrived', ({ toFirstDelivered }: MonthlyTotals) => spread(toFirstDelivered)],
  ['to acknowledged', ({ toAcknowledged }: MonthlyTotals) => spread(toAcknowledged)],
  ['in test', ({ testIncidents }: MonthlyTotals) => String(testIncidents)],
] as const;

type Counted = Pick<MonthlyDeliveries, 'channel' | 'sent' | 'delivered' | 'failed'> & Pick<MonthlyTotals, 'month'>;

const MESSAGES = [
  ['month', ({ month }: Counted) => month],
  ['channel', ({ channel }: Counted) => channel],
  ['sent', ({ sent }: Counted) => String(sent)],
  ['of them arrived', ({ delivered }: Counted) => String(delivered)],
  ['failed', ({ failed }: Counted) => String(failed)],
] as const;

type Asked = Pick<MonthlyCarrier, 'carrier' | 'sent' | 'delivered' | 'failed' | 'passedOn'> &
  Pick<MonthlyTotals, 'month'>;

const CARRIERS = [
  ['month', ({ month }: Asked) => month],
  ['carrier', ({ carrier }: Asked) => carrier],
  ['sent', ({ sent }: Asked) => String(sent)],
  ['of them arrived', ({ delivered }: Asked) => String(delivered)],
  ['failed', ({ failed }: Asked) => String(failed)],
  ['passed on', ({ passedOn }: Asked) => String(passedOn)],
] as const;

/** Of those alone of which somebody said what they were; empty if of none. */
function falseAlarms({ real, falseAlarms, tests }: MonthlyTotals): string {
  const said = real + falseAlarms + tests;
  return said === 0 ? '' : `${falseAlarms} of ${said}`;
}

/** Empty if it never happened. */
function spread(times: Spread | undefined): string {
  return times === undefined || times.count === 0 ? '' : `${lasted(times.p50Ms)} / ${lasted(times.p95Ms)}`;
}
