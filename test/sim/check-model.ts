import { Account, type Act } from '../support/door-model.ts';
import type { Invariant } from '../support/history/types.ts';
import type { Found } from './found.ts';
import { shortTrace } from './life.ts';
import type { Called, Lived } from './lived.ts';
import { BEGIN } from './virtual.ts';
import type { House, SourceName } from './world.ts';

/**
 * Every call came to what the model of the door says, and there are the incidents that it says: a second account of the
 * rules that shares no code with the product. It lives the calls in the order in which they were applied.
 */
export function checkModel(lived: Lived, found: Found, houses: readonly House[]): ReturnType<Invariant> {
  const violations = houses.flatMap((house, nth) => checkHouse(lived, found, house, nth));
  return { looked: found.logged.length + found.incidents.length, violations };
}

function checkHouse(lived: Lived, found: Found, house: House, nth: number): string[] {
  const rows = found.logged.filter(row => row.accountId === house.accountId && row.appliedAt !== null);
  const nameOf = (sourceId: string): SourceName => (sourceId === house.ids.alarm ? 'alarm' : 'button');
  const called = new Map(lived.calls.map(call => [call.trace, call]));
  const acted = new Map(lived.acts.map(one => [one.trace, one]));
  const wrong: string[] = [];
  const model = new Account(lived.settings[nth]!);
  /** The calls that the model lived, by their place there. */
  const places = new Map<string, number>();
  const skipped = outOfOrder(lived, nth);

  for (const row of rows) {
    model.passTime(Math.round(row.at - BEGIN) - model.now);
    const act = acted.get(row.traceId);
    if (act !== undefined) {
      const opener = found.incidents.find(({ id }) => id === act.incident)?.traceId;
      const came = model.act({ verb: act.verb, incident: places.get(opener ?? '') ?? -1 } as Act, act.source);
      if (came !== row.outcome && !skipped.has(act.source)) {
        wrong.push(`${act.verb} ${shortTrace(act.trace)} came to ${row.outcome}, not ${came}`);
      }
      continue;
    }
    const call = called.get(row.traceId);
    if (call === undefined) {
      wrong.push(`${row.verb} ${row.traceId} was never called`);
      continue;
    }
    // Triggers that were on their way when their source was disabled.
    if (row.outcome === 'source_disabled' && wasDisabled(lived, call)) continue;
    model.environment = row.environment;
    places.set(row.traceId, model.calls.length);
    model.take(call.call);
  }
  model.passTime(Math.round(found.now - BEGIN) - model.now);

  for (const row of rows) {
    const place = places.get(row.traceId);
    if (place === undefined || skipped.has(nameOf(row.sourceId))) continue;
    const call = called.get(row.traceId)!;
    const { outcome, status } = model.calls[place]!;
    const name = `${call.call} ${shortTrace(call.trace)} of ${nth}`;
    if (outcome !== row.outcome) wrong.push(`${name} came to ${row.outcome}, not ${outcome}`);
    else if (status !== 202 && !(outcome === 'held_by_gate' && disarmedMeanwhile(lived, call))) {
      wrong.push(`${name} was to be refused: ${outcome}`);
    }
  }
  const openers = [...places.keys()];
  for (const source of ['alarm', 'button'] as const) {
    if (skipped.has(source)) continue;
    const must = model[source].incidents.map(one => told({ ...one, by: openers[one.openedBy]! })).toSorted();
    const are = found.incidents
      .filter(({ sourceId }) => sourceId === house.ids[source])
      .map(asModel)
      .toSorted();
    const more = are.filter(one => !must.includes(one));
    const less = must.filter(one => !are.includes(one));
    if (more.length + less.length > 0) {
      wrong.push(
        `incidents of the ${source} of ${nth}: there are ${more.join(' and ') || 'none'} in place of ${less.join(' and ') || 'none'}`,
      );
    }
  }
  return wrong;
}

/**
 * DECISIONS.md "Acknowledge": these do not wait for another turn. Where turns are short, they may overtake calls that were
 * accepted before, and the model, which lives in order, says nothing of their sources.
 */
function outOfOrder({ limits, acts }: Lived, nth: number): ReadonlySet<SourceName> {
  if (limits === 'own') return new Set();
  return new Set(acts.filter(({ house }) => house === nth).map(({ source }) => source));
}

function wasDisabled({ acts }: Lived, { house, source }: Called): boolean {
  return acts.some(act => act.verb === 'disable' && act.house === house && act.source === source);
}

/** DECISIONS.md "Concurrent calls": what passed the gate and applies after a disarm or clear in flight with it is held. */
function disarmedMeanwhile({ calls, acts }: Lived, call: Called): boolean {
  const isOver = (other: Called) =>
    other.ended !== null && other.answer === 'accepted' && other.ended.step < call.began.step;
  const endedBy = call.ended?.step ?? Number.POSITIVE_INFINITY;
  const ofCalls = calls.some(
    other =>
      other !== call &&
      other.house === call.house &&
      other.source === call.source &&
      /disarm|clear/.test(other.call) &&
      other.answer !== 'refused' &&
      other.began.step <= endedBy &&
      !isOver(other),
  );
  return ofCalls || acts.some(act => act.house === call.house && act.source === call.source);
}

interface Told {
  mode: string;
  environment: string;
  openedAt: number;
  triggers: number;
  lastTriggerAt: number;
  closedAt: number | null;
  closeReason: string;
  by: string;
}

function told({ mode, environment, openedAt, triggers, lastTriggerAt, closedAt, closeReason, by }: Told): string {
  const closed = closedAt === null ? 'open' : `closed ${closedAt} ${closeReason}`;
  return `${mode} ${environment} opened ${openedAt} by ${shortTrace(by)}, ${triggers} triggers to ${lastTriggerAt}, ${closed}`;
}

function asModel(row: Found['incidents'][number]): string {
  const at = (ms: number) => Math.round(ms - BEGIN);
  return told({
    mode: row.mode ?? '',
    environment: row.environment,
    openedAt: at(row.openedAt),
    triggers: row.triggerCount,
    lastTriggerAt: at(row.lastTriggerAt),
    closedAt: row.closedAt === null ? null : at(row.closedAt),
    closeReason: row.closeReason ?? '',
    by: row.traceId,
  });
}
