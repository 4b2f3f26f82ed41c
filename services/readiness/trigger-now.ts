import { invalidField, noSuch } from '../configuration/errors.ts';
import { sourceNamed } from '../configuration/no-such.ts';
import type { ArmedMode } from '../domain/arming.ts';
import { foldsInto } from '../domain/incident.ts';
import { effectiveMode, isMode, MODES, type ModeId } from '../domain/mode.ts';
import { type Environment, environment, heldByGate, judge } from '../domain/source.ts';
import { say } from '../rpc/reader.ts';
import type { Store } from '../store/store.ts';
import { type OwnedSource, readOwnedSources, readSituation, type Situation } from './statements.ts';

/** What a trigger would do: it fires, it folds into what is open or pending, or it is refused. */
export type TriggerVerdict = 'fires' | 'folds' | 'held_by_gate' | 'mode_missing' | 'source_disabled';

/** The situation that a trigger of a source would meet now. */
export interface TriggerNow {
  source: OwnedSource;
  verdict: TriggerVerdict;
  /** The mode it would fire; null for panic buttons. */
  mode: ModeId | null;
  /** That mode's name; null if the alarm does not have it. */
  modeName: string | null;
  environment: Environment;
  /** The environment of the open incident; null if there is none. */
  open: Environment | null;
  /** The environment of the pending trigger; null if there is none. */
  waiting: Environment | null;
  windowS: number;
  policyId: string | null;
}

/** What to trigger, as named in a request. */
export interface AskedTrigger {
  /** Id or key. */
  sourceId: string;
  /** Empty for the mode of a bare trigger. */
  mode: string;
}

/**
 * Judges a trigger now by the rules that /v1 accepts by (services/domain). Throws NOT_FOUND without such a source,
 * INVALID_ARGUMENT for an impossible mode.
 */
export async function triggerNow(
  { orm, pool }: Pick<Store, 'orm' | 'pool'>,
  accountId: string,
  asked: AskedTrigger,
): Promise<TriggerNow> {
  const id = await sourceNamed({ em: orm.em.fork(), accountId }, asked.sourceId);
  const [[source], situation] = await Promise.all([
    readOwnedSources(pool, accountId, { by: 'source', id }),
    readSituation(pool, accountId, id),
  ]);
  if (source === undefined || situation === null) throw noSuch('source');
  return judgeNow(source, situation, namedMode(source, asked.mode));
}

function namedMode({ kind }: OwnedSource, word: string): ModeId | null {
  if (word === '') return null;
  if (kind === 'alarm' && isMode(word)) return word;
  const { modeOrNothing, noModeOfButton } = say().accepts;
  throw invalidField('mode', kind === 'alarm' ? modeOrNothing(MODES) : noModeOfButton, word);
}

function judgeNow(source: OwnedSource, situation: Situation, named: ModeId | null): TriggerNow {
  const runs = environment(source.test, source.location.test);
  const modes = source.modes.map(({ id }) => id);
  const armedMode: ArmedMode = situation.armedMode;
  const effective = effectiveMode(named, armedMode, modes);
  const { incidentEnvironment: open, incidentSilentSince: silentSince, pendingEnvironment: waiting } = situation;
  const { kind, onlyWhenArmed } = source;
  const isHeld = heldByGate({ kind, onlyWhenArmed, armedMode, engaged: false });
  const verdict = judge({
    key: 'valid',
    reachable: true,
    disabled: source.disabled || source.deactivated,
    kind: source.kind,
    verb: 'trigger',
    named,
    effective,
    modes,
    onlyWhenArmed: source.onlyWhenArmed,
    armedMode,
    engaged: open !== null || waiting !== null,
  });
  const mode = source.modes.find(({ id }) => id === effective);
  return {
    source,
    verdict:
      verdict === 'accepted'
        ? accepted(open === null ? null : { environment: open, silentSince }, waiting, runs, isHeld ? 'held' : 'open')
        : heldVerdict(verdict),
    mode: source.kind === 'alarm' ? effective : null,
    modeName: mode?.name ?? null,
    environment: runs,
    open,
    waiting,
    windowS: mode?.windowS ?? 0,
    policyId: source.kind === 'panic_button' ? source.policyId : (mode?.policyId ?? null),
  };
}

/** A trigger joins a pending one whatever its environment, and an open incident by the rule of domain/incident.ts. */
function accepted(
  open: { environment: Environment; silentSince: number | null } | null,
  waiting: Environment | null,
  runs: Environment,
  gate: 'held' | 'open',
): TriggerVerdict {
  if (waiting !== null || (open?.environment === 'live' && gate === 'held')) return 'folds';
  return foldsInto(open, { environment: runs }) ? 'folds' : 'fires';
}

function heldVerdict(verdict: Exclude<ReturnType<typeof judge>, 'accepted'>): TriggerVerdict {
  if (verdict === 'held_by_gate' || verdict === 'mode_missing' || verdict === 'source_disabled') return verdict;
  throw new Error(`A trigger with a good key and a known mode was judged ${verdict}.`);
}
