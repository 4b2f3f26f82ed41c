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
  // That there is to be a new passphrase, and never which: what is typed is kept nowhere.
  return { folder, everyS: everyS || 86_400, keep: keep || 7, passphraseIs: 'stays' as 'stays' | 'new', version };
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
  const { folder, everyS, keep, passphraseIs, version } = draft.value;
  const [passphrase, setPassphrase] = useState('');
  const [again, repeat] = useState('');
  const [repeated, compare] = useState<'as_typed' | 'otherwise'>('as_typed');
  const [made, make] = useState('');
  const [madeIs, show] = useState<'shown' | 'hidden'>('hidden');
  const doing = useDoing();
  const isKept = of.setIn === 'console' && of.leftOut === '' && passphraseIs === 'stays';
  const isLost = passphraseIs === 'new' && passphrase === '';
  const isTyped = passphrase === '' ? !isKept : passphrase !== made;

  function type(passphrase: string) {
    setPassphrase(passphrase);
    compare('as_typed');
    draft.set({ passphraseIs: passphrase === '' ? 'stays' : 'new' });
  }

  async function save() {
    if (isTyped && again !== passphrase) return compare('otherwise');
    const result = await doing.run(() => deployment.setBackups({ folder, everyS, keep, passphrase, version }));
    if (result === 'done') {
      draft.end({ folder, everyS, keep, passphraseIs: 'stays', version: version + 1 });
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
      {madeIs === 'hidden' ? (
        <>
          <Field
            label={say.passphrase}
            name="backupPassphrase"
            type="password"
            autocomplete="new-password"
            required={!isKept}
            value={passphrase}
            onInput={type}
            hint={isKept ? say.passphraseKept : isLost ? say.passphraseLost : say.passphraseHint}
            wrong={doing.wrong('passphrase')}
          />
          {isTyped && (
            <Field
              label={say.passphraseAgain}
              name="backupPassphraseAgain"
              type="password"
              autocomplete="new-password"
              required
              value={again}
              onInput={typed => {
                repeat(typed);
                compare('as_typed');
              }}
              wrong={repeated === 'otherwise' ? say.passphraseDiffers : null}
            />
          )}
          <div class="choices">
            <button
              type="button"
              class="button quiet"
              onClick={() => {
                const fresh = newPassphrase();
                type(fresh);
                make(fresh);
                show('shown');
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
          onDone={() => show('hidden')}
        />
      )}
      <NotStored doing={doing} fields={['folder', 'everyS', 'keep', 'passphrase']} />
      <div class="choices">
        <button type="submit" class="button" disabled={doing.is === 'working' || madeIs === 'shown'}>
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
