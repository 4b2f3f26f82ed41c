import { useState } from 'preact/hooks';
import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { Empty } from '../../design/parts.tsx';
import { isUnsaved } from '../forms/draft.ts';
import { ThingHead } from '../forms/thing.tsx';
import { Back, Gone } from '../parts/back.tsx';
import { nameOfMode } from '../parts/mode-name.ts';
import { PreviewLine } from '../parts/preview.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { oneOf, useDuties, usePeople, usePolicies } from '../people/people.ts';
import { PolicyForm, policyDraft } from '../policies/form.tsx';
import { planOf } from '../policies/plan.ts';
import { byId, nameable, policyFrom, useUses } from '../policies/policies.ts';
import { withOne } from '../rpc/pages.ts';
import { may } from '../rpc/permissions.ts';
import { policies } from '../rpc/rpc-policies.ts';
import { addressOf, go, query } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';

/** At most so many of what uses it are named. */
const NAMED = 20;

/** Shows one policy: who is told and when, and what runs it. `id` `new`: one that is being made, from the template that `?from=` names. */
export function PolicyScreen({ id }: { id: string }) {
  const say = wordsOf('policies');
  const found = usePolicies();
  const people = usePeople();
  const duties = useDuties();
  const [mode, turn] = useState<'view' | 'edit'>(() =>
    // Behind the `#` stands a field of the form.
    isUnsaved(policyDraft({ id, name: '' })) || location.hash !== '' ? 'edit' : 'view',
  );
  if (found.data === null || people.data === null || duties.data === null) {
    return <Waiting on={[found, people, duties].find(({ data }) => data === null) ?? found} />;
  }
  const named = nameable(people.data, duties.data);
  const put = (stored: Policy | null) => {
    if (stored !== null && found.data !== null) found.put(withOne(found.data, stored));
  };
  if (id === 'new' && may('configure')) {
    const from = query.value.get('from');
    return (
      <>
        <Back to="policies">{say.all}</Back>
        <PolicyForm
          of={policyFrom(from === 'order' || from === 'all' ? from : null, people.data)}
          people={named}
          onDone={made => {
            put(made);
            go(made === null ? 'policies' : `policies/${made.id}`, 'in_place');
          }}
        />
      </>
    );
  }
  const policy = oneOf(found, id);
  if (policy === undefined) return <Gone say={say.gone} to="policies" all={say.all} />;
  return (
    <>
      <Back to="policies">{say.all}</Back>
      {mode === 'edit' && may('configure') ? (
        <PolicyForm
          of={policy}
          people={named}
          onDone={stored => {
            put(stored);
            turn('view');
          }}
        />
      ) : (
        <View of={policy} people={byId(named)} onEdit={() => turn('edit')} />
      )}
    </>
  );
}

function View({ of, people, onEdit }: { of: Policy; people: ReturnType<typeof byId>; onEdit(): void }) {
  const say = wordsOf('policies');
  return (
    <>
      <ThingHead
        name={of.name}
        deletes={say.deletes}
        onEdit={onEdit}
        onDelete={() => policies.deletePolicy({ policyId: of.id, version: of.version })}
        onDeleted={() => go('policies', 'in_place')}
      />
      <div class="split">
        <section class="stack">
          <h2>{say.preview}</h2>
          <div class="card plan">
            <PreviewLine of={planOf(of, people)} />
          </div>
        </section>
        <UsedBy id={of.id} />
      </div>
    </>
  );
}

function UsedBy({ id }: { id: string }) {
  const say = wordsOf('policies');
  const { data } = useUses();
  if (data === null) return <section />;
  const uses = data.get(id) ?? [];
  return (
    <section class="stack">
      <h2>{say.usedBy}</h2>
      <div class="card">
        <ul class="rows">
          {uses.slice(0, NAMED).map(({ screen, name, modes }) => (
            <li key={screen} class="thing">
              <div>
                <a href={addressOf(screen)} data-screen dir="auto">
                  {name}
                </a>
                <small dir="auto">{modes.length === 0 ? words().states.panic : modes.map(nameOfMode).join(', ')}</small>
              </div>
            </li>
          ))}
        </ul>
        {uses.length > NAMED && <p class="thing soft">{say.andMore(uses.length - NAMED)}</p>}
        {uses.length === 0 && (
          <Empty icon="bell" title={say.unused} text={say.unusedText}>
            <a href={addressOf('alarms')} data-screen>
              {say.toAlarms}
            </a>
          </Empty>
        )}
      </div>
    </section>
  );
}
