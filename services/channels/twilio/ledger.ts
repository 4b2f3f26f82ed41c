import type { Alert } from '../../domain/alert.ts';

/** What this process knows of its own sends: it spares a look-up at the carrier, and tells one call from another. */
export interface Ledger {
  /** Whether it is known of every earlier attempt of this delivery what came of it. */
  knowsEarlier(alert: Alert): boolean;
  /** The carrier said what came of this attempt: a text or call of this sid, or none (null). */
  ended(alert: Alert, sid: string | null): void;
  /** Whether a text or call belongs to another delivery. */
  isOfAnother(sid: string, alert: Alert): boolean;
}

/** How many deliveries are remembered: more than are under way at once. */
const MOST = 10_000;

/** Begins with an empty one. It lives in memory: another process, or this one started again, knows nothing and looks up. */
export function createLedger(): Ledger {
  const known = new Map<string, number>();
  const owners = new Map<string, string>();
  const knowsEarlier = ({ deliveryId, attempt }: Alert) => attempt === 1 || known.get(deliveryId) === attempt - 1;
  return {
    knowsEarlier,
    ended(alert, sid) {
      if (knowsEarlier(alert)) remember(known, alert.deliveryId, alert.attempt);
      if (sid !== null) remember(owners, sid, alert.deliveryId);
    },
    isOfAnother: (sid, { deliveryId }) => (owners.get(sid) ?? deliveryId) !== deliveryId,
  };
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > MOST) map.delete(map.keys().next().value ?? key);
}
