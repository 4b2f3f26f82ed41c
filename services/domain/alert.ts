import type { DeliveryKind } from './delivery.ts';
import { ASKED_AGAIN_STEP, type ContactCopy, HANDED_OVER_STEP, type PolicyCopy } from './escalation.ts';
import type { Mailing } from './mailing.ts';
import type { NoticeAbout, NoticeKind } from './notice.ts';
import type { Role } from './role.ts';
import type { Environment, ResponseKind, SourceKind } from './source.ts';
import { type TrippedKeys, type TrippedLabels, trippedBy } from './tripped.ts';
import type { Answers } from './way-back.ts';

export type { DeliveryKind } from './delivery.ts';

/**
 * What an incident shows to those alerted, as of the moment it opened. Contact addresses are sealed (store/seal.ts).
 */
export interface IncidentCopy {
  sourceKind: SourceKind;
  sourceName: string;
  /** A panic button's response kind; null for alarms. */
  responseKind: ResponseKind | null;
  /** For response kind `other`: what it asks for, in its owner's words; otherwise absent. */
  responseText?: string;
  /** Display name of the mode whose policy runs; null for panic buttons. */
  modeName: string | null;
  locationName: string;
  /** Postal address, possibly empty, possibly several lines. */
  locationAddress: string;
  policy: PolicyCopy | null;
  /** The contacts to whom it was handed over, the last one last; absent: none. */
  handedTo?: readonly ContactCopy[];
}

/** What every message has. All texts are as their owners wrote them; each channel escapes them for its medium. */
export interface Addressed {
  /** 32 characters, the same at every attempt: the provider's idempotency key. */
  deliveryId: string;
  accountId: string;
  /** Whose devices it is for, where it goes to the browsers of a contact; absent: to nobody's. */
  contactId?: string;
  /** Counted from 1. From the second on, an earlier attempt may have gone out without our knowing. */
  attempt: number;
  /** When the first attempt began, milliseconds since 1970 by the database's clock. */
  firstTriedAt: number;
  contactName: string;
  /** BCP 47, `en`, `de-AT`. */
  locale: string;
  /** IANA time zone of the contact, in which times are shown. */
  timeZone: string;
  /** The carrier's name of the voice; empty for its default voice of the language. */
  voice: string;
}

/** Where replies to a message lead; null if this deployment has no address that others can reach. */
export interface WayBack {
  /** This person's page of the incident: `https://…/i/<token>`. */
  pageUrl: string;
  /** Base URL for the carrier's status callbacks: `https://…/carrier`. */
  carrierUrl: string;
  /** Identifies message and attempt; the last part of such a URL: `<token>/<attempt>`. */
  reference: string;
}

/** A message of an incident. */
export interface IncidentAlert extends Addressed, Omit<IncidentCopy, 'policy' | 'handedTo'> {
  purpose: DeliveryKind;
  incidentId: string;
  environment: Environment;
  /** When the incident opened, milliseconds since 1970. */
  openedAt: number;
  /** `again`: they acknowledged it, and it is still open (DECISIONS.md "An acknowledgement ages"). */
  asked: 'first_time' | 'again';
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
  /** The labels of the keys that tripped it: what opened it first, then what joined it last (tripped.ts). */
  trippedBy: readonly string[];
  /** Since when nothing was heard of the first of them, if that alone opened it; null: a trigger did. */
  silentSince: number | null;
  /**
   * How many recent incidents of the same alarm (throttle.ts FLAPPING) this contact was not told about over this
   * channel.
   */
  moreBefore: number;
  /** Who acknowledged it; empty while nobody has. */
  acknowledgedBy: string;
  /** The code that names the incident in a reply by SMS. */
  replyCode: string;
  /** Whether the policy sends this contact SMS to which they can reply with the code. */
  texts: 'gets_texts' | 'no_texts';
  wayBack: WayBack | null;
  /** Names this message to whoever presses a button of it in a chat, public address or not. Absent: it has none. */
  token?: string;
}

/** Tests a channel; nothing was triggered (DrillService.Drill). */
export interface Drill extends Addressed {
  purpose: 'drill';
  /** When it was asked for, milliseconds since 1970. */
  at: number;
}

