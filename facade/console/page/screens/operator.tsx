import { useState } from 'preact/hooks';
import type { Account } from '../../../../gen/tocsin/console/v1/accounts_pb.ts';
import { Chip, Empty } from '../../design/parts.tsx';
import { ConfirmAct } from '../forms/confirm-act.tsx';
import { useDoing } from '../forms/edit.tsx';
import { useQuery } from '../live/use-query.ts';
import { BackupPart } from '../operator/backup.tsx';
import { CarriersPart } from '../operator/carriers.tsx';
import { DeletedAccounts } from '../operator/deleted-accounts.tsx';
import { NewAccount } from '../operator/new-account.tsx';
import { PublicUrlPart } from '../operator/public-url.tsx';
import { LoadMore, shownNow } from '../parts/load-more.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { readSome } from '../rpc/pages.ts';
import { isOperator } from '../rpc/permissions.ts';
import { about, accounts, READ } from '../rpc/rpc.ts';
import { loadSession, session, switchTo } from '../rpc/session.ts';
import { DoctorPart } from '../settings/doctor.tsx';
import { words, wordsOf } from '../words.ts';

const ADDRESSES = {
  accounts: 'operator',
  deleted: 'operator/deleted',
  carriers: 'operator/carriers',
  deployment: 'operator/deployment',
  backup: 'operator/backup',
} as const;

type PartName = keyof typeof ADDRESSES;

/** Lists all accounts of the deployment, for its operator. */
export function OperatorScreen({ part = 'accounts' }: { part?: string | undefined }) {
  if (!isOperator()) return <Empty icon="search" of="screen" title={words().nothingHere} />;
  const say = wordsOf('operator');
  const name = (Object.hasOwn(ADDRESSES, part) ? part : 'accounts') as PartName;
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
      {name === 'carriers' && <CarriersPart />}
      {name === 'deployment' && (
        <>
          <DoctorPart />
          <PublicUrlPart />
        </>
      )}
      {name === 'backup' && <BackupPart />}
    </>
  );
}

function Accounts() {
  const say = wordsOf('operator');
  const shown = shownNow();
  const read = () =>
    readSome(shown, async page => {
      const { accounts: some, nextPageToken } = await accounts.listAccounts(page, READ);
      return [some, nextPageToken];
    });
  const found = useQuery('accounts', read, shown);
  if (found.data === null) return <Waiting on={found} />;
  return (
    <>
      <section class="stack">
        <h2>{say.accounts}</h2>
        <ul class="card rows">
          {found.data.things.map(account => (
            <AccountRow key={account.id} of={account} />
          ))}
        </ul>
        <LoadMore rest={found.data.rest} />
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
        <ConfirmAct
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
