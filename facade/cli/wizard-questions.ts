import { Code, ConnectError } from '@connectrpc/connect';
import { InvalidFieldsSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import type { Contact } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Location } from '../../gen/tocsin/console/v1/locations_pb.ts';
import { addressFrom } from '../../services/process/addresses.ts';
import { clean, mismatch, shown } from '../../services/process/text.ts';
import { ADDRESSES, type ChannelKind, MODES } from '../../services/process/vocabulary.ts';
import type { Ask } from './ask.ts';
import { PROPOSED_WINDOW_S } from './modes.ts';
import type { Rpc } from './rpc.ts';

const NEW = 'new';

/** Asks for an existing location or a new one. `made` is called for a new one. */
export async function askLocation(rpc: Rpc, ask: Ask, made: (location: Location) => void): Promise<Location> {
  const { locations } = await rpc.locations.listLocations({ pageSize: 50 });
  const known = await oneOf(ask, 'Where is the alarm?', locations, 'At a new location');
  if (known !== null) return known;
  return untilAccepted(ask, async () => {
    const name = await ask.text('What is the place called?', { proposed: 'Home' });
    const address = await ask.text('Its postal address, shown to the people alerted (optional)', {
      empty: 'accepted',
    });
    const { location } = await rpc.locations.createLocation({ location: { name, address } });
    made(location!);
    return location!;
  });
}

/** Asks for an existing contact with a channel or a new one, for whom `timeZone` is proposed. */
export async function askContact(
  rpc: Rpc,
  ask: Ask,
  timeZone: string,
  made: (contact: Contact) => void,
): Promise<Contact> {
  const { contacts } = await rpc.contacts.listContacts({ pageSize: 50 });
  const reachable = contacts.filter(({ channels }) => channels.length > 0);
  const known = await oneOf(ask, 'Who is alerted first?', reachable, 'Somebody new');
  if (known !== null) return known;
  return untilAccepted(ask, () => newContact(rpc, ask, timeZone, made));
}

async function newContact(rpc: Rpc, ask: Ask, proposed: string, made: (contact: Contact) => void): Promise<Contact> {
  const name = await ask.text('Who is alerted first? A name');
  const channel = await ask.choose<ChannelKind>(`How should ${clean(name)} be alerted?`, [
    { value: 'email', label: 'Email' },
    { value: 'text', label: 'Text message' },
    { value: 'call', label: 'Phone call' },
    { value: 'push', label: 'Push' },
    { value: 'chat', label: 'Chat (Telegram, Signal)' },
    { value: 'webhook', label: 'Webhook' },
  ]);
  const address = await ask.text(QUESTIONS[channel], { check: text => wrongAddress(channel, text) });
  const timeZone = await ask.text('What is their time zone?', { proposed: proposed || 'UTC' });
  const { contact } = await rpc.contacts.createContact({
    contact: { name, timeZone, channels: [{ channel, address }] },
  });
  made(contact!);
  return contact!;
}

/**
 * Creates an alarm with all four modes on one policy and the safe choices (DECISIONS.md "A new alarm", "False-alarm
 * window").
 */
export async function askAlarm(rpc: Rpc, ask: Ask, { locationId, policyId }: { locationId: string; policyId: string }) {
  return untilAccepted(ask, async () => {
    const name = await ask.text('What is the alarm called?', { proposed: 'House' });
    const modes = MODES.map(id => ({ id, policyId, windowS: id === 'away' ? PROPOSED_WINDOW_S : 0 }));
    return rpc.alarms.createAlarm({ alarm: { name, locationId, onlyWhenArmed: true, clearOnDisarm: true, modes } });
  });
}

/** Creates the key of the first device that calls the alarm. */
export async function askKey(rpc: Rpc, ask: Ask, alarmId: string) {
  return untilAccepted(ask, async () => {
    const question = 'Which device triggers it? Messages say by this name what tripped';
    const label = await ask.text(question, { proposed: 'First device' });
    return rpc.keys.createApiKey({ apiKey: { label, alarmId } });
  });
}

/** Asks again for what the services do not accept, with their sentences; any other fault passes. */
async function untilAccepted<T>(ask: Ask, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConnectError) || error.code !== Code.InvalidArgument) throw error;
      const problems = error
        .findDetails(InvalidFieldsSchema)
        .flatMap(({ fields }) => fields.map(({ problem }) => problem));
      ask.tell(problems.length === 0 ? error.rawMessage : problems.join(' '));
    }
  }
}

const QUESTIONS: Readonly<Record<ChannelKind, string>> = {
  email: 'Which email address?',
  text: 'Which phone number, with its country code, such as +12025550111?',
  call: 'Which phone number, with its country code, such as +12025550111?',
  push: 'Which push topic, or https URL of one?',
  chat: 'Which person at Telegram or Signal, such as telegram:123456789 or signal:+12025550111?',
  webhook: 'Which https URL?',
};

/** Returns what is wrong with an address, in the words of the services; undefined if they accept it. */
export function wrongAddress(channel: ChannelKind, text: string): string | undefined {
  const { takes, fits } = ADDRESSES[channel];
  return fits(addressFrom(channel, text)) ? undefined : `It ${mismatch(takes, shown(text))}`;
}

async function oneOf<T extends { id: string; name: string; key: string }>(
  ask: Ask,
  question: string,
  known: readonly T[],
  other: string,
): Promise<T | null> {
  if (known.length === 0) return null;
  const choices = known.map(({ id, name, key }) => ({ value: id, label: clean(name), hint: key }));
  const chosen = await ask.choose(question, [...choices, { value: NEW, label: other }]);
  return known.find(({ id }) => id === chosen) ?? null;
}
