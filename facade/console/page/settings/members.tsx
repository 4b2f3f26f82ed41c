import { useEffect, useState } from 'preact/hooks';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type {
  InviteAgainResponse,
  InviteMemberResponse,
  Member,
} from '../../../../gen/tocsin/console/v1/members_pb.ts';
import { Chip, Choice, Empty, Field } from '../../design/parts.tsx';
import { Wide } from '../../design/wide.tsx';
import { AddForm } from '../forms/add-form.tsx';
import { Delete } from '../forms/delete.tsx';
import { isUnsaved, useDraft } from '../forms/draft.ts';
import { FormEnd, Met, Refused, useDoing } from '../forms/edit.tsx';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { emailOf, IsAlerted, useMembers } from '../people/both.tsx';
import { usePeople } from '../people/people.ts';
import { may } from '../rpc/permissions.ts';
import { type Ability, isAllowed, LEAST, ROLES } from '../rpc/role.ts';
import { members } from '../rpc/rpc-members.ts';
import { session } from '../rpc/session.ts';
import { filter, query } from '../way/router.ts';
import { language, words, wordsOf } from '../words.ts';

/** Lists who looks after the account, and what each of them may do. */
export function MembersPart() {
  const say = wordsOf('settings').members;
  const found = useMembers();
  const people = usePeople();
  const [edited, edit] = useState('');
  if (found.data === null) return <Waiting on={found} />;
  return (
    <>
      <section class="stack">
        <h2 id="members" tabIndex={-1}>
          {say.title}
        </h2>
        <ul class="card rows">
          {found.data.map(member =>
            may('manage') && (edited === member.id || isUnsaved(memberDraft(member))) ? (
              <li key={member.id}>
                <MemberForm stored={member} onEnd={() => edit('')} />
              </li>
            ) : (
              <MemberRow key={member.id} of={member} people={people.data} onEdit={() => edit(member.id)} />
            ),
          )}
          {found.data.length === 0 && (
            <li>
              <Empty icon="people" title={say.none.title} text={say.none.text} />
            </li>
          )}
        </ul>
      </section>
      {may('manage') && <Invite people={people.data} />}
      <Roles />
    </>
  );
}

function MemberRow({ of, people, onEdit }: { of: Member; people: readonly Contact[] | null; onEdit(): void }) {
  const { id, name, email, role, state, lastSeenAt, confirmedAt } = of;
  const say = wordsOf('settings').members;
  const isOwn = session.value.is === 'signed_in' && session.value.who.member?.id === id;
  return (
    <li class="row">
      <div>
        <b dir="auto">{name}</b> {isOwn && <span class="soft">{say.you}</span>}
        <small>
          <bdi>{email}</bdi> ·{' '}
          {state === 'invited' ? (
            say.invited
          ) : (
            <>
              {say.seen} <Time at={lastSeenAt} />
            </>
          )}
        </small>
        <IsAlerted of={of} people={people} />
        {role === 'owner' && confirmedAt === undefined && <Unconfirmed of={of} />}
      </div>
      <div class="doing">
        <Chip tone={state === 'invited' ? 'off' : 'good'}>{words().roles[role] ?? role}</Chip>
        {may('manage') && (
          <>
            <button type="button" class="button bare" aria-label={`${words().edit}: ${name}`} onClick={onEdit}>
              {words().edit}
            </button>
            <Delete
              place="row"
              of={name}
              title={say.remove(name)}
              text={say.removeText}
              act={() => members.removeMember({ memberId: id })}
            />
          </>
        )}
      </div>
    </li>
  );
}

/** That an owner is told nothing yet, and the way to ask them again. */
function Unconfirmed({ of: { id, name, email } }: { of: Member }) {
  const say = wordsOf('settings').members;
  const doing = useDoing();
  const [sent, setSent] = useState<InviteAgainResponse | null>(null);
  const again = () => doing.run(async () => setSent(await members.inviteAgain({ memberId: id })));
  return (
    <>
      <small>
        {say.unconfirmed}{' '}
        {may('manage') && (
          <button
            type="button"
            class="button bare"
            aria-label={`${say.inviteAgain}: ${name}`}
            onClick={() => void again()}
          >
            {say.inviteAgain}
          </button>
        )}
      </small>
      <Refused on={doing} shown={[]} />
      {sent !== null && (
        <p class={sent.outcome === 'sent' ? 'notice good' : 'notice'} role="status" dir="auto">
          {(say.again[sent.outcome] ?? say.again.temporary_fault!)(email)} {sent.detail}
        </p>
      )}
    </>
  );
}

