import { useState } from 'preact/hooks';
import { Choice } from '../../design/parts.tsx';
import { useQuery } from '../live/use-query.ts';
import { readAll } from '../rpc/pages.ts';
import { READ } from '../rpc/rpc.ts';
import { apiKeys } from '../rpc/rpc-keys.ts';
import { contacts } from '../rpc/rpc-people.ts';
import type { Narrowing } from '../way/narrowing.ts';
import { filter } from '../way/router.ts';
import { language, words, wordsOf } from '../words.ts';
import { lazyScreen } from './lazy-screen.tsx';

/** What can be chosen, with its name. */
type Named = readonly (readonly [id: string, name: string])[];

type By = 'key' | 'person';

/**
 * Lets incidents be narrowed to a device, by its key, and to a person; and puts open ones in order, where all of them are here. Its
 * words are fetched with it.
 */
export const MoreFilters = lazyScreen(async () => Filters, 'rest', 'nothing');

function Filters({ to, order }: { to: Narrowing; order: string | null }) {
  const say = wordsOf('lists');
  return (
    <>
      <Among by="key" value={to.key} />
      <Among by="person" value={to.person} />
      {order !== null && (
        <Choice
          label={say.order}
          name="order"
          value={order}
          options={Object.entries(say.open)}
          onChoose={order => filter({ order })}
        />
      )}
    </>
  );
}

/** What can be chosen may be thousands, and most who look at incidents choose none: it is asked for by whoever turns to it. */
function Among({ by, value }: { by: By; value: string }) {
  const [isTouched, touch] = useState(false);
  const listed: Named = [['', words().all], ...useNamed(by, isTouched || value !== '')];
  const isListed = listed.some(([id]) => id === value);
  return (
    <Choice
      label={wordsOf('lists')[by]}
      name={by}
      value={value}
      options={isListed ? listed : [...listed, [value, wordsOf('lists').one[by]]]}
      onFocus={() => touch(true)}
      onChoose={id => filter({ [by]: id, show: '' })}
    />
  );
}

/** The keys of an account by the names of their devices, a revoked one told apart from that which took its place; or its contacts. */
const ALL: Readonly<Record<By, () => Promise<Named>>> = {
  key: () =>
    readAll(async page => {
      const { apiKeys: some, nextPageToken } = await apiKeys.listApiKeys(page, READ);
      const { revoked } = wordsOf('lists');
      const named = some.map(({ id, label, status, secrets }) => {
        return [id, status === 'revoked' ? revoked(label, secrets[0]?.last4 ?? '') : label] as const;
      });
      return [named, nextPageToken];
    }),
  person: () =>
    readAll(async page => {
      const { contacts: some, nextPageToken } = await contacts.listContacts(page, READ);
      return [some.map(({ id, name }) => [id, name] as const), nextPageToken];
    }),
};

function useNamed(by: By, isWanted = true): Named {
  const { data } = useQuery(`${isWanted} ${by}`, async () => (isWanted ? ALL[by]() : []), '', 'slow');
  return (data ?? []).toSorted(([, one], [, other]) => one.localeCompare(other, language.value));
}

export function NameOf({ by, id }: { by: By; id: string }) {
  return <>{new Map(useNamed(by)).get(id) ?? wordsOf('lists').one[by]}</>;
}
