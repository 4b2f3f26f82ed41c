import { type PolicyCopy, type ScheduledDelivery, scheduleEscalation } from './escalation.ts';
import { type Fate, type Means, messagesOf } from './reach.ts';
import type { Environment } from './source.ts';

/** A hypothetical trigger. Times are milliseconds since 1970. */
export interface ImaginedTrigger {
  /** Null if none is bound. */
  policy: PolicyCopy | null;
  at: number;
  /** False-alarm window in seconds before the incident opens; 0 for none. */
  windowS: number;
  environment: Environment;
}

/** One message that would be sent, or blocked. */
export interface PreviewedDelivery extends Pick<ScheduledDelivery, 'round' | 'step' | 'contactId' | 'channel'> {
  /** Seconds after the trigger, the window included. */
  afterS: number;
  contactName: string;
  /** What would happen to it; `suppressed`: in test, and nothing else blocks it. */
  outcome: Fate | 'suppressed';
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
 * Predicts what the incident of a trigger would do, message by message: the plan of escalation.ts, and for live what
 * sending would make of it, including the channels that replace one that cannot be used.
 */
export function preview(trigger: ImaginedTrigger, means: Means): Preview {
  const { policy, at, windowS, environment } = trigger;
  const escalation = scheduleEscalation(policy, at + windowS * 1000, environment, means.account);
  const after = (time: number) => (time - at) / 1000;
  const tellings = Map.groupBy(escalation.deliveries, ({ round, step, contactId }) => `${round}/${step}/${contactId}`);
  return {
    deliveries: [...tellings.values()].flatMap(planned => {
      const { round, step, contactId, dueAt } = planned[0]!;
      const contact = policy!.steps[step]!.contacts.find(({ id }) => id === contactId)!;
      const messages =
        environment === 'test'
          ? planned.map(({ channel, reason }) => ({ channel, fate: reason ?? ('suppressed' as const) }))
          : messagesOf({ ...contact, channels: planned.map(({ channel }) => channel) }, means, dueAt);
      const telling = { round, step, contactId, contactName: contact.name, afterS: after(dueAt) };
      return messages.map(({ channel, fate }) => ({ ...telling, channel, outcome: fate }));
    }),
    leftOut: escalation.leftOut,
    escalationEndsS: after(escalation.endsAt),
  };
}
