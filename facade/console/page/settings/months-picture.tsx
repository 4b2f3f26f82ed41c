import type { MonthlyTotals } from '../../../../gen/tocsin/incident/v1/totals_pb.ts';
import { format } from '../parts/time.tsx';
import { wordsOf } from '../words.ts';
import { monthOf, spanOf } from './units.ts';

/** Where what nobody took, times and false alarms are drawn, from the top, in pixels, and where the months are named. */
const NOBODY = 14;
const TIMES = { top: 32, bottom: 132 };
const FALSE_ALARMS = { top: 152, bottom: 192 };
const NAMES = 212;
const HEIGHT = 220;

/** Ten times as long is as much higher, from a second to an hour. */
const SPAN_MS = { from: 1_000, to: 3_600_000 };

/** Before the first, somebody who sleeps is hardly awake; after the second, whoever broke in is out again. */
const MARKS_MS = [15_000, 60_000];

/** How wide the names of the marks are, in pixels. */
const NAMES_WIDE = 56;

/** Draws for each month how long it took until somebody acknowledged, against 15 s and 60 s, of how many nobody did, and how many were false alarms. The table below says the same. */
export function MonthsPicture({ of }: { of: readonly MonthlyTotals[] }) {
  const say = wordsOf('settings').plan;
  const months = of.toReversed();
  const width = 100 / months.length;
  return (
    <figure class="card months">
      <div class="axes">
        <svg width={NAMES_WIDE} height={HEIGHT} aria-hidden="true">
          {MARKS_MS.map(ms => (
            <text key={ms} x="0" y={heightOf(ms) + 4}>
              {spanOf(ms)}
            </text>
          ))}
        </svg>
        <svg width="100%" height={HEIGHT} role="img" aria-label={say.picture}>
          {MARKS_MS.map(ms => (
            <line key={ms} class="mark" x1="0" x2="100%" y1={heightOf(ms)} y2={heightOf(ms)} />
          ))}
          <line class="floor" x1="0" x2="100%" y1={FALSE_ALARMS.bottom} y2={FALSE_ALARMS.bottom} />
          {months.map((month, nth) => (
            <svg key={month.month} x={`${nth * width}%`} width={`${width}%`} overflow="visible" aria-hidden="true">
              <Month of={month} />
            </svg>
          ))}
        </svg>
      </div>
      <figcaption>
        <ul class="marks soft small">
          <li class="typical">{say.typical}</li>
          <li class="slow">{say.slow}</li>
          <li class="nobody">{say.nobody}</li>
          <li class="false-alarms">{say.falseOfSaid}</li>
        </ul>
      </figcaption>
    </figure>
  );
}

function Month({ of }: { of: MonthlyTotals }) {
  const { month, incidents, acknowledged, toAcknowledged: took, real, falseAlarms, tests } = of;
  const nobody = incidents - acknowledged;
  const said = real + falseAlarms + tests;
  const high = said === 0 ? 0 : (falseAlarms / said) * (FALSE_ALARMS.bottom - FALSE_ALARMS.top);
  return (
    <>
      <title>{monthOf(month)}</title>
      {nobody > 0 && (
        <text class="nobody" x="50%" y={NOBODY} text-anchor="middle">
          ×{nobody}
        </text>
      )}
      {took !== undefined && took.count > 0 && (
        <>
          <line class="slow" x1="50%" x2="50%" y1={heightOf(took.p50Ms)} y2={heightOf(took.p95Ms)} />
          <circle class={took.p50Ms > MARKS_MS[1]! ? 'late' : 'in-time'} cx="50%" cy={heightOf(took.p50Ms)} r="5" />
        </>
      )}
      {high > 0 && <rect x="25%" width="50%" y={FALSE_ALARMS.bottom - high} height={high} rx="1" />}
      {falseAlarms > 0 && (
        <text x="50%" y={FALSE_ALARMS.bottom - high - 4} text-anchor="middle">
          {falseAlarms}
        </text>
      )}
      <text x="50%" y={NAMES} text-anchor="middle">
        {format(new Date(`${month}-01T00:00Z`), 'UTC', { month: 'narrow' })}
      </text>
    </>
  );
}

function heightOf(ms: number): number {
  const within = Math.min(SPAN_MS.to, Math.max(SPAN_MS.from, ms));
  const part = Math.log(within / SPAN_MS.from) / Math.log(SPAN_MS.to / SPAN_MS.from);
  return TIMES.bottom - part * (TIMES.bottom - TIMES.top);
}
