import { z } from 'zod';
import { MODE_NAMES, MODES } from '../../domain/mode.ts';
import { key, list, mode, name, onlyOnce, reference, referenceOrNone, switchOr, whole } from '../fields.ts';
import type { Resource } from '../resource.ts';

const LONGEST_WINDOW_S = 120;

const alarmMode = z
  .strictObject({
    id: mode,
    name: name.optional(),
    policyId: referenceOrNone,
    windowS: whole(0, LONGEST_WINDOW_S, ' seconds').default(0),
  })
  .transform(given => ({ ...given, name: given.name ?? MODE_NAMES[given.id] }));

const schema = z.strictObject({
  key,
  name,
  locationId: reference,
  test: switchOr(true),
  disabled: switchOr(false),
  onlyWhenArmed: switchOr(false),
  clearOnDisarm: switchOr(false),
  modes: list(alarmMode, 0, MODES.length, 'modes')
    .superRefine(onlyOnce(({ id }) => id))
    .transform(modes => modes.toSorted((a, b) => MODES.indexOf(a.id) - MODES.indexOf(b.id)))
    .default(() => MODES.map(id => ({ id, name: MODE_NAMES[id], policyId: '', windowS: 0 }))),
});

export type AlarmDoc = z.infer<typeof schema>;

/** A source that is armed, disarmed and triggered (SPEC.md 2 "Alarm"). */
export const alarm: Resource<AlarmDoc> = {
  kind: 'alarm',
  word: 'alarm',
  schema,
  nameOf: doc => doc.name,
  references: doc => [
    {
      kind: 'location',
      path: 'locationId',
      named: doc.locationId,
      take(id) {
        doc.locationId = id;
      },
    },
    ...doc.modes.flatMap((one, at) => {
      const take = (id: string) => {
        one.policyId = id;
      };
      return one.policyId === ''
        ? []
        : [{ kind: 'policy' as const, path: `modes[${at}].policyId`, named: one.policyId, take }];
    }),
  ],
  select: `
SELECT t.id, t.seq, t.version,
  json_build_object('key', t.key, 'name', t.name, 'locationId', t.location_id, 'test', t.test, 'disabled', t.disabled,
    'onlyWhenArmed', t.only_when_armed, 'clearOnDisarm', t.clear_on_disarm, 'modes', coalesce((
      SELECT json_agg(json_build_object('id', m.id, 'name', m.name, 'policyId', coalesce(m.policy_id, ''),
        'windowS', m.window_s) ORDER BY array_position(ARRAY['home', 'away', 'night', 'vacation'], m.id))
      FROM mode m WHERE m.account_id = t.account_id AND m.source_id = t.id), '[]')) AS doc,
  json_build_object('deactivated', t.deactivated, 'armedMode', coalesce((
    SELECT st.armed_mode FROM source_state st WHERE st.account_id = t.account_id AND st.source_id = t.id
  ), 'disarmed')) AS facts
FROM source t WHERE t.account_id = $1 AND t.kind = 'alarm' AND t.deleted_at IS NULL`,
  rows({ accountId, id, doc, before }) {
    const own = { account_id: accountId, source_id: id };
    const removed = (before?.modes ?? []).filter(was => !doc.modes.some(now => now.id === was.id));
    return {
      removed: { mode: removed.map(({ id }) => ({ ...own, id })) },
      saved: {
        source: [
          {
            account_id: accountId,
            id,
            kind: 'alarm',
            key: doc.key,
            location_id: doc.locationId,
            name: doc.name,
            test: doc.test,
            disabled: doc.disabled,
            only_when_armed: doc.onlyWhenArmed,
            clear_on_disarm: doc.clearOnDisarm,
            response_text: '',
          },
        ],
        mode: doc.modes.map(({ id, name, policyId, windowS }) => ({
          ...own,
          id,
          name,
          policy_id: policyId || null,
          window_s: windowS,
        })),
        source_state: before === null ? [own] : [],
      },
    };
  },
  gone: ({ accountId, id }) => ({
    removed: { mode: [{ account_id: accountId, source_id: id }] },
    buried: { source: [{ account_id: accountId, id }] },
  }),
};
