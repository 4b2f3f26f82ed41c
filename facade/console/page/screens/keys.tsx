import { useState } from 'preact/hooks';
import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { ApiKey } from '../../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { Choice, Empty } from '../../design/parts.tsx';
import { isUnsaved } from '../forms/draft.ts';
import { KeyForm, keyDraft, NEW_KEY } from '../keys/form.tsx';
import { KEY_ORDERS, KeyRow } from '../keys/row.tsx';
import { type MadeKey, ShownKey } from '../keys/shown.tsx';
import { useQuery } from '../live/use-query.ts';
import { useHeldOrder } from '../live/use-stable.ts';
import { Heads, inOrder, OrderChoice } from '../parts/heads.tsx';
import { LoadMore, shownNow } from '../parts/load-more.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { readAll, withOne } from '../rpc/pages.ts';
import { may } from '../rpc/permissions.ts';
import { alarms, READ } from '../rpc/rpc.ts';
import { apiKeys } from '../rpc/rpc-keys.ts';
import { filter, query } from '../way/router.ts';
import { wordsOf } from '../words.ts';

/** Lists who may call. A secret is held by this component alone, and gone with it. */
export function KeysScreen() {
  const say = wordsOf('keys');
  const found = useQuery('keys', readKeys);
  const [form, turn] = useState<'closed' | 'open'>(() => (isUnsaved(keyDraft('')) ? 'open' : 'closed'));
  const [made, show] = useState<MadeKey | null>(null);
  const listed = query.value.get('listed') ?? '';
  const listing = found.data?.keys.filter(({ status }) => listed === 'all' || status === 'active') ?? [];
  const { list, hold } = useHeldOrder<ApiKey, HTMLTableSectionElement>();
  const all = hold(inOrder(listing, KEY_ORDERS), query.value.get('order') ?? '');
  const shown = all.slice(0, shownNow());
  const { name, used, ends } = wordsOf('lists').columns;

  function put(key: ApiKey) {
    if (found.data !== null) found.put({ ...found.data, keys: withOne(found.data.keys, key) });
  }

  function take(next: MadeKey) {
    put(next.key);
    show(next);
    scrollTo(0, 0);
  }

  return (
    <>
      <div class="head top">
        <div>
          <h1>{say.title}</h1>
          <p class="soft">{say.lead}</p>
        </div>
        {may('manage') && form === 'closed' && found.data !== null && (
          <button type="button" class="button" onClick={() => turn('open')}>
            {say.add}
          </button>
        )}
      </div>
      {made !== null && <ShownKey of={made} onDone={() => show(null)} />}
      {form === 'open' && may('manage') && found.data !== null && (
        <KeyForm
          of={NEW_KEY}
          alarms={found.data.alarms}
          onDone={next => {
            turn('closed');
            if (next !== null) take(next);
          }}
        />
      )}
      {found.data === null ? (
        <Waiting on={found} />
      ) : (
        <>
          {found.data.keys.length > 0 && (
            <div class="filters">
              <Choice
                label={say.show}
                value={listed}
                options={[
                  ['', say.active],
                  ['all', say.all],
                ]}
                onChoose={listed => filter({ listed })}
              />
              <OrderChoice orders={KEY_ORDERS} />
            </div>
          )}
          <div class="card">
            {all.length > 0 && (
              <table class="listed" aria-label={say.title}>
                <Heads columns={[[name, 'name'], [used, 'used', 'unused'], [ends, 'ends'], ['']]} orders={KEY_ORDERS} />
                <tbody ref={list} class="rows" id="keys">
                  {shown.map(key => (
                    <KeyRow key={key.id} of={key} alarms={found.data!.alarms} onMade={take} onChanged={put} />
                  ))}
                </tbody>
              </table>
            )}
            {all.length === 0 && <Empty icon="keys" {...(found.data.keys.length === 0 ? say.none : say.noneActive)} />}
          </div>
        </>
      )}
      <LoadMore rest={shown.length < all.length ? 'more' : 'none'} />
    </>
  );
}

async function readKeys(): Promise<{ keys: ApiKey[]; alarms: Alarm[] }> {
  const [keys, all] = await Promise.all([
    readAll(async page => {
      const { apiKeys: some, nextPageToken } = await apiKeys.listApiKeys(page, READ);
      return [some, nextPageToken];
    }),
    readAll(async page => {
      const { alarms: some, nextPageToken } = await alarms.listAlarms(page, READ);
      return [some, nextPageToken];
    }),
  ]);
  return { keys, alarms: all };
}
