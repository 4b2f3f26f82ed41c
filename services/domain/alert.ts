import type { ContactCopy, PolicyCopy } from './escalation.ts';
import type { Mailing } from './mailing.ts';
import type { NoticeAbout, NoticeKind } from './notice.ts';
import type { Role } from './role.ts';
import { type Environment, type ResponseKind, type SourceKind, type StoredKind, sourceKindOf } from './source.ts';

/** What an incident shows to those alerted, as it was when it opened. Addresses of contacts are sealed (store/seal.ts). */
export interface IncidentCopy {
  sourceKind: StoredKind;
  sourceName: string;
  /** A panic button's response kind; null for alarms. */
  responseKind: ResponseKind | null;
  /** What it asks for where that is `other`, in its owner's words; else absent. */
  responseText?: string;
  /** Display name of the mode whose policy runs; null for panic buttons. */
  modeName: string | null;
  locationName: string;
  /** Postal address, possibly empty, possibly several lines. */
  locationAddress: string;
  policy: PolicyCopy | null;
}

/** Why a message of an incident is sent: DECISIONS.md "Delivery", "Swallowed alarms"; `acknowledged`: somebody has it. */
export const DELIVERY_KINDS = ['alert', 'acknowledged', 'still_happening'] as const;

export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

/** What every message has, whatever it says. All texts are as their owners wrote them: a channel makes them safe for its medium. */
export interface Addressed {
  /** 32 characters, the same at every attempt: the provider's idempotency key. */
  deliveryId: string;
  accountId: string;
  /** Counted from 1. From the second on an earlier attempt may have gone out although nobody said so. */
  attempt: number;
  /** When the first attempt began, milliseconds since 1970 by the database's clock. */
  firstTriedAt: number;
  contactName: string;
  /** BCP 47, `en`, `de-AT`. */
  locale: string;
  /** IANA time zone of the contact, in which times are shown. */
  timeZone: string;
  /** The carrier's name of the voice that speaks; empty: its usual one for the language. */
  voice: string;
}

/** Where the answer to a message leads; null where this deployment has no address that others can reach. */
export interface WayBack {
  /** The page of the incident for this one person: `https://…/i/<token>`. */
  pageUrl: string;
  /** Below this carriers tell what became of the message: `https://…/carrier`. */
  carrierUrl: string;
  /** Which message and which attempt: the end of such an URL, `<token>/<attempt>`. */
  reference: string;
}

/** A message of an incident. */
export interface IncidentAlert extends Addressed, Omit<IncidentCopy, 'policy' | 'sourceKind'> {
  sourceKind: SourceKind;
  purpose: DeliveryKind;
  incidentId: string;
  environment: Environment;
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
  /** How many triggers there were, and when the last one was accepted. */
  triggerCount: number;
  lastTriggerAt: number;
  /** How many incidents its alarm had shortly before (throttle.ts FLAPPING) of which this contact was told nothing here. */
  moreBefore: number;
  /** Who has it; empty while nobody has. */
  acknowledgedBy: string;
  /** What a reply to a text names the incident by. */
  replyCode: string;
  /** Whether this person gets texts about it: only they can reply to one. */
  texts: 'gets_texts' | 'no_texts';
  wayBack: WayBack | null;
}

/** Nothing fired: the message only tries the channel (DrillService.Drill). */
export interface Drill extends Addressed {
  purpose: 'drill';
  /** When it was asked for, milliseconds since 1970. */
  at: number;
}

/** Carries the code by which a contact shows that the address is theirs. */
export interface Verification extends Addressed {
  purpose: 'verification';
  /** Six digits. */
  code: string;
  /** Display name of the account that wants to alert them. */
  accountName: string;
  at: number;
}

/** Tells the owner of an account what they must know (notice.ts). Goes by email only. */
export interface OwnerNotice extends Addressed {
  purpose: 'notice';
  notice: NoticeKind;
  accountName: string;
  about: NoticeAbout;
  /** Where this mail stands among those of its kind (mailing.ts). */
  place: Exclude<Mailing, 'held_back'>;
  /** The incident; empty: it is about none. */
  incidentId: string;
  at: number;
}

/** Lets somebody who looks after an account sign in to the console. Goes by email only. */
export type MemberMail = Addressed & { at: number } & (
    | {
        purpose: 'sign_in';
        /** Six digits. */
        code: string;
      }
    | {
        purpose: 'invitation';
        accountName: string;
        /** Who made them a member. */
        by: string;
        role: Role;
        /** Where they sign in; null: not known here. */
        signInUrl: string | null;
      }
  );

/** What a person is told. */
export type Alert = IncidentAlert | Drill | Verification | OwnerNotice;

/** A delivery with its incident, as the store keeps them; times in milliseconds since 1970. */
export interface AlertFacts {
  id: string;
  accountId: string;
  kind: DeliveryKind;
  attempt: number;
  firstAttemptAt: number;
  round: number;
  step: number;
  incident: {
    id: string;
    environment: Environment;
    openedAt: number;
    triggerCount: number;
    lastTriggerAt: number;
    acknowledgedBy: string | null;
    replyCode: string;
    moreBefore: number;
    copy: IncidentCopy;
  };
}

/** The message of a delivery to a contact, who is as they were when the incident opened. */
export function alertOf(
  facts: AlertFacts,
  contact: ContactCopy,
  wayBack: WayBack | null,
  textCarrier: 'there' | 'none',
): IncidentAlert {
  const { incident } = facts;
  const { policy, ...fired } = incident.copy;
  return {
    deliveryId: facts.id,
    accountId: facts.accountId,
    purpose: facts.kind,
    attempt: facts.attempt,
    firstTriedAt: facts.firstAttemptAt,
    incidentId: incident.id,
    contactName: contact.name,
    locale: contact.locale,
    timeZone: contact.timeZone,
    voice: contact.voice ?? '',
    environment: incident.environment,
    ...fired,
    sourceKind: sourceKindOf(fired.sourceKind),
    policyName: policy?.name ?? '',
    openedAt: incident.openedAt,
    step: facts.step + 1,
    steps: policy?.steps.length ?? 0,
    round: facts.round + 1,
    rounds: (policy?.repeat ?? 0) + 1,
    triggerCount: incident.triggerCount,
    lastTriggerAt: incident.lastTriggerAt,
    acknowledgedBy: incident.acknowledgedBy ?? '',
    replyCode: incident.replyCode,
    texts: textCarrier === 'there' ? textsTo(contact.id, policy) : 'no_texts',
    // A panic button is pressed by a person, each time.
    moreBefore: fired.sourceKind === 'alarm' ? incident.moreBefore : 0,
    wayBack,
  };
}

/** Whether any step tells a contact by text, at an address that is known to be theirs. */
function textsTo(contactId: string, policy: PolicyCopy | null): IncidentAlert['texts'] {
  const told = (policy?.steps ?? []).flatMap(({ contacts }) => contacts).filter(({ id }) => id === contactId);
  const gets = told.some(
    ({ channels, addresses }) =>
      channels.includes('text') &&
      addresses.some(({ channel, verification }) => channel === 'text' && verification !== 'not_verified'),
  );
  return gets ? 'gets_texts' : 'no_texts';
}

/** The contact of a delivery as it was when the incident opened; null: the copy knows none of this id. */
export function copiedContact(copy: IncidentCopy, contactId: string): ContactCopy | null {
  const contacts = copy.policy?.steps.flatMap(step => step.contacts) ?? [];
  return contacts.find(({ id }) => id === contactId) ?? null;
}