/** Carries the code with which a contact proves that the address is theirs. */
export interface Verification extends Addressed {
  purpose: 'verification';
  /** Six digits. */
  code: string;
  /** Display name of the account that wants to alert them. */
  accountName: string;
  /** Their page with the button that does the same; null if this deployment has no public address. */
  confirmUrl: string | null;
  /** When it was requested, milliseconds since 1970. */
  at: number;
}

/** Tells an owner of an account what they must know (notice.ts). */
export interface OwnerNotice extends Addressed {
  purpose: 'notice';
  notice: NoticeKind;
  accountName: string;
  about: NoticeAbout;
  /** Where this message stands among others of its kind (mailing.ts). */
  place: Exclude<Mailing, 'held_back'>;
  /** The incident it is about; empty if none. */
  incidentId: string;
  at: number;
}

/** Lets a member of an account sign in to the console. By email only. */
export type MemberMail = Addressed & { at: number } & (
    | {
        purpose: 'sign_in';
        /** Six digits. */
        code: string;
      }
    | {
        purpose: 'invitation';
        accountName: string;
        /** The member who sent the invitation; null if it is not known. */
        by: string | null;
        role: Role;
        /** Where they sign in; null if this deployment does not know its own address. */
        signInUrl: string | null;
        /** Where an owner confirms the address; null if there is nothing to confirm, or no address of ours is known. */
        confirmUrl: string | null;
      }
  );

/** Everything a message can be about. */
export type Alert = IncidentAlert | Drill | Verification | OwnerNotice;

/** A delivery with its incident, as stored. Times in milliseconds since 1970. */
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
    trippedKeys: TrippedKeys;
    trippedLabels: TrippedLabels;
    silentSince: number | null;
    acknowledgedBy: string | null;
    replyCode: string;
    moreBefore: number;
    copy: IncidentCopy;
  };
}

/**
 * Builds the message of a delivery to a contact, as the contact was when the incident opened. `textReplies`: whether a
 * reply by SMS would reach us.
 */
export function alertOf(
  facts: AlertFacts,
  contact: ContactCopy,
  wayBack: WayBack | null,
  textReplies: Answers,
): IncidentAlert {
  const { incident } = facts;
  const { policy, handedTo = [], ...fired } = incident.copy;
  return {
    deliveryId: facts.id,
    accountId: facts.accountId,
    contactId: contact.id,
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
    openedAt: incident.openedAt,
    asked: facts.step >= ASKED_AGAIN_STEP ? 'again' : 'first_time',
    step: Math.min(facts.step + 1, Math.max(1, policy?.steps.length ?? 0)),
    steps: policy?.steps.length ?? 0,
    round: facts.round + 1,
    rounds: (policy?.repeat ?? 0) + 1,
    triggerCount: incident.triggerCount,
    lastTriggerAt: incident.lastTriggerAt,
    trippedBy: trippedBy(incident.trippedKeys, incident.trippedLabels),
    silentSince: incident.silentSince,
    acknowledgedBy: incident.acknowledgedBy ?? '',
    replyCode: incident.replyCode,
    texts: textReplies === 'come_back' ? textsTo(contact.id, policy, handedTo) : 'no_texts',
    moreBefore: incident.moreBefore,
    wayBack,
  };
}

/** Tells whether any step sends SMS to a contact, at an address not known to be unverified. */
function textsTo(
  contactId: string,
  policy: PolicyCopy | null,
  handedTo: readonly ContactCopy[],
): IncidentAlert['texts'] {
  const told = [...(policy?.steps ?? []).flatMap(({ contacts }) => contacts), ...handedTo].filter(
    ({ id }) => id === contactId,
  );
  const gets = told.some(
    ({ channels, addresses }) =>
      channels.includes('text') &&
      addresses.some(({ channel, verification }) => channel === 'text' && verification !== 'not_verified'),
  );
  return gets ? 'gets_texts' : 'no_texts';
}

/**
 * Returns the contact of a delivery of a step as of the moment it was planned: when the incident opened, or was handed over to
 * them. Null if the copy has no such contact.
 */
export function copiedContact(copy: IncidentCopy, contactId: string, step: number): ContactCopy | null {
  const planned = copy.policy?.steps.flatMap(({ contacts }) => contacts) ?? [];
  const handedTo = (copy.handedTo ?? []).toReversed();
  const contacts = step >= HANDED_OVER_STEP ? [...handedTo, ...planned] : [...planned, ...handedTo];
  return contacts.find(({ id }) => id === contactId) ?? null;
}
