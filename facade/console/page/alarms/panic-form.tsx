import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import type { PanicButton } from '../../../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { Toggle } from '../../design/fields.tsx';
import { Choice, Field } from '../../design/parts.tsx';
import { useDraft } from '../draft.ts';
import { FormEnd, Met, Refused, useDoing } from '../edit.tsx';
import { may } from '../may.ts';
import { panicButtons } from '../rpc.ts';
import { wordsOf } from '../words.ts';
import { Response } from './response.tsx';

const SHOWN = ['name', 'locationId', 'policyId', 'responseKind', 'responseText', 'disabled'];

/** A panic button as it is edited: all but its test switch, which asks first. */
export function PanicForm(on: { of: PanicButton; places: readonly Location[]; policies: readonly Policy[] }) {
  const say = wordsOf('alarms');
  const doing = useDoing();
  const { of } = on;
  const draft = useDraft(editable(of), `panic button ${of.id}`);
  const { value, set, changed } = draft;

  async function submit(event: Event) {
    event.preventDefault();
    if (changed.length === 0) return;
    const updateMask = { paths: [...changed] };
    await doing.run(async () => {
      const { panicButton } = await panicButtons.updatePanicButton({
        panicButton: { id: of.id, ...value },
        updateMask,
      });
      draft.end(editable(panicButton!));
    });
  }

  return (
    <form class="card form" onSubmit={event => void submit(event)}>
      <fieldset disabled={!may('configure')}>
        <div class="columns">
          <Field
            label={say.name}
            name="name"
            value={value.name}
            required
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
          <div id="policy">
            <Choice
              label={say.policy}
              name="policy"
              value={value.policyId}
              options={[['', say.noPolicy], ...on.policies.map(({ id, name }) => [id, name] as const)]}
              wrong={doing.wrong('policyId')}
              onChoose={policyId => set({ policyId })}
            />
          </div>
          <Response of={value} set={set} doing={doing} />
        </div>
        <Toggle
          id="disabled"
          label={say.switches.disabled.label}
          text={say.switches.disabled.text}
          value={value.disabled}
          wrong={doing.wrong('disabled')}
          onChange={disabled => set({ disabled })}
        />
      </fieldset>
      <Met of={draft} doing={doing} nameOf={field => say.fields[field] ?? field} />
      <Refused on={doing} shown={SHOWN} />
      {may('configure') && <FormEnd on={doing} {...(changed.length > 0 ? { onCancel: () => draft.end() } : {})} />}
    </form>
  );
}

function editable({ version, name, locationId, policyId, responseKind, responseText, disabled }: PanicButton) {
  return { version, name, locationId, policyId, responseKind, responseText, disabled };
}
