import { defineEntity, p } from '@mikro-orm/core';
import type { ModeId } from '../../domain/mode.ts';
import type { ResponseKind, StoredKind } from '../../domain/source.ts';

/** An alarm or a panic button: what its owner set. What moves is in SourceState. */
export const Source = defineEntity({
  name: 'Source',
  tableName: 'source',
  properties: {
    accountId: p.text().primary(),
    id: p.text().primary(),
    seq: p.bigint('string').autoincrement(),
    /** The owner's own stable name for it; its id where none was chosen. */
    key: p.text().onCreate(({ id }: { id: string }) => id),
    kind: p.text().$type<StoredKind>(),
    locationId: p.text(),
    name: p.text(),
    test: p.boolean().default(true),
    disabled: p.boolean().default(false),
    deactivated: p.boolean().default(false),
    onlyWhenArmed: p.boolean().default(false),
    clearOnDisarm: p.boolean().default(false),
    responseKind: p.text().$type<ResponseKind>().nullable(),
    responseText: p.text().default(''),
    policyId: p.text().nullable(),
    /** Deleted sources stay, disabled: calls and incidents go on naming them. */
    deletedAt: p.datetime().nullable(),
    version: p.integer().version(),
  },
});

/** A mode of one alarm, with the policy that it is bound to and its false-alarm window in seconds. */
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

/** The row that is locked while a source is being applied. Written here only when a source is made. */
export const SourceState = defineEntity({
  name: 'SourceState',
  tableName: 'source_state',
  properties: {
    accountId: p.text().primary(),
    sourceId: p.text().primary(),
    /** Each change makes it higher, over all sources. A source has one row; its key says which version that is. */
    version: p.bigint('number').primary().default(0),
    armedMode: p.text().$type<ModeId>().nullable(),
  },
});
