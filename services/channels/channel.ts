import type { Alert, MemberMail } from '../domain/alert.ts';
import type { AttemptOutcome, ChannelKind } from '../domain/delivery.ts';
import type { Answers } from '../domain/way-back.ts';

/** A way to reach people. `send` never throws: every fault is an outcome with a reason in words. */
export interface Channel {
  readonly kind: ChannelKind;
  /** How many messages it sends at once; further ones wait for each other, whoever they are from. */
  readonly atOnce: number;
  /**
   * Sends to one address, in plain text, and answers within the channel's ATTEMPT_TIMEOUT_S (domain/delivery.ts), or sooner if `within`
   * says so.
   */
  send(address: string, alert: Alert, within?: Within): Promise<AttemptOutcome>;
  /**
   * Asks the carrier, within a time limit in milliseconds, whether it has a message whose attempt ended unknown. Returns what became of
   * it; null if it has none, or does not say. Absent if it cannot be asked.
   */
  find?(address: string, alert: Alert, limitMs: number): Promise<AttemptOutcome | null>;
  /**
   * Returns the carriers of the channel for an address, as its setting names them, or, `by_health`, those that fail last. Absent: it is the
   * only one.
   */
  routes?(order: 'as_named' | 'by_health', address: string): readonly Route[];
  /** Tells whether its carrier fails now, which comes last then (breaker.ts). Absent: it is not known. */
  health?(): 'closed' | 'open';
  /**
   * Asks the carrier whether it would accept messages, with a login that sends nothing, within a time limit in
   * milliseconds. Returns what is wrong, in words; null if nothing is. Absent if it cannot be asked.
   */
  ask?(limitMs: number): Promise<string | null>;
  /**
   * Tells whether what people answer through the carrier reaches this deployment at its public URL. Absent: they answer
   * by links alone.
   */
  answers?(publicUrl: string): Answers;
  /** Ends its connections. May be called twice. */
  close(): Promise<void>;
}

/** A carrier on a channel: those of one channel stand by for each other (DECISIONS.md "Carriers that stand by"). */
export interface Route {
  /** The carrier's name: `twilio`. Empty: the stand-in where none is set up. */
  carrier: string;
  channel: Channel;
}

/** What an attempt through one of several carriers keeps to. */
export interface Within {
  /** How long the carrier may take, in milliseconds. */
  limitMs: number;
  /** `none`: no earlier attempt can have left the message with this carrier. */
  earlier: 'none' | 'unknown';
}

/** The channel that also writes to members. */
export interface MailChannel extends Channel {
  send(address: string, mail: Alert | MemberMail, within?: Within): Promise<AttemptOutcome>;
}

/** A carrier's answer when asked. `not_asked`: nothing is set up, or it cannot be asked without sending something. */
export type Asked = { state: 'answers' } | { state: 'fails'; problem: string } | { state: 'not_asked' };

/** What the carriers of a channel answered: as a whole, by the first one that answers, and each. */
export type AskedChannel = Asked & { each: (Asked & { carrier: string })[] };

