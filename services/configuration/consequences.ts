import { randomUUID } from 'node:crypto';
import { type ChangeSignal, mergeSignals } from '../inventory/change-news.ts';
import { environmentAt } from '../store/source-sql.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import { enqueueOwnActions } from '../store/statements/queue.ts';
import type { Edit } from './edit.ts';
import type { AlarmDoc } from './resources/alarm.ts';
import type { LocationDoc } from './resources/location.ts';

/** What to announce once a change is committed. */
export interface Consequences {
  /** Describe or state answers that may have changed. */
  signals: ChangeSignal[];
  /** Whether actions wait for the engine. */
  actions: 'queued' | 'none';
}

type Sourceish = Pick<AlarmDoc, 'test' | 'disabled' | 'locationId'>;

const enabledLiveStatement: Statement<{ id: string }> = {
  name: 'console_now_live',
  text: `
SELECT s.id FROM source s JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
WHERE s.account_id = $1 AND (s.id = ANY ($2::text[]) OR s.location_id = ANY ($3::text[]))
  AND ${environmentAt()} = 'live' AND s.deleted_at IS NULL`,
};

/**
 * Queues what a configuration change does to open incidents (DECISIONS.md): going live ends a source's test incident
 * (`went_live`), disabling or deleting it ends any (`source_disabled`), and deleting a contact ends their drill, whose
 * hidden source bears their id. Call it after the rows are written, in their
 * transaction. Uses the same queue as calls, so that there is one order of time.
 */
export async function queueConsequences(
  db: Connection,
  accountId: string,
  actor: string,
  edits: readonly Edit[],
): Promise<Consequences> {
  const disabled = edits.filter(edit => isSource(edit) && wasOn(edit) && !isOn(edit)).map(({ id }) => id);
  const sources = edits.filter(mayHaveGoneLive).map(({ id }) => id);
  const locations = edits.filter(locationLeftTest).map(({ id }) => id);
  const asks = sources.length + locations.length > 0;
  const live = asks ? await run(db, enabledLiveStatement, [accountId, sources, locations]) : [];
  const gone = edits.filter(({ resource, after }) => resource.kind === 'contact' && after === null).map(({ id }) => id);
  const own = { accountId, actor, incidentId: null };
  const actions = [
    ...disabled.map(id => ({ ...own, sourceId: id, verb: 'disable' as const, traceId: randomUUID() })),
    ...gone.map(id => ({
      ...own,
      sourceId: id,
      verb: 'disable' as const,
      environment: 'drill' as const,
      traceId: randomUUID(),
    })),
    ...live.map(({ id }) => ({ ...own, sourceId: id, verb: 'go_live' as const, traceId: randomUUID() })),
  ];
  if (actions.length > 0) await enqueueOwnActions(db, actions);
  return {
    signals: mergeSignals(edits.flatMap(signalsOf)),
    actions: actions.length > 0 ? 'queued' : 'none',
  };
}

/** Names the alarm if exactly one alarm and nothing else is concerned (REALTIME.md 5.10). */
function signalsOf(edit: Edit): ChangeSignal[] {
  if (edit.resource.kind !== 'alarm') {
    return isSource(edit) || edit.resource.kind === 'location' ? [{ kind: 'inventory', alarmId: '' }] : [];
  }
  const inventory = { kind: 'inventory' as const, alarmId: edit.id };
  // State lists only enabled alarms.
  return wasOn(edit) === isOn(edit) ? [inventory] : [inventory, { kind: 'state', alarmId: edit.id }];
}

/** Tells whether an edit is about an alarm or a panic button. */
export function isSource({ resource }: Edit): boolean {
  return resource.kind === 'alarm' || resource.kind === 'panic_button';
}

/** Tells whether a source existed and was enabled before the edit. */
export function wasOn({ before }: Edit): boolean {
  return before !== null && !(before.doc as unknown as Sourceish).disabled;
}

/** Tells whether a source exists and is enabled after the edit. */
export function isOn({ after }: Edit): boolean {
  return after !== null && !(after as unknown as Sourceish).disabled;
}

/** Its switch was turned to live, or it moved to another location. Whether it is live now is asked of the database. */
function mayHaveGoneLive(edit: Edit): boolean {
  if (!isSource(edit) || edit.before === null || edit.after === null) return false;
  const before = edit.before.doc as unknown as Sourceish;
  const after = edit.after as unknown as Sourceish;
  return !after.test && (before.test || before.locationId !== after.locationId);
}

function locationLeftTest({ resource, before, after }: Edit): boolean {
  if (resource.kind !== 'location' || before === null || after === null) return false;
  return (before.doc as LocationDoc).test && !(after as LocationDoc).test;
}
