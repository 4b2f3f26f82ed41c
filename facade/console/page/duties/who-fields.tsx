import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Segments } from '../../design/fields.tsx';
import { Choice, Field } from '../../design/parts.tsx';
import { Reorder } from '../forms/reorder.tsx';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import type { TurnsEdit, WhoEdit } from './edit.ts';
import { dayName, weekdayName } from './say.ts';
import { WEEKDAYS } from './weekdays.ts';

export type Known = readonly Pick<Contact, 'id' | 'name'>[];

/** Up to so many people get a button each; above that, a list to choose from. */
const BUTTONS_MOST = 8;

/** How many days or weeks of a turn are offered. */
const EVERY = [1, 2, 3, 4, 5, 6, 7, 8, 12];

/** Edits who is on duty: people together, or people who take turns. `proposed`: turns that nobody has set yet. */
export function WhoFields(props: {
  label: string;
  /** What messages call it, such as `hours[0].who`. */
  path: string;
  of: WhoEdit;
  people: Known;
  hint?: string;
  wrong: readonly string[];
  proposed(): TurnsEdit;
  onChange(who: WhoEdit): void;
}) {
  const say = wordsOf('duties').form;
  const { of, path } = props;
  const nameOf = (id: string) => props.people.find(one => one.id === id)?.name ?? wordsOf('policies').somebodyGone;
  const put = (people: string[]) => props.onChange({ ...of, people });
  return (
    <fieldset class="who-on" id={path}>
      <legend>{props.label}</legend>
      <Segments
        label={say.how(props.label)}
        name={`${path}.how`}
        value={of.turns === null ? 'same' : 'turns'}
        options={[
          ['same', say.same],
          ['turns', say.turns],
        ]}
        onChoose={how => props.onChange({ ...of, turns: how === 'same' ? null : props.proposed() })}
      />
      {of.people.length > 0 && (
        <ol class="step-people">
          {of.people.map((id, at) => (
            // One person may have several turns: each is its place.
            <li key={at}>
              <div class="head">
                <b dir="auto">{of.turns === null ? nameOf(id) : `${at + 1}. ${nameOf(id)}`}</b>
                <div class="do">
                  {of.turns !== null && (
                    <Reorder all={of.people} at={at} name={nameOf(id)} group={`${path}-people`} onMove={put} />
                  )}
                  <button
                    type="button"
                    class="button bare"
                    aria-label={`${words().remove}: ${nameOf(id)}`}
                    onClick={() => put(of.people.filter((_, index) => index !== at))}
                  >
                    {words().remove}
                  </button>
                </div>
              </div>
            </li>
          ))}
        </ol>
      )}
      <AddPerson to={of} people={props.people} path={path} label={props.label} onAdd={id => put([...of.people, id])} />
      {props.hint !== undefined && <small class="soft">{props.hint}</small>}
      {props.wrong.map(problem => (
        <p key={problem} class="wrong" role="alert">
          {problem}
        </p>
      ))}
    </fieldset>
  );
}

function AddPerson(props: { to: WhoEdit; people: Known; path: string; label: string; onAdd(id: string): void }) {
  const say = wordsOf('duties').form;
  const { to, people } = props;
  const offered = to.turns === null ? people.filter(({ id }) => !to.people.includes(id)) : people;
  if (people.length === 0) {
    return (
      <a class="small" href={addressOf('people/new')} data-screen>
        {wordsOf('people').add}
      </a>
    );
  }
  if (offered.length === 0) return null;
  if (people.length > BUTTONS_MOST) {
    return (
      <Choice
        label={wordsOf('policies').form.addSomebody}
        name={`${props.path}.somebody`}
        value=""
        options={[['', wordsOf('policies').form.choose], ...offered.map(({ id, name }) => [id, name] as const)]}
        onChoose={id => id !== '' && props.onAdd(id)}
      />
    );
  }
  return (
    <div class="do">
      <span class="soft small">{to.people.length === 0 ? say.choosePeople : say.addPeople}</span>
      {offered.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          class="button quiet small"
          aria-label={say.addTo(name, props.label)}
          onClick={() => props.onAdd(id)}
        >
          <span dir="auto">{name}</span>
        </button>
      ))}
    </div>
  );
}

/** Edits when turns change, and whose is the first. */
export function TurnsFields(props: {
  path: string;
  of: TurnsEdit;
  /** Of those who take turns. */
  first: string;
  wrong(field: string): string | null;
  onChange(changes: Partial<TurnsEdit>): void;
}) {
  const say = wordsOf('duties').form;
  const { of, path } = props;
  const isWeekly = of.change === 'weekly';
  return (
    <div class="turns">
      <Choice
        label={say.change}
        name={`${path}.change`}
        value={of.change}
        options={[
          ['weekly', say.changes.weekly],
          ['daily', say.changes.daily],
        ]}
        wrong={props.wrong('change')}
        onChoose={change => props.onChange({ change: change === 'daily' ? 'daily' : 'weekly' })}
      />
      {isWeekly && (
        <Choice
          label={say.changeDay}
          name={`${path}.day`}
          value={of.day}
          options={WEEKDAYS.map(day => [day, weekdayName(day, 'long')] as const)}
          onChoose={day => props.onChange({ day })}
        />
      )}
      <Field
        label={say.changeClock}
        name={`${path}.clock`}
        type="time"
        value={of.clock}
        wrong={props.wrong('at')}
        onInput={clock => props.onChange({ clock })}
      />
      <Choice
        label={say.every}
        name={`${path}.every`}
        value={String(of.every)}
        options={[...new Set([...EVERY, of.every])].map(count => [String(count), say.spans[of.change](count)] as const)}
        wrong={props.wrong('every')}
        onChoose={every => props.onChange({ every: Number(every) })}
      />
      <Field
        label={props.first === '' ? say.since : say.sinceOf(props.first)}
        name={`${path}.since`}
        type="date"
        value={of.since}
        hint={/^\d{4}-\d\d-\d\d$/.test(of.since) ? say.sinceHint(dayName(of.since)) : ''}
        wrong={props.wrong('since')}
        onInput={since => props.onChange({ since })}
      />
    </div>
  );
}
