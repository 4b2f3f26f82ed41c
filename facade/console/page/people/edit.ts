import type { Contact, ContactChannel } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { zones } from '../parts/time.tsx';
import { language, wordsOf } from '../words.ts';

/** A person as the form holds them. */
export interface PersonEdit
  extends Pick<Contact, 'id' | 'key' | 'version' | 'name' | 'locale' | 'timeZone' | 'voice' | 'showNumber'> {
  channels: Pick<ContactChannel, 'channel' | 'address' | 'disabledReason'>[];
}

export interface WayEdit extends Pick<ContactChannel, 'channel' | 'address' | 'disabledReason'> {
  use: 'used' | 'not_used';
}

/** Somebody who is being added: they likely read as whoever adds them does. `known`: what is known of them. */
export function NEW_PERSON(known: { name: string; email: string } = { name: '', email: '' }): PersonEdit {
  const reader = { locale: language.value, timeZone: zones().account };
  const email = { channel: 'email', address: known.email, disabledReason: '' };
  return { id: '', key: '', version: 0, name: known.name, ...reader, voice: '', showNumber: false, channels: [email] };
}

/** What the edit of a person is called, as in useDraft. */
export function personDraft(id: string): string {
  return `person ${id || 'new'}`;
}

/** Returns the editable part of a person: output fields are left out. */
export function editOf({ id, key, version, name, locale, timeZone, voice, showNumber = false, channels }: PersonEdit) {
  const ways = channels.map(({ channel, address, disabledReason }): WayEdit => {
    return { channel, address, disabledReason, use: disabledReason === '' ? 'used' : 'not_used' };
  });
  return { id, key, version, name, locale, timeZone, voice, showNumber, channels: ways };
}

/** Returns what an edit stores. */
export function storedAs(edit: ReturnType<typeof editOf>): PersonEdit {
  const { notNow } = wordsOf('people').form;
  const channels = edit.channels.map(({ channel, address, disabledReason, use }) => ({
    channel,
    address: plain(channel, address),
    disabledReason: use === 'used' ? '' : disabledReason.trim() || notNow,
  }));
  return { ...edit, channels };
}

/** Returns an address as it is stored: a phone number without the characters that people put between its digits. */
export function plain(channel: string, address: string): string {
  const isPhone = channel === 'text' || channel === 'call';
  return isPhone ? address.replace(/[\s()/.-]/g, '').replace(/^00/, '+') : address.trim();
}