function roleOptions() {
  return ROLES.map(role => [role, words().roles[role]!] as const);
}

/** What the edit of a member is called, as in useDraft. */
function memberDraft({ id }: Member): string {
  return `member ${id}`;
}

function MemberForm({ stored, onEnd }: { stored: Member; onEnd(): void }) {
  const say = wordsOf('settings').members;
  const draft = useDraft({ version: stored.version, name: stored.name, role: stored.role }, memberDraft(stored));
  const doing = useDoing();

  function end() {
    draft.end();
    onEnd();
  }

  async function save(event: Event) {
    event.preventDefault();
    const result = await doing.run(() => members.updateMember({ member: { id: stored.id, ...draft.value } }));
    if (result === 'done') end();
  }

  return (
    <form class="form" onSubmit={save}>
      <div class="pair">
        <Field
          label={say.name}
          name="memberName"
          focus
          required
          value={draft.value.name}
          onInput={name => draft.set({ name })}
          wrong={doing.wrong('name')}
        />
        <Choice
          label={say.role}
          value={draft.value.role}
          options={roleOptions()}
          onChoose={role => draft.set({ role })}
        />
      </div>
      <Met of={draft} doing={doing} thing="member" />
      <Refused on={doing} shown={['name', 'role']} />
      <FormEnd on={doing} onCancel={end} />
    </form>
  );
}

const NOBODY = { version: 0, email: '', name: '', role: 'responder' };

/** Invites somebody: one of the people alerted, where the address names one. */
function Invite({ people }: { people: readonly Contact[] | null }) {
  const say = wordsOf('settings').members;
  const draft = useDraft(NOBODY, 'invitation');
  const asked = draft.value;
  const [invited, setInvited] = useState<InviteMemberResponse | null>(null);
  const doing = useDoing();
  const named = people?.find(({ id }) => id === query.value.get('contact'));
  useEffect(() => {
    if (named === undefined) return;
    draft.set({ name: named.name, email: emailOf(named) });
    filter({ contact: '' });
  }, [named?.id]);
  const input = (changes: Partial<typeof NOBODY>) => {
    setInvited(null);
    draft.set(changes);
  };

  async function invite() {
    const { email, name, role } = asked;
    const result = await doing.run(async () =>
      setInvited(await members.inviteMember({ email, name, role, locale: language.value })),
    );
    if (result === 'done') draft.end(NOBODY);
  }

  const told = invited !== null && (
    <p class={invited.outcome === 'sent' ? 'notice good' : 'notice'} role="status" dir="auto">
      {(say.outcomes[invited.outcome] ?? say.outcomes.temporary_fault!)(invited.member!.email)} {invited.detail}
    </p>
  );
  return (
    <AddForm
      doing={doing}
      title={say.invite}
      shown={['email', 'name', 'role']}
      does={say.send}
      onAdd={invite}
      below={told}
    >
      <Field
        label={say.email}
        name="inviteEmail"
        type="email"
        value={asked.email}
        onInput={email => input({ email })}
        wrong={doing.wrong('email')}
      />
      <Field
        label={say.nameIfAny}
        name="inviteName"
        value={asked.name}
        onInput={name => input({ name })}
        wrong={doing.wrong('name')}
      />
      <Choice label={say.role} value={asked.role} options={roleOptions()} onChoose={role => input({ role })} />
    </AddForm>
  );
}

/** What each role may do: as the services have it (role.ts). */
function Roles() {
  const say = wordsOf('settings').members;
  return (
    <section class="stack">
      <h2>{say.roles}</h2>
      <Wide label={say.roles}>
        <table class="roles narrow">
          <thead>
            <tr>
              <td />
              {ROLES.map(role => (
                <th key={role} scope="col">
                  {words().roles[role]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(Object.keys(LEAST) as Ability[]).map(what => (
              <tr key={what}>
                <th scope="row">{say.abilities[what]}</th>
                {ROLES.map(role => (
                  <td key={role} class={isAllowed(role, what) ? 'yes' : 'soft'} data-label={words().roles[role]}>
                    {isAllowed(role, what) ? say.yes : say.no}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </section>
  );
}
