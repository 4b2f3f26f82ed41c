import type { ChannelKind, DeliveryStatus } from './delivery.ts';
import { channelInPlan, type PlanFacts } from './plan.ts';
import type { Environment } from './source.ts';

/** A policy as it was when the incident opened: later edits do not reach into a running escalation. */
export interface PolicyCopy {
  id: string;
  name: string;
  steps: readonly StepCopy[];
  /** Further rounds after the first, 0 to 5. */
  repeat: number;
  /** From the last step of a round to the beginning of the next, 60 s to 24 h. */
  repeatDelayS: number;
}

export interface StepCopy {
  /** After the step before it; for the first step after the beginning of the round. 0 s to 24 h. */
  delayS: number;
  contacts: readonly ContactCopy[];
}

export interface ContactCopy {
  id: string;
  /** Its owner's own name for it in commands; absent: not known. */
  key?: string;
  name: string;
  locale: string;
  timeZone: string;
  /** The carrier's name of the voice that speaks to them; absent or empty: its usual one for the language. */
  voice?: string;
  /** The channels that this step uses for this contact, in order. */
  channels: readonly ChannelKind[];
  /** The contact's usable channels in their own order, each with its address (sealed, see services/store/seal.ts). */
  addresses: readonly CopiedAddress[];
}

/** An address of a contact. `verification` absent: it is verified. */
export interface CopiedAddress {
  channel: ChannelKind;
  address: string;
  verification?: 'verified' | 'not_verified';
}

/** One message of the escalation, before it has an identifier. Times are milliseconds since 1970. */
export interface PlannedDelivery {
  round: number;
  step: number;
  contactId: string;
  channel: ChannelKind;
  dueAt: number;
  status: Extract<DeliveryStatus, 'scheduled' | 'suppressed'>;
  /** Why it would not have gone out, known at once only in test. */
  reason: 'plan_required' | 'no_address' | 'not_verified' | null;
}

export interface Escalation {
  /** In the order in which people are told. */
  deliveries: readonly PlannedDelivery[];
  /** The last due time; the opening time when nobody is to be alerted. */
  endsAt: number;
  outcome: 'alerting' | 'nobody_to_alert';
}

/**
 * All messages of an incident with their due times, rounds included (DECISIONS.md "Escalation is planned when the
 * incident opens"). In test the same rows, suppressed. `policy` null: none is bound.
 */
export function planEscalation(
  policy: PolicyCopy | null,
  openedAt: number,
  environment: Environment,
  account: PlanFacts,
): Escalation {
  const deliveries =
    policy === null ? [] : rounds(policy, openedAt).flatMap(step => tellStep(step, environment, account));
  return {
    deliveries,
    endsAt: deliveries.at(-1)?.dueAt ?? openedAt,
    outcome: deliveries.length > 0 ? 'alerting' : 'nobody_to_alert',
  };
}

interface DueStep {
  round: number;
  index: number;
  step: StepCopy;
  dueAt: number;
}

function rounds(policy: PolicyCopy, openedAt: number): DueStep[] {
  const due: DueStep[] = [];
  let at = openedAt;
  for (let round = 0; round <= policy.repeat; round++) {
    if (round > 0) at += policy.repeatDelayS * 1000;
    for (const [index, step] of policy.steps.entries()) {
      at += step.delayS * 1000;
      due.push({ round, index, step, dueAt: at });
    }
  }
  return due;
}

/** At its time all contacts of a step are told, in order, each over all channels that the step names for them. */
function tellStep(due: DueStep, environment: Environment, account: PlanFacts): PlannedDelivery[] {
  return due.step.contacts.flatMap(contact =>
    contact.channels.map(channel => ({
      round: due.round,
      step: due.index,
      contactId: contact.id,
      channel,
      dueAt: due.dueAt,
      status: environment === 'test' ? ('suppressed' as const) : ('scheduled' as const),
      reason: environment === 'test' ? obstacle(contact, channel, account, due.dueAt) : null,
    })),
  );
}

/**
 * What stands in the way of a message at its time: no address for the channel, one that nobody has shown to be theirs, or
 * a channel that the plan does not cover. Asked here for test rows and again by the engine when a live message is due.
 */
export function obstacle(
  contact: Pick<ContactCopy, 'addresses'>,
  channel: ChannelKind,
  account: PlanFacts,
  at: number,
): PlannedDelivery['reason'] {
  const known = contact.addresses.find(one => one.channel === channel);
  if (known === undefined) return 'no_address';
  if (known.verification === 'not_verified') return 'not_verified';
  return channelInPlan(account, channel, at) === 'plan_required' ? 'plan_required' : null;
}

/** The channels over which a contact can be told at a time, milliseconds since 1970, in the contact's own order. */
export function usableChannels(contact: Pick<ContactCopy, 'addresses'>, account: PlanFacts, at: number): ChannelKind[] {
  const channels = contact.addresses.map(({ channel }) => channel);
  return channels.filter(channel => obstacle(contact, channel, account, at) === null);
}
