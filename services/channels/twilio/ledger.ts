import type { Alert } from '../../domain/alert.ts';
import { createLru } from '../../process/lru.ts';

/** What this process knows about its own sends: it saves a look-up at the carrier, and tells one call from another. */
export interface Ledger {
  /** Tells whether it is known that no earlier attempt of this delivery created a text or call. */
  nothingEarlier(alert: Alert): boolean;
  /** Records that the carrier created nothing for this attempt. */
  cameToNothing(alert: Alert): void;
  /** Records that the carrier created this text or call for this attempt. */
  owns(alert: Alert, sid: string): void;
  /** Tells whether a text or call belongs to another delivery. */
  isOfAnother(sid: string, alert: Alert): boolean;
}

/** How many deliveries are remembered: more than are under way at once. */
const MOST = 10_000;

/** Creates an empty one. It lives in memory: another process, or this one restarted, knows nothing and looks up. */
export function createLedger(): Ledger {
  const known = createLru<string, number>(MOST);
  const owners = createLru<string, string>(MOST);
  const nothingEarlier = ({ deliveryId, attempt }: Alert) => attempt === 1 || known.get(deliveryId) === attempt - 1;
  return {
    nothingEarlier,
    cameToNothing(alert) {
      if (nothingEarlier(alert)) known.set(alert.deliveryId, alert.attempt);
    },
    owns: (alert, sid) => owners.set(sid, alert.deliveryId),
    isOfAnother: (sid, { deliveryId }) => (owners.get(sid) ?? deliveryId) !== deliveryId,
  };
}
