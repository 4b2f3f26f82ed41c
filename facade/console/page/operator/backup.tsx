import type { GetBackupsResponse } from '../../../../gen/tocsin/console/v1/deployment_pb.ts';
import { Icon } from '../../design/icon.tsx';
import { Empty } from '../../design/parts.tsx';
import { Refused, useDoing } from '../forms/edit.tsx';
import { useQuery } from '../live/use-query.ts';
import { Copy } from '../parts/copy.tsx';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { READ } from '../rpc/rpc.ts';
import { deployment } from '../rpc/rpc-settings.ts';
import { sizeOf, spanOf } from '../settings/units.ts';
import { addressOf } from '../way/router.ts';
import { wordsOf } from '../words.ts';
import { everyOf } from './backup-form.tsx';
import { BackupSetUp } from './backup-set-up.tsx';

/** Shows how the backups went, makes one now, sets them up, and says how to restore one. */
export function BackupPart() {
  const say = wordsOf('operator').backup;
  const found = useQuery('backups', () => deployment.getBackups({}, READ));
  if (found.data === null) return <Waiting on={found} />;
  const backups = found.data;
  if (backups.state === 'not_set') {
    return (
      <>
        <section class="card">
          <Empty
            icon="alert"
            title={say.none.title}
            {...(backups.environment.length === 0 && !backups.refused && { text: say.none.text })}
          />
        </section>
        {(!backups.refused || backups.setIn !== '') && <BackupSetUp of={backups} onChange={found.again} />}
        <ByHand command="tocsin backup /backups/tocsin.backup" title={say.byHand} text={say.byHandText} />
      </>
    );
  }
  return (
    <>
      <Latest of={backups} />
      <BackupSetUp of={backups} onChange={found.again} />
      <ByHand
        command={`tocsin restore ${quote(backups.last?.file ?? `${backups.folder}/…`)}`}
        title={say.restore}
        text={say.restoreText}
        secretsApart={backups.secretsApart}
      />
    </>
  );
}

/** Quotes a path for a shell. */
function quote(path: string): string {
  return /^[\w./…-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function Latest({ of }: { of: GetBackupsResponse }) {
  const say = wordsOf('operator').backup;
  const { state, last, nextAt, everyS, keep, failure, failedAt } = of;
  const doing = useDoing();
  const isUnderWay = state === 'under_way';
  return (
    <section class="stack">
      <h2>{say.title}</h2>
      {failure !== '' && (
        <div class="notice bad" role="alert">
          <Icon name="alert" />
          <div>
            <b>{say.failed}</b> <span dir="auto">{failure}</span> <Time at={failedAt} />
          </div>
        </div>
      )}
      <dl class="card facts">
        <div>
          <dt>{say.last}</dt>
          <dd>{last === undefined ? say.never : <Time at={last.at} />}</dd>
        </div>
        {last !== undefined && (
          <>
            <div>
              <dt>{say.size}</dt>
              <dd>{sizeOf(Number(last.bytes))}</dd>
            </div>
            <div>
              <dt>{say.took}</dt>
              <dd>{spanOf(last.seconds * 1_000)}</dd>
            </div>
          </>
        )}
        <div>
          <dt>{say.next}</dt>
          <dd>{isUnderWay ? say.underWay : <Time at={nextAt} />}</dd>
        </div>
        {last !== undefined && (
          <div class="wide">
            <dt>{say.file(last.machine)}</dt>
            <dd>
              <code>{last.file}</code>
            </dd>
          </div>
        )}
      </dl>
      <p class="soft small">{say.schedule(everyOf(everyS), keep)}</p>
      <Refused on={doing} />
      <div class="choices">
        <button
          type="button"
          class="button"
          disabled={isUnderWay || doing.is === 'working'}
          onClick={() => void doing.run(() => deployment.backUpNow({}))}
        >
          {say.now}
        </button>
        <span class="soft" role="status">
          {isUnderWay ? say.underWay : doing.is === 'done' && say.begun}
        </span>
      </div>
    </section>
  );
}

/** What is done where Tocsin runs, as lines to copy. */
function ByHand(on: { title: string; text: string; command: string; secretsApart?: readonly string[] }) {
  const say = wordsOf('operator').backup;
  const { secretsApart = [] } = on;
  return (
    <section class="stack">
      <h2>{on.title}</h2>
      <p class="soft">{on.text}</p>
      {secretsApart.length > 0 && <p class="soft">{say.apart(secretsApart.join(', '))}</p>}
      <div class="copying">
        <code>{on.command}</code>
        <Copy text={on.command} of={on.title} />
      </div>
      <p>
        <a href={addressOf('docs/backup')}>{say.more}</a>
      </p>
    </section>
  );
}
