import type { ChannelKind } from '../process/vocabulary.ts';
import type { Duty } from './duty.ts';
import { type OnDuty, onDuty } from './on-duty.ts';
import type { ContactCopy, PolicyCopy, StepCopy } from './policy-copy.ts';

/** A policy as it stands: its steps may name duties. An incident keeps whom they were found to mean (`PolicyCopy`). */
export interface PolicyNow extends Omit<PolicyCopy, 'steps'> {
  steps: readonly StepNow[];
}

export interface StepNow extends Omit<StepCopy, 'contacts'> {
  contacts: readonly (ContactCopy | ToldDuty)[];
}

/** A duty in a step that names these channels for whoever is on it. */
export interface ToldDuty {
  id: string;
  key: string;
  name: string;
  duty: Duty;
  channels: readonly ChannelKind[];
  /** Everybody whom it names, by id. */
  people: ReadonlyMap<string, Omit<ContactCopy, 'channels'>>;
}

/** Tells whether a step names a duty there, and not a contact. */
export function isDuty(told: ContactCopy | ToldDuty): told is ToldDuty {
  return 'duty' in told;
}

/**
 * Returns whom a step tells that is due at an instant (milliseconds since 1970, by clocks), each once: who is named
 * twice is told over the channels of both.
 */
export function peopleAt({ contacts }: StepNow, at: number, round: number): readonly ContactCopy[] {
  if (!contacts.some(isDuty)) return contacts as readonly ContactCopy[];
  const told = new Map<string, ContactCopy>();
  for (const named of contacts) {
    for (const person of isDuty(named) ? peopleOf(named, at, round) : [named]) {
      const already = told.get(person.id);
      told.set(person.id, already === undefined ? person : both(already, person));
    }
  }
  return [...told.values()];
}

/** Returns those who are on duty at an instant (milliseconds since 1970, by clocks), with the channels over which they are told. */
function peopleOf(told: ToldDuty, at: number, round: number): ContactCopy[] {
  return peopleIn(told, onDuty(told.duty, at), round);
}

/** Returns the same where it is known who is on duty. */
export function peopleIn({ name, channels, people }: ToldDuty, now: OnDuty, round: number): ContactCopy[] {
  const onDutyAs = [{ round, duty: name, until: now.until }];
  const narrowed = channels.filter(channel => now.channels?.includes(channel));
  return now.contacts.flatMap(id => {
    const person = people.get(id);
    if (person === undefined) return [];
    // Hours say over what somebody is told; they never silence.
    return [{ ...person, channels: narrowed.length > 0 ? narrowed : channels, onDuty: onDutyAs }];
  });
}

/** Returns one contact that is told what two entries for it say. */
export function both(one: ContactCopy, other: ContactCopy): ContactCopy {
  const channels = [...one.channels, ...other.channels.filter(channel => !one.channels.includes(channel))];
  const onDuty = [...(one.onDuty ?? []), ...(other.onDuty ?? [])];
  return { ...one, channels, ...(onDuty.length > 0 && { onDuty }) };
}
