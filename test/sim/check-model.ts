import { Account, type Act } from '../support/door-model.ts';
import type { Invariant } from '../support/history/types.ts';
import type { Found } from './found.ts';
import { BEGIN, type Called, type Lived, shortTrace } from './lived.ts';
import type { House, SourceName } from './world.ts';

/**
 * Every call came to what the model of the door says, and there are the incidents that it says: a second account of the
 * rules that shares no code with the product. It lives the calls of each source in the order in which they were applied.
 */
export function checkModel(lived: Lived, found: Found, houses: readonly House[]): ReturnType<Invariant> {
  const moved = movedForward(found);
  const violations = houses.flatMap((house, nth) =>
    (['alarm', 'button'] as const).flatMap(name => {
      if (livesOutOfOrder(lived, nth, name)) return [];
      const source = { nth, name, id: house.ids[name] };
      const { model, places, wrong } = relive(lived, found, source);
      return [
        ...wrong,
        ...wrongOutcomes(lived, found, model, places),
        ...wrongIncidents(found, source, model, places, moved),
      ];
    }),
  );
  return { looked: found.logged.length + found.incidents.length, violations };
}

interface SourceOf {
  nth: number;
  name: SourceName;
  id: string;
}

/** The calls that the model lived, by trace, and their places there. */
type Places = ReadonlyMap<string, number>;

/** Lets a model live the calls and acts of one source. */
function relive(lived: Lived, found: Found, { nth, name, id }: SourceOf) {
  const called = new Map(lived.calls.map(call => [call.trace, call]));
  const acted = new Map(lived.acts.map(act => [act.trace, act]));
  const wrong: string[] = [];
  const model = new Account(lived.settings[nth]!);
  const places = new Map<string, number>();
  const passUntil = (at: number) => model.passTime(Math.round(at - BEGIN) - model.now);

  for (const row of found.logged.filter(({ sourceId, appliedAt }) => sourceId === id && appliedAt !== null)) {
    passUntil(row.at);
    const [act, call] = [acted.get(row.traceId), called.get(row.traceId)];
    if (act !== undefined) {
      const opener = found.incidents.find(incident => incident.id === act.incident)?.traceId ?? '';
      const came = model.act({ verb: act.verb, incident: places.get(opener) ?? -1 } as Act, name);
      if (came !== row.outcome) wrong.push(`${act.verb} ${shortTrace(act.trace)} came to ${row.outcome}, not ${came}`);
    } else if (call === undefined) {
      wrong.push(`${row.verb} ${row.traceId} was never called`);
    } else if (row.outcome !== 'source_disabled' || !wasDisabled(lived, call)) {
      model.environment = row.environment;
      places.set(row.traceId, model.calls.length);
      model.take(call.call);
    }
  }
  passUntil(found.now);
  return { model, places, wrong };
}

function wrongOutcomes(lived: Lived, found: Found, model: Account, places: Places): string[] {
  const called = new Map(lived.calls.map(call => [call.trace, call]));
  return found.logged.flatMap(row => {
    const place = places.get(row.traceId);
    if (place === undefined || row.appliedAt === null) return [];
    const call = called.get(row.traceId)!;
    const { outcome, status } = model.calls[place]!;
    const name = `${call.call} ${shortTrace(call.trace)} of ${call.house}`;
    if (outcome !== row.outcome) return [`${name} came to ${row.outcome}, not ${outcome}`];
    const mayBeHeld = outcome === 'held_by_gate' && disarmedMeanwhile(lived, call);
    return status === 202 || mayBeHeld ? [] : [`${name} was to be refused: ${outcome}`];
  });
}

function wrongIncidents(
  found: Found,
  { nth, name, id }: SourceOf,
  model: Account,
  places: Places,
  moved: Moved,
): string[] {
  const openers = [...places.keys()];
  const must = model[name].incidents.map(one => told({ ...one, by: openers[one.openedBy]! }, moved));
  const are = found.incidents.filter(({ sourceId }) => sourceId === id).map(row => asModel(row, moved));
  const more = are.filter(one => !must.includes(one));
  const less = must.filter(one => !are.includes(one));
  if (more.length + less.length === 0) return [];
  const list = (some: readonly string[]) => some.join(' and ') || 'none';
  return [`incidents of the ${name} of ${nth}: there are ${list(more)} in place of ${list(less)}`];
}

/**
 * DECISIONS.md "Acknowledge": these do not wait for another turn. Where turns are short, they may overtake calls that were
 * accepted before, and the model, which lives in order, says nothing of their sources.
 */
function livesOutOfOrder({ limits, acts }: Lived, nth: number, name: SourceName): boolean {
  return (
    limits === 'small' &&
    acts.some(({ house, source, verb }) => house === nth && source === name && OVERTAKES.includes(verb))
  );
}

const OVERTAKES: readonly string[] = ['acknowledge', 'close'];

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

type Moved = ReadonlySet<string>;

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

/** The calls that opened incidents whose steps came sooner because nobody was reached: these close by themselves sooner. */
function movedForward({ messages, incidents }: Found): Moved {
  const ids = new Set(messages.filter(({ movedFrom }) => movedFrom !== null).map(({ incidentId }) => incidentId));
  return new Set(incidents.filter(({ id }) => ids.has(id)).map(({ traceId }) => traceId));
}

function told(
  { mode, environment, openedAt, triggers, lastTriggerAt, closedAt, closeReason, by }: Told,
  moved: Moved,
): string {
  const isSooner = moved.has(by) && (closedAt === null || closeReason === 'auto_close');
  const closed = isSooner
    ? 'open or closed by itself'
    : closedAt === null
      ? 'open'
      : `closed ${closedAt} ${closeReason}`;
  return `${mode} ${environment} opened ${openedAt} by ${shortTrace(by)}, ${triggers} triggers to ${lastTriggerAt}, ${closed}`;
}

function asModel(row: Found['incidents'][number], moved: Moved): string {
  const at = (ms: number) => Math.round(ms - BEGIN);
  return told(
    {
      mode: row.mode ?? '',
      environment: row.environment,
      openedAt: at(row.openedAt),
      triggers: row.triggerCount,
      lastTriggerAt: at(row.lastTriggerAt),
      closedAt: row.closedAt === null ? null : at(row.closedAt),
      closeReason: row.closeReason ?? '',
      by: row.traceId,
    },
    moved,
  );
}
