import { useState } from 'preact/hooks';
import { Choice, Field } from '../../design/parts.tsx';
import { AddForm } from '../forms/add-form.tsx';
import { useDraft } from '../forms/draft.ts';
import { useDoing } from '../forms/edit.tsx';
import { ShownOnce } from '../parts/copy.tsx';
import { zones } from '../parts/time.tsx';
import { accounts } from '../rpc/rpc.ts';
import { language, wordsOf } from '../words.ts';

const NOBODYS = { version: 0, name: '', ownerEmail: '', plan: '' };

/** What is said of the mail to the owner, by its outcome. */
function askedSaid(invitation: string): (email: string) => string {
  const { asked } = wordsOf('operator');
  return asked[invitation === 'under_way' ? 'sent' : invitation] ?? asked.failed!;
}

/** Creates an account and shows its token once. `onDone`: called with its id once that was read. `of`: a `screen` of its own needs a title. */
export function NewAccount({ of = 'part', onDone }: { of?: 'part' | 'screen'; onDone?(id: string): void }) {
  const say = wordsOf('operator');
  const draft = useDraft(NOBODYS, 'account new');
  const asked = draft.value;
  const [made, show] = useState<{ id: string; name: string; token: string; mail: string } | null>(null);
  const doing = useDoing();

  async function make() {
    const result = await doing.run(async () => {
      const { own: ownerTimeZone } = zones();
      const doc = { ...asked, ownerTimeZone, ownerLocale: language.value };
      const { account, token, invitation, findings } = await accounts.createAccount({ account: doc });
      const mail = findings.length === 0 ? '' : askedSaid(invitation)(account!.ownerEmail);
      show({ id: account!.id, name: account!.name, token, mail });
    });
    if (result === 'done') draft.end(NOBODYS);
  }

  if (made !== null) {
    return (
      <>
        {made.mail !== '' && (
          <p class="notice" role="status" dir="auto">
            {made.mail}
          </p>
        )}
        <ShownOnce
          title={say.token(made.name)}
          text={say.tokenText}
          secret={made.token}
          done={say.noted}
          onDone={() => {
            show(null);
            onDone?.(made.id);
          }}
        />
      </>
    );
  }
  return (
    <AddForm
      doing={doing}
      {...(of === 'part' ? { title: say.create } : {})}
      shown={['name', 'ownerEmail']}
      does={say.make}
      onAdd={make}
      below={<p class="soft small">{say.createText}</p>}
    >
      <Field
        label={say.name}
        name="accountName"
        value={asked.name}
        onInput={name => draft.set({ name })}
        wrong={doing.wrong('name')}
      />
      <Field
        label={say.email}
        name="accountEmail"
        value={asked.ownerEmail}
        onInput={ownerEmail => draft.set({ ownerEmail })}
        wrong={doing.wrong('ownerEmail')}
      />
      <Choice
        label={say.plan}
        value={asked.plan}
        options={[['', say.planDefault], ...Object.entries(say.plans)]}
        onChoose={plan => draft.set({ plan })}
      />
    </AddForm>
  );
}
