import { Code, ConnectError } from '@connectrpc/connect';
import { callsOffered, linkAt } from '../domain/page.ts';
import {
  findResponding,
  type RespondingDelivery,
  readDone,
  readShownNumbers,
  readTold,
} from '../store/statements/responder.ts';
import type { ResponderOptions } from './options.ts';
import { othersOf, pageOf } from './page.ts';

/**
 * Returns the delivery that a link was sent with. Throws NOT_FOUND, in the same words whether the token is forged, its
 * delivery is gone, or its incident is long over.
 */
export async function deliveryOfLink(
  { store, links }: Pick<ResponderOptions, 'store' | 'links'>,
  token: string,
): Promise<RespondingDelivery> {
  const id = links.deliveryOf(token);
  const delivery = id === null ? null : await findResponding(store.pool, id);
  if (delivery === null || linkAt(delivery.now, delivery.incident) === 'ended') {
    throw new ConnectError('There is no such page: the link is not whole, or its alarm is over.', Code.NotFound);
  }
  return delivery;
}

/** What pages are made of. */
export type PagesOn = Pick<ResponderOptions, 'store' | 'seal' | 'links' | 'verificationLinks'>;

/** Returns the page of a link as it is now; `justDone`: the outcome of what was just done there. Throws like deliveryOfLink. */
export async function pageOfLink(deps: PagesOn, token: string, justDone = '') {
  const asking = await deps.verificationLinks.pageOf(token);
  if (asking !== null) return asking;
  const delivery = await deliveryOfLink(deps, token);
  const { accountId, incident } = delivery;
  const callable = callsOffered(incident.environment, incident) === 'offered' ? othersOf(delivery) : [];
  const ids = callable.map(({ id }) => id);
  const [told, done, sealed] = await Promise.all([
    readTold(deps.store.pool, accountId, incident.id),
    readDone(deps.store.pool, accountId, incident.id),
    readShownNumbers(deps.store.pool, accountId, ids),
  ]);
  const numbers = new Map([...sealed].flatMap(([id, number]) => opened(deps, id, number)));
  return pageOf(delivery, { told, done, numbers, justDone });
}

/** A number that cannot be opened, as after damage, takes nobody's page away. */
function opened({ seal }: Pick<PagesOn, 'seal'>, contactId: string, number: string): [string, string][] {
  try {
    return [[contactId, seal.open(number)]];
  } catch {
    return [];
  }
}
