import type { ArmedMode } from '../../domain/arming.ts';
import { effectiveMode, type ModeId } from '../../domain/mode.ts';
import { judge, type Verdict } from '../../domain/source.ts';
import { createLru } from '../../process/lru.ts';
import type { AskedUnit } from '../../store/statements/journal.ts';
import type { JudgedBy, JudgedSource } from '../../store/statements/judged-by.ts';
import type { Call } from './call.ts';

/** A call with what it is judged by. */
export interface AskedCall {
  call: Pick<Call, 'kind' | 'verb' | 'traceId' | 'parentTraceId'>;
  named: ModeId | 'unknown' | null;
  by: JudgedBy;
  from: 'memory' | 'database';
  engaged: boolean;
}

/** What becomes of it. `differs`: what it was judged by may not hold any more, so it has to be read and judged again. */
export interface Judgement {
  verdict: Verdict | 'differs';
  /** The place of the unit that stores it. */
  unit: number | null;
}

/** Judges groups of calls, and remembers the armed modes to which accepted calls lead. One group after the other. */
export interface Group {
  /** A source was read from the database. */
  sees(source: JudgedSource): void;
  /** Judges calls one after the other, each by what those before it lead to. */
  judge(asked: readonly AskedCall[]): { judgements: Judgement[]; units: AskedUnit[] };
  /** The units were stored, but for the stale ones. Gives what that makes of the judgements. */
  stored(judgements: Judgement[], units: readonly AskedUnit[], stale: ReadonlySet<number>): Judgement[];
  /** It is not known whether the units were stored. */
  forgets(units: readonly AskedUnit[]): void;
}

const DIFFERS: Judgement = { verdict: 'differs', unit: null };

/** `most`: of how many alarms the armed mode is remembered. */
export function createGroup(most: number): Group {
  /** By the number of the source. Wrong where another process armed or disarmed: whoever stores finds that out. */
  const armed = createLru<number, { mode: ArmedMode }>(most);

  function judgeOne(asked: AskedCall, units: Map<number, AskedUnit>, places: Map<AskedUnit, number>): Judgement {
    const { call, named, by, from } = asked;
    const { source } = by;
    const refused = (verdict: Verdict): Judgement => (from === 'memory' ? DIFFERS : { verdict, unit: null });
    if (by.fault !== null) return refused(by.fault);
    if (source === null) return refused('not_found');
    const unit = units.get(source.seq);
    // Two calls of one source that were judged by different things cannot be one unit.
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
    // What an earlier call of this group leads to may never be stored; and whether anything is open was asked of this alarm
    // as it was read.
    const asRead = unit === undefined && armedMode === source.armedMode;
    if (verdict !== 'accepted') return asRead ? refused(verdict) : DIFFERS;
    const into = unit ?? begin(by, source, units, places);
    addTo(into, asked, source, remembered.mode, armedMode, effective);
    return { verdict, unit: places.get(into)! };
  }

  return {
    sees: source => armed.set(source.seq, { mode: source.armedMode }),
    judge(asked) {
      const units = new Map<number, AskedUnit>();
      const places = new Map<AskedUnit, number>();
      const judgements = asked.map(one => judgeOne(one, units, places));
      return { judgements, units: [...units.values()] };
    },
    stored(judgements, units, stale) {
      for (const [place, { sourceSeq, leads }] of units.entries()) {
        if (stale.has(place)) armed.delete(sourceSeq);
        else if (leads !== undefined) armed.set(sourceSeq, { mode: leads });
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
  by: JudgedBy,
  source: JudgedSource,
  units: Map<number, AskedUnit>,
  places: Map<AskedUnit, number>,
): AskedUnit {
  const unit: AskedUnit = {
    accountId: by.accountId!,
    version: by.version!,
    until: null,
    sourceSeq: source.seq,
    assumed: undefined,
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
  remembered: ArmedMode,
  armedMode: ArmedMode,
  effective: ModeId,
): void {
  const { kind, verb, traceId, parentTraceId } = call;
  const armsOrFires = kind === 'alarm' && (verb === 'arm' || verb === 'trigger');
  const asks = armsOrFires && (named === null || (verb === 'trigger' && source.onlyWhenArmed));
  // What an earlier call of this unit leads to need not be looked up.
  if (asks && unit.leads === undefined) unit.assumed = remembered;
  const leads = verb === 'arm' ? effective : verb === 'disarm' ? null : undefined;
  // Written though it may stand there already, unless that is looked up: who names a mode waits for no other process.
  const stands = leads === armedMode && unit.assumed !== undefined && unit.leads === undefined;
  if (kind === 'alarm' && leads !== undefined && !stands) unit.leads = leads;
  if (by.keyUntil !== null) unit.until = Math.min(unit.until ?? Number.POSITIVE_INFINITY, by.keyUntil);
  const mode = armsOrFires ? effective : null;
  const windowS = verb === 'trigger' && mode !== null ? (source.windows[mode] ?? 0) : 0;
  const parent: [string] | [] = parentTraceId === null ? [] : [parentTraceId];
  unit.unit[3].push([traceId, by.keySeq!, verb, mode, windowS, ...parent]);
}
