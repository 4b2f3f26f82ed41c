import type { InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { MODE_NAMES, MODES } from '../../domain/mode.ts';
import { Mode, Source, SourceState } from '../../store/entities/source.ts';
import { newRowsOf, rowsOf } from '../../store/save-rows.ts';
import { key, list, mode, name, onlyOnce, reference, referenceOrNone, switchOr, whole } from '../fields.ts';
import type { Resource } from '../resource.ts';
import { settleTest, testFields, testOf, testRow } from '../test-switch.ts';
import { buried, sourceRow } from './source.ts';

const LONGEST_WINDOW_S = 120;

const alarmMode = z
  .strictObject({
    id: mode,
    name: name.optional(),
    policyId: referenceOrNone,
    windowS: whole(0, LONGEST_WINDOW_S, 'seconds').default(0),
  })
  .transform(given => ({ ...given, name: given.name ?? MODE_NAMES[given.id] }));

const schema = z.strictObject({
  key,
  name,
  locationId: reference,
  ...testFields(true),
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
export const alarm: Resource<AlarmDoc, InferEntity<typeof Source>> = {
  kind: 'alarm',
  schema,
  nameOf: doc => doc.name,
  settle: settleTest,
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
  entity: Source,
  living: { kind: 'alarm', deletedAt: null },
  async reader(parts) {
    const modes = await parts(Mode, 'sourceId');
    return row => {
      const { id, key, name, locationId, disabled, onlyWhenArmed, clearOnDisarm, deactivated, armedMode } = row;
      const ofAlarm = (modes.get(id) ?? []).toSorted((a, b) => MODES.indexOf(a.id) - MODES.indexOf(b.id));
      const said = ofAlarm.map(({ id, name, policyId, windowS }) => ({ id, name, policyId: policyId ?? '', windowS }));
      return {
        doc: { key, name, locationId, ...testOf(row), disabled, onlyWhenArmed, clearOnDisarm, modes: said },
        facts: { deactivated, armedMode: armedMode ?? 'disarmed' },
      };
    };
  },
  rows({ accountId, id, doc, before }) {
    const own = { accountId, sourceId: id };
    const { modes, ...source } = doc;
    const removed = (before?.modes ?? []).filter(was => !modes.some(now => now.id === was.id));
    return {
      removed: [
        rowsOf(
          Mode,
          removed.map(({ id }) => ({ ...own, id })),
        ),
      ],
      saved: [
        sourceRow({
          ...{ accountId, id, kind: 'alarm', ...source, ...testRow(source) },
          ...{ responseKind: null, responseText: '', policyId: null },
        }),
        rowsOf(
          Mode,
          modes.map(({ policyId, ...mode }) => ({ ...own, ...mode, policyId: policyId || null })),
        ),
        ...(before === null ? [newRowsOf(SourceState, [own])] : []),
      ],
    };
  },
  async remove(em, accountId, ids) {
    await em.nativeDelete(Mode, { accountId, sourceId: { $in: ids } });
    await buried(em, accountId, ids);
  },
};
