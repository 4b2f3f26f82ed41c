import { useState } from 'preact/hooks';
import type { Account } from '../../../../gen/tocsin/console/v1/accounts_pb.ts';
import { Chip, Choice, Empty, Field } from '../../design/parts.tsx';
import { AddForm } from '../add-form.tsx';
import { Asking } from '../asking.tsx';
import { ShownOnce } from '../copy.tsx';
import { useDoing } from '../edit.tsx';
import { fetched } from '../fetched.tsx';
import { useLoad } from '../load.ts';
import { isOperator } from '../may.ts';
import { BackupPart } from '../operator/backup.tsx';
import { DeletedAccounts } from '../operator/deleted-accounts.tsx';
import { about, accounts, READ } from '../rpc.ts';
import { loadSession, session, switchTo } from '../session.ts';
import { Tabs } from '../tabs.tsx';
import { Time, zones } from '../time.tsx';
import { Waiting } from '../waiting.tsx';
import { language, words, wordsOf } from '../words.ts';

const DoctorPart = fetched('health', async () => (await import('../settings/doctor.tsx')).DoctorPart);

const ADDRESSES = {
  accounts: 'operator',
  deleted: 'operator/deleted',
  deployment: 'operator/deployment',
  backup: 'operator/backup',
} as const;

type PartName = keyof typeof ADDRESSES;

/** All accounts of the deployment, for whoever runs it. */
export function OperatorScreen({ part = 'accounts' }: { part?: string | undefined }) {
  if (!isOperator()) return <Empty icon="search" of="screen" title={words().nothingHere} />;
  const say = wordsOf('operator');
  const name = (part in ADDRESSES ? part : 'accounts') as PartName;
  return (
    <>
      <h1>{say.title}</h1>
      <Tabs
        label={say.title}
        now={ADDRESSES[name]}
        tabs={Object.entries(ADDRESSES).map(([name, address]) => [address, say.parts[name as PartName]] as const)}
      />
      {name === 'accounts' && <Accounts />}
      {name === 'deleted' && <DeletedAccounts />}
      {name === 'deployment' && <DoctorPart />}
      {name === 'backup' && <BackupPart />}
    </>
  );
}

/** A page of accounts; the next ones are fetched behind it. */
const PAGE = 50;

function Accounts() {
  const say = wordsOf('operator');
  const [pages, setPages] = useState(1);
  const found = useLoad(`accounts ${pages}`, async () => {
    const all: Account[] = [];
    let pageToken = '';
    for (let page = 0; page < pages; page++) {
      const answer = await accounts.listAccounts({ pageSize: PAGE, pageToken }, READ);
      all.push(...answer.accounts);
      pageToken = answer.nextPageToken;
      if (pageToken === '') break;
    }
    return { all, more: pageToken !== '' };
  });
  if (found.data === null) return <Waiting on={found} />;
  return (
    <>
      <section class="stack">
        <h2>{say.accounts}</h2>
        <ul class="card rows">
          {found.data.all.map(account => (
            <AccountRow key={account.id} of={account} />
          ))}
        </ul>
        {found.data.more && (
          <button type="button" class="button quiet" onClick={() => setPages(pages + 1)}>
            {words().incidents.more}
          </button>
        )}
      </section>
      <NewAccount />
    </>
  );
}

function AccountRow({ of: { id, name, plan, createdAt, ownerEmail } }: { of: Account }) {
  const say = wordsOf('operator');
  const [asking, ask] = useState(false);
  const doing = useDoing();
  const isHere = session.value.is === 'signed_in' && session.value.account.id === id;

  return (
    <li class="row">
      <div>
        <b dir="auto">{name}</b>
        <small>
          {say.made} <Time at={createdAt} /> {ownerEmail !== '' && <bdi>· {ownerEmail}</bdi>} · <code>{id}</code>
        </small>
      </div>
      <div class="doing">
        <Chip tone={plan === 'paid' ? 'good' : 'off'}>{say.plans[plan] ?? plan}</Chip>
        {isHere ? (
          <span class="soft small">{say.here}</span>
        ) : (
          <button
            type="button"
            class="button bare"
            aria-label={`${say.enter}: ${name}`}
            onClick={() => void switchTo(id)}
          >
            {say.enter}
          </button>
        )}
        <button type="button" class="button bare" aria-label={`${words().remove}: ${name}`} onClick={() => ask(true)}>
          {words().remove}
        </button>
      </div>
      {asking && (
        <Asking
          doing={doing}
          title={say.remove(name)}
          text={say.removeText}
          yes={words().remove}
          act={() => accounts.deleteAccount({ accountId: id }, about(id))}
          onEnd={how => {
            ask(false);
            if (how === 'done' && isHere) void loadSession();
          }}
        />
      )}
    </li>
  );
}

const NOBODYS = { name: '', ownerEmail: '', plan: '' };

function NewAccount() {
  const say = wordsOf('operator');
  const [asked, set] = useState(NOBODYS);
  const [made, show] = useState<{ name: string; token: string } | null>(null);
  const doing = useDoing();
  const input = (changes: Partial<typeof NOBODYS>) => set({ ...asked, ...changes });

  async function make() {
    const result = await doing.run(async () => {
      const { own: ownerTimeZone } = zones();
      const doc = { ...asked, ownerTimeZone, ownerLocale: language.value };
      const { account, token } = await accounts.createAccount({ account: doc });
      show({ name: account!.name, token });
    });
    if (result === 'done') set(NOBODYS);
  }

  if (made !== null) {
    return (
      <ShownOnce
        title={say.token(made.name)}
        text={say.tokenText}
        secret={made.token}
        done={say.noted}
        onDone={() => show(null)}
      />
    );
  }
  return (
    <AddForm
      doing={doing}
      title={say.create}
      shown={['name', 'ownerEmail']}
      does={say.make}
      onAdd={make}
      below={<p class="soft small">{say.createText}</p>}
    >
      <Field
        label={say.name}
        name="accountName"
        value={asked.name}
        onInput={name => input({ name })}
        wrong={doing.wrong('name')}
      />
      <Field
        label={say.email}
        name="accountEmail"
        value={asked.ownerEmail}
        onInput={ownerEmail => input({ ownerEmail })}
        wrong={doing.wrong('ownerEmail')}
      />
      <Choice
        label={say.plan}
        value={asked.plan}
        options={[['', say.planDefault], ...Object.entries(say.plans)]}
        onChoose={plan => input({ plan })}
      />
    </AddForm>
  );
}
