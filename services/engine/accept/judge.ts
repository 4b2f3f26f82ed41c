import type { ArmedMode } from '../../domain/arming.ts';
import { effectiveMode, type ModeId } from '../../domain/mode.ts';
import { judge, type Verdict } from '../../domain/source.ts';
import { createLru } from '../../process/lru.ts';
import type { AcceptedGroup, AskedUnit } from '../../store/statements/journal.ts';
import type { Call } from './call.ts';
import type { JudgedBy, JudgedSource } from './statements/judged-by.ts';

/** A call with the facts to judge it by. */
export interface AskedCall {
  call: Pick<Call, 'kind' | 'sourceId' | 'verb' | 'traceId' | 'parentTraceId'>;
  named: ModeId | 'unknown' | null;
  by: JudgedBy;
  from: 'memory' | 'database';
  engaged: boolean;
}

/** The judgement on a call. `differs`: its facts may be outdated, so read them and judge again. */
export interface Judgement {
  verdict: Verdict | 'differs';
  /** The index of the unit that stores it. */
  unit: number | null;
}

/** Judges groups of calls, one group after the other, and remembers the armed modes after accepted calls. */
export interface Group {
  /** To be called when a source was read from the database. */
  sees(source: JudgedSource): void;
  /** Judges calls in order, each by the state after those before it. */
  judge(asked: readonly AskedCall[]): { judgements: Judgement[]; units: AskedUnit[] };
  /** The run of the server that `known` of the units is about; null before anything was stored. */
  knownRun(): string | null;
  /** To be called when the units were stored, except the stale ones. Returns the final judgements. */
  stored(judgements: Judgement[], units: readonly AskedUnit[], accepted: AcceptedGroup): Judgement[];
  /** To be called when it is unknown whether the units were stored. */
  forgets(units: readonly AskedUnit[]): void;
}

const DIFFERS: Judgement = { verdict: 'differs', unit: null };

/** An armed mode, and the number that the last group had when it was known; 0 if that is not known. */
interface Armed {
  mode: ArmedMode;
  known: number;
}

/** `most`: for how many alarms the armed mode is remembered. */
export function createGroup(most: number): Group {
  /** By source number. Outdated if another process armed or disarmed; storing detects that. */
  const armed = createLru<number, Armed>(most);
  /** The groups that this process stored last and between which nobody else stored one, by number: they change nothing unseen. */
  let own: { from: number; to: number; run: string } | null = null;

  /** Until when an armed mode is known: own groups changed it only as remembered. */
  function knownAt({ known }: Armed): number {
    return own !== null && known >= own.from ? own.to : 0;
  }

  function extendOwn(number: number, run: string): void {
    if (own?.run === run && number === own.to + 1) own.to = number;
    else own = { from: number, to: number, run };
  }

  function judgeOne(asked: AskedCall, units: Map<number, AskedUnit>, places: Map<AskedUnit, number>): Judgement {
    const { call, named, by, from } = asked;
    const { source } = by;
    const refused = (verdict: Verdict): Judgement => (from === 'memory' ? DIFFERS : { verdict, unit: null });
    if (by.fault !== null) return refused(by.fault);
    if (source === null) return refused('not_found');
    const unit = units.get(source.seq);
    // Two calls of one source judged by different facts cannot share a unit.
    if (unit !== undefined && unit.version !== by.version) return DIFFERS;
    const remembered = armed.get(source.seq);
    if (remembered === undefined) return DIFFERS;
    const armedMode = unit?.leads === undefined ? remembered.mode : unit.leads;
    const modes = Object.keys(source.windows) as ModeId[];
    const effective = effectiveMode(named === 'unknown' ? null : named, armedMode, modes);
    const verdict = judge({
      key: 'valid',
      reachable: true,
      disabled: source.disabled,
      kind: call.kind,
      verb: call.verb,
      named,
      effective,
      modes,
      onlyWhenArmed: source.onlyWhenArmed,
      armedMode,
      engaged: asked.engaged,
    });
    // Refuse only on facts as read: an earlier call of this group may never be stored, and whether anything is open was
    // asked for the armed mode as read.
    const asRead = unit === undefined && armedMode === source.armedMode;
    if (verdict !== 'accepted') return asRead ? refused(verdict) : DIFFERS;
    const into = unit ?? begin(asked, source, units, places, own?.to ?? 0);
    addTo(into, asked, source, { mode: remembered.mode, known: knownAt(remembered) }, armedMode, effective);
    return { verdict, unit: places.get(into)! };
  }

  return {
    sees: source => armed.set(source.seq, { mode: source.armedMode, known: 0 }),
    knownRun: () => own?.run ?? null,
    judge(asked) {
      const units = new Map<number, AskedUnit>();
      const places = new Map<AskedUnit, number>();
      const judgements = asked.map(one => judgeOne(one, units, places));
      return { judgements, units: [...units.values()] };
    },
    stored(judgements, units, { number, stale, run }) {
      if (number !== null) extendOwn(number, run);
      for (const [place, { sourceSeq, assumed, leads }] of units.entries()) {
        const stands = leads === undefined ? assumed : leads;
        if (stale.has(place)) armed.delete(sourceSeq);
        else if (stands !== undefined) armed.set(sourceSeq, { mode: stands, known: number! });
      }
      if (stale.size === 0) return judgements;
      return judgements.map(one => (one.unit !== null && stale.has(one.unit) ? DIFFERS : one));
    },
    forgets(units) {
      for (const { sourceSeq } of units) armed.delete(sourceSeq);
    },
  };
}

function begin(
  { by, call }: AskedCall,
  source: JudgedSource,
  units: Map<number, AskedUnit>,
  places: Map<AskedUnit, number>,
  known: number,
): AskedUnit {
  const unit: AskedUnit = {
    accountId: by.accountId!,
    version: by.version!,
    until: null,
    sourceId: call.sourceId,
    sourceSeq: source.seq,
    assumed: undefined,
    known,
    leads: undefined,
    unit: [source.seq, source.environment, source.onlyWhenArmed ? 'only_when_armed' : 'always', []],
  };
  places.set(unit, units.size);
  units.set(source.seq, unit);
  return unit;
}

function addTo(
  unit: AskedUnit,
  { call, named, by }: AskedCall,
  source: JudgedSource,
  remembered: Armed,
  armedMode: ArmedMode,
  effective: ModeId,
): void {
  const { kind, verb, traceId, parentTraceId } = call;
  const armsOrFires = kind === 'alarm' && (verb === 'arm' || verb === 'trigger');
  const asks = armsOrFires && (named === null || (verb === 'trigger' && source.onlyWhenArmed));
  // The result of an earlier call of this unit need not be checked.
  if (asks && unit.leads === undefined) Object.assign(unit, { assumed: remembered.mode, known: remembered.known });
  const leads = verb === 'arm' ? effective : verb === 'disarm' ? null : undefined;
  // Write the mode even if it may be stored already, unless that is checked: a call that names a mode waits for no
  // other process.
  const stands = leads === armedMode && unit.assumed !== undefined && unit.leads === undefined;
  if (kind === 'alarm' && leads !== undefined && !stands) unit.leads = leads;
  const ends = [unit.until, by.keyUntil, source.testUntil].filter(end => end !== null);
  if (ends.length > 0) unit.until = Math.min(...ends);
  const mode = armsOrFires ? effective : null;
  const windowS = verb === 'trigger' && mode !== null ? (source.windows[mode] ?? 0) : 0;
  const parent: [string] | [] = parentTraceId === null ? [] : [parentTraceId];
  unit.unit[3].push([traceId, by.keySeq!, verb, mode, windowS, ...parent]);
}
