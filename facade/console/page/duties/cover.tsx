import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { useState } from 'preact/hooks';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty, DutyShift } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { Choice, Field } from '../../design/parts.tsx';
import { FormEnd, Refused, sentence, useDoing } from '../forms/edit.tsx';
import { dayIn, daysAfter, momentIn, shownIn } from '../parts/days.ts';
import { cityOf } from '../parts/time.tsx';
import { peopleOn } from '../people/people.ts';
import { duties } from '../rpc/rpc-policies.ts';
import { addressOf } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { namesIn } from './say.ts';

/** Up to so many people get a checkbox each; above that, a list to choose from. */
const BOXES_MOST = 8;

/** What messages call the fields of an exception that is before all others. */
const FIELDS = {
  who: ['contactIds', 'except[0].contactIds'],
  from: ['from', 'except[0].from'],
  until: ['until', 'except[0].to'],
  note: ['note', 'except[0].note'],
};

/**
 * Puts others on duty. `shift`: for that, or a part of it; without one for any time, such as a holiday. `onDone`: called with the
 * duty as it is then; with null if cancelled.
 */
export function CoverForm(on: {
  duty: Duty;
  shift?: DutyShift;
  people: readonly Contact[];
  zone: string;
  onDone(changed: Duty | null): void;
}) {
  const say = wordsOf('duties').change;
  const { duty, shift, zone } = on;
  const doing = useDoing();
  const [begun] = useState(() => beginning(shift, zone));
  const [part, setPart] = useState(begun.shown);
  const [who, choose] = useState<string[]>([]);
  const [note, write] = useState('');
  const offered = offeredFor(duty, shift, on.people);
  const boxes = offered.filter(({ id }, at) => at < BOXES_MOST || who.includes(id));
  const rest = offered.filter(one => !boxes.includes(one));
  const wrong = (field: keyof typeof FIELDS) => {
    const isOne = (path: string) => FIELDS[field].some(one => path === one || path.startsWith(`${one}[`));
    const found = [...(doing.refusal?.fields ?? [])].find(([path]) => isOne(path));
    return found === undefined ? null : sentence(found[1]);
  };
  const shown = [...(doing.refusal?.fields.keys() ?? [])].filter(path =>
    Object.values(FIELDS).some(names => names.some(one => path === one || path.startsWith(`${one}[`))),
  );

  async function cover() {
    let changed: Duty | undefined;
    const at = (field: 'from' | 'until') => {
      if (part[field] === begun.shown[field]) return begun.exact[field];
      return part[field] === '' ? undefined : timestampFromDate(momentIn(part[field], zone));
    };
    const [from, until] = [at('from'), at('until')];
    const result = await doing.run(async () => {
      const times = { ...(from !== undefined && { from }), ...(until !== undefined && { until }) };
      changed = (await duties.cover({ dutyId: duty.id, contactIds: who, note, ...times })).duty;
    });
    if (result === 'done') on.onDone(changed!);
  }

  const times = (
    <div class="two">
      <Field
        label={say.from(cityOf(zone))}
        name="from"
        type="datetime-local"
        value={part.from}
        hint={say.fromHint}
        wrong={wrong('from')}
        onInput={from => setPart(before => ({ ...before, from }))}
      />
      <Field
        label={say.until(cityOf(zone))}
        name="until"
        type="datetime-local"
        value={part.until}
        hint={shift === undefined ? say.untilHint : ''}
        wrong={wrong('until')}
        onInput={until => setPart(before => ({ ...before, until }))}
      />
    </div>
  );

  return (
    <form
      class="changing"
      noValidate
      onSubmit={event => {
        event.preventDefault();
        void cover();
      }}
    >
      <fieldset class="who-covers">
        <legend>{say.who}</legend>
        <div class="segments">
          {boxes.map(({ id, name }) => (
            <label key={id}>
              <input
                type="checkbox"
                name="who"
                checked={who.includes(id)}
                onChange={event => choose(event.currentTarget.checked ? [...who, id] : who.filter(one => one !== id))}
              />
              <span dir="auto">{name}</span>
            </label>
          ))}
        </div>
        {rest.length > 0 && (
          <Choice
            label={wordsOf('policies').form.addSomebody}
            name="somebody"
            value=""
            options={[['', wordsOf('policies').form.choose], ...rest.map(({ id, name }) => [id, name] as const)]}
            onChoose={id => id !== '' && choose([...who, id])}
          />
        )}
        {offered.length === 0 && (
          <a href={addressOf('people/new')} data-screen>
            {wordsOf('people').add}
          </a>
        )}
        {wrong('who') !== null && (
          <p class="wrong" role="alert">
            {wrong('who')}
          </p>
        )}
      </fieldset>
      {shift === undefined ? (
        times
      ) : (
        <details open={shift.until === undefined || wrong('from') !== null || wrong('until') !== null}>
          <summary>{say.part}</summary>
          {times}
        </details>
      )}
      <Field label={say.note} name="note" value={note} wrong={wrong('note')} onInput={write} />
      <Refused on={doing} shown={shown} />
      <FormEnd on={doing} onCancel={() => on.onDone(null)}>
        {who.length === 0 ? say.doCover : say.doCoverBy(namesIn(offered.filter(({ id }) => who.includes(id))))}
      </FormEnd>
    </form>
  );
}

/** The times of a shift as the fields show them, and to the second as they are. One that goes on begins now, which needs no time. */
function beginning(shift: DutyShift | undefined, zone: string) {
  if (shift === undefined) {
    const tomorrow = daysAfter(dayIn(new Date(), zone), 1);
    const shown = { from: `${tomorrow}T00:00`, until: `${daysAfter(tomorrow, 1)}T00:00` };
    const [from, until] = [shown.from, shown.until].map(text => timestampFromDate(momentIn(text, zone)));
    return { shown, exact: { from, until } };
  }
  const { from, until } = shift;
  const begins = from !== undefined && timestampDate(from) > new Date() ? from : undefined;
  const text = (at: typeof until) => (at === undefined ? '' : shownIn(timestampDate(at), zone));
  return { shown: { from: text(begins), until: text(until) }, exact: { from: begins, until } };
}

/** Who may cover: those of the duty first, and not those whose shift it is. */
function offeredFor(duty: Duty, shift: DutyShift | undefined, people: readonly Contact[]): Contact[] {
  const named = new Set(peopleOn(duty));
  const isOn = (id: string) => shift?.contacts.some(({ contactId }) => contactId === id) ?? false;
  const all = people.filter(({ id }) => !isOn(id));
  return [...all.filter(({ id }) => named.has(id)), ...all.filter(({ id }) => !named.has(id))];
}
