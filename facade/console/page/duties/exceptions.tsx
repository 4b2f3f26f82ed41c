import { useState } from 'preact/hooks';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty, DutyException } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { Dialog } from '../../design/dialog.tsx';
import { Chip } from '../../design/parts.tsx';
import { Delete } from '../forms/delete.tsx';
import { daysAfter, shownIn } from '../parts/days.ts';
import { may } from '../rpc/permissions.ts';
import { duties } from '../rpc/rpc-policies.ts';
import { words, wordsOf } from '../words.ts';
import { CoverForm } from './cover.tsx';
import { dayName, namesIn } from './say.ts';

/** Lists the holidays, covers and swaps of a duty, each to be removed, and adds one for any time. `onChanged`: with the duty as it is then. */
export function Exceptions(on: { of: Duty; people: readonly Contact[]; zone: string; onChanged(duty: Duty): void }) {
  const say = wordsOf('duties').exceptions;
  const [is, now] = useState<'idle' | 'adding'>('idle');
  const { of, people, zone } = on;
  const present = shownIn(new Date(), zone);
  const rows = of.except
    .map((one, at) => ({ one, at, isOver: endOf(one) <= present }))
    .sort((one, other) => startOf(one.one).localeCompare(startOf(other.one)));
  const nameOf = (id: string) => people.find(one => one.id === id)?.name ?? wordsOf('policies').somebodyGone;
  const removed = (at: number) =>
    duties.updateDuty({
      duty: { id: of.id, version: of.version, except: of.except.toSpliced(at, 1) },
      updateMask: { paths: ['except'] },
    });
  return (
    <section class="stack" id="except">
      <h2>{wordsOf('duties').fields.except}</h2>
      <div class="card">
        <ul class="rows">
          {rows.map(({ one, at, isOver }) => {
            const names = namesIn(one.contactIds.map(id => ({ name: nameOf(id) })));
            return (
              <li key={`${at} ${one.from} ${one.to}`} class="thing">
                <div>
                  <b dir="auto">{names}</b>
                  <small class="figures">{spanOf(one)}</small>
                  {one.note !== '' && <small dir="auto">{one.note}</small>}
                  {one.channels.length > 0 && (
                    <small>
                      {wordsOf('duties').over(
                        one.channels.map(channel => words().incident.channels[channel] ?? channel).join(', '),
                      )}
                    </small>
                  )}
                </div>
                <div class="do">
                  {isOver && <Chip tone="off">{say.over}</Chip>}
                  {may('configure') && (
                    <Delete
                      place="row"
                      of={`${names}, ${spanOf(one)}`}
                      title={say.remove(spanOf(one))}
                      text={say.removeText}
                      act={async () => {
                        const { duty } = await removed(at);
                        on.onChanged(duty!);
                      }}
                    />
                  )}
                </div>
              </li>
            );
          })}
        </ul>
        {rows.length === 0 && <p class="thing soft">{say.none}</p>}
      </div>
      {may('configure') && (
        <div class="do">
          <button type="button" class="button quiet" onClick={() => now('adding')}>
            {say.add}
          </button>
        </div>
      )}
      {is === 'adding' && (
        <Dialog title={say.add} onClose={() => now('idle')}>
          <p class="soft small">{say.addText}</p>
          <CoverForm
            duty={of}
            people={people}
            zone={zone}
            onDone={changed => {
              now('idle');
              if (changed !== null) on.onChanged(changed);
            }}
          />
        </Dialog>
      )}
    </section>
  );
}

const startOf = ({ from }: DutyException) => (from.includes('T') ? from : `${from}T00:00`);
/** Takes a date without a time as the end of that day. */
const endOf = ({ to }: DutyException) => (to.includes('T') ? to : `${to}T24:00`);

/** `Thu 24 Dec – Sun 27 Dec`, with clocks where it does not begin and end at midnight. */
function spanOf(of: DutyException): string {
  const [from = '', begins = MIDNIGHT] = of.from.split(/[T ]/);
  const [to = '', ends] = of.to.split(/[T ]/);
  if (begins === MIDNIGHT && (ends === undefined || ends === MIDNIGHT)) {
    const last = ends === undefined ? to : daysAfter(to, -1);
    return from === last ? dayOf(from) : `${dayOf(from)} – ${dayOf(last)}`;
  }
  const until = ends ?? '24:00';
  return `${dayOf(from)}, ${begins} – ${from === to ? until : `${dayOf(to)}, ${until}`}`;
}

const MIDNIGHT = '00:00';

/** Adds the year unless it is this one. */
function dayOf(day: string): string {
  const year = day.slice(0, 4);
  return year === String(new Date().getFullYear()) ? dayName(day) : `${dayName(day)} ${year}`;
}
