import type { Reached } from '../process/vocabulary.ts';
import type { ArmedMode } from './arming.ts';
import { CHANNELS, type ChannelKind } from './delivery.ts';
import type { ContactCopy } from './escalation.ts';
import { FALLBACK_MODE, MODES, type ModeId } from './mode.ts';
import { environment, type SourceKind, type TurnedAway } from './source.ts';
import type { RespondFrom } from './way-back.ts';

/** How bad a finding is: nobody would be alerted; somebody would, but not as intended; worth knowing. Worst first. */
export const SEVERITIES = ['blocks', 'warns', 'notes'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** What can keep a source from being ready. Among equally severe findings the earlier code is listed first. */
export const FINDING_CODES = [
  'disabled',
  'deactivated',
  'no_policy',
  'nobody_in_step',
  'no_reachable_contact',
  'duty_unreachable',
  'links_unreachable',
  'no_away_mode',
  'armed_mode_missing',
  'in_test',
  'no_address_for_channel',
  'not_verified',
  'plan_required',
  'no_carrier',
  'carrier_failing',
  'answers_lost',
  'never_proven',
  'proof_stale',
  'stays_silent',
  'unsure_way',
  'escalation_capped',
  'silent_sender',
  'plan_ends',
  'calls_limited',
  'calls_shed',
  'proof_ages',
  'only_one_person',
  'supervision_proposed',
  'no_location_address',
] as const;

export type FindingCode = (typeof FINDING_CODES)[number];

/** What can be wrong with an account itself. */
export const ACCOUNT_FINDING_CODES = ['no_listener'] as const;

/** A problem of an account: no owner with a confirmed address is told when nobody could be alerted. */
export interface AccountFinding {
  code: (typeof ACCOUNT_FINDING_CODES)[number];
  severity: Severity;
  /** `none`: the account has no owner; else none of them has confirmed their address. */
  owners: 'none' | 'not_confirmed';
  /** Whether this deployment can send them the mail that asks for it. */
  mail: 'carrier' | 'no_carrier';
}

/** Returns what is wrong with an account (DECISIONS.md "Last-line notices"). `owners` and those `confirmed` are counts. */
export function accountFindings(
  { owners, confirmed }: { owners: number; confirmed: number },
  carriers: readonly ChannelKind[],
): AccountFinding[] {
  if (confirmed > 0) return [];
  const mail = carriers.includes('email') ? 'carrier' : 'no_carrier';
  return [{ code: 'no_listener', severity: 'warns', owners: owners === 0 ? 'none' : 'not_confirmed', mail }];
}

/** A problem with a source, with the facts needed to describe it (words/owner/en.ts). */
type Trouble =
  | { code: 'disabled' | 'deactivated' | 'no_policy' | 'links_unreachable' | 'no_away_mode' | 'no_location_address' }
  /** How many of its calls were turned away within a day. */
  | { code: 'calls_limited' | 'calls_shed'; calls: number }
  /** How many keys that reach it are silent, and the labels of the first; `all`: no other supervised key reaches it. */
  | { code: 'silent_sender'; keys: number; names: readonly string[]; all: 'yes' | 'no' }
  /** A key that reaches it, is not supervised and calls regularly. */
  | { code: 'supervision_proposed'; key: ProposedKey }
  /** `from`: from where people can respond to messages over the channel. */
  | { code: 'answers_lost'; channel: ChannelKind; from: 'network' | 'nowhere' }
  | InTest
  /** What a trigger without a mode would do. */
  | { code: 'armed_mode_missing'; bare: 'runs_away' | 'not_found' }
  | PolicyTrouble;

/** Which test switches are on; `at`: when the last of them ends, in milliseconds since 1970; absent: one has no end. */
export interface InTest {
  code: 'in_test';
  switches: ('source' | 'location')[];
  at?: number;
}

/** A problem with a policy, by its display name. People are each named once. */
export type PolicyTrouble = { policy: string } & (
  | { code: 'escalation_capped'; messages: number }
  /** Steps counted from 1; none: the policy has no steps. */
  | { code: 'nobody_in_step'; steps: number[] }
  | { code: 'no_reachable_contact'; steps: number[]; people: ContactCopy[] }
  /** The first time in which nobody on duty is reached, by clocks: milliseconds since 1970. */
  | { code: 'duty_unreachable'; duty: NamedDuty; people: ContactCopy[]; from: number; until: number }
  | { code: ChannelTrouble; channel: ChannelKind; people: ContactCopy[]; instead: Instead[] }
  /** `since`: milliseconds since 1970; `problem`: why. */
  | { code: 'carrier_failing'; channel: ChannelKind; people: ContactCopy[]; since: number; problem: string }
  /** `at`: until when the plan covers the channel, milliseconds since 1970. */
  | { code: 'plan_ends'; channel: ChannelKind; people: ContactCopy[]; at: number }
  | { code: 'only_one_person'; person: string }
  /** Of `never_proven`: of the people of the first step. */
  | { code: ProofTrouble; people: ContactCopy[] }
);

/** A duty as a finding names it. */
export interface NamedDuty {
  id: string;
  key: string;
  name: string;
  timeZone: string;
}

/** What is wrong with how it is known that people can be reached. */
export type ProofTrouble = 'never_proven' | 'proof_stale' | 'proof_ages' | 'stays_silent' | 'unsure_way';

/** What keeps people from being alerted over a channel. */
export type ChannelTrouble = 'no_address_for_channel' | 'not_verified' | 'plan_required' | 'no_carrier';

/** The people who are alerted over this channel in the place of the one concerned. */
export interface Instead {
  channel: ChannelKind;
  people: ContactCopy[];
}

/** One problem of a source. `mode`: the mode concerned; null: the whole source. */
export type Finding = Trouble & { severity: Severity; mode: ModeId | null };

/** A problem with a policy, independent of the mode it is bound to. */
export type PolicyFinding = PolicyTrouble & { severity: Severity };

/** The judgement of a policy (readiness-policy.ts), made once for all sources bound to it. */
export interface JudgedPolicy {
  /** The channels of its messages, as they would go out now. */
  channels: readonly ChannelKind[];
  /** Whether any of its messages, as they would go out now, contains a link. */
  links: 'carried' | 'none';
  findings: readonly PolicyFinding[];
}

/** A key that is not supervised, and the supervision that fits how it calls, in seconds (domain/rhythm.ts). */
export interface ProposedKey {
  id: string;
  key: string;
  label: string;
  proposedS: number;
}

/** What is known of the keys that reach a source. */
export interface Senders {
  supervised: number;
  silent: number;
  /** The labels of the first of the silent ones. */
  names: readonly string[];
  /** The first to which a supervision is proposed. */
  proposed: readonly ProposedKey[];
}

/** How many senders a finding names, and to how many a supervision is proposed: an account may have thousands. */
export const SENDERS_NAMED_MOST = 3;

/** What is known about a source when it is judged. */
export interface ReadinessFacts {
  key: string;
  kind: SourceKind;
  /** Its own test switch. */
  test: boolean;
  /** When it ends, in milliseconds since 1970; null or absent: it has no end. */
  testUntil?: number | null;
  disabled: boolean;
  /** Switched off by a plan downgrade. */
  deactivated: boolean;
  armedMode: ArmedMode;
  /** How many calls to it were turned away within the last day. */
  turnedAway: Readonly<Record<TurnedAway, number>>;
  /** The keys that reach it. */
  senders: Senders;
  location: { key: string; name: string; address: string; test: boolean; testUntil?: number | null };
  /** Where the links in messages lead: this deployment's public URL. */
  linksLead: Reached | 'nowhere';
  /** From where people can respond over each channel; absent: from anywhere, or this deployment has no address. */
  respondFrom?: Readonly<Record<ChannelKind, RespondFrom>>;
  /** An alarm's modes; for a panic button a single null with its own policy. `policy` null: none is bound. */
  modes: readonly { mode: ModeId | null; policy: JudgedPolicy | null }[];
}

/**
 * Returns everything that keeps a source from being ready, worst first, always in the same order. Empty if it is ready.
 */
export function readinessOf(source: ReadinessFacts): Finding[] {
  return [
    ...ofModes(source),
    ...ofLinks(source),
    ...ofAnswers(source),
    ...ofSwitches(source),
    ...ofArming(source),
    ...ofLocation(source),
    ...ofCalls(source),
    ...ofSenders(source),
  ].toSorted(worstFirst);
}

/** Orders findings by severity, then by code, then by the usual order of modes. */
export function worstFirst(a: Finding, b: Finding): number {
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    FINDING_CODES.indexOf(a.code) - FINDING_CODES.indexOf(b.code) ||
    place(a.mode) - place(b.mode)
  );
}

