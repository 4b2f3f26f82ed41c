import { defineEntity, type Opt, p } from '@mikro-orm/core';
import type { ModeId } from '../../domain/mode.ts';
import type { ResponseKind, SourceKind } from '../../domain/source.ts';

/** An alarm or a panic button as its owner configured it. Its changing state is in SourceState. */
export const Source = defineEntity({
  name: 'Source',
  tableName: 'source',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    /** The owner's own stable name for it; its id if none was chosen. */
    key: p.text().onCreate(({ id }: { id: string }) => id),
    kind: p.text().$type<SourceKind>(),
    locationId: p.text(),
    name: p.text(),
    test: p.boolean().default(true),
    /** When the test ends by itself; null: when its owner lets it go live (DECISIONS.md \"A test ends\"). */
    testUntil: p.datetime().nullable(),
    disabled: p.boolean().default(false),
    deactivated: p.boolean().default(false),
    onlyWhenArmed: p.boolean().default(false),
    clearOnDisarm: p.boolean().default(false),
    responseKind: p.text().$type<ResponseKind>().nullable(),
    responseText: p.text().default(''),
    policyId: p.text().nullable(),
    /** Deleted sources stay, disabled: calls and incidents still refer to them. */
    deletedAt: p.datetime().nullable(),
    version: p.integer().version(),
    /** What an alarm is armed in; null: disarmed, or a panic button. */
    armedMode: p
      .text()
      .$type<Opt<ModeId>>()
      .nullable()
      .formula(
        ({ accountId, id }) =>
          `(SELECT st.armed_mode FROM source_state st WHERE st.account_id = ${accountId} AND st.source_id = ${id})`,
      ),
  },
});

/** A mode of one alarm, with the policy it is bound to and its false-alarm window in seconds. */
export const Mode = defineEntity({
  name: 'Mode',
  tableName: 'mode',
  properties: {
    accountId: p.text().primary(),
    sourceId: p.text().primary(),
    id: p.text().$type<ModeId>().primary(),
    name: p.text(),
    policyId: p.text().nullable(),
    windowS: p.integer().default(0),
  },
});

/** The row that is locked while a source is being applied. Written through here only when a source is created. */
export const SourceState = defineEntity({
  name: 'SourceState',
  tableName: 'source_state',
  properties: {
    accountId: p.text().primary(),
    sourceId: p.text().primary(),
    /** Increased by each change, over all sources. A source has one row; the version is part of its primary key. */
    version: p.bigint('number').primary().default(0),
    armedMode: p.text().$type<ModeId>().nullable(),
  },
});
