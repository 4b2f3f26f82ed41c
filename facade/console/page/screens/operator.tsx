import { useState } from 'preact/hooks';
import type { Account } from '../../../../gen/tocsin/console/v1/accounts_pb.ts';
import { Chip, Choice, Confirm, Empty, Field } from '../../design/parts.tsx';
import { ShownOnce } from '../copy.tsx';
import { FormEnd, Refused, useDoing } from '../edit.tsx';
import { fetched } from '../fetched.tsx';
import { useLoad } from '../load.ts';
import { isOperator } from '../may.ts';
import { DeletedAccounts } from '../operator/deleted-accounts.tsx';
import { about, accounts, READ } from '../rpc.ts';
import { loadSession, session, switchTo } from '../session.ts';
import { Tabs } from '../tabs.tsx';
import { Time, zones } from '../time.tsx';
import { language, words, wordsOf } from '../words.ts';
import { Waiting } from './home.tsx';

const DoctorPart = fetched('health', async () => (await import('../settings/doctor.tsx')).DoctorPart);

const ADDRESSES = { accounts: 'operator', deleted: 'operator/deleted', deployment: 'operator/deployment' } as const;

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

  async function remove() {
    const result = await doing.run(() => accounts.deleteAccount({ accountId: id }, about(id)));
    if (result !== 'done') return;
    ask(false);
    if (isHere) await loadSession();
  }

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
        <Confirm
          title={say.remove(name)}
          text={say.removeText}
          yes={words().remove}
          no={words().cancel}
          tone="live"
          wrong={doing.refusal?.message ?? null}
          working={doing.is === 'working'}
          onYes={() => void remove()}
          onNo={() => {
            ask(false);
            doing.forget();
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

  async function make(event: Event) {
    event.preventDefault();
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
    <section class="stack">
      <h2>{say.create}</h2>
      <form class="card form" onSubmit={make}>
        <div class="pair">
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
        </div>
        <p class="soft small">{say.createText}</p>
        <Refused on={doing} shown={['name', 'ownerEmail']} />
        <FormEnd on={doing}>{say.make}</FormEnd>
      </form>
    </section>
  );
}
