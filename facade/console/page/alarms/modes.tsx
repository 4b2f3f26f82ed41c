import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { Wrong } from '../../design/fields.tsx';
import { Choice, Field } from '../../design/parts.tsx';
import type { Doing } from '../forms/edit.tsx';
import { nameOfMode } from '../parts/mode-name.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import { ProposePolicy, proposedPolicy } from './propose-policy.tsx';

/** The modes that an alarm may have, in their usual order (services/domain/mode.ts). */
export const MODES = ['home', 'away', 'night', 'vacation'] as const;

/** How long a trigger in away waits for a disarm unless its owner says otherwise, in seconds (DECISIONS.md "False-alarm window"). */
export const PROPOSED_WINDOW_S = 30;

/** The modes that a new alarm is given, all of them on one policy. */
export function proposedModes(policyId: string): ModeDraft[] {
  return MODES.map(id => ({
    id,
    name: words().modes[id]!,
    policyId,
    windowS: id === 'away' ? PROPOSED_WINDOW_S : 0,
  }));
}

/** A mode as it is edited. */
export interface ModeDraft {
  id: string;
  name: string;
  policyId: string;
  /** Seconds. */
  windowS: number;
}

interface ModesOf {
  value: readonly ModeDraft[];
  policies: readonly Policy[];
  doing: Doing;
  onChange(modes: ModeDraft[]): void;
}

/** Edits the modes of an alarm: a row for each mode, with its policy and its false-alarm window. */
export function Modes(on: ModesOf) {
  return (
    <div class="modes">
      {MODES.map(id => (
        <ModeRow key={id} id={id} {...on} />
      ))}
    </div>
  );
}

function ModeRow({ id, value, policies, doing, onChange }: ModesOf & { id: string }) {
  const say = wordsOf('alarms');
  const usual = words().modes[id] ?? id;
  const index = value.findIndex(mode => mode.id === id);
  const mode = value[index];
  const wrong = (field: string) => doing.wrong(`modes[${index}].${field}`);

  function change(changes: Partial<ModeDraft>) {
    onChange(value.map(one => (one.id === id ? { ...one, ...changes } : one)));
  }

  function toggle() {
    const added = { id, name: '', policyId: value[0]?.policyId || proposedPolicy(policies), windowS: 0 };
    const next = mode === undefined ? [...value, added] : value.filter(one => one.id !== id);
    onChange(MODES.flatMap(id => next.filter(one => one.id === id)));
  }

  return (
    <fieldset class="mode" id={`mode-${id}`}>
      <legend class="unseen">{usual}</legend>
      <label class="toggle">
        <input type="checkbox" checked={mode !== undefined} onChange={toggle} />
        <span dir="auto">{mode?.name ? nameOfMode(mode) : usual}</span>
      </label>
      {mode === undefined ? (
        <p class="soft small">{say.modeOff}</p>
      ) : (
        <>
          <div>
            <Choice
              label={say.policy}
              name={`policy-${id}`}
              value={mode.policyId}
              options={[['', say.noPolicy], ...policies.map(({ id, name }) => [id, name] as const)]}
              wrong={wrong('policyId')}
              onChoose={policyId => change({ policyId })}
            />
            <ProposePolicy value={mode.policyId} policies={policies} onChoose={policyId => change({ policyId })} />
            {mode.policyId !== '' && (
              <a class="small" href={addressOf(`policies/${mode.policyId}`)} data-screen>
                {say.openPolicy}
              </a>
            )}
          </div>
          <Field
            label={say.window}
            name={`window-${id}`}
            numeric
            value={String(mode.windowS)}
            wrong={wrong('windowS')}
            onInput={text => change({ windowS: Number(text.replace(/\D/g, '').slice(0, 6)) })}
          />
          <Field
            label={say.modeName}
            name={`name-${id}`}
            value={mode.name}
            wrong={wrong('name')}
            onInput={name => change({ name })}
          />
          <Wrong says={wrong('id')} />
        </>
      )}
    </fieldset>
  );
}
