import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { GetPlanResponse } from '../../../../gen/tocsin/console/v1/accounts_pb.ts';
import type { GetSpendResponse, SpendDay } from '../../../../gen/tocsin/console/v1/spend_pb.ts';
import type { MonthlyTotals, Spread } from '../../../../gen/tocsin/incident/v1/totals_pb.ts';
import { Chip, Empty } from '../../design/parts.tsx';
import { Wide } from '../../design/wide.tsx';
import { useQuery } from '../live/use-query.ts';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { accounts, incidents, READ } from '../rpc/rpc.ts';
import { words, wordsOf } from '../words.ts';
import { CarrierMonths } from './carrier-months.tsx';
import { MonthsPicture } from './months-picture.tsx';
import { dayOf, money, monthOf, spanOf } from './units.ts';

const CHANNELS = ['text', 'call', 'email', 'push', 'chat', 'webhook'];

/** As many months as a year has, and as many days as a month has. */
const MONTHS = 12;
const DAYS = 31;

/** Shows what the plan allows, what texts and calls cost this month, and the months before. */
export function PlanPart() {
  const say = wordsOf('settings').plan;
  const found = useQuery('plan', async () => {
    const [plan, spend, totals] = await Promise.all([
      accounts.getPlan({}, READ),
      accounts.getSpend({ days: DAYS }, READ),
      incidents.getMonthlyTotals({ months: MONTHS }, READ),
    ]);
    return { plan, spend, months: totals.months };
  });
  if (found.data === null) return <Waiting on={found} />;
  const { plan, spend, months } = found.data;
  const [now] = months;
  return (
    <>
      <section class="stack">
        <h2>{say.title}</h2>
        <Plan of={plan} />
      </section>
      <section class="stack">
        <h2>{say.month(monthOf(now?.month ?? ''))}</h2>
        <Channels of={now} spent={spend.days.filter(({ day }) => day.startsWith(now?.month ?? ''))} />
        <Limits of={spend} />
      </section>
      <section class="stack">
        <h2>{say.months}</h2>
        {months.some(({ incidents, testIncidents }) => incidents + testIncidents > 0) ? (
          <>
            <MonthsPicture of={months} />
            <Months of={months.filter(({ incidents, testIncidents }) => incidents + testIncidents > 0)} />
            <CarrierMonths of={months} />
          </>
        ) : (
          <div class="card">
            <Empty icon="incidents" title={say.noMonths.title} text={say.noMonths.text} />
          </div>
        )}
      </section>
    </>
  );
}

