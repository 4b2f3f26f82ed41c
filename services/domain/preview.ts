import { type PolicyCopy, type ScheduledDelivery, scheduleEscalation } from './escalation.ts';
import { type Fate, type Means, messagesOf } from './reach.ts';
import type { Environment } from './source.ts';

/** A trigger that has not come. Times are milliseconds since 1970. */
export interface ImaginedTrigger {
  /** Null: none is bound. */
  policy: PolicyCopy | null;
  at: number;
  /** False-alarm window in seconds before the incident opens; 0 is none. */
  windowS: number;
  environment: Environment;
}

/** One message that would be sent, or kept from being sent. */
export interface PreviewedDelivery extends Pick<ScheduledDelivery, 'round' | 'step' | 'contactId' | 'channel'> {
  /** Seconds after the trigger, the window included. */
  afterS: number;
  contactName: string;
  /** What would become of it; `suppressed`: in test, and nothing stands in its way. */
  outcome: Fate | 'suppressed';
}

export interface Preview {
  /** In the order in which people would be told. */
  deliveries: PreviewedDelivery[];
  /** How many more messages the policy asks for than one incident plans; 0: none. */
  leftOut: number;
  /** When the escalation would end, in seconds after the trigger. */
  escalationEndsS: number;
}

/**
 * What the incident of a trigger would do, message by message: the plan of escalation.ts, and live what the sending would
 * make of it, with what takes the place of a message that cannot go out.
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
