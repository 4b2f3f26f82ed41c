import type { InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { CHANNELS } from '../../domain/delivery.ts';
import { askedFor, DELIVERIES_MOST } from '../../domain/escalation.ts';
import { say } from '../../rpc/reader.ts';
import { Policy, type PolicyStep } from '../../store/entities/policy.ts';
import { rowsOf } from '../../store/save-rows.ts';
import type { FieldFault } from '../errors.ts';
import { channel, key, list, name, onlyOnce, referenceOrNone, secondsOrOff, whole } from '../fields.ts';
import type { Resource } from '../resource.ts';

const DAY_S = 86_400;

const policyContact = z
  .strictObject({
    contactId: referenceOrNone,
    dutyId: referenceOrNone,
    channels: list(channel, 1, CHANNELS.length, 'channels').superRefine(onlyOnce(word => word)),
  })
  .superRefine(oneOfThem);

const step = z.strictObject({
  delayS: whole(0, DAY_S, 'seconds').default(0),
  contacts: list(policyContact, 1, 20, 'contacts').superRefine(
    onlyOnce(({ contactId, dutyId }) => contactId || dutyId),
  ),
});

const schema = z.strictObject({
  key,
  name,
  steps: list(step, 1, 20, 'steps'),
  repeat: whole(0, 5, 'rounds').default(0),
  repeatDelayS: whole(60, DAY_S, 'seconds').default(300),
  askAgainAfterS: secondsOrOff(300, DAY_S),
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
      contacts.map((told, nth) => {
        const field = told.dutyId === '' ? 'contactId' : 'dutyId';
        return {
          kind: told.dutyId === '' ? ('contact' as const) : ('duty' as const),
          path: `steps[${at}].contacts[${nth}].${field}`,
          named: told[field],
          take(id: string) {
            told[field] = id;
          },
        };
      }),
    ),
  entity: Policy,
  living: {},
  reader:
    async () =>
    ({ key, name, steps, repeat, repeatDelayS, askAgainAfterS }) => ({
      doc: { key, name, steps: steps.map(stepOf), repeat, repeatDelayS, askAgainAfterS },
      facts: {},
    }),
  rows: ({ accountId, id, doc }) => ({ saved: [rowsOf(Policy, [{ accountId, id, ...doc }])] }),
  remove: (em, accountId, ids) => em.nativeDelete(Policy, { accountId, id: { $in: ids } }),
};

/** A step as it was stored, with every field: one of before there were duties has fewer. */
function stepOf({ delayS, contacts }: PolicyStep): PolicyDoc['steps'][number] {
  return {
    delayS,
    contacts: contacts.map(({ contactId = '', dutyId = '', channels }) => ({ contactId, dutyId, channels })),
  };
}

/** A contact or a duty, never both. */
function oneOfThem(
  { contactId, dutyId }: { contactId: string; dutyId: string },
  context: z.core.$RefinementCtx<unknown>,
): void {
  if ((contactId === '') !== (dutyId === '')) return;
  const { contactOrDuty, nothing, mismatch } = say().accepts;
  const got = contactId === '' ? nothing : `${contactId}, ${dutyId}`;
  context.addIssue({ code: 'custom', message: mismatch(contactOrDuty, got), path: ['contactId'] });
}

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
