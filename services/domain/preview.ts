import type { PolicyNow } from './duty-told.ts';
import { policyCopy, type ScheduledDelivery, scheduleEscalation } from './escalation.ts';
import type { OnDutyCopy } from './policy-copy.ts';
import type { Means, NotReached } from './reach.ts';
import type { Environment } from './source.ts';

/** A hypothetical trigger. Times are milliseconds since 1970. */
export interface ImaginedTrigger {
  /** Null if none is bound. */
  policy: PolicyNow | null;
  at: number;
  /** False-alarm window in seconds before the incident opens; 0 for none. */
  windowS: number;
  environment: Environment;
}

/** One message that would be sent, or blocked. */
export interface PreviewedDelivery
  extends Pick<ScheduledDelivery, 'round' | 'step' | 'contactId' | 'channel' | 'insteadOf'> {
  /** Seconds after the trigger, the window included. */
  afterS: number;
  contactName: string;
  /** The duty for which they are told; absent: they are named themselves. */
  onDuty?: OnDutyCopy;
  /** What would happen to it; `suppressed`: in test, and live it would be sent. */
  outcome: NotReached | 'sent' | 'suppressed';
}

export interface Preview {
  /** In the order in which people would be alerted. */
  deliveries: PreviewedDelivery[];
  /** How many more messages the policy asks for than one incident plans. */
  leftOut: number;
  /** When the escalation would end, in seconds after the trigger. */
  escalationEndsS: number;
}

/**
 * Predicts what the incident of a trigger would do, message by message, including those that go in the place of others.
 * A test incident records what live would become of each, so it is what a preview shows in live too.
 */
export function preview({ policy, at, windowS, environment }: ImaginedTrigger, means: Means): Preview {
  const opensAt = at + windowS * 1000;
  const escalation = scheduleEscalation(policy, opensAt, 'test', means);
  const { steps } = policy === null ? { steps: [] } : policyCopy(policy, opensAt, means);
  const after = (time: number) => (time - at) / 1000;
  const goes = environment === 'test' ? 'suppressed' : 'sent';
  return {
    deliveries: escalation.deliveries.map(({ round, step, contactId, channel, insteadOf, dueAt, reason }) => {
      const contact = steps[step]!.contacts.find(({ id }) => id === contactId)!;
      const onDuty = contact.onDuty?.find(one => one.round === round);
      return {
        round,
        step,
        contactId,
        channel,
        insteadOf,
        contactName: contact.name,
        ...(onDuty !== undefined && { onDuty }),
        afterS: after(dueAt),
        outcome: reason ?? goes,
      };
    }),
    leftOut: escalation.leftOut,
    escalationEndsS: after(escalation.endsAt),
  };
}
