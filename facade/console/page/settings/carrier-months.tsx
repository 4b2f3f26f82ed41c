import type { MonthlyCarrier, MonthlyTotals } from '../../../../gen/tocsin/incident/v1/totals_pb.ts';
import { Wide } from '../../design/wide.tsx';
import { wordsOf } from '../words.ts';

/** The strip of a carrier, in pixels. */
const BAR = { wide: 8, apart: 10, high: 24 };

/** A month in which anything failed shows at least so much of it, in pixels. */
const LEAST = 3;

/** Shows what each carrier did with messages: month by month as a strip, and in sum beside it. Nothing where none was asked. */
export function CarrierMonths({ of }: { of: readonly MonthlyTotals[] }) {
  const say = wordsOf('settings').plan;
  const names = [...new Set(of.flatMap(({ carriers }) => carriers.map(({ carrier }) => carrier)))].sort();
  if (names.length === 0) return null;
  const months = of.toReversed();
  return (
    <Wide label={say.carriers}>
      <table class="figures narrow carrier-months">
        <thead>
          <tr>
            {[say.carrier, say.strip(months.length), say.sent, say.delivered, say.failed, say.passedOn].map(label => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {names.map(name => {
            const each = months.map(({ carriers }) => carriers.find(({ carrier }) => carrier === name));
            const sum = (pick: (month: MonthlyCarrier) => number) =>
              each.reduce((total, month) => total + (month === undefined ? 0 : pick(month)), 0);
            return (
              <tr key={name}>
                <th scope="row">
                  <bdi>{name}</bdi>
                </th>
                <td data-label={say.strip(months.length)}>
                  <Strip of={each} />
                </td>
                <td data-label={say.sent}>{sum(({ sent }) => sent)}</td>
                <td data-label={say.delivered}>{sum(({ delivered }) => delivered)}</td>
                <td data-label={say.failed}>{sum(({ failed }) => failed)}</td>
                <td data-label={say.passedOn}>{sum(({ passedOn }) => passedOn)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Wide>
  );
}

/** Draws of each month how much the carrier took, and from the top how much it did not; the figures beside it say the same in sum. */
function Strip({ of }: { of: readonly (MonthlyCarrier | undefined)[] }) {
  return (
    <svg width={of.length * BAR.apart} height={BAR.high} aria-hidden="true">
      {of.map((month, nth) => {
        const x = nth * BAR.apart;
        if (month === undefined)
          return <rect key={x} class="nothing" x={x} y={BAR.high - 1} width={BAR.wide} height="1" />;
        const lost = month.failed + month.passedOn;
        const high = lost === 0 ? 0 : Math.max(LEAST, (lost / (lost + month.sent)) * BAR.high);
        return (
          <g key={x}>
            <rect class="took" x={x} y={high} width={BAR.wide} height={BAR.high - high} />
            <rect class="lost" x={x} y="0" width={BAR.wide} height={high} />
          </g>
        );
      })}
    </svg>
  );
}
