import type { CallVerb, Outcome } from '../../domain/action.ts';
import type { Tried } from '../../domain/chances.ts';
import type { ChannelKind, DeliveryStatus } from '../../domain/delivery.ts';
import type { Incident } from '../../domain/incident.ts';
import type { Reach } from '../../domain/reach.ts';
import type { ReadinessFacts } from '../../domain/readiness.ts';
import type { Environment, PathRefusal, SourceKind, TurnedAway, Verdict } from '../../domain/source.ts';
import type { CarrierTry } from '../../domain/standing-by.ts';

/** Every word that can stand as the outcome of a call: `accepted` while it waits, else what it came to or why it was refused. */
export type CallWord = Outcome | Verdict | PathRefusal | TurnedAway;

/** What is known about a call when it is explained. */
export interface ExplainedCall {
  verb: CallVerb;
  outcome: CallWord;
  /** How many calls its row stands for. */
  times: number;
  by: 'machine' | 'person';
  /** What it names. An alarm where that is not known. */
  kind: SourceKind;
  /** Refused before it was stored (401, 404, 405, 429 or 503), or taken (202). */
  answer: 'refused' | 'taken';
  /** Whether a trigger that waited in its window was touched: cancelled, joined or begun. */
  pending: 'touched' | 'untouched';
  /** The incident that it opened, joined, acknowledged or closed. Null: none. */
  incident: { environment: Environment; outcome: Incident['outcome'] } | null;
}

/** One sentence on what became of a call, and one on what to do about it; empty where there is nothing to do. */
export interface CallWords {
  explanation: string;
  advice: string;
}

/** What a person is told of an outcome (DECISIONS.md "Outcome of each call"): one text, or one that depends on the call. */
export type CallSaid = CallWords | ((call: ExplainedCall) => CallWords);

/** What is known about a delivery when it is explained. */
export interface ExplainedDelivery {
  channel: ChannelKind;
  status: DeliveryStatus;
  /** What stood in the way, as it is stored: a NotReached, `throttled`, `restored`, or words of a carrier. Empty: nothing. */
  reason: string;
  /** What ended the escalation, of a cancelled delivery: `acknowledged` or the close reason. Empty: a later one went out. */
  cancelledBy: string;
  /** The channel in whose place it goes; null: its step names it. */
  insteadOf: ChannelKind | null;
  /** How often it was tried; absent: not known. */
  attempts?: number;
  /** The channel that went in place of it, or beside it; absent or null: none. */
  instead?: ChannelKind | null;
  /** The carriers that did not take it before another one was asked; absent: none. */
  carrierTries?: readonly Pick<CarrierTry, 'carrier' | 'nth' | 'reason' | 'taken'>[];
}

/** What is known about a change of an incident when it is explained. */
export type ExplainedChange =
  /** What tripped it; empty: that is not known. */
  /** `silentS`: for how long nothing was heard of it, where that alone opened it. */
  | { kind: 'opened'; by: string; silentS: number | null }
  | { kind: 'exhausted'; tried: Tried | null }
  /** How much earlier than planned, in seconds. */
  | { kind: 'step_brought_forward'; earlierS: number };

/** What was tried. */
export interface DrillSituation {
  contactKey: string;
  contactName: string;
  channel: ChannelKind;
  /** Whether this deployment and the plan let something be sent there at all. */
  tried: Reach;
  /** Whether a live alert would go there. */
  live: Reach;
  /** Why its owner switched it off; empty: they did not. */
  disabledReason: string;
}

/** What stands against a source being ready, and what to do about it: a sentence each. */
export interface FindingWords {
  problem: string;
  fix: string;
}

/** The source that a finding is about. */
export type FindingSource = Pick<ReadinessFacts, 'key' | 'kind'> & { location: { key: string; name: string } };

/** A message of a rehearsal. */
export interface RehearsedMessage {
  /** Of the person. */
  name: string;
  /** As a ChannelKind. */
  channel: string;
  /** What would become of it live. */
  fate: 'told' | 'cancelled' | 'blocked';
  /** Of a blocked one: what stands in the way, as it is stored. */
  reason: string;
  /** The channel in whose place it goes, as a ChannelKind; empty: its step names it. */
  insteadOf: string;
  /** Counted from 1; null: there is one round alone. */
  round: number | null;
  step: number;
}

/** What a refusal is about. `source`: an alarm or a panic button, where it is not known which. */
export type Thing =
  | 'account'
  | 'alarm'
  | 'api_key'
  | 'contact'
  | 'duty'
  | 'incident'
  | 'location'
  | 'member'
  | 'panic_button'
  | 'policy'
  | 'source'
  | 'token';

