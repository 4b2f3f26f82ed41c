import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { ApiKey } from '../../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { Choice, Field } from '../../design/parts.tsx';
import { useDraft } from '../forms/draft.ts';
import { FormEnd, Met, Refused, useDoing } from '../forms/edit.tsx';
import { dayIn, endOfDayIn } from '../parts/days.ts';
import { zones } from '../parts/time.tsx';
import { apiKeys } from '../rpc/rpc-keys.ts';
import { pauseOf } from '../settings/units.ts';
import { wordsOf } from '../words.ts';
import type { MadeKey } from './shown.tsx';

/** A key as its form holds it. */
export interface KeyEdit
  extends Pick<ApiKey, 'id' | 'key' | 'version' | 'label' | 'alarmId' | 'lookUrl' | 'supervisionS' | 'onSilence'> {
  /** The last day on which it works, as the account's clocks count days: `2027-01-31`. Empty: it never ends. */
  lastDay: string;
  /** The supervision that fits how it calls, in seconds; 0: not known yet. */
  proposedS: number;
}

export const NEW_KEY: KeyEdit = {
  id: '',
  key: '',
  version: 0,
  label: '',
  alarmId: '',
  lookUrl: '',
  lastDay: '',
  supervisionS: 0,
  onSilence: 'notify',
  proposedS: 0,
};

/** What the edit of a key is called, as in useDraft. */
export function keyDraft(id: string): string {
  return `key ${id || 'new'}`;
}

export function keyEditOf(of: ApiKey): KeyEdit {
  const { id, key, version, label, alarmId, lookUrl, expiresAt } = of;
  const { supervisionS, onSilence, proposedSupervisionS: proposedS } = of;
  const lastDay = expiresAt === undefined ? '' : dayIn(timestampDate(expiresAt), zones().account);
  return { id, key, version, label, alarmId, lookUrl, lastDay, supervisionS, onSilence, proposedS };
}

/** The fields that can be changed, as a mask of the service names them. */
const MASK: Readonly<Record<string, string>> = {
  label: 'label',
  lookUrl: 'look_url',
  lastDay: 'expires_at',
  supervisionS: 'supervision_s',
  onSilence: 'on_silence',
};

/** The supervisions that are offered, in seconds; 0: none. */
const SUPERVISIONS = [0, 120, 300, 600, 900, 1_800, 3_600, 21_600, 86_400, 604_800];

/**
 * Creates a key, or changes its label, its look-here link and its end. `onDone`: called with the key, and with its secret if it is new; with
 * null if cancelled.
 */
export function KeyForm(on: { of: KeyEdit; alarms: readonly Alarm[]; onDone(made: MadeKey | null): void }) {
  const say = wordsOf('keys');
  const draft = useDraft(on.of, keyDraft(on.of.id));
  const doing = useDoing();
  const { value, set } = draft;
  const isNew = on.of.id === '';

  async function save() {
    const { lastDay, proposedS: _, ...fields } = value;
    const ends = lastDay === '' ? {} : { expiresAt: timestampFromDate(endOfDayIn(lastDay, zones().account)) };
    const apiKey = { ...fields, ...ends };
    let made: MadeKey | null = null;
    const result = await doing.run(async () => {
      if (isNew) {
        const { apiKey: key, secret } = await apiKeys.createApiKey({ apiKey });
        made = { key: key!, secret };
      } else {
        // The day is less than what is stored, which may end at any time of it: only what was changed is sent.
        const paths = draft.changed.flatMap(field => MASK[field] ?? []);
        if (paths.length === 0) return;
        const { apiKey: key } = await apiKeys.updateApiKey({ apiKey, updateMask: { paths } });
        made = { key: key!, secret: '' };
      }
    });
    if (result !== 'done') return;
    draft.end();
    on.onDone(made);
  }

  return (
    <form
      class="card editor"
      noValidate
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <h2 dir="auto">{isNew ? say.form.new : say.form.edit(on.of.label)}</h2>
      <Met of={draft} doing={doing} thing="api_key" />
      <Field
        label={say.form.label}
        name="label"
        required
        focus
        value={value.label}
        hint={say.form.labelHint}
        wrong={doing.wrong('label')}
        onInput={label => set({ label })}
      />
      <div class="two">
        {isNew && (
          <div class="stack">
            <Choice
              label={say.form.reach}
              value={value.alarmId}
              options={[['', say.account], ...on.alarms.map(({ id, name }) => [id, say.only(name)] as const)]}
              onChoose={alarmId => set(alarmId === '' ? { alarmId, onSilence: 'notify' } : { alarmId })}
            />
            <small class="soft">{say.form.reachHint}</small>
          </div>
        )}
        <Field
          label={say.form.expires}
          name="expires"
          type="date"
          value={value.lastDay}
          hint={say.form.expiresHint}
          wrong={doing.wrong('expiresAt')}
          onInput={lastDay => set({ lastDay })}
        />
        <Choice
          label={say.form.supervision}
          name="supervision"
          value={String(value.supervisionS)}
          options={supervisionsFor(on.of).map(seconds => [
            String(seconds),
            seconds === 0 ? say.form.unsupervised : say.form.silentFor(pauseOf(seconds)),
          ])}
          hint={on.of.proposedS === 0 ? say.form.supervisionHint : say.form.proposed(pauseOf(on.of.proposedS))}
          wrong={doing.wrong('supervisionS')}
          onChoose={seconds => set({ supervisionS: Number(seconds) })}
        />
        {value.supervisionS > 0 && value.alarmId !== '' && (
          <Choice
            label={say.form.onSilence}
            name="on-silence"
            value={value.onSilence}
            options={Object.entries(say.form.onSilences)}
            hint={say.form.onSilenceHint}
            wrong={doing.wrong('onSilence')}
            onChoose={onSilence => set({ onSilence })}
          />
        )}
      </div>
      <Field
        label={say.form.lookUrl}
        name="look"
        type="url"
        value={value.lookUrl}
        hint={say.form.lookUrlHint}
        wrong={doing.wrong('lookUrl')}
        onInput={lookUrl => set({ lookUrl })}
      />
      <Refused on={doing} shown={['label', 'expiresAt', 'lookUrl', 'supervisionS', 'onSilence']} />
      <FormEnd
        on={doing}
        onCancel={() => {
          draft.end();
          on.onDone(null);
        }}
      >
        {isNew ? say.form.create : undefined}
      </FormEnd>
    </form>
  );
}

/** What is stored and what is proposed are offered as well. */
function supervisionsFor({ supervisionS, proposedS }: KeyEdit): number[] {
  return [...new Set([...SUPERVISIONS, supervisionS, proposedS])].toSorted((a, b) => a - b);
}
