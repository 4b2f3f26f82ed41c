import { Field } from '../../design/parts.tsx';
import { Reorder } from '../forms/reorder.tsx';
import { CHANNELS } from '../people/reach.ts';
import { words, wordsOf } from '../words.ts';
import { endsNextDay, type HoursEdit, hoursWith, isAllDay, turnsFor } from './edit.ts';
import { weekdayName, whenOf } from './say.ts';
import { daysOf, daysText, NO_DAY, WEEKDAYS } from './weekdays.ts';
import { type Known, TurnsFields, WhoFields } from './who-fields.tsx';

/** What was refused, by the fields of messages. */
export interface Wrongs {
  /** The sentence of one field. */
  at(field: string): string | null;
  /** The sentences of a field and all below it, those of `but` left out. */
  below(field: string, but?: readonly string[]): string[];
}

/** Edits hours of the week: on which days, from when to when, and who is on duty then. */
export function HoursFields(props: {
  of: HoursEdit;
  at: number;
  all: readonly HoursEdit[];
  zone: string;
  people: Known;
  wrongs: Wrongs;
  onChange(hours: HoursEdit): void;
  onOrder(all: HoursEdit[]): void;
}) {
  const say = wordsOf('duties').form;
  const { of, at, wrongs, people } = props;
  const path = `hours[${at}]`;
  const name = say.hoursNumber(at + 1);
  const change = (changes: Partial<HoursEdit>) => props.onChange(hoursWith(of, changes, props.zone));
  const { turns } = of.who;
  const turnsPath = `${path}.who.turns`;
  const ofTurns = ['change', 'every', 'at', 'since'].map(field => `${turnsPath}.${field}`);
  const own = ['days', 'from', 'to', 'who', 'channels'].map(field => `${path}.${field}`);
  return (
    <li>
      <div class="head">
        <b>{of.days === NO_DAY ? name : whenOf(of)}</b>
        <div class="do">
          <Reorder all={props.all} at={at} name={name} group="hours" onMove={props.onOrder} />
          <button
            type="button"
            class="button bare"
            aria-label={`${words().remove}: ${name}`}
            onClick={() => props.onOrder(props.all.filter((_, index) => index !== at))}
          >
            {words().remove}
          </button>
        </div>
      </div>
      <Days of={of} path={path} wrong={of.days === NO_DAY ? say.noDay : wrongs.at(`${path}.days`)} onChange={change} />
      <label class="check">
        <input
          type="checkbox"
          name={`${path}.allDay`}
          checked={isAllDay(of)}
          onChange={event =>
            change(event.currentTarget.checked ? { from: '00:00', to: '00:00' } : { from: '08:00', to: '18:00' })
          }
        />
        {wordsOf('duties').allDay}
      </label>
      {!isAllDay(of) && (
        <div class="turns">
          <Field
            label={wordsOf('duties').fields['hours.from']!}
            name={`${path}.from`}
            type="time"
            value={of.from}
            wrong={wrongs.at(`${path}.from`)}
            onInput={from => change({ from })}
          />
          <Field
            label={wordsOf('duties').fields['hours.to']!}
            name={`${path}.to`}
            type="time"
            value={of.to}
            hint={endsNextDay(of) ? say.endsNextDay : ''}
            wrong={wrongs.at(`${path}.to`)}
            onInput={to => change({ to })}
          />
        </div>
      )}
      <WhoFields
        label={wordsOf('duties').fields['hours.who']!}
        path={`${path}.who`}
        of={of.who}
        people={people}
        wrong={wrongs.below(`${path}.who`, turns === null ? [] : ofTurns)}
        proposed={() => turnsFor(of, props.zone)}
        onChange={who => change({ who })}
      />
      {turns !== null && (
        <TurnsFields
          path={turnsPath}
          of={turns}
          first={people.find(({ id }) => id === of.who.people[0])?.name ?? ''}
          wrong={field => wrongs.at(`${turnsPath}.${field}`)}
          onChange={changes => change({ who: { ...of.who, turns: { ...turns, ...changes } } })}
        />
      )}
      <Over of={of} wrong={wrongs.below(`${path}.channels`)} onChange={change} />
      {wrongs.below(path, own).map(problem => (
        <p key={problem} class="wrong" role="alert">
          {problem}
        </p>
      ))}
    </li>
  );
}

function Days(props: {
  of: HoursEdit;
  path: string;
  wrong: string | null;
  onChange(changes: Partial<HoursEdit>): void;
}) {
  const chosen = props.of.days === NO_DAY ? [] : daysOf(props.of.days);
  return (
    <fieldset class="days-on" id={`${props.path}.days`}>
      <legend>{wordsOf('duties').fields['hours.days']}</legend>
      <div class="segments">
        {WEEKDAYS.map(day => (
          <label key={day}>
            <input
              type="checkbox"
              name={`${props.path}.${day}`}
              aria-label={weekdayName(day, 'long')}
              checked={chosen.includes(day)}
              onChange={event => {
                const { checked } = event.currentTarget;
                props.onChange({ days: daysText(checked ? [...chosen, day] : chosen.filter(one => one !== day)) });
              }}
            />
            <span>{weekdayName(day)}</span>
          </label>
        ))}
      </div>
      {props.wrong !== null && (
        <p class="wrong" role="alert">
          {props.wrong}
        </p>
      )}
    </fieldset>
  );
}

/** Chooses the only channels over which people are told then. */
function Over(props: { of: HoursEdit; wrong: readonly string[]; onChange(changes: Partial<HoursEdit>): void }) {
  const say = wordsOf('duties').form;
  const { channels } = props.of;
  const toggle = (channel: string) =>
    props.onChange({
      channels: channels.includes(channel) ? channels.filter(one => one !== channel) : [...channels, channel],
    });
  return (
    <details open={channels.length > 0 || props.wrong.length > 0}>
      <summary>{say.over}</summary>
      <p class="soft small">{say.overHint}</p>
      <div class="do">
        {CHANNELS.map(channel => (
          <label key={channel} class="check">
            <input type="checkbox" checked={channels.includes(channel)} onChange={() => toggle(channel)} />
            {words().incident.channels[channel]}
          </label>
        ))}
      </div>
      {props.wrong.map(problem => (
        <p key={problem} class="wrong" role="alert">
          {problem}
        </p>
      ))}
    </details>
  );
}
