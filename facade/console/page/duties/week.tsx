import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty, DutyShift } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { Segments } from '../../design/fields.tsx';
import { Chip } from '../../design/parts.tsx';
import { dayIn, daysAfter, momentIn } from '../parts/days.ts';
import { Waiting } from '../parts/waiting.tsx';
import { may } from '../rpc/permissions.ts';
import { filter, query } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { becauseOf, clockOf, dateName, dayName, namesIn, spanOfShift } from './say.ts';
import { isReached, type Piece, piecesOn, useShifts } from './shifts.ts';

const WEEK = 7;

/** How many weeks one can look ahead. */
const WEEKS_MOST = 52;

/** How far the list looks ahead, in days. */
const LIST_DAYS = 14;

interface Shown {
  of: Duty;
  people: readonly Contact[];
  zone: string;
  onPick(shift: DutyShift): void;
}

/**
 * Shows whose shift is when: seven days, which a phone shows one below the other, or a list of fourteen. What was is not shown:
 * a duty says what it says now. Whoever may change it presses a shift to have it covered or swapped.
 */
export function Shifts(on: Shown) {
  const say = wordsOf('duties').week;
  const isList = query.value.get('view') === 'list';
  return (
    <section class="stack">
      <h2>{say.title}</h2>
      <div class="head week-head">
        <Segments
          label={say.view}
          name="view"
          value={isList ? 'list' : 'week'}
          options={[
            ['week', say.week],
            ['list', say.list(LIST_DAYS)],
          ]}
          onChoose={view => filter({ view: view === 'list' ? 'list' : '', week: '' })}
        />
        {!isList && <Weeks zone={on.zone} />}
      </div>
      {isList ? <List {...on} /> : <Week {...on} />}
      {may('configure') && <p class="soft small">{say.pick}</p>}
    </section>
  );
}

/** Which week is shown: 0 begins today. */
function weekNow(): number {
  const asked = Math.floor(Number(query.value.get('week') ?? 0));
  return Number.isNaN(asked) ? 0 : Math.min(WEEKS_MOST, Math.max(0, asked));
}

function firstDay(zone: string): string {
  return daysAfter(dayIn(new Date(), zone), weekNow() * WEEK);
}

function Weeks({ zone }: { zone: string }) {
  const say = wordsOf('duties').week;
  const week = weekNow();
  const first = firstDay(zone);
  const goTo = (to: number) => filter({ week: to === 0 ? '' : String(to) });
  return (
    <div class="do weeks">
      <b class="figures" role="status">
        {`${dayName(first)} – ${dayName(daysAfter(first, WEEK - 1))}`}
      </b>
      <button type="button" class="button quiet small" disabled={week === 0} onClick={() => goTo(week - 1)}>
        {say.back}
      </button>
      <button type="button" class="button quiet small" disabled={week === 0} onClick={() => goTo(0)}>
        {say.now}
      </button>
      <button type="button" class="button quiet small" disabled={week === WEEKS_MOST} onClick={() => goTo(week + 1)}>
        {say.next}
      </button>
    </div>
  );
}

function Week(on: Shown) {
  const { of, zone } = on;
  const week = weekNow();
  const first = firstDay(zone);
  // A day more than are shown: the week of a clock change is longer. The first one begins now.
  const found = useShifts(of, WEEK + 1, week === 0 ? undefined : momentIn(`${first}T00:00`, zone));
  if (found.data === null) return <Waiting on={found} />;
  const shifts = found.data;
  const days = Array.from({ length: WEEK }, (_, at) => daysAfter(first, at));
  return (
    <ol class="week card">
      {days.map((day, at) => (
        <li key={day}>
          <h3 class={week === 0 && at === 0 ? 'today' : undefined}>
            {week === 0 && at === 0 ? wordsOf('duties').week.today(dateName(day)) : dayName(day)}
          </h3>
          <ul>
            {piecesOn(day, daysAfter(day, 1), shifts, zone).map(piece => (
              <OnDay
                key={String(piece.shift.from?.seconds)}
                {...on}
                piece={piece}
                isNow={week === 0 && at === 0 && piece.shift === shifts[0]}
              />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function OnDay({ piece, isNow, people, zone, onPick }: Shown & { piece: Piece; isNow: boolean }) {
  const { shift, minutes } = piece;
  const name = namesIn(shift.contacts);
  return (
    <li class="on-day" style={{ flexGrow: String(Math.max(1, Math.round(minutes))) }}>
      <Pressed shift={shift} zone={zone} isNow={isNow} onPick={onPick}>
        <span class="figures small soft">{clocksOf(piece, zone)}</span>
        <b dir="auto">{name}</b>
        <small class="soft" dir="auto">
          {becauseOf(shift)}
        </small>
        <States shift={shift} people={people} isNow={isNow} />
      </Pressed>
    </li>
  );
}

/** Shows a shift: a button for those who may change the duty, text for others. */
function Pressed(on: {
  shift: DutyShift;
  zone: string;
  isNow: boolean;
  onPick(shift: DutyShift): void;
  children: preact.ComponentChildren;
}) {
  const looks = `shift by-${on.shift.because}${on.isNow ? ' now' : ''}`;
  if (!may('configure')) return <div class={looks}>{on.children}</div>;
  const label = wordsOf('duties').week.change(namesIn(on.shift.contacts), spanOfShift(on.shift, on.zone));
  return (
    <button type="button" class={looks} title={label} onClick={() => on.onPick(on.shift)}>
      {on.children}
    </button>
  );
}

function States({ shift, people, isNow }: { shift: DutyShift; people: readonly Contact[]; isNow: boolean }) {
  const say = wordsOf('duties');
  const reached = isReached(shift, people);
  if (reached && !isNow) return null;
  return (
    <span class="chips">
      {isNow && <Chip tone="good">{say.now}</Chip>}
      {!reached && <Chip tone="warn">{say.unreached}</Chip>}
    </span>
  );
}

/** `08:00–18:00`, `from 18:00`, `until 08:00` or `all day`: what of a shift is on that day. */
function clocksOf({ shift: { from, until }, begins, ends }: Piece, zone: string): string {
  const say = wordsOf('duties');
  const [start, end] = [from, until].map(at => (at === undefined ? '' : clockOf(timestampDate(at), zone)));
  const isWhole = (!begins || start === '00:00') && (!ends || end === '00:00');
  if (isWhole) return say.allDay;
  if (!ends || end === '00:00') return say.fromClock(start!);
  return !begins || start === '00:00' ? say.untilClock(end!) : `${start}–${end}`;
}

function List(on: Shown) {
  const found = useShifts(on.of, LIST_DAYS);
  if (found.data === null) return <Waiting on={found} />;
  return (
    <ol class="card rows shifts">
      {found.data.map((shift, at) => (
        <li key={String(shift.from?.seconds)}>
          <Pressed shift={shift} zone={on.zone} isNow={at === 0} onPick={on.onPick}>
            <span class="figures">{spanOfShift(shift, on.zone)}</span>
            <b dir="auto">{namesIn(shift.contacts)}</b>
            <small class="soft" dir="auto">
              {becauseOf(shift)}
            </small>
            <States shift={shift} people={on.people} isNow={at === 0} />
          </Pressed>
        </li>
      ))}
    </ol>
  );
}
