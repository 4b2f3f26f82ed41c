import type { ChannelKind, DeliveryStatus } from './delivery.ts';
import { channelInPlan, type PlanFacts } from './plan.ts';
import type { Environment } from './source.ts';

/**
 * The most messages that are planned for one incident, all rounds together (DECISIONS.md "Throttle of repeats"). More than a
 * business needs: twenty people over two channels, in two steps and six rounds, are 480.
 */
export const DELIVERIES_MOST = 500;

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
export interface ScheduledDelivery {
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
  /** In the order in which people are told; at most DELIVERIES_MOST, the earliest. */
  deliveries: readonly ScheduledDelivery[];
  /** How many more the policy asks for, after those; 0: none. */
  leftOut: number;
  /** The last due time of those that are planned; the opening time when nobody is to be alerted. */
  endsAt: number;
  /** `nobody_reached`: what was to be planned could not be (DECISIONS.md "Nobody reached"). */
  outcome: 'alerting' | 'nobody_to_alert' | 'nobody_reached';
}

/**
 * Plans the messages of an incident with their due times, rounds included (DECISIONS.md "Escalation is planned when the
 * incident opens"). Who is told first matters most: of a policy that asks for more than DELIVERIES_MOST the earliest are
 * planned, in test too. In test the same rows, suppressed. `policy` null: none is bound.
 */
export function scheduleEscalation(
  policy: PolicyCopy | null,
  openedAt: number,
  environment: Environment,
  account: PlanFacts,
): Escalation {
  const steps = policy === null ? [] : rounds(policy, openedAt);
  const deliveries = earliest(steps, step => tellStep(step, environment, account));
  return {
    deliveries,
    leftOut: policy === null ? 0 : askedFor(policy).inAll - deliveries.length,
    endsAt: deliveries.at(-1)?.dueAt ?? openedAt,
    outcome: deliveries.length > 0 ? 'alerting' : 'nobody_to_alert',
  };
}

/** What a policy asks for, as far as its messages are counted. */
interface Asking {
  steps: readonly { contacts: readonly { channels: readonly ChannelKind[] }[] }[];
  repeat: number;
}

/** Counts the messages that a policy asks for in one incident which nobody acknowledges. */
export function askedFor({ steps, repeat }: Asking): { rounds: number; inEach: number; inAll: number } {
  const rounds = repeat + 1;
  const contacts = steps.flatMap(step => step.contacts);
  const inEach = contacts.reduce((sum, { channels }) => sum + channels.length, 0);
  return { rounds, inEach, inAll: rounds * inEach };
}

/** The steps of a policy with the people and channels that its first round is planned for: all, within DELIVERIES_MOST. */
export function plannedSteps({ steps }: Pick<PolicyCopy, 'steps'>): StepCopy[] {
  let left = DELIVERIES_MOST;
  const planned = (contact: ContactCopy): ContactCopy[] => {
    const channels = contact.channels.slice(0, left);
    left -= channels.length;
    return channels.length === 0 && contact.channels.length > 0 ? [] : [{ ...contact, channels }];
  };
  return steps.map(step => ({ ...step, contacts: step.contacts.flatMap(planned) }));
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

/** Stops at the limit: what is beyond it takes no time either. */
function earliest(steps: readonly DueStep[], tell: (step: DueStep) => ScheduledDelivery[]): ScheduledDelivery[] {
  const planned: ScheduledDelivery[] = [];
  for (const step of steps) {
    planned.push(...tell(step));
    if (planned.length >= DELIVERIES_MOST) break;
  }
  return planned.slice(0, DELIVERIES_MOST);
}

/** At its time all contacts of a step are told, in order, each over all channels that the step names for them. */
function tellStep(due: DueStep, environment: Environment, account: PlanFacts): ScheduledDelivery[] {
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
): ScheduledDelivery['reason'] {
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
