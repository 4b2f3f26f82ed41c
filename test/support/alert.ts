import type { Alert } from '../../services/domain/alert.ts';

/** An alert of an alarm, live, on 21 November 2026 at 11:52:09 UTC; `but` says what differs. */
export function anAlert(but: Partial<Alert> = {}): Alert {
  return {
    deliveryId: 'd'.repeat(32),
    incidentId: 'i'.repeat(32),
    contactName: 'Anna',
    locale: 'en-GB',
    timeZone: 'Europe/Vienna',
    environment: 'live',
    sourceKind: 'alarm',
    sourceName: 'House',
    responseKind: null,
    modeName: 'Away',
    locationName: 'Home',
    locationAddress: '12 Example Street\n1010 Example City',
    policyName: 'Family first',
    openedAt: Date.UTC(2026, 10, 21, 11, 52, 9),
    step: 2,
    steps: 3,
    round: 1,
    rounds: 4,
    ...but,
  };
}

/** A panic button's alert. */
export function aPanicAlert(but: Partial<Alert> = {}): Alert {
  return anAlert({ sourceKind: 'panic', sourceName: 'Shop button', responseKind: 'fire', modeName: null, ...but });
}
