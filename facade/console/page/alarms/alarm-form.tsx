import { useState } from 'preact/hooks';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { Toggle } from '../../design/fields.tsx';
import { ConfirmAct } from '../forms/confirm-act.tsx';
import { useDraft } from '../forms/draft.ts';
import { useDoing } from '../forms/edit.tsx';
import { nameOfMode } from '../parts/mode-name.ts';
import { alarms } from '../rpc/rpc.ts';
import { words, wordsOf } from '../words.ts';
import { MODES, type ModeDraft, Modes } from './modes.tsx';
import { SourceForm } from './source-form.tsx';

const MODE_FIELDS = ['id', 'name', 'policyId', 'windowS'];
const SHOWN = [
  ...['onlyWhenArmed', 'clearOnDisarm'],
  ...MODES.flatMap((_, index) => MODE_FIELDS.map(field => `modes[${index}].${field}`)),
];

/** Returns the name of the edit of an alarm. */
export const alarmDraft = (id: string) => `alarm ${id}`;

/** Shows an alarm's form. Asks before it saves a mode that would alert nobody. */
export function AlarmForm(props: {
  of: Alarm;
  places: readonly Location[];
  policies: readonly Policy[];
  onDone(stored: Alarm | null): void;
}) {
  const say = wordsOf('alarms');
  const doing = useDoing();
  const [silent, setSilent] = useState<readonly string[]>([]);
  const { of } = props;
  const draft = useDraft(editable(of), alarmDraft(of.id));
  const { value, set, changed } = draft;

  async function save(force: boolean) {
    const updateMask = { paths: [...changed] };
    const { alarm } = await alarms.updateAlarm({ alarm: { id: of.id, ...value }, updateMask, force });
    draft.end(editable(alarm!));
    props.onDone(alarm!);
  }

  function ask() {
    const gone = changed.includes('modes') ? modesGoneSilent(of, value.modes) : [];
    if (gone.length > 0) setSilent(gone);
    else void doing.run(() => save(false));
  }

  return (
    <>
      <SourceForm
        thing="alarm"
        draft={draft}
        doing={doing}
        places={props.places}
        shown={SHOWN}
        onSave={ask}
        onCancel={() => props.onDone(null)}
      >
        <h3>{say.modes}</h3>
        <p class="soft small">{say.windowText}</p>
        <Modes value={value.modes} policies={props.policies} doing={doing} onChange={modes => set({ modes })} />
        <h3>{say.behaviour}</h3>
        {(['onlyWhenArmed', 'clearOnDisarm'] as const).map(field => (
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
      </SourceForm>
      {silent.length > 0 && (
        <ConfirmAct
          doing={doing}
          title={say.confirmSilent(silent.join(', '))}
          text={say.silentText}
          yes={words().save}
          act={() => save(true)}
          onEnd={() => setSilent([])}
          onRefused={() => setSilent([])}
        />
      )}
    </>
  );
}

function editable({ version, name, locationId, onlyWhenArmed, clearOnDisarm, disabled, modes }: Alarm) {
  const plain = modes.map(({ id, name, policyId, windowS }): ModeDraft => ({ id, name, policyId, windowS }));
  return { version, name, locationId, modes: plain, onlyWhenArmed, clearOnDisarm, disabled };
}

/** Returns the names of the modes that an edit would silence: those that lose their policy, and the armed one if it goes. */
function modesGoneSilent({ modes, armedMode }: Alarm, after: readonly ModeDraft[]): string[] {
  const kept = new Map(after.map(mode => [mode.id, mode]));
  return modes
    .filter(({ id, policyId }) => (policyId !== '' && !kept.get(id)?.policyId) || (id === armedMode && !kept.has(id)))
    .map(nameOfMode);
}
