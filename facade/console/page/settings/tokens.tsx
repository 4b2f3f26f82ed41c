import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { useState } from 'preact/hooks';
import type { Token } from '../../../../gen/tocsin/console/v1/tokens_pb.ts';
import { Chip, Choice, Empty, Field } from '../../design/parts.tsx';
import { AddForm } from '../forms/add-form.tsx';
import { Delete } from '../forms/delete.tsx';
import { useDraft } from '../forms/draft.ts';
import { useDoing } from '../forms/edit.tsx';
import { useQuery } from '../live/use-query.ts';
import { ShownOnce } from '../parts/copy.tsx';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { readAll } from '../rpc/pages.ts';
import { isOperator } from '../rpc/permissions.ts';
import { accounts, READ } from '../rpc/rpc.ts';
import { wordsOf } from '../words.ts';
import { daysOf } from './units.ts';

/** After how many days a new one ends; 0: never. */
const ENDS_AFTER = ['30', '90', '365', '0'];

const DAY_MS = 24 * 3_600_000;

/** Lists the console tokens of the account. Only the operator makes them. */
export function Tokens() {
  const say = wordsOf('settings').tokens;
  const found = useQuery('tokens', () =>
    readAll(async page => {
      const { tokens, nextPageToken } = await accounts.listTokens(page, READ);
      return [tokens, nextPageToken];
    }),
  );
  if (found.data === null) return <Waiting on={found} />;
  const inOrder = [...found.data].sort(
    (one, other) => Number(other.status === 'active') - Number(one.status === 'active'),
  );
  return (
    <section class="stack">
      <h2>{say.title}</h2>
      <p class="soft">{say.text}</p>
      <ul class="card rows">
        {inOrder.map(token => (
          <TokenRow key={token.id} of={token} />
        ))}
        {inOrder.length === 0 && (
          <li>
            <Empty icon="keys" title={say.none.title} text={say.none.text} />
          </li>
        )}
      </ul>
      {isOperator() ? <NewToken /> : <p class="soft small">{say.operatorMakes}</p>}
    </section>
  );
}

function TokenRow({ of: { id, label, createdAt, expiresAt, revokedAt, status } }: { of: Token }) {
  const say = wordsOf('settings').tokens;
  return (
    <li class="row">
      <div>
        <b dir="auto">{label}</b>
        <small>
          {say.made} <Time at={createdAt} />
          {revokedAt !== undefined && (
            <>
              {' '}
              · {say.revokedAt} <Time at={revokedAt} />
            </>
          )}
          {revokedAt === undefined && expiresAt !== undefined && (
            <>
              {' '}
              · {say.ends} <Time at={expiresAt} />
            </>
          )}
        </small>
      </div>
      <div class="doing">
        <Chip tone={status === 'active' ? 'good' : 'off'}>{say.states[status] ?? status}</Chip>
        {status === 'active' && (
          <Delete
            place="row"
            label={say.revoke}
            of={label}
            title={say.confirm(label)}
            text={say.confirmText}
            act={() => accounts.revokeToken({ tokenId: id })}
          />
        )}
      </div>
    </li>
  );
}

const NO_TOKEN = { version: 0, label: '', days: '365' };

function NewToken() {
  const say = wordsOf('settings').tokens;
  const draft = useDraft(NO_TOKEN, 'token new');
  const { label, days } = draft.value;
  const [secret, show] = useState('');
  const doing = useDoing();

  async function make() {
    const ends = days === '0' ? {} : { expiresAt: timestampFromDate(new Date(Date.now() + Number(days) * DAY_MS)) };
    const result = await doing.run(async () => show((await accounts.createToken({ label, ...ends })).secret));
    if (result === 'done') draft.end(NO_TOKEN);
  }

  if (secret !== '') {
    return (
      <ShownOnce title={say.shown} text={say.shownText} secret={secret} done={say.noted} onDone={() => show('')} />
    );
  }
  return (
    <AddForm doing={doing} shown={['label']} does={say.make} onAdd={make}>
      <Field
        label={say.label}
        name="tokenLabel"
        value={label}
        onInput={label => draft.set({ label })}
        wrong={doing.wrong('label')}
      />
      <Choice
        label={say.endsAfter}
        value={days}
        options={ENDS_AFTER.map(days => [days, days === '0' ? say.never : daysOf(Number(days))])}
        onChoose={days => draft.set({ days })}
      />
    </AddForm>
  );
}
