import { useState } from 'preact/hooks';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { Toggle } from '../../design/fields.tsx';
import { Choice, Confirm, Field } from '../../design/parts.tsx';
import { useDraft } from '../draft.ts';
import { FormEnd, Met, Refused, useDoing } from '../edit.tsx';
import { may } from '../may.ts';
import { alarms } from '../rpc.ts';
import { words, wordsOf } from '../words.ts';
import { MODES, type ModeDraft, Modes } from './modes.tsx';

const MODE_FIELDS = ['id', 'name', 'policyId', 'windowS'];
const SHOWN = [
  ...['name', 'locationId', 'onlyWhenArmed', 'clearOnDisarm', 'disabled'],
  ...MODES.flatMap((_, index) => MODE_FIELDS.map(field => `modes[${index}].${field}`)),
];

/** An alarm as it is edited: all but its test switch, which asks first. */
export function AlarmForm(on: { of: Alarm; places: readonly Location[]; policies: readonly Policy[] }) {
  const say = wordsOf('alarms');
  const doing = useDoing();
  const [asking, ask] = useState<readonly string[]>([]);
  const { of } = on;
  const draft = useDraft(editable(of), `alarm ${of.id}`);
  const { value, set, changed } = draft;

  async function save(force: boolean) {
    const { version, ...fields } = value;
    const updateMask = { paths: [...changed] };
    await doing.run(async () => {
      const { alarm } = await alarms.updateAlarm({ alarm: { id: of.id, version, ...fields }, updateMask, force });
      draft.end(editable(alarm!));
    });
    ask([]);
  }

  function submit(event: Event) {
    event.preventDefault();
    if (changed.length === 0) return;
    const silent = changed.includes('modes') ? modesGoneSilent(of, value.modes) : [];
    if (silent.length > 0) ask(silent);
    else void save(false);
  }

  return (
    <form class="card form" onSubmit={submit}>
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
        </div>
        <h3>{say.modes}</h3>
        <p class="soft small">{say.windowText}</p>
        <Modes value={value.modes} policies={on.policies} doing={doing} onChange={modes => set({ modes })} />
        <h3>{say.behaviour}</h3>
        {(['onlyWhenArmed', 'clearOnDisarm', 'disabled'] as const).map(field => (
          <Toggle
            key={field}
            id={field}
            label={say.switches[field].label}
            text={say.switches[field].text}
            value={value[field]}
            wrong={doing.wrong(field)}
            onChange={to => set({ [field]: to })}
          />
        ))}
      </fieldset>
      <Met of={draft} doing={doing} nameOf={field => say.fields[field] ?? field} />
      <Refused on={doing} shown={SHOWN} />
      {may('configure') && <FormEnd on={doing} {...(changed.length > 0 ? { onCancel: () => draft.end() } : {})} />}
      {asking.length > 0 && (
        <Confirm
          title={say.confirmSilent(asking.join(', '))}
          text={say.silentText}
          yes={words().save}
          no={words().cancel}
          tone="live"
          wrong={null}
          working={doing.is === 'working'}
          onYes={() => void save(true)}
          onNo={() => ask([])}
        />
      )}
    </form>
  );
}

function editable({ version, name, locationId, onlyWhenArmed, clearOnDisarm, disabled, modes }: Alarm) {
  const plain = modes.map(({ id, name, policyId, windowS }): ModeDraft => ({ id, name, policyId, windowS }));
  return { version, name, locationId, modes: plain, onlyWhenArmed, clearOnDisarm, disabled };
}

/** The names of modes that would alert nobody from then on: those that lose their policy, and the armed one that goes. */
function modesGoneSilent({ modes, armedMode }: Alarm, after: readonly ModeDraft[]): string[] {
  const kept = new Map(after.map(mode => [mode.id, mode]));
  return modes
    .filter(({ id, policyId }) => (policyId !== '' && !kept.get(id)?.policyId) || (id === armedMode && !kept.has(id)))
    .map(({ name }) => name);
}
