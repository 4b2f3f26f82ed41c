import type { ChannelKind, DeliveryStatus } from './delivery.ts';
import { type Means, messagesOf, type NotReached, type StepContact } from './reach.ts';
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

/** A contact as it was then. Addresses are sealed (services/store/seal.ts). */
export interface ContactCopy extends StepContact {
  id: string;
  /** The name that its owner uses for it in commands; absent if unknown. */
  key?: string;
  name: string;
  locale: string;
  timeZone: string;
  /** The carrier's name of the voice that calls them; absent or empty for its default voice of the language. */
  voice?: string;
}

/** One message of the escalation, before it has an identifier. Times are milliseconds since 1970. */
export interface ScheduledDelivery {
  round: number;
  step: number;
  contactId: string;
  channel: ChannelKind;
  dueAt: number;
  status: Extract<DeliveryStatus, 'scheduled' | 'suppressed'>;
  /** Why it would not have gone out live; judged ahead only in test. */
  reason: NotReached | null;
  /** The channel in whose place it goes; known ahead only in test. Null: the step names it. */
  insteadOf: ChannelKind | null;
}

export interface Escalation {
  /**
   * In the order in which people are alerted; at most DELIVERIES_MOST, the earliest, and in test what would go in the
   * place of those that would not reach anybody.
   */
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
 * earliest messages planned. Test plans the same rows, suppressed, each with what would become of it live; live that is
 * judged when each is due. `policy` null: none is bound. `most`: how many messages may be planned; fewer than DELIVERIES_MOST where
 * the account has planned very many lately.
 */
export function scheduleEscalation(
  policy: PolicyCopy | null,
  openedAt: number,
  environment: Environment,
  means: Means,
  most: number = DELIVERIES_MOST,
): Escalation {
  const tellings = policy === null ? [] : earliest(rounds(policy, openedAt), most);
  const planned = tellings.reduce((sum, { contact }) => sum + contact.channels.length, 0);
  return {
    deliveries: tellings.flatMap(telling => (environment === 'test' ? suppress(telling, means) : schedule(telling))),
    leftOut: policy === null ? 0 : askedFor(policy).inAll - planned,
    endsAt: tellings.at(-1)?.dueAt ?? openedAt,
    outcome: planned > 0 ? 'alerting' : 'nobody_to_alert',
  };
}

/** Returns when each step is due, as far as an incident plans it, in that order. */
export function stepTimes(policy: PolicyCopy | null, openedAt: number): Pick<Telling, 'round' | 'step' | 'dueAt'>[] {
  const tellings = policy === null ? [] : earliest(rounds(policy, openedAt), DELIVERIES_MOST);
  return [...new Map(tellings.map(one => [`${one.round}/${one.step}`, one])).values()];
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

/** What a step tells one contact, over these channels. */
interface Telling {
  round: number;
  step: number;
  dueAt: number;
  contact: ContactCopy;
}

/** Plans step by step and stops at the limit, so that a huge policy costs no more time than a full one. */
function earliest(steps: readonly DueStep[], most: number): Telling[] {
  const tellings: Telling[] = [];
  let left = most;
  for (const { round, index, step, dueAt } of steps) {
    for (const contact of step.contacts) {
      const channels = contact.channels.slice(0, left);
      left -= channels.length;
      if (channels.length > 0) tellings.push({ round, step: index, dueAt, contact: { ...contact, channels } });
    }
    if (left === 0) break;
  }
  return tellings;
}

/** All contacts of a step are told at once, in order, each over all channels that the step names for them. */
function schedule({ round, step, dueAt, contact }: Telling): ScheduledDelivery[] {
  const all = {
    round,
    step,
    contactId: contact.id,
    dueAt,
    status: 'scheduled',
    reason: null,
    insteadOf: null,
  } as const;
  return contact.channels.map(channel => ({ ...all, channel }));
}

function suppress({ round, step, dueAt, contact }: Telling, means: Means): ScheduledDelivery[] {
  const all = { round, step, contactId: contact.id, dueAt, status: 'suppressed' } as const;
  return messagesOf(contact, means, dueAt).map(({ channel, reach, insteadOf }) => {
    return { ...all, channel, reason: reach === 'goes' ? null : reach, insteadOf };
  });
}
