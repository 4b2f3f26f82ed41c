import { useState } from 'preact/hooks';
import type { DeletedAccount } from '../../../../gen/tocsin/console/v1/deleted_accounts_pb.ts';
import { useModal } from '../../design/dialog.tsx';
import { Chip, Empty, Field } from '../../design/parts.tsx';
import { Refused, useDoing } from '../forms/edit.tsx';
import { useQuery } from '../live/use-query.ts';
import { LoadMore, shownNow } from '../parts/load-more.tsx';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { readSome } from '../rpc/pages.ts';
import { about, accounts, READ } from '../rpc/rpc.ts';
import { words, wordsOf } from '../words.ts';

/** Shows what is left of deleted accounts, to be erased for good. */
export function DeletedAccounts() {
  const say = wordsOf('operator');
  const shown = shownNow();
  const read = () =>
    readSome(shown, async page => {
      const { accounts: some, nextPageToken } = await accounts.listDeletedAccounts(page, READ);
      return [some, nextPageToken];
    });
  const found = useQuery('deleted accounts', read, shown);
  const [erased, erase] = useState<DeletedAccount | null>(null);
  if (found.data === null) return <Waiting on={found} />;
  return (
    <section class="stack">
      <h2>{say.deleted}</h2>
      <p class="soft">{say.deletedText}</p>
      <ul class="card rows">
        {found.data.things.map(account => (
          <li key={account.id} class="row">
            <div>
              <b dir="auto">{account.name === '' ? say.nameless : account.name}</b>
              <small>
                {say.deletedAt} <Time at={account.deletedAt} /> · <code>{account.id}</code>
                {account.erasedAt !== undefined && (
                  <>
                    {' · '}
                    {say.erasedAt} <Time at={account.erasedAt} /> <bdi>{account.erasedBy}</bdi>
                  </>
                )}
              </small>
            </div>
            <div class="doing">
              {account.erasedAt === undefined ? (
                <button
                  type="button"
                  class="button bare"
                  aria-label={`${say.erase}: ${account.name}`}
                  onClick={() => erase(account)}
                >
                  {say.erase}
                </button>
              ) : (
                <Chip tone="off">{say.erased}</Chip>
              )}
            </div>
          </li>
        ))}
        {found.data.things.length === 0 && (
          <li>
            <Empty icon="check" title={say.noneDeleted.title} text={say.noneDeleted.text} />
          </li>
        )}
      </ul>
      <LoadMore rest={found.data.rest} />
      {erased !== null && <Erase of={erased} onEnd={() => erase(null)} />}
    </section>
  );
}

/** Asks for the name, because it cannot be undone; for the id where no name is left. */
function Erase({ of: { id, name }, onEnd }: { of: DeletedAccount; onEnd(): void }) {
  const say = wordsOf('operator');
  const dialog = useModal();
  const [typed, type] = useState('');
  const [removed, count] = useState(0);
  const doing = useDoing();
  const wanted = name === '' ? id : name;

  async function erase(event: Event) {
    event.preventDefault();
    const result = await doing.run(async () => {
      // Each call removes what it can in about a second.
      for (let isDone = false; !isDone; ) {
        const { account, removed } = await accounts.eraseAccount({ accountId: id }, about(id));
        count(sum => sum + removed);
        isDone = account?.erasedAt !== undefined;
      }
    });
    if (result === 'done') onEnd();
  }

  return (
    <dialog ref={dialog} aria-labelledby="erase" onClose={onEnd}>
      <form onSubmit={erase}>
        <h2 id="erase" dir="auto">
          {say.eraseTitle(wanted)}
        </h2>
        <p class="soft">{say.eraseText}</p>
        <Field label={say.eraseType(wanted)} name="eraseName" value={typed} onInput={type} focus />
        <Refused on={doing} />
        <p role="status" class="soft">
          {removed > 0 && say.removed(removed)}
        </p>
        <div class="choices">
          <button type="submit" class="button live" disabled={typed.trim() !== wanted.trim() || doing.is === 'working'}>
            {say.erase}
          </button>
          <button type="button" class="button quiet" onClick={onEnd}>
            {words().cancel}
          </button>
        </div>
      </form>
    </dialog>
  );
}