function Plan({ of }: { of: GetPlanResponse }) {
  const { plan: say, account } = wordsOf('settings');
  const names = (channels: readonly string[]) =>
    channels.map(channel => words().incident.channels[channel] ?? channel).join(', ');
  const most = (count: number) => (count === 0 ? say.anyNumber : say.atMost(count));
  return (
    <dl class="card facts figures" id="plan">
      <div>
        <dt>{say.name}</dt>
        <dd>{account.plans[of.plan] ?? of.plan}</dd>
      </div>
      <div>
        <dt>{say.channels}</dt>
        <dd>{names(of.channels)}</dd>
      </div>
      <div>
        <dt>{say.sources}</dt>
        <dd>
          {of.sourcesActive} ({most(of.sourcesMost)})
        </dd>
      </div>
      {of.sourcesDeactivated > 0 && (
        <div>
          <dt>{say.deactivated}</dt>
          <dd>
            <Chip tone="warn">{of.sourcesDeactivated}</Chip>
          </dd>
        </div>
      )}
      {of.channelsUntilTrialEnds.length > 0 && of.trialEndsAt !== undefined && (
        <div class="wide">
          <dt>{say.trial}</dt>
          <dd>
            <Time at={timestampDate(of.trialEndsAt)} />{' '}
            {say.afterTrial(names(of.channelsUntilTrialEnds), most(of.sourcesMostAfterTrial))}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** By channel: what went out this month; only texts and calls cost money. */
function Channels({ of, spent }: { of: MonthlyTotals | undefined; spent: readonly SpendDay[] }) {
  const say = wordsOf('settings').plan;
  const counts = new Map(of?.deliveries.map(delivery => [delivery.channel, delivery]));
  const sum = (pick: (day: SpendDay) => number) => spent.reduce((total, day) => total + pick(day), 0);
  const notes: Record<string, string> = {
    text: say.parts(sum(({ textParts }) => textParts)),
    call: say.callsOut(sum(({ calls }) => calls)),
  };
  return (
    <Wide label={say.byChannel}>
      <table class="figures narrow">
        <thead>
          <tr>
            <th scope="col">{say.channel}</th>
            <th scope="col">{say.sent}</th>
            <th scope="col">{say.delivered}</th>
            <th scope="col">{say.failed}</th>
            <th scope="col">{say.billed}</th>
          </tr>
        </thead>
        <tbody>
          {CHANNELS.map(channel => {
            const { sent = 0, delivered = 0, failed = 0 } = counts.get(channel) ?? {};
            return (
              <tr key={channel}>
                <th scope="row">{words().incident.channels[channel]}</th>
                <td data-label={say.sent}>{sent}</td>
                <td data-label={say.delivered}>{delivered}</td>
                <td data-label={say.failed}>{failed}</td>
                <td data-label={say.billed}>{notes[channel] ?? say.free}</td>
              </tr>
            );
          })}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={4}>
              {say.total}
            </th>
            <td>{money(sum(({ cents }) => cents))}</td>
          </tr>
        </tfoot>
      </table>
    </Wide>
  );
}

/** The last days on which money went, against what one day may cost. */
function Limits({ of: { days, capCents, ceilingCents } }: { of: GetSpendResponse }) {
  const say = wordsOf('settings').plan;
  const orNone = (cents: number) => (cents === 0 ? say.none : money(cents));
  return (
    <>
      <p class="soft small">{say.limits(orNone(capCents), orNone(ceilingCents))}</p>
      {days.length > 0 && (
        <ul class="card rows days figures">
          {days.slice(0, 7).map(({ day, cents, textParts, calls }) => (
            <li key={day} class="row">
              <span>
                {dayOf(day)}
                <small>
                  {say.parts(textParts)} · {say.callsOut(calls)}
                </small>
              </span>
              <b>{money(cents)}</b>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Months({ of }: { of: readonly MonthlyTotals[] }) {
  const say = wordsOf('settings').plan;
  return (
    <Wide label={say.months}>
      <table class="figures narrow">
        <thead>
          <tr>
            {[say.inMonth, say.live, say.test, say.taken, say.unanswered, say.falseAlarms, say.late, say.toPerson].map(
              label => (
                <th key={label} scope="col">
                  {label}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {of.map(({ month, incidents, testIncidents, acknowledged, lateSteps, ...more }) => (
            <tr key={month}>
              <th scope="row">{monthOf(month)}</th>
              <td data-label={say.live}>{incidents}</td>
              <td data-label={say.test}>{testIncidents}</td>
              <td data-label={say.taken}>{acknowledged}</td>
              <td data-label={say.unanswered}>{incidents - acknowledged}</td>
              <td data-label={say.falseAlarms}>{falseAlarmsOf(more)}</td>
              <td data-label={say.late}>{lateSteps}</td>
              <td data-label={say.toPerson}>{lastedOf(more.toAcknowledged, incidents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

/** Of how many it was says how much it tells: where most were acknowledged by nobody, the few were soon. */
function lastedOf(took: Spread | undefined, incidents: number): string {
  if (incidents === 0) return '–';
  const of = wordsOf('settings').plan.ofSaid(took?.count ?? 0, incidents);
  return took === undefined || took.count === 0 ? of : `${spanOf(took.p50Ms)} / ${spanOf(took.p95Ms)} (${of})`;
}

/** Counts only incidents of which somebody said what they were. */
function falseAlarmsOf({ real, falseAlarms, tests }: Pick<MonthlyTotals, 'real' | 'falseAlarms' | 'tests'>): string {
  const said = real + falseAlarms + tests;
  return said === 0 ? '–' : wordsOf('settings').plan.ofSaid(falseAlarms, said);
}
