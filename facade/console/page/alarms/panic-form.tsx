import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import type { PanicButton } from '../../../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { Choice } from '../../design/parts.tsx';
import { useDraft } from '../forms/draft.ts';
import { useDoing } from '../forms/edit.tsx';
import { panicButtons } from '../rpc/rpc.ts';
import { wordsOf } from '../words.ts';
import { ProposePolicy } from './propose-policy.tsx';
import { Response } from './response.tsx';
import { SourceForm } from './source-form.tsx';

const SHOWN = ['policyId', 'responseKind', 'responseText'];

/** Returns the name of the edit of a panic button. */
export const panicDraft = (id: string) => `panic button ${id}`;

/** Shows a panic button's form. */
export function PanicForm(on: {
  of: PanicButton;
  places: readonly Location[];
  policies: readonly Policy[];
  onDone(stored: PanicButton | null): void;
}) {
  const say = wordsOf('alarms');
  const doing = useDoing();
  const { of } = on;
  const draft = useDraft(editable(of), panicDraft(of.id));
  const { value, set, changed } = draft;

  async function save() {
    const updateMask = { paths: [...changed] };
    const { panicButton } = await panicButtons.updatePanicButton({ panicButton: { id: of.id, ...value }, updateMask });
    draft.end(editable(panicButton!));
    on.onDone(panicButton!);
  }

  const beside = (
    <>
      <div id="policy">
        <Choice
          label={say.policy}
          name="policy"
          value={value.policyId}
          options={[['', say.noPolicy], ...on.policies.map(({ id, name }) => [id, name] as const)]}
          wrong={doing.wrong('policyId')}
          onChoose={policyId => set({ policyId })}
        />
        <ProposePolicy value={value.policyId} policies={on.policies} onChoose={policyId => set({ policyId })} />
      </div>
      <Response of={value} set={set} doing={doing} />
    </>
  );
  return (
    <SourceForm
      thing="panic_button"
      draft={draft}
      doing={doing}
      places={on.places}
      shown={SHOWN}
      beside={beside}
      onSave={() => void doing.run(save)}
      onCancel={() => on.onDone(null)}
    />
  );
}

function editable({ version, name, locationId, policyId, responseKind, responseText, disabled }: PanicButton) {
  return { version, name, locationId, policyId, responseKind, responseText, disabled };
}
