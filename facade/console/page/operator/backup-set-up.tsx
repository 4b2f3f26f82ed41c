import { useState } from 'preact/hooks';
import type { GetBackupsResponse } from '../../../../gen/tocsin/console/v1/deployment_pb.ts';
import { Delete } from '../forms/delete.tsx';
import { isUnsaved } from '../forms/draft.ts';
import { deployment } from '../rpc/rpc-settings.ts';
import { words, wordsOf } from '../words.ts';
import { BACKUP_DRAFT, BackupForm, everyOf } from './backup-form.tsx';

/** Shows how backups are set up and where, and lets the operator change it where the environment does not say it. */
export function BackupSetUp({ of, onChange }: { of: GetBackupsResponse; onChange(): void }) {
  const say = wordsOf('operator').backup.setUp;
  const { state, folder, everyS, keep, setIn, environment, leftOut, refused, version } = of;
  const [is, now] = useState<'shown' | 'edited'>('shown');
  const isSet = state !== 'not_set';
  const isFixed = setIn === 'environment' || refused;
  const isEdited = !isFixed && (setIn === '' || is === 'edited' || isUnsaved(BACKUP_DRAFT));
  return (
    <section class="stack" id="backups">
      <h2>{isSet || refused ? say.title : say.begin}</h2>
      {leftOut !== '' && (
        <p class={refused ? 'notice' : 'notice bad'} role="alert" dir="auto">
          {say.leftOut(leftOut)}
        </p>
      )}
      {isSet && !isEdited && (
        <dl class="card facts">
          <div class="wide">
            <dt>{say.folder}</dt>
            <dd>
              <code>{folder}</code>
            </dd>
          </div>
          <div>
            <dt>{say.every}</dt>
            <dd>{everyOf(everyS)}</dd>
          </div>
          <div>
            <dt>{say.keep}</dt>
            <dd>{keep}</dd>
          </div>
          <div>
            <dt>{say.passphrase}</dt>
            <dd>{wordsOf('operator').carriers.kept}</dd>
          </div>
        </dl>
      )}
      {setIn === 'environment' && (
        <p class="soft small">{wordsOf('operator').carriers.inEnvironment(environment.join(', '))}</p>
      )}
      {isEdited && (
        <BackupForm
          of={of}
          cancel={setIn === '' ? 'not_possible' : 'possible'}
          onStale={onChange}
          onDone={() => {
            now('shown');
            onChange();
          }}
        />
      )}
      {setIn === 'console' && !isFixed && !isEdited && (
        <div class="choices">
          <button
            type="button"
            class="button quiet"
            aria-label={`${words().edit}: ${say.title}`}
            onClick={() => now('edited')}
          >
            {words().edit}
          </button>
          <Delete
            place="row"
            of={say.title}
            title={say.remove}
            text={say.removeText}
            act={() => deployment.setBackups({ folder: '', version })}
            onDone={onChange}
          />
        </div>
      )}
    </section>
  );
}
