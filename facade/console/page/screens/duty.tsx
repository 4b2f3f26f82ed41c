import { useState } from 'preact/hooks';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty, DutyShift } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { Empty } from '../../design/parts.tsx';
import { ChangeShift } from '../duties/change-shift.tsx';
import { dutyDraft, dutyEditOf, newDuty } from '../duties/edit.ts';
import { Exceptions } from '../duties/exceptions.tsx';
import { Feed } from '../duties/feed.tsx';
import { DutyForm } from '../duties/form.tsx';
import { Gaps } from '../duties/gaps.tsx';
import { Rules } from '../duties/rules.tsx';
import { namesIn, pointOf } from '../duties/say.ts';
import { useDuty, useNowAndNext } from '../duties/shifts.ts';
import { Shifts } from '../duties/week.tsx';
import { isUnsaved } from '../forms/draft.ts';
import { ThingHead } from '../forms/thing.tsx';
import { Back, Gone } from '../parts/back.tsx';
import { cityOf, knownZone } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { usePeople, usePolicies } from '../people/people.ts';
import { may } from '../rpc/permissions.ts';
import { duties } from '../rpc/rpc-policies.ts';
import { addressOf, go } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';

/** Shows one duty: whose shift is when, and lets it be covered and swapped. `id` `new`: one that is being made. */
export function DutyScreen({ id }: { id: string }) {
  return id === 'new' && may('configure') ? <NewDuty /> : <OneDuty id={id} />;
}

function NewDuty() {
  const people = usePeople();
  if (people.data === null) return <Waiting on={people} />;
  return (
    <>
      <Back to="duties">{wordsOf('duties').all}</Back>
      <DutyForm
        of={newDuty(people.data)}
        people={people.data}
        onDone={made => go(made === null ? 'duties' : `duties/${made.id}`, 'in_place')}
      />
    </>
  );
}

function OneDuty({ id }: { id: string }) {
  const say = wordsOf('duties');
  const found = useDuty(id);
  const people = usePeople();
  const [mode, turn] = useState<'view' | 'edit'>(() => (isUnsaved(dutyDraft(id)) ? 'edit' : 'view'));
  if (found.fault?.kind === 'not_found') return <Gone say={say.gone} to="duties" all={say.all} />;
  if (found.data === null || people.data === null) return <Waiting on={found.data === null ? found : people} />;
  return (
    <>
      <Back to="duties">{say.all}</Back>
      {mode === 'edit' && may('configure') ? (
        <DutyForm
          of={dutyEditOf(found.data)}
          people={people.data}
          onDone={stored => {
            if (stored !== null) found.put(stored);
            turn('view');
          }}
        />
      ) : (
        <View of={found.data} people={people.data} onEdit={() => turn('edit')} onChanged={found.put} />
      )}
    </>
  );
}

function View(on: { of: Duty; people: readonly Contact[]; onEdit(): void; onChanged(duty: Duty): void }) {
  const say = wordsOf('duties');
  const { of, people } = on;
  const zone = knownZone(of.timeZone);
  const [picked, pick] = useState<DutyShift | null>(null);
  return (
    <>
      <ThingHead
        name={of.name}
        deletes={say.deletes}
        onEdit={on.onEdit}
        onDelete={() => duties.deleteDuty({ dutyId: of.id, version: of.version })}
        onDeleted={() => go('duties', 'in_place')}
      >
        <Now of={of} zone={zone} />
      </ThingHead>
      <Gaps of={of} people={people} zone={zone} />
      <Shifts of={of} people={people} zone={zone} onPick={pick} />
      {picked !== null && (
        <ChangeShift
          duty={of}
          shift={picked}
          people={people}
          zone={zone}
          onDone={changed => {
            pick(null);
            if (changed !== null) on.onChanged(changed);
          }}
        />
      )}
      <div class="split">
        <div class="page-part">
          <Exceptions of={of} people={people} zone={zone} onChanged={on.onChanged} />
          <section class="stack">
            <h2>{say.rules}</h2>
            <Rules of={dutyEditOf(of)} people={people} />
            <p class="soft small">{of.tell === false ? say.untold : say.told}</p>
          </section>
        </div>
        <div class="page-part">
          <UsedBy id={of.id} />
          <Feed of={of} />
        </div>
      </div>
    </>
  );
}

function Now({ of, zone }: { of: Duty; zone: string }) {
  const say = wordsOf('duties');
  const { data } = useNowAndNext(of);
  return (
    <p class="figures soft" dir="auto">
      {data !== null && (
        <>
          <b class="has">{say.has(namesIn(data.now.contacts))}</b>
          {data.at !== undefined && `, ${say.untilClock(pointOf(data.at, zone))}`}
          {'. '}
          {data.next === undefined ? `${say.noNext} ` : `${say.followedBy(namesIn(data.next.contacts))}. `}
        </>
      )}
      {words().zone(cityOf(zone))}
    </p>
  );
}

/** Shows the policies that name a duty. Without any, no alarm tells whoever is on it. */
function UsedBy({ id }: { id: string }) {
  const say = wordsOf('duties');
  const { data } = usePolicies();
  if (data === null) return <section />;
  const naming = data.filter(({ steps }) => steps.some(({ contacts }) => contacts.some(one => one.dutyId === id)));
  return (
    <section class="stack">
      <h2>{wordsOf('policies').usedBy}</h2>
      <div class="card">
        <ul class="rows">
          {naming.map(policy => (
            <li key={policy.id} class="thing">
              <a href={addressOf(`policies/${policy.id}`)} data-screen dir="auto">
                {policy.name}
              </a>
            </li>
          ))}
        </ul>
        {naming.length === 0 && (
          <Empty icon="policies" title={wordsOf('policies').unused} text={say.unusedText}>
            <a href={addressOf('policies')} data-screen>
              {wordsOf('people').toPolicies}
            </a>
          </Empty>
        )}
      </div>
    </section>
  );
}
