import { create } from '@bufbuild/protobuf';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Policy, PolicyContact, PolicyStep } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import {
  type PreviewedDelivery,
  type PreviewResponse,
  PreviewResponseSchema,
} from '../../../../gen/tocsin/console/v1/readiness_pb.ts';

/** A policy as it is edited, plain. */
export interface PolicyEdit
  extends Pick<Policy, 'id' | 'key' | 'version' | 'name' | 'repeat' | 'repeatDelayS' | 'askAgainAfterS'> {
  steps: StepEdit[];
}

export interface StepEdit extends Pick<PolicyStep, 'delayS'> {
  contacts: ToldEdit[];
}

/** A contact, or a duty that names one: the other of the two is empty. */
export type ToldEdit = Pick<PolicyContact, 'contactId' | 'dutyId' | 'channels'>;

/** Whoever a step can name: a contact, or a duty. */
export interface Nameable extends Pick<Contact, 'id' | 'name'> {
  channels: readonly Pick<Contact['channels'][number], 'channel' | 'reach' | 'disabledReason'>[];
  is: 'contact' | 'duty';
}

/** Returns the id of the contact or duty that a step names. */
export function namedBy({ contactId, dutyId }: Pick<ToldEdit, 'contactId' | 'dutyId'>): string {
  return contactId || dutyId;
}

/** Contacts and duties by their ids. */
export type People = ReadonlyMap<string, Pick<Nameable, 'name' | 'channels'>>;

/** The most messages of one incident (services/domain/escalation.ts). */
const MOST = 500;

/**
 * Returns who would be told by a policy that is not saved yet, and when, as ReadinessService.Preview does for one that is:
 * live, at once, with what goes in place of messages that would not reach somebody.
 */
export function planOf(policy: PolicyEdit, people: People): PreviewResponse {
  const deliveries: Pick<PreviewedDelivery, 'afterS' | 'round' | 'step' | 'contactId' | 'contactName' | keyof Told>[] =
    [];
  let asked = 0;
  let afterS = 0;
  for (let round = 0; round <= policy.repeat; round++) {
    if (round > 0) afterS += policy.repeatDelayS;
    for (const [step, { delayS, contacts }] of policy.steps.entries()) {
      afterS += delayS;
      for (const told of contacts) {
        const { channels } = told;
        const contactId = namedBy(told);
        const person = people.get(contactId);
        const named = channels.slice(0, Math.max(0, MOST - asked));
        asked += channels.length;
        for (const message of messagesTo(person?.channels ?? [], named)) {
          deliveries.push({ afterS, round, step, contactId, contactName: person?.name ?? '', ...message });
        }
      }
    }
  }
  return create(PreviewResponseSchema, {
    verdict: 'fires',
    environment: 'live',
    policyName: policy.name,
    deliveries,
    escalationEndsS: deliveries.at(-1)?.afterS ?? 0,
    leftOut: Math.max(0, asked - MOST),
  });
}

type Told = Pick<PreviewedDelivery, 'channel' | 'outcome' | 'insteadOf'>;

/** Returns the messages to a contact, as services/domain/reach.ts `messagesOf` does. Whether they would arrive, the services say. */
function messagesTo(ways: Nameable['channels'], named: readonly string[]): Told[] {
  const messages = named.map((channel): Told => {
    const going = ways.find(way => way.channel === channel && way.reach === 'goes');
    const reach = (going ?? ways.find(way => way.channel === channel))?.reach ?? 'no_address';
    return { channel, outcome: reach === 'goes' ? 'sent' : reach, insteadOf: '' };
  });
  for (const { channel, outcome } of [...messages]) {
    if (outcome === 'sent') continue;
    const isUsed = (way: string) => messages.some(message => message.channel === way);
    const other = ways.find(way => way.reach === 'goes' && !isUsed(way.channel));
    if (other !== undefined) messages.push({ channel: other.channel, outcome: 'sent', insteadOf: channel });
  }
  return messages;
}
