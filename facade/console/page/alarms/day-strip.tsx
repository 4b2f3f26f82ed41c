import type { Day } from '../../../../gen/tocsin/console/v1/days_pb.ts';
import { isKnown } from './day-said.ts';

/** From where to where each thing is drawn, from the top, in pixels. */
const ARMED = { top: 4, height: 20 };
const CALLS = { top: 34, height: 44 };
const LIVE = 92;
const TEST = 108;
const SILENT = { top: 120, height: 6 };
const HEIGHT = 130;

/** More calls of a day are not counted. */
const MOST_CALLS = 200;

/** The more of a home is guarded, the higher. */
export const GUARDED = ['home', 'night', 'away', 'vacation'];

/** Where so many calls reach to: ten times as many are one step higher. */
const LINES = [10, 100];

function heightOf(calls: number): number {
  const part = Math.log10(1 + calls) / Math.log10(1 + MOST_CALLS);
  return CALLS.top + CALLS.height - part * (CALLS.height - 4);
}

/** Draws the days side by side, each as wide as there is room. What is not known is hatched, and so never looks like nothing. */
export function DayStrip({ days, kind, chosen }: { days: readonly Day[]; kind: string; chosen: number }) {
  const width = 100 / days.length;
  return (
    <svg class="past-days" width="100%" height={HEIGHT} aria-hidden="true">
      <defs>
        <pattern id="not-known" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="1.5" height="6" class="hatch" />
        </pattern>
      </defs>
      {LINES.map(calls => (
        <line key={calls} class="grid" x1="0" x2="100%" y1={heightOf(calls)} y2={heightOf(calls)} />
      ))}
      {days.map((day, nth) => (
        <svg key={day.day} x={`${nth * width}%`} width={`${width}%`} height={HEIGHT} aria-hidden="true">
          {nth === chosen && <rect class="chosen" width="100%" height={HEIGHT} rx="4" />}
          {isKnown(day) ? (
            <OneDay of={day} kind={kind} />
          ) : (
            <Hatched top={ARMED.top} height={SILENT.top + SILENT.height - ARMED.top} />
          )}
        </svg>
      ))}
    </svg>
  );
}

function OneDay({ of, kind }: { of: Day; kind: string }) {
  const calls = of.moreCalls ? MOST_CALLS : of.calls;
  const top = heightOf(calls);
  const floor = CALLS.top + CALLS.height;
  return (
    <>
      {kind === 'alarm' && <Armed of={of} />}
      <rect class="floor" x="12%" width="76%" y={floor - 1} height="1" />
      {calls > 0 && <rect class="calls" x="18%" width="64%" y={top} height={floor - top} rx="1" />}
      {of.moreCalls && <rect class="calls" x="18%" width="64%" y={top - 4} height="2" />}
      {of.liveIncidents > 0 && (
        <circle class={of.falseAlarms === of.liveIncidents ? 'false-alarm' : 'live'} cx="50%" cy={LIVE} r="4" />
      )}
      {of.testIncidents > 0 && <circle class="test" cx="50%" cy={TEST} r="4" />}
      {of.silentS > 0 && <rect class="silent" x="6%" width="88%" y={SILENT.top} height={SILENT.height} rx="2" />}
      {of.silentS === 0 && of.moreCalls && <Hatched {...SILENT} />}
    </>
  );
}

/** Each mode as wide as it lasted. */
function Armed({ of }: { of: Day }) {
  const whole = of.modes.reduce((sum, { seconds }) => sum + seconds, 0) || 1;
  let x = 6;
  return of.modes.map(({ mode, seconds }) => {
    const width = (seconds / whole) * 88;
    const at = { x: `${x}%`, width: `${width}%` };
    x += width;
    if (mode === '') return <Hatched key={mode} top={ARMED.top} height={ARMED.height} {...at} />;
    const high = mode === 'disarmed' ? 2 : (0.4 + 0.2 * GUARDED.indexOf(mode)) * ARMED.height;
    return (
      <rect
        key={mode}
        class={mode === 'disarmed' ? 'floor' : 'armed'}
        y={ARMED.top + ARMED.height - high}
        height={high}
        {...at}
      />
    );
  });
}

function Hatched(at: { top: number; height: number; x?: string; width?: string }) {
  return <rect x={at.x ?? '6%'} width={at.width ?? '88%'} y={at.top} height={at.height} fill="url(#not-known)" />;
}
