import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { Toggle } from '../../design/fields.tsx';
import { Field } from '../../design/parts.tsx';
import { useDraft } from '../forms/draft.ts';
import { type Doing, FormEnd, Met, Refused, sentence, useDoing } from '../forms/edit.tsx';
import { duties } from '../rpc/rpc-policies.ts';
import { words, wordsOf } from '../words.ts';
import { DUTY_MASK, type DutyEdit, dutyDraft, dutyOf, type HoursEdit, hoursAfter, turnsFor } from './edit.ts';
import { HoursFields, type Wrongs } from './hours-fields.tsx';
import { Rules } from './rules.tsx';
import { EVERY_DAY } from './weekdays.ts';
import { TurnsFields, WhoFields } from './who-fields.tsx';

/** Shows a duty's form, beside what it says in words. `onDone`: called with what was stored, or with null if cancelled. */
export function DutyForm(on: { of: DutyEdit; people: readonly Contact[]; onDone(stored: Duty | null): void }) {
  const say = wordsOf('duties').form;
  const { fields } = wordsOf('duties');
  const draft = useDraft(on.of, dutyDraft(on.of.id));
  const doing = useDoing();
  const wrongs = wrongsOf(doing);
  const { value, set } = draft;
  const isNew = on.of.id === '';

  async function save() {
    let stored: Duty | undefined;
    const duty = dutyOf(value);
    const result = await doing.run(async () => {
      const answer = isNew
        ? await duties.createDuty({ duty })
        : await duties.updateDuty({ duty, updateMask: DUTY_MASK });
      stored = answer.duty;
    });
    if (result !== 'done') return;
    draft.end();
    on.onDone(stored!);
  }

  const changeHours = (at: number, hours: HoursEdit) =>
    set(({ hours: all }) => ({ hours: all.map((one, index) => (index === at ? hours : one)) }));
  const { turns } = value.otherwise;
  const ofTurns = ['change', 'every', 'at', 'since'].map(field => `otherwise.turns.${field}`);

  return (
    <div class="split editing">
      <form
        class="card editor"
        noValidate
        onSubmit={event => {
          event.preventDefault();
          void save();
        }}
      >
        <h1 dir="auto">{isNew ? say.new : say.edit(on.of.name)}</h1>
        <Met of={draft} doing={doing} thing="duty" />
        <Field
          label={fields.name!}
          name="name"
          required
          focus={isNew}
          value={value.name}
          hint={say.nameHint}
          wrong={doing.wrong('name')}
          onInput={name => set({ name })}
        />
        <Field
          label={fields.timeZone!}
          name="timeZone"
          value={value.timeZone}
          hint={say.timeZoneHint}
          suggestions={Intl.supportedValuesOf('timeZone')}
          wrong={doing.wrong('timeZone')}
          onInput={timeZone => set({ timeZone })}
        />
        <fieldset>
          <legend>{fields.hours}</legend>
          <p class="soft small">{say.hoursHint}</p>
          <ol class="ways">
            {value.hours.map((hours, at) => (
              <HoursFields
                // Hours are their place: Mover brings the keyboard along.
                key={at}
                of={hours}
                at={at}
                all={value.hours}
                zone={value.timeZone}
                people={on.people}
                wrongs={wrongs}
                onChange={changed => changeHours(at, changed)}
                onOrder={hours => set({ hours })}
              />
            ))}
          </ol>
          {doing.wrong('hours') !== null && (
            <p class="wrong" role="alert">
              {doing.wrong('hours')}
            </p>
          )}
          <div class="do">
            <button
              type="button"
              class="button quiet small"
              onClick={() => set({ hours: [...value.hours, hoursAfter(value.hours)] })}
            >
              {say.addHours}
            </button>
          </div>
        </fieldset>
        <div class="ways">
          <div class="other-times">
            <WhoFields
              label={wordsOf('duties').otherTimes}
              path="otherwise"
              of={value.otherwise}
              people={on.people}
              hint={say.otherwiseHint}
              wrong={wrongs.below('otherwise', turns === null ? [] : ofTurns)}
              proposed={() => turnsFor({ days: EVERY_DAY, from: '00:00' }, value.timeZone)}
              onChange={otherwise => set({ otherwise })}
            />
            {turns !== null && (
              <TurnsFields
                path="otherwise.turns"
                of={turns}
                first={on.people.find(({ id }) => id === value.otherwise.people[0])?.name ?? ''}
                wrong={field => doing.wrong(`otherwise.turns.${field}`)}
                onChange={changes => set({ otherwise: { ...value.otherwise, turns: { ...turns, ...changes } } })}
              />
            )}
          </div>
        </div>
        <Toggle
          label={fields.tell!}
          text={say.tellText}
          value={value.tell}
          wrong={doing.wrong('tell')}
          onChange={tell => set({ tell })}
        />
        <details open={doing.wrong('key') !== null}>
          <summary>{wordsOf('people').form.further}</summary>
          <Field
            label={words().fields.key}
            name="key"
            value={value.key}
            hint={say.keyHint}
            wrong={doing.wrong('key')}
            onInput={key => set({ key })}
          />
        </details>
        <Refused on={doing} shown={shownOf(doing)} />
        {!isNew && <p class="soft small">{say.running}</p>}
        <FormEnd
          on={doing}
          onCancel={() => {
            draft.end();
            on.onDone(null);
          }}
        >
          {isNew ? say.create : undefined}
        </FormEnd>
      </form>
      <section class="stack beside">
        <h2>{say.inWords}</h2>
        <Rules of={value} people={on.people} />
        <p class="soft small">{say.inWordsHint}</p>
      </section>
    </div>
  );
}

function wrongsOf(doing: Doing): Wrongs {
  const all = [...(doing.refusal?.fields ?? [])];
  return {
    at: field => doing.wrong(field),
    below: (field, but = []) =>
      all
        .filter(([path]) => isWithin(path, field) && !but.some(one => isWithin(path, one)))
        .map(([, problem]) => sentence(problem)),
  };
}

/** Tells whether a path names a field, or something inside it. */
function isWithin(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

/** The refusals that are shown beside their own fields. */
function shownOf({ refusal }: Doing): string[] {
  const fields = ['name', 'timeZone', 'key', 'tell', 'otherwise', 'hours'];
  return [...(refusal?.fields.keys() ?? [])].filter(path => fields.some(field => isWithin(path, field)));
}