function place(mode: ModeId | null): number {
  return mode === null ? -1 : MODES.indexOf(mode);
}

/**
 * DECISIONS.md "Mode (or panic button) with no policy, or a policy that names nobody". That somebody was never proven is
 * said of what is live: whoever sets up in test proves them next.
 */
function ofModes({ test, location, modes }: ReadinessFacts): Finding[] {
  const isLive = environment(test, location.test) === 'live';
  return modes.flatMap(({ mode, policy }): Finding[] => {
    if (policy === null) return [{ code: 'no_policy', severity: 'blocks', mode }];
    const said = policy.findings.filter(({ code }) => isLive || code !== 'never_proven');
    return said.map(finding => ({ ...finding, mode }));
  });
}

/**
 * Somebody alerted live by a message with a dead link can neither see nor answer the incident (DECISIONS.md
 * "Acknowledge").
 */
function ofLinks({ test, location, linksLead, modes }: ReadinessFacts): Finding[] {
  const carries = modes.some(({ policy }) => policy?.links === 'carried');
  if (linksLead !== 'this_machine' || !carries || environment(test, location.test) === 'test') return [];
  return [{ code: 'links_unreachable', severity: 'blocks', mode: null }];
}

/**
 * Somebody is alerted live, but cannot respond from where they are (DECISIONS.md "An address that the outside does not
 * reach"). That links lead to this machine alone is said for all channels at once.
 */
