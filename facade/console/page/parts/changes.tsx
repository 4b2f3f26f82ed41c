import type { ConfigurationChange } from '../../../../gen/tocsin/console/v1/audit_pb.ts';
import { Chip, Empty, type Tone } from '../../design/parts.tsx';
import { usePlaces } from '../alarms/lists.ts';
import { useQuery } from '../live/use-query.ts';
import { usePeople, usePolicies } from '../people/people.ts';
import { readSome } from '../rpc/pages.ts';
import { READ } from '../rpc/rpc.ts';
import { audit } from '../rpc/rpc-notices.ts';
import { filter, query } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import { type Difference, differences } from './differences.ts';
import { Differing } from './differing.tsx';
import type { KnownNames } from './field-values.ts';
import { LoadMore, shownNow } from './load-more.tsx';
import { Time } from './time.tsx';
import { Waiting } from './waiting.tsx';

/** Lists who changed what, newest first; of one thing alone if the address names it. */
export function Changes() {
  const say = wordsOf('notices');
  const thing = query.value.get('thing') ?? '';
  const shown = shownNow();
  const read = () =>
    readSome(shown, async page => {
      const { changes, nextPageToken } = await audit.listChanges({ thingId: thing, ...page }, READ);
      return [changes, nextPageToken];
    });
  const found = useQuery(`changes ${thing}`, read, shown);
  const others = [usePlaces(), usePolicies(), usePeople()].map(({ data }) => data ?? []);
  if (found.data === null) return <Waiting on={found} />;
  const { things: changes, rest } = found.data;
  const known = namesOf(changes, others);
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
        {inOwnNames(changes).map(([name, change]) => (
          <ChangeRow key={name} of={change} known={known} />
        ))}
        {changes.length === 0 && (
          <li>
            <Empty icon="search" title={say.nothingChanged.title} text={say.nothingChanged.text} />
          </li>
        )}
      </ul>
      <LoadMore rest={rest} />
    </>
  );
}

/** Gives each a key that stays when newer ones arrive: several may share thing and time, and arrive together. */
function inOwnNames(changes: readonly ConfigurationChange[]): (readonly [string, ConfigurationChange])[] {
  const alike = Map.groupBy(changes, ({ at, thingId }) => `${at?.seconds} ${at?.nanos} ${thingId}`);
  return [...alike].flatMap(([name, some]) => some.map((change, place) => [`${name} ${place}`, change] as const));
}

/** Returns names by id: the present ones, and for what was deleted the newest. */
function namesOf(changes: readonly ConfigurationChange[], others: readonly (readonly Named[])[]): KnownNames {
  const changed = changes.toReversed().map(({ thingId: id, name }) => ({ id, name }));
  return new Map([...changed, ...others.flat()].map(({ id, name }) => [id, name]));
}

interface Named {
  id: string;
  name: string;
}

const ACTION_TONES: Readonly<Record<string, Tone>> = { create: 'good', delete: 'warn', revoke: 'warn' };

/** Tells whether an actor is shown by a label that somebody chose, so that its kind has to be said too. */
function isNamed(actorKind: string): boolean {
  return actorKind === 'account' || actorKind === 'member';
}

function ChangeRow({ of, known }: { of: ConfigurationChange; known: KnownNames }) {
  const say = wordsOf('notices');
  const { at, actor, actorKind, kind, thingId, name, action, before, after } = of;
  return (
    <li class="call">
      <details>
        <summary>
          <div>
            <b dir="auto">{name}</b> <span class="soft small">{say.things[kind] ?? kind}</span>
            <small>
              <Time at={at} /> · <bdi>{actorKind === 'operator' ? words().signedInAs.operator : actor}</bdi>{' '}
              {isNamed(actorKind) && `(${say.actors[actorKind]})`}
            </small>
          </div>
          <Chip tone={ACTION_TONES[action] ?? 'off'}>{say.actions[action] ?? action}</Chip>
        </summary>
        <div class="more">
          <Fields thing={kind} of={differences(before, after)} known={known} />
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

/** Shows a change field by field: before and after. */
function Fields({ thing, of, known }: { thing: string; of: readonly Difference[]; known: KnownNames }) {
  if (of.length === 0) return <p class="soft">{wordsOf('notices').noFields}</p>;
  return (
    <ul class="differences">
      {of.map(difference => (
        <Differing key={JSON.stringify(difference.way)} thing={thing} of={difference} known={known} />
      ))}
    </ul>
  );
}
