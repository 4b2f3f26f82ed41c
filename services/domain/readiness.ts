import type { ArmedMode } from './arming.ts';
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

/** One thing that stands against a source being ready. */
export interface Finding {
  code: FindingCode;
  severity: Severity;
  /** The mode concerned; null: all of the source. */
  mode: ModeId | null;
  /** What is the matter, as a sentence. */
  problem: string;
  /** What to do about it, as a sentence. */
  fix: string;
}

/** What stands against a policy, whichever mode it is bound to. */
export type PolicyFinding = Omit<Finding, 'mode'>;

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
  return source.modes.flatMap(({ mode, policy }) => {
    if (policy !== null) return policy.findings.map(finding => ({ ...finding, mode }));
    const what = mode === null ? 'It' : `The mode ${mode}`;
    const flag = mode === null ? '--policy …' : `--mode ${mode}:policy=…`;
    return [
      {
        code: 'no_policy' as const,
        severity: 'blocks' as const,
        mode,
        problem: `${what} has no policy: a trigger opens an incident, and nobody is alerted.`,
        fix: `Bind a policy that names who is alerted: ${update(source)} ${flag}.`,
      },
    ];
  });
}

/** Who is alerted live by a message whose link opens nothing cannot see or answer what it is about (DECISIONS.md "Acknowledge"). */
function ofLinks({ test, location, linksLead, modes }: ReadinessFacts): Finding[] {
  const carries = modes.some(({ policy }) => policy?.links === 'carried');
  if (linksLead !== 'this_machine' || !carries || environment(test, location.test) === 'test') return [];
  return [
    {
      code: 'links_unreachable',
      severity: 'blocks',
      mode: null,
      problem:
        'The links in its messages lead to the machine that Tocsin runs on: nobody else can open them and answer.',
      fix: 'Set PUBLIC_URL where Tocsin runs to an address that phones reach; tocsin doctor proposes some.',
    },
  ];
}

/** The beginning of the command that changes a source. */
function update({ kind, key }: ReadinessFacts): string {
  return `tocsin ${kind === 'alarm' ? 'alarms' : 'panic-buttons'} update ${key}`;
}

/** SPEC.md 2 "Test switch" and "Alarm": it can be disabled, or deactivated by a plan downgrade. */
function ofSwitches(source: ReadinessFacts): Finding[] {
  const findings: Finding[] = [];
  const blocks = (code: FindingCode, problem: string, fix: string) =>
    findings.push({ code, severity: 'blocks', mode: null, problem, fix });
  if (source.disabled) {
    blocks(
      'disabled',
      'It is disabled: every call answers 404 and nothing fires.',
      `Enable it: ${update(source)} --enable.`,
    );
  }
  if (source.deactivated) {
    const problem = 'The plan of the account does not cover it since a downgrade: every call answers 404.';
    blocks('deactivated', problem, 'Change to a plan that covers it, or delete sources that are no longer needed.');
  }
  if (environment(source.test, source.location.test) === 'test') {
    const switches = testSwitches(source);
    const off = switches.map(one => one.off).join(' and ');
    const are = switches.map(({ which }) => which).join(' and ');
    const is = switches.length === 1 ? 'is' : 'are';
    const problem = `It is in test, because ${are} ${is} on: triggers are recorded and nobody is alerted.`;
    blocks('in_test', problem, `Rehearse it, tocsin rehearse ${source.key}, then switch it to live: ${off}.`);
  }
  return findings;
}

function testSwitches(source: ReadinessFacts): { which: string; off: string }[] {
  const { test, location } = source;
  return [
    { on: test, which: 'its own test switch', off: `${update(source)} --live` },
    {
      on: location.test,
      which: `the test switch of its location "${location.name}"`,
      off: `tocsin locations update ${location.key} --live`,
    },
  ].filter(({ on }) => on);
}

/** What a bare call would come to (DECISIONS.md "Bare arm, disarmed", "Bare trigger"). Panic buttons are never armed. */
function ofArming(source: ReadinessFacts): Finding[] {
  const { kind, armedMode, modes } = source;
  if (kind === 'panic') return [];
  const has = (wanted: ModeId) => modes.some(({ mode }) => mode === wanted);
  const findings: Finding[] = [];
  if (!has(FALLBACK_MODE)) {
    findings.push({
      code: 'no_away_mode',
      severity: 'blocks',
      mode: null,
      problem: 'It has no mode away: a trigger without a mode answers 404 while disarmed, and a bare arm stores away.',
      fix: `Add the mode away, with a policy: ${update(source)} --mode away:policy=….`,
    });
  }
  if (armedMode !== null && !has(armedMode)) {
    const instead = has(FALLBACK_MODE) ? 'runs the policy of away' : 'answers 404';
    findings.push({
      code: 'armed_mode_missing',
      severity: has(FALLBACK_MODE) ? 'warns' : 'blocks',
      mode: armedMode,
      problem: `It is armed in ${armedMode}, a mode that it no longer has: a trigger without a mode ${instead}.`,
      fix: `Arm it in a mode that it has, or add the mode again: ${update(source)} --mode ${armedMode}:policy=….`,
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
      problem: `Its location "${location.name}" has no address: the people alerted are not told where to go.`,
      fix: `Give the location its address: tocsin locations update ${location.key} --address "…".`,
    },
  ];
}
