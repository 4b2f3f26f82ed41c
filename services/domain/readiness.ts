import type { ArmedMode } from './arming.ts';
import type { ChannelKind } from './delivery.ts';
import type { ContactCopy } from './escalation.ts';
import { FALLBACK_MODE, MODES, type ModeId } from './mode.ts';
import { environment, type SourceKind } from './source.ts';

/** How bad it is: nobody would be alerted; somebody would, not as intended; worth knowing. Worst first. */
export const SEVERITIES = ['blocks', 'warns', 'notes'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** What can stand against a source being ready. Among equally bad ones the first is told first. */
const CODES = [
  'disabled',
  'deactivated',
  'no_policy',
  'nobody_in_step',
  'no_reachable_contact',
  'links_unreachable',
  'no_away_mode',
  'armed_mode_missing',
  'in_test',
  'no_address_for_channel',
  'not_verified',
  'plan_required',
  'no_carrier',
  'escalation_capped',
  'plan_ends',
  'only_one_person',
  'no_location_address',
] as const;

export type FindingCode = (typeof CODES)[number];

/** What stands against a source, with what has to be known to say it (words/owner/readiness.ts). */
type Trouble =
  | { code: 'disabled' | 'deactivated' | 'no_policy' | 'links_unreachable' | 'no_away_mode' | 'no_location_address' }
  /** Which test switches are on. */
  | { code: 'in_test'; switches: ('source' | 'location')[] }
  /** What a trigger without a mode comes to. */
  | { code: 'armed_mode_missing'; bare: 'runs_away' | 'not_found' }
  | PolicyTrouble;

/** What stands against a policy, by its display name. People are each named once. */
export type PolicyTrouble = { policy: string } & (
  | { code: 'escalation_capped'; messages: number }
  /** Steps counted from 1; none: the policy has no steps. */
  | { code: 'nobody_in_step'; steps: number[] }
  | { code: 'no_reachable_contact'; steps: number[]; people: ContactCopy[] }
  | { code: ChannelTrouble; channel: ChannelKind; people: ContactCopy[] }
  /** `at`: until when the plan covers the channel, milliseconds since 1970. */
  | { code: 'plan_ends'; channel: ChannelKind; people: ContactCopy[]; at: number }
  | { code: 'only_one_person'; person: string }
);

/** What keeps people from being told over a channel. */
export type ChannelTrouble = 'no_address_for_channel' | 'not_verified' | 'plan_required' | 'no_carrier';

/** One thing that stands against a source being ready. `mode`: the mode concerned; null: all of the source. */
export type Finding = Trouble & { severity: Severity; mode: ModeId | null };

/** What stands against a policy, whichever mode it is bound to. */
export type PolicyFinding = PolicyTrouble & { severity: Severity };

/** A policy that was looked at (readiness-policy.ts), once for all that are bound to it. */
export interface JudgedPolicy {
  /** Whether any of its messages, as they would go out now, has a link in it. */
  links: 'carried' | 'none';
  findings: readonly PolicyFinding[];
}

/** What is known about a source when it is looked at. */
export interface ReadinessFacts {
  key: string;
  kind: SourceKind;
  /** Its own test switch. */
  test: boolean;
  disabled: boolean;
  /** Switched off by a plan downgrade. */
  deactivated: boolean;
  armedMode: ArmedMode;
  location: { key: string; name: string; address: string; test: boolean };
  /** An alarm's modes; of a panic button one, null, for its own policy. A policy is null where none is bound. */
  /** Where the links in messages lead: this deployment's public URL. */
  linksLead: 'anywhere' | 'this_machine' | 'nowhere';
  modes: readonly { mode: ModeId | null; policy: JudgedPolicy | null }[];
}

/** Everything that stands against a source being ready, worst first; always in the same order. Empty: nothing does. */
export function readinessOf(source: ReadinessFacts): Finding[] {
  return [
    ...ofModes(source),
    ...ofLinks(source),
    ...ofSwitches(source),
    ...ofArming(source),
    ...ofLocation(source),
  ].toSorted(worstFirst);
}

/** The order in which findings are told: the worse, then what is in the way first, then the modes in their usual order. */
export function worstFirst(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    CODES.indexOf(a.code) - CODES.indexOf(b.code) ||
    place(a.mode) - place(b.mode)
  );
}

function place(mode: ModeId | null): number {
  return mode === null ? -1 : MODES.indexOf(mode);
}

/** DECISIONS.md "Mode (or panic button) with no policy, or a policy that names nobody". */
function ofModes(source: ReadinessFacts): Finding[] {
  return source.modes.flatMap(({ mode, policy }): Finding[] => {
    if (policy !== null) return policy.findings.map(finding => ({ ...finding, mode }));
    return [{ code: 'no_policy', severity: 'blocks', mode }];
  });
}

/** Who is alerted live by a message whose link opens nothing cannot see or answer what it is about (DECISIONS.md "Acknowledge"). */
function ofLinks({ test, location, linksLead, modes }: ReadinessFacts): Finding[] {
  const carries = modes.some(({ policy }) => policy?.links === 'carried');
  if (linksLead !== 'this_machine' || !carries || environment(test, location.test) === 'test') return [];
  return [{ code: 'links_unreachable', severity: 'blocks', mode: null }];
}

/** SPEC.md 2 "Test switch" and "Alarm": it can be disabled, or deactivated by a plan downgrade. */
function ofSwitches({ disabled, deactivated, test, location }: ReadinessFacts): Finding[] {
  const all = { severity: 'blocks', mode: null } as const;
  const switches = [...(test ? ['source' as const] : []), ...(location.test ? ['location' as const] : [])];
  return [
    ...(disabled ? [{ code: 'disabled' as const, ...all }] : []),
    ...(deactivated ? [{ code: 'deactivated' as const, ...all }] : []),
    ...(environment(test, location.test) === 'test' ? [{ code: 'in_test' as const, switches, ...all }] : []),
  ];
}

/** What a bare call would come to (DECISIONS.md "Bare arm, disarmed", "Bare trigger"). Panic buttons are never armed. */
function ofArming(source: ReadinessFacts): Finding[] {
  const { kind, armedMode, modes } = source;
  if (kind === 'panic_button') return [];
  const has = (wanted: ModeId) => modes.some(({ mode }) => mode === wanted);
  const findings: Finding[] = [];
  if (!has(FALLBACK_MODE)) {
    findings.push({
      code: 'no_away_mode',
      severity: 'blocks',
      mode: null,
    });
  }
  if (armedMode !== null && !has(armedMode)) {
    findings.push({
      code: 'armed_mode_missing',
      severity: has(FALLBACK_MODE) ? 'warns' : 'blocks',
      mode: armedMode,
      bare: has(FALLBACK_MODE) ? 'runs_away' : 'not_found',
    });
  }
  return findings;
}

/** SPEC.md 2 "Location": its address is shown to the people alerted. */
function ofLocation({ location }: ReadinessFacts): Finding[] {
  if (location.address.trim() !== '') return [];
  return [
    {
      code: 'no_location_address',
      severity: 'notes',
      mode: null,
    },
  ];
}
