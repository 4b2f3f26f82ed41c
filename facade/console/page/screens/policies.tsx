import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { Chip, Empty } from '../../design/parts.tsx';
import { LoadMore, shownNow } from '../parts/load-more.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { useDuties, usePeople, usePolicies } from '../people/people.ts';
import type { People } from '../policies/plan.ts';
import { byId, nameable, summaryOf, type Template, useUses } from '../policies/policies.ts';
import { may } from '../rpc/permissions.ts';
import { addressOf } from '../way/router.ts';
import { wordsOf } from '../words.ts';

/** Lists policies: who is told, and in which order. */
export function PoliciesScreen() {
  const say = wordsOf('policies');
  const found = usePolicies();
  const people = usePeople();
  const duties = useDuties();
  const uses = useUses();
  const policies = found.data ?? [];
  const shown = policies.slice(0, shownNow());
  const isEmpty = found.data !== null && policies.length === 0;
  return (
    <>
      <div class="head top">
        <div>
          <h1>{say.title}</h1>
          <p class="soft">{say.lead}</p>
        </div>
        {policies.length > 0 && may('configure') && (
          <a class="button" href={addressOf('policies/new')} data-screen>
            {say.add}
          </a>
        )}
      </div>
      {(found.data === null || people.data === null) && <Waiting on={found.data === null ? found : people} />}
      {policies.length > 0 && people.data !== null && (
        <ul class="card rows">
          {shown.map(policy => (
            <Row
              key={policy.id}
              of={policy}
              people={byId(nameable(people.data!, duties.data ?? []))}
              uses={uses.data?.get(policy.id)?.length ?? 0}
            />
          ))}
        </ul>
      )}
      {isEmpty && people.data !== null && <First people={people.data.length} />}
      <LoadMore rest={shown.length < policies.length ? 'more' : 'none'} />
    </>
  );
}

function Row({ of, people, uses }: { of: Policy; people: People; uses: number }) {
  const say = wordsOf('policies');
  return (
    <li class="thing">
      <div>
        <a href={addressOf(`policies/${of.id}`)} data-screen dir="auto">
          {of.name}
        </a>
        <small dir="auto">{summaryOf(of, people)}</small>
      </div>
      {uses === 0 ? <Chip tone="off">{say.unused}</Chip> : <span class="soft small">{say.uses(uses)}</span>}
    </li>
  );
}

const TEMPLATES: readonly Template[] = ['order', 'all'];

/** Offers two policies to begin with, as soon as there are contacts. */
function First({ people }: { people: number }) {
  const say = wordsOf('policies');
  if (people === 0) {
    return (
      <div class="card">
        <Empty icon="people" title={say.noPeople.title} text={say.noPeople.text}>
          {may('configure') && (
            <a class="button" href={addressOf('people/new')} data-screen>
              {say.noPeople.do}
            </a>
          )}
        </Empty>
      </div>
    );
  }
  if (!may('configure')) {
    return (
      <div class="card">
        <Empty icon="policies" title={say.unused} />
      </div>
    );
  }
  return (
    <section class="stack">
      <h2>{say.none.title}</h2>
      <p class="soft">{say.none.text}</p>
      <div class="templates">
        {TEMPLATES.map(template => (
          <a key={template} class="card" href={addressOf(`policies/new?from=${template}`)} data-screen>
            <b>{say.templates[template].title}</b>
            <span class="soft">{say.templates[template].text}</span>
          </a>
        ))}
      </div>
      <p>
        <a href={addressOf('policies/new')} data-screen>
          {say.none.blank}
        </a>
      </p>
    </section>
  );
}
