import type { ArmedMode } from './arming.ts';
import type { ModeId } from './mode.ts';

export type SourceKind = 'alarm' | 'panic_button';

/**
 * What an incident is for. A source is live or in test; `drill`: one person is asked to answer as in an alarm
 * (DECISIONS.md "Drill"), by a hidden source that nothing else fires.
 */
export type Environment = 'live' | 'test' | 'drill';

/**
 * Whether a source is disabled or deactivated. `waits`: it is, but its disabling is still among the actions to be
 * applied.
 */
export type Disabled = 'no' | 'yes' | 'waits';

/** What a machine may do with a source (SPEC.md 4). Panic buttons support only trigger and clear. */
export type Verb = 'arm' | 'disarm' | 'trigger' | 'clear';

/** What a panic button asks for (SPEC.md 2); `other`: what its owner wrote (DECISIONS.md "Panic response"). */
export const RESPONSE_KINDS = ['medical', 'fire', 'intruder', 'duress', 'other'] as const;

export type ResponseKind = (typeof RESPONSE_KINDS)[number];

/**
 * The verdict on a call before it is stored. Only `accepted` is answered with 202. `key_unknown`, `key_revoked` and
 * `key_expired` look the same to the caller, a 401; the others are the same 404, except for `unknown_mode`.
 */
export type Verdict =
  | 'accepted'
  | 'key_unknown'
  | 'key_revoked'
  | 'key_expired'
  | 'not_found'
  | 'source_disabled'
  | 'unknown_mode'
  | 'mode_missing'
  | 'held_by_gate';

/** The verdict on a call with a good key whose path or method does not exist (DECISIONS.md "Outcome of each call"). */
export const PATH_REFUSALS = ['unknown_path', 'wrong_method'] as const;

export type PathRefusal = (typeof PATH_REFUSALS)[number];

/** Why a call with a good key was turned away unjudged: its key or account had called too often, or all did at once. */
export const TURNED_AWAY = ['limited', 'shed'] as const;

export type TurnedAway = (typeof TURNED_AWAY)[number];

/** What is known about a call when it is judged. */
export interface CallFacts {
  key: 'valid' | 'unknown' | 'revoked' | 'expired';
  /** The identifier names a source of the right kind in the key's account, and the key's scope covers it. */
  reachable: boolean;
  /** Switched off by its owner, or deactivated by a plan downgrade. */
  disabled: boolean;
  kind: SourceKind;
  verb: Verb;
  /** The mode named in the call: none, one of the four, or another word. */
  named: ModeId | 'unknown' | null;
  /** The mode that the call acts on (mode.ts). */
  effective: ModeId;
  /** The modes that the alarm has. */
  modes: readonly ModeId[];
  onlyWhenArmed: boolean;
  /** The armed mode after all calls accepted before this one. */
  armedMode: ArmedMode;
  /** Whether, after those calls, an incident is open or a trigger is pending. */
  engaged: boolean;
}

/** Returns how a source runs: as test if its own switch or its location's is on (SPEC.md 2). */
export function environment(sourceTest: boolean, locationTest: boolean): Exclude<Environment, 'drill'> {
  return sourceTest || locationTest ? 'test' : 'live';
}

/**
 * Checks a call in the order of DECISIONS.md: key, source in reach and enabled, unknown mode word, mode present, gate.
 * Used when a call is accepted (services/engine/accept/judge.ts) and when an owner previews one.
 */
export function judge(call: CallFacts): Verdict {
  if (call.key !== 'valid') return `key_${call.key}`;
  if (!call.reachable) return 'not_found';
  if (call.disabled) return 'source_disabled';
  if (call.named === 'unknown') return 'unknown_mode';
  if (!modePresent(call)) return 'mode_missing';
  if (call.verb === 'trigger' && heldByGate(call)) return 'held_by_gate';
  return 'accepted';
}

/**
 * A bare arm stores `away` even if the alarm has no such mode; anything else that names or needs a mode must find it.
 */
function modePresent(call: CallFacts): boolean {
  const needsMode = call.kind === 'alarm' && (call.verb === 'trigger' || (call.verb === 'arm' && call.named !== null));
  return !needsMode || call.modes.includes(call.effective);
}

/**
 * The only-trigger-when-armed gate (SPEC.md 2, DECISIONS.md "Trigger held back by the gate"): holds a trigger while the
 * alarm is disarmed and nothing is open or pending that the trigger could fold into. A deleted armed mode still counts
 * as armed. Panic buttons are never gated.
 */
export function heldByGate(source: {
  kind: SourceKind;
  onlyWhenArmed: boolean;
  armedMode: ArmedMode;
  engaged: boolean;
}): boolean {
  return source.kind === 'alarm' && source.onlyWhenArmed && source.armedMode === null && !source.engaged;
}
