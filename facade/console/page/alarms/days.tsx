import { useState } from 'preact/hooks';
import type { Day } from '../../../../gen/tocsin/console/v1/days_pb.ts';
import { useQuery } from '../live/use-query.ts';
import { dayNamed } from '../parts/day-name.ts';
import { Waiting } from '../parts/waiting.tsx';
import { READ } from '../rpc/rpc.ts';
import { pastDays } from '../rpc/rpc-days.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import { isKnown, saidOf } from './day-said.ts';
import { DayStrip, GUARDED } from './day-strip.tsx';

/** Shows what the last 30 days of an alarm or panic button were like, one of them in words, with the way to its calls and incidents. */
export function Days({ id }: { id: string }) {
  const say = wordsOf('days');
  const found = useQuery(`days ${id}`, () => pastDays.listDays({ sourceId: id }, READ), '', 'slow');
  const [picked, pick] = useState<string | null>(null);
  return (
    <section class="stack">
      <h2>{say.title}</h2>
      {found.data === null ? (
        <Waiting on={found} />
      ) : (
        <div class="card past">
          <Strip days={found.data.days} kind={found.data.sourceKind} picked={picked} onPick={pick} />
          <Chosen of={chosenOf(found.data.days, picked)} today={found.data.days.at(-1)!.day} id={id} />
          <Legend kind={found.data.sourceKind} />
          <Table of={found.data.days} />
        </div>
      )}
    </section>
  );
}

/** The last, which is today, until another is chosen. */
function chosenOf(days: readonly Day[], picked: string | null): Day {
  return days.find(({ day }) => day === picked) ?? days.at(-1)!;
}

/** The picture is chosen from by touch, and the slider that lies unseen beside it by keyboard and by those who hear the page. */
function Strip(on: { days: readonly Day[]; kind: string; picked: string | null; onPick(day: string): void }) {
  const { days } = on;
  const say = wordsOf('days');
  const chosen = chosenOf(days, on.picked);
  const at = days.indexOf(chosen);
  const pickAt = (x: number, within: Element) => {
    const { left, width } = within.getBoundingClientRect();
    const nth = Math.floor(((x - left) / width) * days.length);
    on.onPick(days[Math.min(days.length - 1, Math.max(0, nth))]!.day);
  };
  return (
    <div class="strip">
      <input
        type="range"
        class="unseen"
        aria-label={say.choose}
        aria-valuetext={`${dayNamed(chosen.day)}: ${saidOf(chosen).join(' ')}`}
        min={0}
        max={days.length - 1}
        value={at}
        onInput={event => on.onPick(days[Number(event.currentTarget.value)]!.day)}
      />
      <div
        aria-hidden="true"
        onPointerDown={event => pickAt(event.clientX, event.currentTarget)}
        onPointerMove={event => event.buttons > 0 && pickAt(event.clientX, event.currentTarget)}
      >
        <DayStrip days={days} kind={on.kind} chosen={at} />
      </div>
      <p class="ends soft small" aria-hidden="true">
        <span>{dayNamed(days[0]!.day)}</span>
        <span>{say.today}</span>
      </p>
    </div>
  );
}

function Chosen({ of, today, id }: { of: Day; today: string; id: string }) {
  const say = wordsOf('days');
  // Of today further calls come: a list that ends where it was counted would never show them.
  const until = of.day === today ? '' : `&until=${of.callsPageToken}`;
  const ways = [
    ...(of.callsPageToken === '' ? [] : [[`calls?source=${id}&day=${of.day}${until}`, say.callsOf] as const]),
    ...(of.liveIncidents + of.testIncidents === 0
      ? []
      : [[`incidents?source=${id}&day=${of.day}`, say.incidentsOf] as const]),
  ];
  return (
    <div class="chosen" aria-live="polite">
      <h3>{dayNamed(of.day)}</h3>
      <p>{saidOf(of).join(' ')}</p>
      <p class="ways">
        {ways.map(([to, label]) => (
          <a key={to} href={addressOf(to)} data-screen>
            {label}
          </a>
        ))}
      </p>
    </div>
  );
}

function Legend({ kind }: { kind: string }) {
  const say = wordsOf('days');
  const marks = Object.entries(say.legend).filter(([mark]) => kind === 'alarm' || mark !== 'armed');
  return (
    <ul class="marks soft small" aria-hidden="true">
      {marks.map(([mark, label]) => (
        <li key={mark} class={mark}>
          {label}
          {mark === 'armed' && ` (${GUARDED.map(mode => words().modes[mode]).join(' < ')})`}
        </li>
      ))}
    </ul>
  );
}

/** The same for those who hear the page. */
function Table({ of }: { of: readonly Day[] }) {
  const say = wordsOf('days');
  return (
    <div class="unseen">
      <table>
        <caption>{say.title}</caption>
        <thead>
          <tr>
            <th scope="col">{say.day}</th>
            <th scope="col">{words().nav.calls}</th>
            <th scope="col">{words().incident.live}</th>
            <th scope="col">{words().incident.test}</th>
            <th scope="col">{say.all}</th>
          </tr>
        </thead>
        <tbody>
          {of.map(day => (
            <tr key={day.day}>
              <th scope="row">{dayNamed(day.day)}</th>
              <td>{isKnown(day) ? `${day.calls}${day.moreCalls ? '+' : ''}` : say.unknown}</td>
              <td>{isKnown(day) ? day.liveIncidents : say.unknown}</td>
              <td>{isKnown(day) ? day.testIncidents : say.unknown}</td>
              <td>{saidOf(day).join(' ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
