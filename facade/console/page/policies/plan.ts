import { create } from '@bufbuild/protobuf';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Policy, PolicyContact, PolicyStep } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import {
  type PreviewedDelivery,
  type PreviewResponse,
  PreviewResponseSchema,
} from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import { reachOf } from '../people/reach.ts';

/** A policy as it is edited, plain. */
export interface PolicyEdit extends Pick<Policy, 'id' | 'key' | 'version' | 'name' | 'repeat' | 'repeatDelayS'> {
  steps: StepEdit[];
}

export interface StepEdit extends Pick<PolicyStep, 'delayS'> {
  contacts: ToldEdit[];
}

export type ToldEdit = Pick<PolicyContact, 'contactId' | 'channels'>;

/** People by their ids. */
export type People = ReadonlyMap<string, Pick<Contact, 'name' | 'channels'>>;

/** The most messages of one incident (services/domain/escalation.ts). */
const MOST = 500;

/**
 * Who would be told by a policy that is not saved yet, and when, as ReadinessService.Preview tells it of one that is: live, at
 * once, with its first attempts alone. `carriers`: the channels that messages go out by; null: not known, then all.
 */
export function planOf(policy: PolicyEdit, people: People, carriers: ReadonlySet<string> | null): PreviewResponse {
  const deliveries: Pick<
    PreviewedDelivery,
    'afterS' | 'round' | 'step' | 'contactId' | 'contactName' | 'channel' | 'outcome'
  >[] = [];
  let afterS = 0;
  for (let round = 0; round <= policy.repeat; round++) {
    if (round > 0) afterS += policy.repeatDelayS;
    for (const [step, { delayS, contacts }] of policy.steps.entries()) {
      afterS += delayS;
      for (const { contactId, channels } of contacts) {
        const person = people.get(contactId);
        for (const channel of channels) {
          const outcome = outcomeOf(person, channel, carriers);
          deliveries.push({ afterS, round, step, contactId, contactName: person?.name ?? '', channel, outcome });
        }
      }
    }
  }
  const planned = deliveries.slice(0, MOST);
  return create(PreviewResponseSchema, {
    verdict: 'fires',
    environment: 'live',
    policyName: policy.name,
    deliveries: planned,
    escalationEndsS: planned.at(-1)?.afterS ?? 0,
    leftOut: deliveries.length - planned.length,
  });
}

function outcomeOf(
  person: Pick<Contact, 'channels'> | undefined,
  channel: string,
  carriers: ReadonlySet<string> | null,
) {
  const way = person?.channels.find(way => way.channel === channel);
  const reach = way === undefined ? 'disabled' : reachOf(way, carriers);
  if (reach === 'reached') return 'sent';
  return reach === 'disabled' ? 'no_address' : reach;
}
