import { useState } from 'preact/hooks';
import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import { Dialog } from '../../design/dialog.tsx';
import { Area, Toggle } from '../../design/fields.tsx';
import { Field } from '../../design/parts.tsx';
import { Delete } from '../forms/delete.tsx';
import { useDraft } from '../forms/draft.ts';
import { FormEnd, Met, Refused, useDoing } from '../forms/edit.tsx';
import { saidOfTest } from '../parts/said-of-test.ts';
import { may } from '../rpc/permissions.ts';
import { locations } from '../rpc/rpc.ts';
import { words, wordsOf } from '../words.ts';
import { ChooseTestFor, TEST_FOR, TEST_FOR_S, type TestFor } from './test-for.tsx';

const SHOWN = ['name', 'address', 'emergencyNumber', 'test'];

/** Edits a location: its name, its address for those who are alerted, and a test switch for all of it. Null: a new one. */
export function PlaceDialog({ of, onClose }: { of: Location | null; onClose(): void }) {
  const say = wordsOf('alarms');
  const doing = useDoing();
  const stored = {
    version: of?.version ?? 0,
    name: of?.name ?? '',
    address: of?.address ?? '',
    emergencyNumber: of?.emergencyNumber ?? '',
    test: of?.test ?? false,
  };
  const draft = useDraft(stored, `location ${of?.id ?? 'new'}`);
  const { value, set, changed } = draft;
  const [lasts, last] = useState<TestFor>(TEST_FOR);
  const beginsTest = of !== null && value.test && changed.includes('test');

  async function submit(event: Event) {
    event.preventDefault();
    const came = await doing.run(async () => {
      if (of === null) await locations.createLocation({ location: value });
      else if (changed.length > 0)
        await locations.updateLocation({
          location: { ...value, id: of.id, ...(beginsTest && { testForS: TEST_FOR_S[lasts] }) },
          updateMask: { paths: beginsTest ? [...changed, 'test_until'] : [...changed] },
        });
    });
    if (came !== 'done') return;
    draft.end();
    onClose();
  }

  function cancel() {
    draft.end();
    onClose();
  }

  return (
    <Dialog title={of?.name ?? say.addPlace} onClose={onClose}>
      <form onSubmit={event => void submit(event)}>
        <fieldset disabled={!may('configure')}>
          <Field
            label={say.placeName}
            name="name"
            value={value.name}
            required
            wrong={doing.wrong('name')}
            onInput={name => set({ name })}
          />
          <Area
            label={say.address}
            name="address"
            value={value.address}
            wrong={doing.wrong('address')}
            onInput={address => set({ address })}
          />
          <Field
            label={say.emergencyNumber}
            name="emergencyNumber"
            type="tel"
            value={value.emergencyNumber}
            hint={say.emergencyNumberHint}
            wrong={doing.wrong('emergencyNumber')}
            onInput={emergencyNumber => set({ emergencyNumber })}
          />
          <Toggle
            id="place-test"
            label={say.placeTest}
            text={say.placeTestText}
            value={value.test}
            wrong={doing.wrong('test')}
            onChange={test => set({ test })}
          />
          {beginsTest && <ChooseTestFor value={lasts} onChoose={last} />}
          {of?.test === true && value.test && <p class="soft small">{saidOfTest(of.testUntil)}</p>}
        </fieldset>
        <Met of={draft} doing={doing} thing="location" />
        <Refused on={doing} shown={SHOWN} />
        {may('configure') ? (
          <FormEnd on={doing} onCancel={cancel}>
            {of === null ? say.add : words().save}
          </FormEnd>
        ) : (
          <button type="button" class="button quiet" onClick={onClose}>
            {words().cancel}
          </button>
        )}
      </form>
      {of !== null && may('configure') && (
        <Delete
          place="last"
          label={say.deletePlace}
          title={say.confirmDelete(of.name)}
          text={say.deletePlaceText}
          act={() => locations.deleteLocation({ locationId: of.id })}
          onDone={onClose}
        />
      )}
    </Dialog>
  );
}

/** Says that there is no such location. It sounds the same for one that was deleted and one of another account. */
export function NoPlace({ onClose }: { onClose(): void }) {
  const { title, text } = wordsOf('alarms').placeGone;
  return (
    <Dialog title={title} onClose={onClose}>
      <p class="soft">{text}</p>
      <div class="choices">
        <button type="button" class="button quiet" onClick={onClose}>
          {wordsOf('alarms').close}
        </button>
      </div>
    </Dialog>
  );
}
