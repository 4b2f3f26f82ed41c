import type { InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { say } from '../../rpc/reader.ts';
import { Source, SourceState } from '../../store/entities/source.ts';
import { newRowsOf } from '../../store/save-rows.ts';
import type { FieldFault } from '../errors.ts';
import { key, name, oneLine, reference, referenceOrNone, responseKind, switchOr } from '../fields.ts';
import type { Resource } from '../resource.ts';
import { settleTest, testFields, testOf, testRow } from '../test-switch.ts';
import { buried, sourceRow } from './source.ts';

/** The longest words of an owner's own, in characters: they appear in SMS and are spoken. */
const RESPONSE_TEXT_MOST = 40;

const schema = z.strictObject({
  key,
  name,
  locationId: reference,
  ...testFields(true),
  disabled: switchOr(false),
  responseKind,
  responseText: oneLine(RESPONSE_TEXT_MOST).default(''),
  policyId: referenceOrNone,
});

export type PanicButtonDoc = z.infer<typeof schema>;

/** A source that is always on: no modes, no arming, no window (SPEC.md 2 "Panic button"). */
export const panicButton: Resource<PanicButtonDoc, InferEntity<typeof Source>> = {
  kind: 'panic_button',
  schema,
  excess: wordsOfItsOwn,
  nameOf: doc => doc.name,
  settle: settleTest,
  references(doc) {
    const takeLocation = (id: string) => {
      doc.locationId = id;
    };
    const takePolicy = (id: string) => {
      doc.policyId = id;
    };
    return [
      { kind: 'location' as const, path: 'locationId', named: doc.locationId, take: takeLocation },
      { kind: 'policy' as const, path: 'policyId', named: doc.policyId, take: takePolicy },
    ].filter(({ named }) => named !== '');
  },
  entity: Source,
  living: { kind: 'panic_button', deletedAt: null },
  reader: async () => row => {
    const { key, name, locationId, disabled, responseKind, responseText, policyId, deactivated } = row;
    const response = { responseKind: responseKind!, responseText };
    return {
      doc: { key, name, locationId, ...testOf(row), disabled, ...response, policyId: policyId ?? '' },
      facts: { deactivated },
    };
  },
  rows({ accountId, id, doc, before }) {
    const never = { onlyWhenArmed: false, clearOnDisarm: false };
    return {
      saved: [
        sourceRow({
          accountId,
          id,
          kind: 'panic_button',
          ...doc,
          ...testRow(doc),
          ...never,
          policyId: doc.policyId || null,
        }),
        ...(before === null ? [newRowsOf(SourceState, [{ accountId, sourceId: id }])] : []),
      ],
    };
  },
  remove: buried,
};

/** DECISIONS.md "Panic response": `other` needs words, and no other kind has any. */
function wordsOfItsOwn({ responseKind, responseText }: PanicButtonDoc): FieldFault[] {
  const isOther = responseKind === 'other';
  if (isOther === (responseText !== '')) return [];
  const { mismatch, noResponseText, nothing, responseText: text } = say().accepts;
  const problem = isOther ? mismatch(text(RESPONSE_TEXT_MOST), nothing) : noResponseText(responseKind);
  return [{ field: 'responseText', problem }];
}
