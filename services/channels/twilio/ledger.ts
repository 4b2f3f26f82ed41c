import type { Alert } from '../../domain/alert.ts';

/** What this process knows of its own sends: it spares a look-up at the carrier, and tells one call from another. */
export interface Ledger {
  /** Whether it is known that no earlier attempt of this delivery came to a text or call. */
  nothingEarlier(alert: Alert): boolean;
  /** The carrier said that this attempt came to nothing. */
  cameToNothing(alert: Alert): void;
  /** The carrier made this text or call of this attempt. */
  owns(alert: Alert, sid: string): void;
  /** Whether a text or call belongs to another delivery. */
  isOfAnother(sid: string, alert: Alert): boolean;
}

/** How many deliveries are remembered: more than are under way at once. */
const MOST = 10_000;

/** Begins with an empty one. It lives in memory: another process, or this one started again, knows nothing and looks up. */
export function createLedger(): Ledger {
  const known = new Map<string, number>();
  const owners = new Map<string, string>();
  const nothingEarlier = ({ deliveryId, attempt }: Alert) => attempt === 1 || known.get(deliveryId) === attempt - 1;
  return {
    nothingEarlier,
    cameToNothing(alert) {
      if (nothingEarlier(alert)) remember(known, alert.deliveryId, alert.attempt);
    },
    owns: (alert, sid) => remember(owners, sid, alert.deliveryId),
    isOfAnother: (sid, { deliveryId }) => (owners.get(sid) ?? deliveryId) !== deliveryId,
  };
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST) map.delete(map.keys().next().value ?? key);
}
