import type {
  Addressed,
  Drill,
  IncidentAlert,
  OwnerNotice,
  Verification,
  WayBack,
} from '../../services/domain/alert.ts';

/** 21 November 2026 at 11:52:09 UTC: when everything here happened. */
export const AT = Date.UTC(2026, 10, 21, 11, 52, 9);

const TO_ANNA: Addressed = {
  deliveryId: 'd'.repeat(32),
  accountId: 'a'.repeat(32),
  attempt: 1,
  firstTriedAt: AT,
  contactName: 'Anna',
  locale: 'en-GB',
  timeZone: 'Europe/Vienna',
  voice: '',
};

/** Where the answers to an alert of these lead. */
export const A_WAY_BACK: WayBack = {
  pageUrl: `https://tocsin.test/i/${'d'.repeat(32)}${'S'.repeat(16)}`,
  carrierUrl: 'https://tocsin.test/carrier',
  reference: `${'d'.repeat(32)}${'S'.repeat(16)}/1`,
};

/** An alert of an alarm, live, which can be answered; `but` says what differs. */
export function anAlert(but: Partial<IncidentAlert> = {}): IncidentAlert {
  return {
    ...TO_ANNA,
    purpose: 'alert',
    incidentId: 'i'.repeat(32),
    environment: 'live',
    sourceKind: 'alarm',
    sourceName: 'House',
    responseKind: null,
    modeName: 'Away',
    locationName: 'Home',
    locationAddress: '12 Example Street\n1010 Example City',
    silentSince: null,
    openedAt: AT,
    asked: 'first_time',
    step: 2,
    steps: 3,
    round: 1,
    rounds: 4,
    triggerCount: 1,
    lastTriggerAt: AT,
    trippedBy: [],
    acknowledgedBy: '',
    replyCode: 'K7M4',
    texts: 'gets_texts',
    moreBefore: 0,
    wayBack: A_WAY_BACK,
    ...but,
  };
}

/** A panic button's alert. */
export function aPanicAlert(but: Partial<IncidentAlert> = {}): IncidentAlert {
  return anAlert({
    sourceKind: 'panic_button',
    sourceName: 'Shop button',
    responseKind: 'fire',
    modeName: null,
    ...but,
  });
}

/** What those already alerted are told once somebody has it. */
export function anAcknowledgement(but: Partial<IncidentAlert> = {}): IncidentAlert {
  return anAlert({ purpose: 'acknowledged', acknowledgedBy: 'Bob', ...but });
}

/** What those already alerted are told when triggers go on: three of them, the last one 20 minutes after the first. */
export function aStillHappening(but: Partial<IncidentAlert> = {}): IncidentAlert {
  return anAlert({ purpose: 'still_happening', triggerCount: 3, lastTriggerAt: AT + 20 * 60_000, ...but });
}

/** A test message. */
export function aDrill(but: Partial<Drill> = {}): Drill {
  return { ...TO_ANNA, purpose: 'drill', at: AT, ...but };
}

/** A message with the code that shows whose an address is. */
export function aVerification(but: Partial<Verification> = {}): Verification {
  return {
    ...TO_ANNA,
    purpose: 'verification',
    code: '204816',
    accountName: 'Example family',
    confirmUrl: null,
    at: AT,
    ...but,
  };
}

/** What the owner of an account is told: that an incident had nobody to alert. */
export function anOwnerNotice(but: Partial<OwnerNotice> = {}): OwnerNotice {
  return {
    ...TO_ANNA,
    purpose: 'notice',
    notice: 'nobody_to_alert',
    accountName: 'Example family',
    about: { sourceName: 'House', openedAt: new Date(AT).toISOString() },
    place: 'goes',
    incidentId: 'i'.repeat(32),
    at: AT,
    ...but,
  };
}
