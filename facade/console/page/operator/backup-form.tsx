import { useState } from 'preact/hooks';
import type { GetBackupsResponse } from '../../../../gen/tocsin/console/v1/deployment_pb.ts';
import { Choice, Field } from '../../design/parts.tsx';
import { useDraft } from '../forms/draft.ts';
import { useDoing } from '../forms/edit.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { deployment } from '../rpc/rpc-settings.ts';
import { daysOf, pauseOf } from '../settings/units.ts';
import { words, wordsOf } from '../words.ts';
import { NotStored } from './not-stored.tsx';
import { newPassphrase } from './passphrase.ts';

/** What the edit is called, as in useDraft. */
export const BACKUP_DRAFT = 'backups';

/** What may be chosen; what `tocsin backups set` stored besides stays a choice. */
const EVERY_S = [3_600, 21_600, 43_200, 86_400, 604_800];
const KEEP = [3, 7, 14, 30, 90];

/** Says from the beginning of one to the next. */
export function everyOf(seconds: number): string {
  return seconds > 86_400 && seconds % 86_400 === 0 ? daysOf(seconds / 86_400) : pauseOf(seconds);
}

function editOf({ folder, everyS, keep, version }: GetBackupsResponse) {
  return { folder, everyS: everyS || 86_400, keep: keep || 7, version };
}

/**
 * Sets up where backups go, how often, how many are kept and their passphrase: the folder is tried first. `onDone`: stored, or cancelled where
 * that is possible; `onStale`: somebody else changed it, and what they stored is to be read.
 */
export function BackupForm(on: {
  of: GetBackupsResponse;
  cancel: 'possible' | 'not_possible';
  onDone(): void;
  onStale(): void;
}) {
  const say = wordsOf('operator').backup.setUp;
  const { of } = on;
  const draft = useDraft(editOf(of), BACKUP_DRAFT);
  const { folder, everyS, keep, version } = draft.value;
  const [passphrase, type] = useState('');
  const [made, show] = useState('');
  const doing = useDoing();
  const isKept = of.setIn === 'console' && of.leftOut === '';

  async function save() {
    const result = await doing.run(() => deployment.setBackups({ folder, everyS, keep, passphrase, version }));
    if (result === 'done') {
      draft.end({ folder, everyS, keep, version: version + 1 });
      on.onDone();
    } else if (result.kind === 'conflict') on.onStale();
  }

  return (
    <form
      class="card form"
      onSubmit={event => {
        event.preventDefault();
        void save();
      }}
    >
      <Field
        label={say.folder}
        name="backupFolder"
        required
        value={folder}
        onInput={folder => draft.set({ folder })}
        hint={say.folderHint}
        wrong={doing.wrong('folder')}
      />
      <div class="pair">
        <Choice
          label={say.every}
          name="backupEvery"
          value={String(everyS)}
          options={withNow(EVERY_S, everyS).map(one => [String(one), everyOf(one)])}
          wrong={doing.wrong('everyS')}
          onChoose={chosen => draft.set({ everyS: Number(chosen) })}
        />
        <Choice
          label={say.keep}
          name="backupKeep"
          value={String(keep)}
          options={withNow(KEEP, keep).map(one => [String(one), String(one)])}
          wrong={doing.wrong('keep')}
          onChoose={chosen => draft.set({ keep: Number(chosen) })}
        />
      </div>
      {made === '' ? (
        <>
          <Field
            label={say.passphrase}
            name="backupPassphrase"
            type="password"
            autocomplete="new-password"
            required={!isKept}
            value={passphrase}
            onInput={type}
            hint={isKept ? say.passphraseKept : say.passphraseHint}
            wrong={doing.wrong('passphrase')}
          />
          <div class="choices">
            <button
              type="button"
              class="button quiet"
              onClick={() => {
                const fresh = newPassphrase();
                type(fresh);
                show(fresh);
              }}
            >
              {say.make}
            </button>
          </div>
        </>
      ) : (
        <ShownOnce
          title={say.passphrase}
          text={say.madeText}
          secret={made}
          done={wordsOf('operator').noted}
          onDone={() => show('')}
        />
      )}
      <NotStored doing={doing} fields={['folder', 'everyS', 'keep', 'passphrase']} />
      <div class="choices">
        <button type="submit" class="button" disabled={doing.is === 'working' || made !== ''}>
          {wordsOf('operator').carriers.save}
        </button>
        {on.cancel === 'possible' && (
          <button
            type="button"
            class="button quiet"
            onClick={() => {
              draft.end();
              on.onDone();
            }}
          >
            {words().cancel}
          </button>
        )}
        <span class="soft" role="status">
          {doing.is === 'working' && say.trying}
        </span>
      </div>
    </form>
  );
}

function withNow(usual: readonly number[], now: number): number[] {
  return [...new Set([...usual, now])].sort((one, other) => one - other);
}
