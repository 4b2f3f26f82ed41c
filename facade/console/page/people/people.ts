import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Duty } from '../../../../gen/tocsin/console/v1/duties_pb.ts';
import { type Query, useQuery } from '../live/use-query.ts';
import { cityOf } from '../parts/time.tsx';
import { readAll } from '../rpc/pages.ts';
import { READ } from '../rpc/rpc.ts';
import { contacts } from '../rpc/rpc-people.ts';
import { duties, policies } from '../rpc/rpc-policies.ts';
import { language, words } from '../words.ts';

export function usePeople() {
  return useQuery('people', () =>
    readAll(async page => {
      const { contacts: people, nextPageToken } = await contacts.listContacts(page, READ);
      return [people, nextPageToken];
    }),
  );
}

export function useDuties() {
  return useQuery('duties', () =>
    readAll(async page => {
      const { duties: some, nextPageToken } = await duties.listDuties(page, READ);
      return [some, nextPageToken];
    }),
  );
}

export function usePolicies() {
  return useQuery('policies', () =>
    readAll(async page => {
      const { policies: some, nextPageToken } = await policies.listPolicies(page, READ);
      return [some, nextPageToken];
    }),
  );
}

/** One of what a list holds. */
export function oneOf<T extends { id: string }>(found: Query<T[]>, id: string): T | undefined {
  return found.data?.find(one => one.id === id);
}

/** Returns everybody whom a duty names, as ids. */
export function peopleOn({ hours, otherwise, except }: Pick<Duty, 'hours' | 'otherwise' | 'except'>): string[] {
  return [
    ...[...hours.map(({ who }) => who), otherwise].flatMap(who => who?.turns?.contactIds ?? who?.contactIds ?? []),
    ...except.flatMap(({ contactIds }) => contactIds),
  ];
}

/** Tells whether a contact's name or an address contains a text, in any letter case. */
export function isCalled({ name, channels }: Contact, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  return [name, ...channels.map(({ address }) => address)].some(said => said.toLowerCase().includes(wanted));
}

/** Returns the language and time zone of a contact, as people say them. */
export function readsIn({ locale, timeZone }: Contact): string {
  return [languageName(locale), words().zone(cityOf(timeZone || 'UTC'))].join(' · ');
}

/** Returns the name of a language in the reader's language. */
export function languageName(locale: string): string {
  try {
    return new Intl.DisplayNames(language.value, { type: 'language' }).of(locale || 'en') ?? locale;
  } catch {
    return locale;
  }
}
