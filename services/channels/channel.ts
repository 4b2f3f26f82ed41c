import type { Alert, MemberMail } from '../domain/alert.ts';
import type { AttemptOutcome, ChannelKind } from '../domain/delivery.ts';

/** A way to reach people. `send` never throws: every fault is an outcome with a reason in words. */
export interface Channel {
  readonly kind: ChannelKind;
  /** How many messages it sends at once; more than that may wait for each other, whoever they are from. */
  readonly atOnce: number;
  /** Sends to one address, in plain text, and answers within ATTEMPT_TIMEOUT_S of the channel (domain/delivery.ts). */
  send(address: string, alert: Alert): Promise<AttemptOutcome>;
  /**
   * Asks the carrier whether it would take messages, by a login that sends nothing, for so many milliseconds at most. Gives what is
   * wrong, in words; null: nothing. Absent: it cannot be asked.
   */
  ask?(limitMs: number): Promise<string | null>;
  /** Ends its connections. Twice is fine. */
  close(): Promise<void>;
}

/** The channel by which members are written to as well. */
export interface MailChannel extends Channel {
  send(address: string, mail: Alert | MemberMail): Promise<AttemptOutcome>;
}

/** What a carrier says when it is asked. `not_asked`: nothing is set up, or it cannot be asked without sending something. */
export type Asked = { state: 'answers' } | { state: 'fails'; problem: string } | { state: 'not_asked' };

/** A request that a carrier made, as it came. */
export interface CarrierRequest {
  /** `status`, `voice`, `key` or `text`. */
  topic: string;
  /** Where the carrier sent it: the whole public URL, which its signature covers. */
  url: string;
  /** Those that carry signatures, lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What a carrier tells. `forged`: its signature is missing or wrong; `unreadable`: signed, and not to be understood. */
export type CarrierNews =
  | { kind: 'forged' }
  | { kind: 'unreadable'; problem: string }
  /** Nothing that anybody acts on: it is queued, it rings. */
  | { kind: 'nothing' }
  | { kind: 'arrived'; providerRef: string }
  | { kind: 'fault'; providerRef: string; lasts: 'temporary' | 'permanent'; reason: string }
  /** A call was answered and wants to know what to say. */
  | { kind: 'answered' }
  /** A key was pressed on a call; empty: none, in time. */
  | { kind: 'key'; key: string }
  /** Somebody wrote to the number from which texts are sent. `from` in E.164. */
  | { kind: 'reply'; from: string; text: string };

/** What a carrier is told back. */
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
  /** To a text: one text back. */
  | { kind: 'write'; said: TextSaid; locale: string; by: string; code: string };

/** What comes before the message when it is spoken again. */
export type CallPreface = 'none' | 'not_understood';

/** What can be said on a call once a key was pressed or when it is answered too late. `by`: who has it. */
export type CallSaid = 'acknowledged' | 'already_acknowledged' | 'already_closed' | 'over' | 'try_link';

/** What can be written back to a reply. */
export type TextSaid =
  | 'acknowledged'
  | 'already_acknowledged'
  | 'already_closed'
  | 'unknown_code'
  | 'not_understood'
  | 'try_again';

/** What a mail server told of a mail of ours that it had taken. */
export interface ReturnedMail {
  /** Which attempt of which message it was. */
  deliveryId: string;
  attempt: number;
  /** `nothing`: it is late or arrived, and nobody has to act on it. */
  news: Extract<CarrierNews, { kind: 'fault' | 'nothing' }>;
  /** Marks what was told as read, so that it is not told again. Never throws. */
  done(): Promise<void>;
}

/** The mailbox to which mail servers send back what they could not deliver. */
export interface ReturnedMailbox {
  /**
   * Gives the oldest unread mail that tells of one of ours; null: there is none now, or it cannot be read for now. Never throws. The
   * same one comes again until it is done. `inMs`: when to look again at the latest.
   */
  next(): Promise<{ mail: ReturnedMail | null; inMs: number }>;
  /** Calls `arrived` whenever something new may be there. */
  onArrival(arrived: () => void): void;
  /** What is wrong with the mailbox, in words; null: it is read. */
  problem(): string | null;
  /** Ends its connection. Twice is fine. */
  close(): Promise<void>;
}

/** How a carrier's own requests are read and answered. Pure but for its secrets. */
export interface CarrierCallback {
  read(request: CarrierRequest): CarrierNews;
  /** `contentType` empty: there is no body. */
  answer(answer: CarrierAnswer): { status: number; contentType: string; body: string };
}