/** A request that a carrier made, as received. */
export interface CarrierRequest {
  /** `status`, `voice`, `key` or `text`. */
  topic: string;
  /** The whole public URL the carrier sent it to, which its signature covers. */
  url: string;
  /** The headers that carry signatures, with lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What a carrier reports. `forged`: its signature is missing or wrong; `unreadable`: signed, but not understood. */
export type CarrierNews =
  | { kind: 'forged' }
  | { kind: 'unreadable'; problem: string }
  /** Nothing to act on: it is queued, it rings. */
  | { kind: 'nothing' }
  | { kind: 'arrived'; providerRef: string }
  | { kind: 'fault'; providerRef: string; lasts: 'temporary' | 'permanent'; reason: string }
  /** A call was answered; the carrier asks what to say. */
  | { kind: 'answered' }
  /** A key was pressed on a call; empty if none was, in time. */
  | { kind: 'key'; key: string }
  /** Somebody wrote to the number from which we send SMS. `from` in E.164. */
  | { kind: 'reply'; from: string; text: string };

/** The answer to a carrier. */
export type CarrierAnswer =
  | { kind: 'noted' }
  /** On a call: the message, and the keys that can be pressed. */
  | {
      kind: 'speak_alert';
      alert: Alert & { purpose: 'alert' | 'acknowledged' | 'still_happening' };
      preface: CallPreface;
    }
  /** On a call: one sentence, then it ends. In the language of `locale`. */
  | { kind: 'speak'; said: CallSaid; locale: string; voice: string; by: string }
  /** In answer to an SMS: one SMS. */
  | WrittenBack;

/** One SMS in answer to another. */
export interface WrittenBack {
  kind: 'write';
  said: TextSaid;
  locale: string;
  by: string;
  code: string;
}

/** What comes before the message when it is repeated. */
export type CallPreface = 'none' | 'not_understood';

/** What can be said on a call after a key was pressed or if it is answered too late. `by`: who acknowledged. */
export type CallSaid =
  | 'acknowledged'
  | 'drill_answered'
  | 'already_acknowledged'
  | 'already_closed'
  | 'over'
  | 'try_link';

/** What can be written back to a reply. */
export type TextSaid =
  | 'acknowledged'
  | 'drill_answered'
  | 'already_acknowledged'
  | 'already_closed'
  | 'unknown_code'
  | 'not_understood'
  | 'try_again';

/** A mail server's report on a mail of ours that it had accepted. */
export interface ReturnedMail {
  /** The attempt and message it is about. */
  deliveryId: string;
  attempt: number;
  /** `nothing`: it is late or arrived, and nobody has to act on it. */
  news: Extract<CarrierNews, { kind: 'fault' | 'nothing' }>;
  /** Marks the report as read, so that it is not returned again. Never throws. */
  done(): Promise<void>;
}

/** The mailbox to which mail servers return what they could not deliver. */
export interface ReturnedMailbox {
  /**
   * Returns the oldest unread mail about one of ours; null if there is none or the mailbox cannot be read for now.
   * Never throws. The same mail is returned again until it is done. `inMs`: when to look again at the latest.
   */
  next(): Promise<{ mail: ReturnedMail | null; inMs: number }>;
  /** Calls `arrived` whenever something new may be there. */
  onArrival(arrived: () => void): void;
  /** What is wrong with the mailbox, in words; null if it can be read. */
  problem(): string | null;
  /** Ends its connection. May be called twice. */
  close(): Promise<void>;
}

/** Messages that people answer in the carrier's own app: it has to be asked whether they did. */
export interface AnswersThere {
  /** The shortest time between two questions about a message, in seconds. */
  everyS: number;
  /** `over_only`: what people answer comes by itself (Bot); a message is only claimed once nobody has to answer it. */
  asks: 'while_open' | 'over_only';
  /** How long after it was sent a message can be answered or goes on ringing, in seconds. */
  forS: number;
  /**
   * Asks whether whoever has this address, in plain text, acknowledged a message. `over`: nothing comes of it any more. Never throws.
   */
  ask(providerRef: string, address: string): Promise<'acknowledged' | 'not_yet' | 'over' | 'no_answer'>;
  /**
   * Ends the ringing of a message, of all tries of it, or takes its buttons away. `there`: where it is, and what it says from now on; null if
   * that is no longer known. Never throws.
   */
  quiet(deliveryId: string, there: () => Promise<MessageThere | null>): Promise<'done' | 'no_answer'>;
}

/** A message in the app of a carrier, at an address in plain text, and how it stands, in the words of whoever has it. */
export interface MessageThere {
  providerRef: string;
  address: string;
  text: string;
  /** Where the person's page is, and what the button that leads there says; null: nowhere any more. */
  page: { url: string; label: string } | null;
}

/** What somebody said to the bot of a carrier. `from`: their address there; `locale`: of what they are told. */
export type Said = { from: string; locale: string } & (
  | { kind: 'pressed'; press: string; token: string; message: Pick<MessageThere, 'providerRef' | 'address'> | null }
  /** They opened a link of ours; the code in it. */
  | { kind: 'started'; code: string }
  | { kind: 'wrote' }
  /** They wrote what may be the code of a message (domain/reply.ts). */
  | { kind: 'replied'; text: string }
  /** Their phone has a message of ours. */
  | { kind: 'arrived'; deliveryId: string; attempt: number; providerRef: string }
);

/** What a bot was told, each thing under a number of its own; or why nothing was heard, in words. */
export type Heard =
  | { kind: 'heard'; said: readonly { nth: number; said: Said }[] }
  | { kind: 'fault'; problem: string; afterS: number; who: 'another_reads' | 'nobody_knows' };

/** The bot of a carrier: what people say to it has to be asked for, by one process at a time. Nothing throws but `hear`, if it is aborted. */
export interface Bot {
  /** `to_one`: what a process hears nobody else ever will, so that it acts on it whoever listens by then. Absent: whoever listens hears it again. */
  hands?: 'to_one';
  /** Waits for a few seconds until something is said. The same is returned again until it is `kept`. */
  hear(signal: AbortSignal): Promise<Heard>;
  /** What was heard is stored, and does not come again: all of it, or what came before the one numbered `open`. */
  kept(open: number | null): void;
  /** Answers a press, in a few words. `loud`: they have to close it. */
  answer(press: string, text: string, how: 'soft' | 'loud'): Promise<void>;
  /** Writes to somebody. */
  write(address: string, text: string): Promise<void>;
  /** Answers what somebody wrote, which may have been a code. Absent: nobody answers by one. */
  writeBack?(address: string, answer: WrittenBack): Promise<void>;
  /** Writes a message anew, without the button that answers it. */
  rewrite(message: MessageThere): Promise<'done' | 'no_answer'>;
  /** Returns the link by which somebody tells the bot a code; else why there is none, in words. Absent: a link cannot. */
  startUrl?(code: string): Promise<{ kind: 'url'; url: string } | { kind: 'fault'; problem: string }>;
}

/** How a carrier's own requests are read and answered. Pure except for its secrets. */
export interface CarrierCallback {
  read(request: CarrierRequest): CarrierNews;
  /** `contentType` empty: no body. */
  answer(answer: CarrierAnswer): { status: number; contentType: string; body: string };
  /**
   * Sends a text back to a number where the carrier takes none in the answer to its request. Returns what went wrong, in words; null if
   * nothing did. Never throws. Absent: it goes with the answer.
   */
  writeBack?(to: string, answer: WrittenBack): Promise<string | null>;
}
