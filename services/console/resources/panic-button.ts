import { z } from 'zod';
import type { FieldFault } from '../errors.ts';
import { key, name, oneLine, reference, referenceOrNone, responseKind, switchOr } from '../fields.ts';
import type { Resource } from '../resource.ts';

/** How long an owner's own words may be, in characters: they stand in texts and are spoken. */
const RESPONSE_TEXT_MOST = 40;

const schema = z.strictObject({
  key,
  name,
  locationId: reference,
  test: switchOr(true),
  disabled: switchOr(false),
  responseKind,
  responseText: oneLine(RESPONSE_TEXT_MOST).default(''),
  policyId: referenceOrNone,
});

export type PanicButtonDoc = z.infer<typeof schema>;

/** A source that is always on: no modes, no arming, no window (SPEC.md 2 "Panic button"). */
export const panicButton: Resource<PanicButtonDoc> = {
  kind: 'panic_button',
  word: 'panic button',
  schema,
  excess: wordsOfItsOwn,
  nameOf: doc => doc.name,
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
  select: `
SELECT t.id, t.seq, t.version,
  json_build_object('key', t.key, 'name', t.name, 'locationId', t.location_id, 'test', t.test, 'disabled', t.disabled,
    'responseKind', t.response_kind, 'responseText', t.response_text, 'policyId', coalesce(t.policy_id, '')) AS doc,
  json_build_object('deactivated', t.deactivated) AS facts
FROM source t WHERE t.account_id = $1 AND t.kind = 'panic' AND t.deleted_at IS NULL`,
  rows({ accountId, id, doc, before }) {
    const own = { account_id: accountId, source_id: id };
    const source = {
      account_id: accountId,
      id,
      kind: 'panic',
      key: doc.key,
      location_id: doc.locationId,
      name: doc.name,
      test: doc.test,
      disabled: doc.disabled,
      only_when_armed: false,
      clear_on_disarm: false,
      response_kind: doc.responseKind,
      response_text: doc.responseText,
      policy_id: doc.policyId || null,
    };
    return { saved: { source: [source], source_state: before === null ? [own] : [] } };
  },
  gone: ({ accountId, id }) => ({ buried: { source: [{ account_id: accountId, id }] } }),
};

/** DECISIONS.md "Panic response": what else is asked for is said in words, and nothing else has any. */
function wordsOfItsOwn({ responseKind, responseText }: PanicButtonDoc): FieldFault[] {
  const isOther = responseKind === 'other';
  if (isOther === (responseText !== '')) return [];
  const takes = isOther
    ? `takes 1 to ${RESPONSE_TEXT_MOST} characters where the response is other, got nothing.`
    : `takes nothing where the response is ${responseKind}: only other has words of its own.`;
  return [{ field: 'responseText', problem: takes }];
}
