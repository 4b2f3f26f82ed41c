import { ConnectError } from '@connectrpc/connect';
import { clean } from '../../services/process/text.ts';
import type { Rpc } from './rpc.ts';
import type { Session } from './session.ts';

/** A thing that another refers to by id. An empty id refers to nothing. */
export interface Reference {
  kind: 'location' | 'policy' | 'contact' | 'duty' | 'alarm';
  id: string;
}

/**
 * Looks up the names of things by id, as `Name (key)`; an id that cannot be looked up stays as it is. Asks only if
 * people read the answer.
 */
export async function namesOf(session: Session, references: readonly Reference[]): Promise<(id: string) => string> {
  const names = new Map<string, string>();
  if (session.format === 'text') {
    const distinct = new Map(references.filter(({ id }) => id !== '').map(reference => [reference.id, reference]));
    await Promise.all(
      [...distinct.values()].map(async reference => {
        const thing = await lookUp(session.rpc, reference).catch(onlyRefusals);
        if (thing != null) names.set(reference.id, nameAndKey(thing));
      }),
    );
  }
  return id => names.get(id) ?? id;
}

/** Formats `Anna (anna)`: its name, and how to refer to it in a command. */
function nameAndKey({ name, key }: { name: string; key: string }): string {
  return `${clean(name)} (${clean(key)})`;
}

async function lookUp(rpc: Rpc, { kind, id }: Reference): Promise<{ name: string; key: string } | undefined> {
  switch (kind) {
    case 'location':
      return (await rpc.locations.getLocation({ locationId: id })).location;
    case 'policy':
      return (await rpc.policies.getPolicy({ policyId: id })).policy;
    case 'contact':
      return (await rpc.contacts.getContact({ contactId: id })).contact;
    case 'duty':
      return (await rpc.duties.getDuty({ dutyId: id })).duty;
    case 'alarm':
      return (await rpc.alarms.getAlarm({ alarmId: id })).alarm;
  }
}

/** A name is a nicety: without one the id is shown. */
function onlyRefusals(error: unknown): null {
  if (error instanceof ConnectError) return null;
  throw error;
}
