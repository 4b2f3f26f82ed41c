import type { ChannelKind, DeliveryStatus } from './delivery.ts';
import { channelInPlan, type PlanFacts } from './plan.ts';
import type { Environment } from './source.ts';

/**
 * The most messages planned for one incident, over all rounds (DECISIONS.md "Throttle of repeats"). More than a
 * business needs: twenty people over two channels, in two steps and six rounds, make 480.
 */
export const DELIVERIES_MOST = 500;

/** A policy as it was when the incident opened: later edits do not affect a running escalation. */
export interface PolicyCopy {
  id: string;
  name: string;
  steps: readonly StepCopy[];
  /** Further rounds after the first, 0 to 5. */
  repeat: number;
  /** From the last step of a round to the start of the next, 60 s to 24 h. */
  repeatDelayS: number;
}

export interface StepCopy {
  /** Time after the previous step; for the first step, after the start of the round. 0 s to 24 h. */
  delayS: number;
  contacts: readonly ContactCopy[];
}

export interface ContactCopy {
  id: string;
  /** The name that its owner uses for it in commands; absent if unknown. */
  key?: string;
  name: string;
  locale: string;
  timeZone: string;
  /** The carrier's name of the voice that calls them; absent or empty for its default voice of the language. */
  voice?: string;
  /** The channels that this step uses for this contact, in order. */
  channels: readonly ChannelKind[];
  /** The contact's usable channels in their own order, each with its address (sealed, see services/store/seal.ts). */
  addresses: readonly CopiedAddress[];
}

/** An address of a contact. `verification` absent means verified. */
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
  /** Why it would not have gone out; known ahead only in test. */
  reason: 'plan_required' | 'no_address' | 'not_verified' | null;
}

export interface Escalation {
  /** In the order in which people are alerted; at most DELIVERIES_MOST, the earliest. */
  deliveries: readonly ScheduledDelivery[];
  /** How many more the policy asks for beyond the limit. */
  leftOut: number;
  /** The last due time of those planned; the opening time if nobody is to be alerted. */
  endsAt: number;
  /** `nobody_reached`: the policy could not be planned (DECISIONS.md "Nobody reached"). */
  outcome: 'alerting' | 'nobody_to_alert' | 'nobody_reached';
}

/**
 * Plans the messages of an incident with their due times, rounds included (DECISIONS.md "Escalation is planned when the
 * incident opens"). The first to be alerted matter most, so a policy that asks for more than DELIVERIES_MOST gets its
 * earliest messages planned. Test plans the same rows, suppressed. `policy` null: none is bound.
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

/** The parts of a policy that decide how many messages it asks for. */
interface Asking {
  steps: readonly { contacts: readonly { channels: readonly ChannelKind[] }[] }[];
  repeat: number;
}

/** Counts the messages that a policy asks for in one incident that nobody acknowledges. */
export function askedFor({ steps, repeat }: Asking): { rounds: number; inEach: number; inAll: number } {
  const rounds = repeat + 1;
  const contacts = steps.flatMap(step => step.contacts);
  const inEach = contacts.reduce((sum, { channels }) => sum + channels.length, 0);
  return { rounds, inEach, inAll: rounds * inEach };
}

/**
 * Returns the steps of a policy with the people and channels its first round is planned for: all of them, within
 * DELIVERIES_MOST.
 */
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

/** Plans step by step and stops at the limit, so that a huge policy costs no more time than a full one. */
function earliest(steps: readonly DueStep[], tell: (step: DueStep) => ScheduledDelivery[]): ScheduledDelivery[] {
  const planned: ScheduledDelivery[] = [];
  for (const step of steps) {
    planned.push(...tell(step));
    if (planned.length >= DELIVERIES_MOST) break;
  }
  return planned.slice(0, DELIVERIES_MOST);
}

/** Plans one step: all its contacts at once, in order, each over all channels that the step names for them. */
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
 * Returns what blocks a message at its time: no address for the channel, an address nobody has verified, or a channel
 * that the plan does not cover. Asked here for test rows, and again by the engine when a live message is due.
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

/**
 * Returns the channels over which a contact can be alerted at a time (milliseconds since 1970), in the contact's own
 * order.
 */
export function usableChannels(contact: Pick<ContactCopy, 'addresses'>, account: PlanFacts, at: number): ChannelKind[] {
  const channels = contact.addresses.map(({ channel }) => channel);
  return channels.filter(channel => obstacle(contact, channel, account, at) === null);
}
