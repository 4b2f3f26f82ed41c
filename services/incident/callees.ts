import { create } from '@bufbuild/protobuf';
import { type Callee, CalleeSchema } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { CALLS_SHOWN, callsOffered } from '../domain/page.ts';
import { clean, NAME_LENGTH } from '../process/text.ts';
import { Location } from '../store/entities/location.ts';
import type { Seal } from '../store/seal.ts';
import { readShownNumbers } from '../store/statements/responder.ts';
import type { Store } from '../store/store.ts';
import { incidentOf } from './read.ts';

/**
 * Returns whom a reader can call while an incident is open and live: the emergency services of the place first, then those told who
 * let themselves be called.
 */
export async function calleesOf(
  { store, seal }: { store: Store; seal: Seal },
  accountId: string,
  incidentId: string,
): Promise<Callee[]> {
  const em = store.orm.em.fork();
  const { environment, closedAt, acknowledgedAt, locationId, copy } = await incidentOf(em, accountId, incidentId);
  const facts = { closedAt: closedAt?.getTime() ?? null, acknowledgedAt: acknowledgedAt?.getTime() ?? null };
  if (callsOffered(environment, facts) === 'not_offered') return [];
  const told = [...(copy.policy?.steps.flatMap(({ contacts }) => contacts) ?? []), ...(copy.handedTo ?? [])];
  const names = new Map(told.map(({ id, name }) => [id, clean(name, NAME_LENGTH)]));
  const [location, sealed] = await Promise.all([
    em.findOne(Location, { accountId, id: locationId }),
    readShownNumbers(store.pool, accountId, [...names.keys()]),
  ]);
  const people = [...names].flatMap(([id, name]) => {
    const number = opened(seal, sealed.get(id));
    return number === null ? [] : [{ kind: 'person', name, number }];
  });
  const number = location?.emergencyNumber ?? '';
  const help = number === '' ? [] : [{ kind: 'emergency', name: '', number }];
  return [...help, ...people.slice(0, CALLS_SHOWN)].map(callee => create(CalleeSchema, callee));
}

/** A number that cannot be opened, as after damage, takes nobody's incident away. */
function opened(seal: Seal, sealed: string | undefined): string | null {
  try {
    return sealed === undefined ? null : seal.open(sealed);
  } catch {
    return null;
  }
}
