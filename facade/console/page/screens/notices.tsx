import type { ConfigurationChange } from '../../../../gen/tocsin/console/v1/audit_pb.ts';
import type { Notice } from '../../../../gen/tocsin/console/v1/notices_pb.ts';
import { Chip, Empty, type Tone } from '../../design/parts.tsx';
import { type Difference, differences } from '../differences.ts';
import { useLoad } from '../load.ts';
import { More, shownNow } from '../more.tsx';
import { readSome } from '../pages.ts';
import { addressOf, filter, query } from '../router.ts';
import { accounts, READ } from '../rpc.ts';
import { audit } from '../rpc-notices.ts';
import { Tabs } from '../tabs.tsx';
import { Time } from '../time.tsx';
import { Waiting } from '../waiting.tsx';
import { words, wordsOf } from '../words.ts';

/** What was the owner told, and who changed what? */
export function NoticesScreen({ list }: { list: 'told' | 'changes' }) {
  const say = wordsOf('notices');
  return (
    <>
      <div>
        <h1>{say.title}</h1>
        <p class="soft">{say.lead[list]}</p>
      </div>
      <Tabs
        label={say.title}
        now={list === 'told' ? 'notices' : 'notices/changes'}
        tabs={[
          ['notices', say.told],
          ['notices/changes', say.changes],
        ]}
      />
      {list === 'told' ? <Told /> : <Changes />}
    </>
  );
}

function Told() {
  const say = wordsOf('notices');
  const shown = shownNow();
  const read = () =>
    readSome(shown, async page => {
      const { notices, nextPageToken } = await accounts.listNotices(page, READ);
      return [notices, nextPageToken];
    });
  const found = useLoad('notices', read, shown);
  if (found.data === null) return <Waiting on={found} />;
  return (
    <>
      <ul class="card rows">
        {found.data.things.map(notice => (
          <NoticeRow key={notice.id} of={notice} />
        ))}
        {found.data.things.length === 0 && (
          <li>
            <Empty icon="check" title={say.nothingTold.title} text={say.nothingTold.text} />
          </li>
        )}
      </ul>
      <More rest={found.data.rest} />
    </>
  );
}

const MAIL_TONES: Readonly<Record<string, Tone>> = { sent: 'good', failed: 'warn', no_carrier: 'warn' };

function NoticeRow({ of: { kind, incidentId, at, status, reason, explanation } }: { of: Notice }) {
  const say = wordsOf('notices');
  return (
    <li class="row">
      <div>
        <b>{say.kinds[kind] ?? kind}</b>
        <p dir="auto">{explanation}</p>
        <small>
          <Time at={at} />
          {reason !== '' && <bdi> · {say.reasons[reason] ?? reason}</bdi>}
          {incidentId !== '' && (
            <>
              {' · '}
              <a href={addressOf(`incidents/${incidentId}`)} data-screen>
                {words().calls.incident}
              </a>
            </>
          )}
        </small>
      </div>
      <Chip tone={MAIL_TONES[status] ?? 'off'}>{say.mail[status] ?? status}</Chip>
    </li>
  );
}

function Changes() {
  const say = wordsOf('notices');
  const thing = query.value.get('thing') ?? '';
  const shown = shownNow();
  const read = () =>
    readSome(shown, async page => {
      const { changes, nextPageToken } = await audit.listChanges({ thingId: thing, ...page }, READ);
      return [changes, nextPageToken];
    });
  const found = useLoad(`changes ${thing}`, read, shown);
  if (found.data === null) return <Waiting on={found} />;
  const { things: changes, rest } = found.data;
  return (
    <>
      {thing !== '' && (
        <p class="filtered">
          {say.only} <b dir="auto">{changes[0]?.name ?? thing}</b>{' '}
          <button type="button" class="button bare" onClick={() => filter({ thing: '' })}>
            {say.all}
          </button>
        </p>
      )}
      <ul class="card rows">
        {changes.map((change, place) => (
          <ChangeRow key={`${change.at?.seconds} ${change.at?.nanos} ${change.thingId} ${place}`} of={change} />
        ))}
        {changes.length === 0 && (
          <li>
            <Empty icon="search" title={say.nothingChanged.title} text={say.nothingChanged.text} />
          </li>
        )}
      </ul>
      <More rest={rest} />
    </>
  );
}

const ACTION_TONES: Readonly<Record<string, Tone>> = { create: 'good', delete: 'warn', revoke: 'warn' };

/** A label is what somebody chose: what stands behind it is said. The others say it themselves. */
function isNamed(actorKind: string): boolean {
  return actorKind === 'account' || actorKind === 'member';
}

function ChangeRow({ of }: { of: ConfigurationChange }) {
  const say = wordsOf('notices');
  const { at, actor, actorKind, kind, thingId, name, action, before, after } = of;
  return (
    <li class="call">
      <details>
        <summary>
          <div>
            <b dir="auto">{name}</b> <span class="soft small">{say.things[kind] ?? kind}</span>
            <small>
              <Time at={at} /> · <bdi>{actor}</bdi> {isNamed(actorKind) && `(${say.actors[actorKind]})`}
            </small>
          </div>
          <Chip tone={ACTION_TONES[action] ?? 'off'}>{say.actions[action] ?? action}</Chip>
        </summary>
        <div class="more">
          <Fields of={differences(before, after)} />
          <p>
            <button type="button" class="button bare" onClick={() => filter({ thing: thingId, show: '' })}>
              {say.onlyThis}
            </button>
          </p>
        </div>
      </details>
    </li>
  );
}

/** Field by field: as it was, and as it is. */
function Fields({ of }: { of: readonly Difference[] }) {
  const say = wordsOf('notices');
  if (of.length === 0) return <p class="soft">{say.noFields}</p>;
  return (
    <ul class="differences">
      {of.map(({ field, before, after }) => (
        <li key={field} dir="auto">
          <code>{field}</code>: {before !== null && <del>{before}</del>} {before !== null && after !== null && '→ '}
          {after !== null && <ins>{after}</ins>}
        </li>
      ))}
    </ul>
  );
}
