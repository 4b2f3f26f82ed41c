import type { AttemptOutcome, ChannelKind } from '../domain/delivery.ts';

/** What a person is told. All texts are as their owners wrote them: a channel makes them safe for its own medium. */
export interface Alert {
  /** The delivery's id, 32 characters: the provider's idempotency key. */
  deliveryId: string;
  /** Of a drill: empty, for there is none. */
  incidentId: string;
  /** `drill`: nothing fired, the message only tries the channel (DrillService.Drill). Absent: an alert of an incident. */
  purpose?: 'drill';
  contactName: string;
  /** BCP 47, `en`, `de-AT`. */
  locale: string;
  /** IANA time zone of the contact, in which times are shown. */
  timeZone: string;
  environment: 'live' | 'test';
  sourceKind: 'alarm' | 'panic';
  sourceName: string;
  /** A panic button's response kind; null for alarms. */
  responseKind: 'medical' | 'fire' | 'intruder' | 'duress' | null;
  /** Display name of the mode whose policy runs; null for panic buttons. */
  modeName: string | null;
  locationName: string;
  /** Postal address, possibly empty, possibly several lines. */
  locationAddress: string;
  policyName: string;
  /** When the incident opened, milliseconds since 1970. */
  openedAt: number;
  /** Counted from 1. */
  step: number;
  /** How many steps the policy has. */
  steps: number;
  /** Counted from 1. */
  round: number;
  rounds: number;
}

/** A way to reach people. `send` never throws: every fault is an outcome with a reason in words. */
export interface Channel {
  readonly kind: ChannelKind;
  /** Sends to one address, in plain text. Takes at most 30 seconds. */
  send(address: string, alert: Alert): Promise<AttemptOutcome>;
  /** Ends its connections. Twice is fine. */
  close(): Promise<void>;
}
