import type { InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { askedFor, DELIVERIES_MOST } from '../../domain/escalation.ts';
import { say } from '../../rpc/reader.ts';
import { Policy } from '../../store/entities/policy.ts';
import { rowsOf } from '../../store/save-rows.ts';
import type { FieldFault } from '../errors.ts';
import { channel, key, list, name, onlyOnce, reference, whole } from '../fields.ts';
import type { Resource } from '../resource.ts';

const DAY_S = 86_400;

const policyContact = z.strictObject({
  contactId: reference,
  channels: list(channel, 1, 5, 'channels').superRefine(onlyOnce(word => word)),
});

const step = z.strictObject({
  delayS: whole(0, DAY_S, 'seconds').default(0),
  contacts: list(policyContact, 1, 20, 'contacts').superRefine(onlyOnce(({ contactId }) => contactId)),
});

const schema = z.strictObject({
  key,
  name,
  steps: list(step, 1, 20, 'steps'),
  repeat: whole(0, 5, 'rounds').default(0),
  repeatDelayS: whole(60, DAY_S, 'seconds').default(300),
});

export type PolicyDoc = z.infer<typeof schema>;

/** Who is alerted, when and how (DECISIONS.md "Policy"). */
export const policy: Resource<PolicyDoc, InferEntity<typeof Policy>> = {
  kind: 'policy',
  schema,
  excess: tooManyMessages,
  nameOf: doc => doc.name,
  references: doc =>
    doc.steps.flatMap(({ contacts }, at) =>
      contacts.map((told, nth) => ({
        kind: 'contact' as const,
        path: `steps[${at}].contacts[${nth}].contactId`,
        named: told.contactId,
        take(id: string) {
          told.contactId = id;
        },
      })),
    ),
  entity: Policy,
  living: {},
  reader:
    async () =>
    ({ key, name, steps, repeat, repeatDelayS }) => ({ doc: { key, name, steps, repeat, repeatDelayS }, facts: {} }),
  rows: ({ accountId, id, doc }) => ({ saved: [rowsOf(Policy, [{ accountId, id, ...doc }])] }),
  remove: (em, accountId, ids) => em.nativeDelete(Policy, { accountId, id: { $in: ids } }),
};

/** Blames the field that has to shrink: the rounds, if a single round would be fine. */
function tooManyMessages(doc: PolicyDoc): FieldFault[] {
  const { rounds, inEach, inAll } = askedFor(doc);
  if (inAll <= DELIVERIES_MOST) return [];
  const { messages, messagesFewer, messagesGot, mismatch } = say().accepts;
  return [
    {
      field: inEach > DELIVERIES_MOST ? 'steps' : 'repeat',
      problem: mismatch(messages(DELIVERIES_MOST), messagesGot(inAll, rounds, inEach), messagesFewer),
    },
  ];
}