function ofAnswers({ test, location, linksLead, respondFrom, modes }: ReadinessFacts): Finding[] {
  if (respondFrom === undefined || environment(test, location.test) === 'test') return [];
  return CHANNELS.flatMap((channel): Finding[] => {
    const from = respondFrom[channel];
    const used = modes.some(({ policy }) => policy?.channels.includes(channel));
    const said = linksLead === 'this_machine' && channel !== 'call' && channel !== 'text';
    if (!used || from === 'anywhere' || said) return [];
    return [{ code: 'answers_lost', severity: 'warns', mode: null, channel, from }];
  });
}

/** SPEC.md 2 "Test switch" and "Alarm": it can be disabled, or deactivated by a plan downgrade. */
function ofSwitches({ disabled, deactivated, test, testUntil, location }: ReadinessFacts): Finding[] {
  const all = { severity: 'blocks', mode: null } as const;
  const switches = [...(test ? ['source' as const] : []), ...(location.test ? ['location' as const] : [])];
  const ends = [...(test ? [testUntil] : []), ...(location.test ? [location.testUntil] : [])];
  const at = Math.max(...ends.map(end => end ?? Number.POSITIVE_INFINITY));
  return [
    ...(disabled ? [{ code: 'disabled' as const, ...all }] : []),
    ...(deactivated ? [{ code: 'deactivated' as const, ...all }] : []),
    ...(environment(test, location.test) === 'test'
      ? [{ code: 'in_test' as const, switches, ...(Number.isFinite(at) && { at }), ...all }]
      : []),
  ];
}

/** DECISIONS.md "Limited and shed calls". */
function ofCalls({ turnedAway }: ReadinessFacts): Finding[] {
  const { limited, shed } = turnedAway;
  const all = { severity: 'warns', mode: null } as const;
  return [
    ...(limited > 0 ? [{ code: 'calls_limited' as const, calls: limited, ...all }] : []),
    ...(shed > 0 ? [{ code: 'calls_shed' as const, calls: shed, ...all }] : []),
  ];
}

/** DECISIONS.md "Supervised senders": where nobody is left to call, nobody is alerted. */
function ofSenders({ senders: { supervised, silent, names, proposed } }: ReadinessFacts): Finding[] {
  const all = silent === supervised ? 'yes' : 'no';
  const severity = all === 'yes' ? 'blocks' : 'warns';
  return [
    ...(silent === 0 ? [] : [{ code: 'silent_sender', severity, mode: null, keys: silent, names, all } as const]),
    ...proposed.map(key => ({ code: 'supervision_proposed' as const, severity: 'notes' as const, mode: null, key })),
  ];
}

/** What a bare call would do (DECISIONS.md "Bare arm, disarmed", "Bare trigger"). Panic buttons are never armed. */
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
