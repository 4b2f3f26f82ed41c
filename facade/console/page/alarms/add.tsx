import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { Dialog } from '../../design/dialog.tsx';
import { Choice, Field } from '../../design/parts.tsx';
import { useDraft } from '../forms/draft.ts';
import { FormEnd, Refused, useDoing } from '../forms/edit.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { usePolicies } from '../people/people.ts';
import { alarms, locations, panicButtons } from '../rpc/rpc.ts';
import { go } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { PROPOSED_WINDOW_S, proposedModes } from './modes.tsx';
import { proposedPolicy } from './propose-policy.tsx';
import { Response } from './response.tsx';

/** The value of the choice of locations that stands for a new one, which is made along with the alarm. */
const NEW = 'new';

/** The value of the choice of policies that alerts nobody, where one has to be chosen: a browser takes an empty one for none. */
const NOBODY = 'nobody';

const SHOWN = ['name', 'locationId', 'policyId', 'responseKind', 'responseText'];

interface Adding {
  kind: 'alarm' | 'panic_button';
  places: readonly Location[];
  onClose(): void;
}

/**
 * Three fields: what it is called, where it is, and who is told. Everything else has the safe choice, which is said, and changed in
 * its settings (DECISIONS.md "Default of only-trigger-when-armed").
 */
export function AddSource(on: Adding) {
  const say = wordsOf('alarms');
  const policies = usePolicies();
  return (
    <Dialog title={on.kind === 'alarm' ? say.addAlarm : say.addButton} onClose={on.onClose}>
      {policies.data === null ? <Waiting on={policies} /> : <AddForm {...on} policies={policies.data} />}
    </Dialog>
  );
}

function AddForm(on: Adding & { policies: readonly Policy[] }) {
  const say = wordsOf('alarms');
  const { policies } = on;
  const doing = useDoing();
  const begin = {
    name: '',
    locationId: on.places[0]?.id ?? NEW,
    place: '',
    policyId: null as string | null,
    responseKind: 'medical',
    responseText: '',
  };
  const draft = useDraft(begin, `new ${on.kind}`);
  const { value, set } = draft;
  const proposed = proposedPolicy(policies);
  const isToChoose = policies.length > 0 && proposed === '';
  const policyId = value.policyId ?? proposed;

  async function create() {
    let { locationId } = value;
    if (locationId === NEW) {
      locationId = (await locations.createLocation({ location: { name: value.place } })).location!.id;
      // Should the next call be refused, the location is there already.
      set({ locationId });
    }
    const made = { name: value.name, locationId };
    if (on.kind === 'alarm') {
      const alarm = { ...made, modes: proposedModes(policyId), onlyWhenArmed: true, clearOnDisarm: true };
      return `alarms/${(await alarms.createAlarm({ alarm })).alarm!.id}`;
    }
    const { responseKind, responseText } = value;
    const panicButton = { ...made, policyId, responseKind, responseText };
    return `panic-buttons/${(await panicButtons.createPanicButton({ panicButton })).panicButton!.id}`;
  }

  async function submit(event: Event) {
    event.preventDefault();
    let screen = '';
    const came = await doing.run(async () => {
      screen = await create();
    });
    if (came !== 'done') return;
    draft.end();
    go(screen, 'in_place');
  }

  function cancel() {
    draft.end();
    on.onClose();
  }

  return (
    <form onSubmit={event => void submit(event)}>
      <Field
        label={say.name}
        name="name"
        value={value.name}
        required
        focus
        wrong={doing.wrong('name')}
        onInput={name => set({ name })}
      />
      {on.kind === 'panic_button' && <Response of={value} set={set} doing={doing} />}
      <Choice
        label={say.location}
        name="location"
        value={value.locationId}
        options={[...on.places.map(({ id, name }) => [id, name] as const), [NEW, say.newPlace]]}
        wrong={doing.wrong('locationId')}
        onChoose={locationId => set({ locationId })}
      />
      {value.locationId === NEW && (
        <Field label={say.placeName} name="place" value={value.place} required onInput={place => set({ place })} />
      )}
      <Choice
        label={say.policy}
        name="policy"
        value={isToChoose && value.policyId === '' ? NOBODY : policyId}
        required={isToChoose}
        options={[
          ...(isToChoose ? ([['', say.choosePolicy]] as const) : []),
          [isToChoose ? NOBODY : '', say.noPolicy],
          ...policies.map(({ id, name }) => [id, name] as const),
        ]}
        wrong={doing.wrong('policyId') ?? doing.wrong('modes[0].policyId')}
        onChoose={chosen => set({ policyId: chosen === '' && isToChoose ? null : chosen === NOBODY ? '' : chosen })}
      />
      <p class="soft small">
        {say.beginsInTest} {on.kind === 'alarm' && say.beginsSafe(PROPOSED_WINDOW_S)}
      </p>
      <Refused on={doing} shown={SHOWN} />
      <FormEnd on={doing} onCancel={cancel}>
        {say.add}
      </FormEnd>
    </form>
  );
}
