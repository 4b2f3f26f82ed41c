import { Choice } from '../../design/parts.tsx';
import { useQuery } from '../live/use-query.ts';
import { readAll } from '../rpc/pages.ts';
import { READ } from '../rpc/rpc.ts';
import { apiKeys } from '../rpc/rpc-keys.ts';
import { contacts } from '../rpc/rpc-people.ts';
import type { Narrowing } from '../way/narrowing.ts';
import { filter } from '../way/router.ts';
import { language, words, wordsOf } from '../words.ts';

/** What can be chosen, with its name. */
type Named = readonly (readonly [id: string, name: string])[];

/** Lets incidents be narrowed to a device, by its key, and to a person; and puts open ones in order, where all of them are here. */
export function MoreFilters({ to, order }: { to: Narrowing; order: string | null }) {
  const say = wordsOf('lists');
  return (
    <>
      <Among name="key" label={say.key} value={to.key} of={useSenders()} gone={say.oneKey} />
      <Among name="person" label={say.person} value={to.person} of={useWhom()} gone={say.onePerson} />
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

/** `gone`: what is said of one that is not there, or not yet. */
function Among(on: { name: 'key' | 'person'; label: string; value: string; of: Named; gone: string }) {
  const { name, value, of } = on;
  if (of.length === 0 && value === '') return null;
  const isListed = value === '' || of.some(([id]) => id === value);
  return (
    <Choice
      label={on.label}
      name={name}
      value={value}
      options={[['', words().all], ...of, ...(isListed ? [] : [[value, on.gone] as const])]}
      onChoose={id => filter({ [name]: id, show: '' })}
    />
  );
}

/** Returns the keys of the account, revoked ones too, by the names of their devices. */
function useSenders(): Named {
  const { data } = useQuery(
    'senders',
    () =>
      readAll(async page => {
        const { apiKeys: some, nextPageToken } = await apiKeys.listApiKeys(page, READ);
        return [some.map(({ id, label }) => [id, label] as const), nextPageToken];
      }),
    '',
    'slow',
  );
  return byName(data);
}

/** Returns the contacts of the account by their names. */
function useWhom(): Named {
  const { data } = useQuery(
    'whom',
    () =>
      readAll(async page => {
        const { contacts: some, nextPageToken } = await contacts.listContacts(page, READ);
        return [some.map(({ id, name }) => [id, name] as const), nextPageToken];
      }),
    '',
    'slow',
  );
  return byName(data);
}

export function SenderName({ id }: { id: string }) {
  return <>{nameAmong(useSenders(), id) ?? wordsOf('lists').oneKey}</>;
}

export function WhomName({ id }: { id: string }) {
  return <>{nameAmong(useWhom(), id) ?? wordsOf('lists').onePerson}</>;
}

function nameAmong(of: Named, id: string): string | undefined {
  return of.find(([one]) => one === id)?.[1];
}

function byName(of: Named | null): Named {
  return (of ?? []).toSorted(([, one], [, other]) => one.localeCompare(other, language.value));
}
