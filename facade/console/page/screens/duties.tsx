import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Duty } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { Chip, Empty } from '../../design/parts.tsx';
import { namesIn, pointOf } from '../duties/say.ts';
import { isReached, useNowAndNext } from '../duties/shifts.ts';
import { LoadMore, shownNow } from '../parts/load-more.tsx';
import { cityOf, knownZone, zones } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { useDuties, usePeople, usePolicies } from '../people/people.ts';
import { may } from '../rpc/permissions.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';

/** Lists duties: who has each now and until when, and who comes next. */
export function DutiesScreen() {
  const say = wordsOf('duties');
  const found = useDuties();
  const duties = found.data ?? [];
  const shown = duties.slice(0, shownNow());
  return (
    <>
      <div class="head top">
        <div>
          <h1>{say.title}</h1>
          <p class="soft">{say.lead}</p>
        </div>
        {duties.length > 0 && may('configure') && <Add />}
      </div>
      {found.data === null && <Waiting on={found} />}
      {duties.length > 0 && (
        <ul class="card rows">
          {shown.map(duty => (
            <Row key={duty.id} of={duty} />
          ))}
        </ul>
      )}
      {found.data !== null && duties.length === 0 && <None />}
      <LoadMore rest={shown.length < duties.length ? 'more' : 'none'} />
    </>
  );
}

function Add() {
  return (
    <a class="button" href={addressOf('duties/new')} data-screen>
      {wordsOf('duties').add}
    </a>
  );
}

function Row({ of }: { of: Duty }) {
  const say = wordsOf('duties');
  const { data } = useNowAndNext(of);
  const people = usePeople();
  const policies = usePolicies();
  const isUsed = policies.data?.some(({ steps }) =>
    steps.some(step => step.contacts.some(one => one.dutyId === of.id)),
  );
  const zone = knownZone(of.timeZone);
  return (
    <li class="thing">
      <div>
        <a href={addressOf(`duties/${of.id}`)} data-screen dir="auto">
          {of.name}
        </a>
        {data !== null && (
          <>
            <span class="figures on-now" dir="auto">
              {say.has(namesIn(data.now.contacts))}
              {data.now.until !== undefined && data.at !== undefined && `, ${say.untilClock(pointOf(data.at, zone))}`}
            </span>
            <small class="figures" dir="auto">
              {data.next === undefined ? say.noNext : say.followedBy(namesIn(data.next.contacts))}
              {data.next?.until !== undefined && `, ${say.untilClock(pointOf(timestampDate(data.next.until), zone))}`}
              {zone !== zones().account && ` · ${words().zone(cityOf(zone))}`}
            </small>
          </>
        )}
      </div>
      <div class="chips">
        {data !== null && people.data !== null && !isReached(data.now, people.data) && (
          <Chip tone="warn">{say.unreached}</Chip>
        )}
        {isUsed === false && <Chip tone="off">{wordsOf('policies').unused}</Chip>}
      </div>
    </li>
  );
}

function None() {
  const say = wordsOf('duties');
  return (
    <div class="card">
      <Empty icon="duties" title={say.none.title} text={say.none.text}>
        {may('configure') && <Add />}
      </Empty>
    </div>
  );
}
