import type { Notice, NoticeDelivery } from '../../../../gen/tocsin/console/v1/notices_pb.ts';
import { Chip, Empty, type Tone } from '../../design/parts.tsx';
import { useQuery } from '../live/use-query.ts';
import { Changes } from '../parts/changes.tsx';
import { LoadMore, shownNow } from '../parts/load-more.tsx';
import { Proofs } from '../parts/proofs.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { readSome } from '../rpc/pages.ts';
import { accounts, READ } from '../rpc/rpc.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';

const TABS = { told: 'notices', changes: 'notices/changes', proofs: 'notices/proofs' } as const;

/** Lists what the owners were told, who changed what, and who answered. */
export function NoticesScreen({ list }: { list: keyof typeof TABS }) {
  const say = wordsOf('notices');
  return (
    <>
      <div>
        <h1>{say.title}</h1>
        <p class="soft">{say.lead[list]}</p>
      </div>
      <Tabs
        label={say.title}
        now={TABS[list]}
        tabs={[
          [TABS.told, say.told],
          [TABS.changes, say.changes],
          [TABS.proofs, say.proven],
        ]}
      />
      {list === 'told' && <Told />}
      {list === 'changes' && <Changes />}
      {list === 'proofs' && <Proofs />}
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
  const found = useQuery('notices', read, shown);
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
      <LoadMore rest={found.data.rest} />
    </>
  );
}

const TONES: Readonly<Record<string, Tone>> = { sent: 'good', failed: 'warn', no_carrier: 'warn' };

function NoticeRow({ of: { kind, incidentId, at, status, reason, explanation, deliveries } }: { of: Notice }) {
  const say = wordsOf('notices');
  return (
    <li class="row long">
      <div>
        <b>{say.kinds[kind] ?? kind}</b>
        <p dir="auto">{explanation}</p>
        <small>
          <Time at={at} />
          {deliveries.length === 0 && reason !== '' && <bdi> · {say.reasons[reason] ?? reason}</bdi>}
          {incidentId !== '' && (
            <>
              {' · '}
              <a href={addressOf(`incidents/${incidentId}`)} data-screen>
                {words().calls.incident}
              </a>
            </>
          )}
        </small>
        {deliveries.map((delivery, nth) => (
          // Two of them may read the same.
          <DeliveryLine key={nth} of={delivery} />
        ))}
      </div>
      <Chip tone={TONES[status] ?? 'off'}>{say.states[status] ?? status}</Chip>
    </li>
  );
}

/** Shows who was told, over which channel, and what became of it. */
function DeliveryLine({ of: { name, channel, status, reason } }: { of: NoticeDelivery }) {
  const say = wordsOf('notices');
  return (
    <small>
      <bdi>{name === '' ? say.nobody : name}</bdi> · {words().incident.channels[channel] ?? channel} ·{' '}
      {say.states[status] ?? status}
      {reason !== '' && <bdi> ({say.reasons[reason] ?? reason})</bdi>}
    </small>
  );
}
