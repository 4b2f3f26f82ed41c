import type { ComponentChildren } from 'preact';
import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import { Toggle } from '../../design/fields.tsx';
import { Choice, Field } from '../../design/parts.tsx';
import type { Draft } from '../forms/draft.ts';
import { type Doing, FormEnd, Met, Refused } from '../forms/edit.tsx';
import { named } from '../way/router.ts';
import { wordsOf } from '../words.ts';

/** What alarms and panic buttons both have. */
interface Common {
  version: number;
  name: string;
  locationId: string;
  disabled: boolean;
}

/**
 * Shows the fields that alarms and panic buttons share, but not the test switch, which asks first. `children`: further
 * fields, above the switches.
 */
export function SourceForm<T extends Common>(on: {
  thing: 'alarm' | 'panic_button';
  draft: Draft<T>;
  doing: Doing;
  places: readonly Location[];
  /** The paths of the fields that it shows besides these. */
  shown: readonly string[];
  /** Beside its name and its place. */
  beside?: ComponentChildren;
  children?: ComponentChildren;
  onSave(): void;
  /** Nothing is stored. */
  onCancel(): void;
}) {
  const say = wordsOf('alarms');
  const { draft, doing } = on;
  const { value, changed } = draft;
  const set = (changes: Partial<Common>) => draft.set(changes as Partial<T>);

  function submit(event: Event) {
    event.preventDefault();
    if (changed.length > 0) on.onSave();
  }

  return (
    <form class="card form" onSubmit={submit}>
      <fieldset>
        <div class="columns">
          <Field
            label={say.name}
            name="name"
            value={value.name}
            required
            focus={named.value === ''}
            wrong={doing.wrong('name')}
            onInput={name => set({ name })}
          />
          <Choice
            label={say.location}
            name="location"
            value={value.locationId}
            options={on.places.map(({ id, name }) => [id, name] as const)}
            wrong={doing.wrong('locationId')}
            onChoose={locationId => set({ locationId })}
          />
          {on.beside}
        </div>
        {on.children}
        <Toggle
          id="disabled"
          label={say.switches.disabled.label}
          text={say.switches.disabled.text}
          value={value.disabled}
          wrong={doing.wrong('disabled')}
          onChange={disabled => set({ disabled })}
        />
      </fieldset>
      <Met of={draft} doing={doing} thing={on.thing} />
      <Refused on={doing} shown={['name', 'locationId', 'disabled', ...on.shown]} />
      <FormEnd
        on={doing}
        onCancel={() => {
          draft.end();
          on.onCancel();
        }}
      />
    </form>
  );
}
