import type { ChannelKind, DeliveryStatus } from './delivery.ts';
import { both, isDuty, type PolicyNow, peopleAt } from './duty-told.ts';
import type { ContactCopy, PolicyCopy, StepCopy } from './policy-copy.ts';
import { type Means, messagesOf, type NotReached } from './reach.ts';
import type { Environment } from './source.ts';

export type { ContactCopy, PolicyCopy, StepCopy } from './policy-copy.ts';

/**
 * The most messages planned for one incident, over all rounds (DECISIONS.md "Throttle of repeats"). More than a
 * business needs: twenty people over two channels, in two steps and six rounds, make 480.
 */
export const DELIVERIES_MOST = 500;

/** The steps that a person adds to a round by handing over count from here, above all that a policy has. */
export const HANDED_OVER_STEP = 1_000;

/** Those in which whoever acknowledged is asked again, from here (ageing.ts). */
export const ASKED_AGAIN_STEP = 2_000;

/** Names a step of a round, both counted from 0. */
export function stepName({ round, step }: { round: number; step: number }): string {
  return `${round}.${step}`;
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
 * judged when each is due. A duty means whoever is on it when the message is due. `policy` null: none is bound. `most`: how many messages may be planned; fewer than DELIVERIES_MOST where
 * the account has planned very many lately.
 */
export function scheduleEscalation(
  policy: PolicyNow | null,
  openedAt: number,
  environment: Environment,
  means: Means,
  most: number = DELIVERIES_MOST,
): Escalation {
  const steps = policy === null ? [] : rounds(policy, openedAt, means);
  const asked = steps.reduce((sum, { contacts }) => sum + channelsOf(contacts), 0);
  const tellings = earliest(steps, most);
  const planned = tellings.reduce((sum, { contact }) => sum + contact.channels.length, 0);
  return {
    deliveries: tellings.flatMap(telling => (environment === 'test' ? suppress(telling, means) : schedule(telling))),
    leftOut: asked - planned,
    endsAt: tellings.at(-1)?.dueAt ?? openedAt,
    outcome: planned > 0 ? 'alerting' : 'nobody_to_alert',
  };
}

/** Returns a policy as an incident keeps it that opens at a time: with those who are on duty when its messages are due. */
export function policyCopy(policy: PolicyNow, openedAt: number, means: Pick<Means, 'aheadMs'>): PolicyCopy {
  if (!policy.steps.some(({ contacts }) => contacts.some(isDuty))) return policy as PolicyCopy;
  const steps = policy.steps.map(({ delayS }): StepCopy & { contacts: ContactCopy[] } => ({ delayS, contacts: [] }));
  for (const { round, index, contacts } of rounds(policy, openedAt, means)) {
    const told = steps[index]!.contacts;
    for (const contact of contacts) {
      const place = told.findIndex(({ id }) => id === contact.id);
      if (place < 0) told.push(contact);
      else if (round > 0) told[place] = both(told[place]!, contact);
    }
  }
  return { ...policy, steps };
}

/** When a step of a round is due, both counted from 0. */
export type StepTime = Pick<Telling, 'round' | 'step' | 'dueAt'>;

/** Returns when each step is due, as far as an incident plans it, in that order. */
export function stepTimes(policy: PolicyCopy | null, openedAt: number): StepTime[] {
  const tellings = policy === null ? [] : earliest(rounds(policy, openedAt, {}), DELIVERIES_MOST);
  return [...new Map(tellings.map(one => [`${one.round}/${one.step}`, one])).values()];
}

/** The parts of a policy that decide how many messages it asks for. */
interface Asking {
  steps: readonly { contacts: readonly { channels: readonly ChannelKind[] }[] }[];
  repeat: number;
}

/** Counts the messages that a policy asks for in one incident that nobody acknowledges, a duty as one person. */
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
  /** Whom it tells then. */
  contacts: readonly ContactCopy[];
  dueAt: number;
}

function rounds(policy: PolicyNow, openedAt: number, { aheadMs = 0 }: Pick<Means, 'aheadMs'>): DueStep[] {
  const due: DueStep[] = [];
  let at = openedAt;
  for (let round = 0; round <= policy.repeat; round++) {
    if (round > 0) at += policy.repeatDelayS * 1000;
    for (const [index, step] of policy.steps.entries()) {
      at += step.delayS * 1000;
      due.push({ round, index, contacts: peopleAt(step, at - aheadMs, round), dueAt: at });
    }
  }
  return due;
}

function channelsOf(contacts: readonly ContactCopy[]): number {
  return contacts.reduce((sum, { channels }) => sum + channels.length, 0);
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
  for (const { round, index, contacts, dueAt } of steps) {
    for (const contact of contacts) {
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