/** What only the operator may do. */
export type OperatorAct =
  | 'change_ceiling'
  | 'change_plan'
  | 'create_account'
  | 'create_token'
  | 'delete_account'
  | 'erase_account'
  | 'list_accounts'
  | 'list_deleted'
  | 'make_backup'
  | 'raise_cap'
  | 'see_backups'
  | 'set_backups'
  | 'set_public_url'
  | 'set_up_carriers';

/** What numbers count. */
export type Unit = 'cents' | 'changes' | 'rounds' | 'seconds';

/** What lists are of. */
export type Listed = 'channels' | 'contacts' | 'exceptions' | 'hours' | 'modes' | 'steps' | 'turns';

/** What is wrong with the syntax of a file, by the names of the YAML parser. */
export type SyntaxFault =
  | 'ALIAS_PROPS'
  | 'BAD_ALIAS'
  | 'BAD_COLLECTION_TYPE'
  | 'BAD_DIRECTIVE'
  | 'BAD_DQ_ESCAPE'
  | 'BAD_INDENT'
  | 'BAD_PROP_ORDER'
  | 'BAD_SCALAR_START'
  | 'BLOCK_AS_IMPLICIT_KEY'
  | 'BLOCK_IN_FLOW'
  | 'DUPLICATE_KEY'
  | 'IMPOSSIBLE'
  | 'KEY_OVER_1024_CHARS'
  | 'MISSING_CHAR'
  | 'MULTILINE_IMPLICIT_KEY'
  | 'MULTIPLE_ANCHORS'
  | 'MULTIPLE_DOCS'
  | 'MULTIPLE_TAGS'
  | 'NON_STRING_KEY'
  | 'RESOURCE_EXHAUSTION'
  | 'TAB_AS_INDENT'
  | 'TAG_RESOLVE_FAILED'
  | 'UNEXPECTED_TOKEN';

/** What a notice is about (domain/notice.ts NoticeAbout), ready to be said. */
export interface NoticeFacts {
  source: string;
  /** Whether it is about that source alone, or about the whole account. */
  about: 'source' | 'account';
  /** When its incident opened, as domain/local-time.ts `localDay`; null: not known. */
  opened: { day: string; time: string; zone: string } | null;
  /** Of a test: when it ends; null: not known. */
  until: { day: string; time: string; zone: string } | null;
  /** Counted from 1; null: not known. */
  step: number | null;
  round: number;
  /** `90 s`; empty: not known. */
  late: string;
  /** `$1.20`. */
  spent: string;
  /** What may be spent in a day; empty: not known. */
  cap: string;
  ceiling: string;
  /** How many sources, or their names. */
  sources: number | string;
  /** How many calls. */
  calls: number;
  /** By how much the clock was set, `1 h`; and which way. */
  clock: { by: string; direction: 'back' | 'forward' };
  /** Labels of keys and tokens. */
  names: string;
  /** Of `nobody_reached`: why nobody was. */
  because: 'all_failed' | 'not_scheduled';
  /** Of `exhausted`: what was tried; null: not known. */
  tried: Tried | null;
  duty: DutyNotice;
  /** Of senders: how many keys, by `names`. */
  keys: number;
  /** How many are supervised in the account. */
  supervised: number;
  /** What they reach that is armed. */
  armed: string;
  /** For how long nothing was heard, `12 min`. */
  silent: string;
  /** How often a key fell silent since that was last told, this time included. */
  times: number;
  stillSilent: number;
  /** Of `blind_together`: the line of the senders or this server; or something was armed while they were silent. */
  cause: 'line' | 'armed';
  /** Of `blind`: whether its alarm is triggered if it stays silent. */
  follows: 'alert' | 'nothing';
}

/** What somebody is told of a duty. */
export interface DutyNotice {
  name: string;
  /** `2026-11-28 08:00 (Europe/Vienna)`; empty: not known, or for good. */
  until: string;
  /** Who else is on it; empty: nobody. */
  names: string;
  /** Of `duty_changed`, at least one: what the reader comes on duty by is first. */
  changes: readonly DutyChangeNotice[];
  /** Of `duty_changed`: how many further changes there are. */
  more: number;
}

/** A span of time in which somebody covers. */
export interface DutyChangeNotice {
  name: string;
  /** `2026-11-28 08:00 (Europe/Vienna)`. */
  from: string;
  until: string;
  /** Who is on duty in place of the reader, or the other way round. Empty: nobody. */
  names: string;
  note: string;
  /** Whether the reader comes on duty by it. */
  part: 'comes' | 'goes';
}

/** What a notice says. Safe on one line. */
export interface NoticeWords {
  /** What it is first, as the subject of a mail. */
  subject: string;
  /** One sentence: what happened. */
  explanation: string;
  /** What the owner can do about it. */
  todo: string;
}
