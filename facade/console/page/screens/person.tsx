import { useState } from 'preact/hooks';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Chip } from '../../design/parts.tsx';
import { isUnsaved } from '../forms/draft.ts';
import { ThingHead } from '../forms/thing.tsx';
import { Back, Gone } from '../parts/back.tsx';
import { clockIn, zones } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { SignsIn, useMembers } from '../people/both.tsx';
import { ConnectChat } from '../people/connect-chat.tsx';
import { Devices } from '../people/devices.tsx';
import { NEW_PERSON, personDraft } from '../people/edit.ts';
import { PersonForm } from '../people/form.tsx';
import { oneOf, peopleOn, readsIn, useDuties, usePeople, usePolicies } from '../people/people.ts';
import { canBeReached } from '../people/reach.ts';
import { Ways } from '../people/ways.tsx';
import { withOne } from '../rpc/pages.ts';
import { may } from '../rpc/permissions.ts';
import { contacts } from '../rpc/rpc-people.ts';
import { addressOf, go, query } from '../way/router.ts';
import { wordsOf } from '../words.ts';

/** Shows one contact: how to reach them, whether it works, and which policies name them. `id` `new`: one that is being added. */
export function PersonScreen({ id }: { id: string }) {
  const say = wordsOf('people');
  const found = usePeople();
  const person = oneOf(found, id);
  const [mode, turn] = useState<'view' | 'edit'>(() => (isUnsaved(personDraft(id)) || namesField() ? 'edit' : 'view'));
  const put = (stored: Contact | null) => {
    if (stored !== null && found.data !== null) found.put(withOne(found.data, stored));
  };
  if (id === 'new' && may('configure')) {
    return (
      <>
        <Back to="people">{say.all}</Back>
        <NewPerson
          onDone={made => {
            put(made);
            go(made === null ? 'people' : `people/${made.id}`, 'in_place');
          }}
        />
      </>
    );
  }
  if (found.data === null) return <Waiting on={found} />;
  if (person === undefined) return <Gone say={say.gone} to="people" all={say.all} />;
  return (
    <>
      <Back to="people">{say.all}</Back>
      {mode === 'edit' && may('configure') ? (
        <PersonForm
          of={person}
          onDone={stored => {
            put(stored);
            turn('view');
          }}
        />
      ) : (
        <View of={person} onEdit={() => turn('edit')} />
      )}
    </>
  );
}

/** Adds a person: one of the members, where the address names one. */
function NewPerson({ onDone }: { onDone(made: Contact | null): void }) {
  const asked = query.value.get('member') ?? '';
  return asked === '' ? <PersonForm of={NEW_PERSON()} onDone={onDone} /> : <FromMember id={asked} onDone={onDone} />;
}

function FromMember({ id, onDone }: { id: string; onDone(made: Contact | null): void }) {
  const found = useMembers();
  if (found.data === null && found.fault === null) return <Waiting on={found} />;
  return <PersonForm of={NEW_PERSON(found.data?.find(member => member.id === id))} onDone={onDone} />;
}

/** Tells whether the address names a field of the form, and not one of the verification beside it. */
function namesField(): boolean {
  return location.hash !== '' && !location.hash.startsWith('#verify-');
}

function View({ of, onEdit }: { of: Contact; onEdit(): void }) {
  const say = wordsOf('people');
  const isReached = canBeReached(of);
  const zone = of.timeZone || 'UTC';
  return (
    <>
      <ThingHead
        name={of.name}
        deletes={say.deletes}
        onEdit={onEdit}
        onDelete={() => contacts.deleteContact({ contactId: of.id, version: of.version })}
        onDeleted={() => go('people', 'in_place')}
      >
        <p class="soft figures">
          {readsIn(of)}
          {zone !== zones().account && ` (${say.there(clockIn(new Date(), zone).slice(0, 5))})`}
        </p>
        <Chip tone={isReached ? 'good' : 'warn'}>
          <bdi>{isReached ? say.reachable(of.name) : say.unreachable(of.name)}</bdi>
        </Chip>
        {may('manage') && <SignsIn of={of} />}
      </ThingHead>
      <section class="stack">
        <h2>{say.ways}</h2>
        {of.channels.length > 1 && <p class="soft small">{say.order}</p>}
        <Ways of={of} />
        <ConnectChat of={of} />
      </section>
      <Devices of={of} />
      <ToldBy of={of} />
      <a href={addressOf(`incidents?person=${of.id}`)} data-screen>
        {wordsOf('lists').theirIncidents}
      </a>
    </>
  );
}

/** Shows the policies and duties that name a contact. Without any, no alarm tells them. */
function ToldBy({ of }: { of: Contact }) {
  const say = wordsOf('people');
  const { data } = usePolicies();
  const duties = useDuties();
  if (data === null || duties.data === null) return null;
  const naming = [
    ...data
      .filter(({ steps }) => steps.some(({ contacts }) => contacts.some(({ contactId }) => contactId === of.id)))
      .map(({ id, name }) => ({ screen: `policies/${id}`, name })),
    ...duties.data
      .filter(duty => peopleOn(duty).includes(of.id))
      .map(({ id, name }) => ({ screen: `duties/${id}`, name: wordsOf('policies').onDuty(name) })),
  ];
  return (
    <section class="stack">
      <h2>{say.policies}</h2>
      <div class="card">
        <ul class="rows">
          {naming.map(({ screen, name }) => (
            <li key={screen} class="thing">
              <a href={addressOf(screen)} data-screen dir="auto">
                {name}
              </a>
            </li>
          ))}
        </ul>
        {naming.length === 0 && (
          <p class="thing soft">
            {say.noPolicies}
            <a href={addressOf('policies')} data-screen>
              {say.toPolicies}
            </a>
          </p>
        )}
      </div>
    </section>
  );
}
