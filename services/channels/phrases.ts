import type { Fired } from '../domain/common-words.ts';
import type { Environment, ResponseKind } from '../domain/source.ts';

/**
 * All that is said to people in one language, whole: no sentence is put together from pieces elsewhere. What is handed in
 * is clean; nothing here is HTML or markup of a carrier.
 */
export interface Phrases {
  /** BCP 47, its language subtag alone. */
  language: string;
  /** The regions for which carriers have voices; the first where a person's own is none of them. */
  regions: readonly [string, ...string[]];
  responseKinds: Record<ResponseKind, string>;
  /** In the place of a name that is empty. */
  nameless: string;
  written: WrittenPhrases;
  brief: BriefPhrases;
  spoken: SpokenPhrases;
}

/** For mails, push messages and webhooks. */
export interface WrittenPhrases {
  /** Stands before the subject of everything that is not live. */
  testPrefix: string;
  /** Subjects: short enough for a locked phone, and what it is comes first. */
  alert(fired: Fired): string;
  taken(by: string, fired: Fired): string;
  stillHappening(fired: Fired): string;
  /** A drill: nothing fired and nobody needs to come. */
  drill: string;
  verification(code: string): string;
  /** One sentence: what fired. */
  fired(fired: Fired): string;
  labels: Record<Label, string>;
  environment: Record<Environment, string>;
  takenBy(by: string): string;
  takenByNobody: string;
  triggers(count: number, last: string): string;
  /** Incidents of the same alarm shortly before, of which the person was not told. */
  moreBefore(count: number): string;
  step(at: { step: number; steps: number; round: number; rounds: number; policy: string }): string;
  replyCode(code: string): string;
  drilled: string;
  verificationAsked(account: string): string;
  verificationTodo: string;
  /** On the button that leads to the page, from where it can be answered, and where only looking is left. */
  seeAndAnswer: string;
  see: string;
  /** On the button that answers without the page. */
  acknowledge: string;
}

/** What stands before a fact. */
export type Label =
  | 'who'
  | 'what'
  | 'answered'
  | 'triggers'
  | 'before'
  | 'when'
  | 'since'
  | 'utc'
  | 'where'
  | 'step'
  | 'environment'
  | 'replyCode'
  | 'page'
  | 'code'
  | 'todo'
  | 'account'
  | 'incident';

/** For texts: as short as they can be understood, in the letters of GSM 03.38. */
export interface BriefPhrases {
  alert(fired: Fired, environment: Environment): string;
  taken(by: string, fired: Fired, environment: Environment): string;
  stillHappening(fired: Fired, environment: Environment): string;
  triggers(count: number, last: string): string;
  moreBefore(count: number): string;
  since(time: string): string;
  reply(code: string): string;
  drill: string;
  verification(code: string, account: string): string;
  acknowledged: string;
  alreadyAcknowledged(by: string): string;
  alreadyClosed: string;
  unknownCode(code: string): string;
  notUnderstood: string;
  tryAgain: string;
}

/** For calls: short sentences that somebody half asleep understands. */
export interface SpokenPhrases {
  greeting(name: string): string;
  environment: Record<Environment, string>;
  /** What fired; of a panic button, the kind of help that is wanted follows in a sentence of its own. */
  fired(fired: Fired): string;
  wanted: Record<ResponseKind, string>;
  /** In its owner's own words. */
  wantedOther(text: string): string;
  place(place: string): string;
  time(time: string): string;
  takenBy(by: string): string;
  takenByNobody: string;
  stillHappening: string;
  triggers(count: number, last: string): string;
  moreBefore(count: number): string;
  drilled: string;
  verificationAsked(account: string): string;
  /** `code` is written so that it is read digit by digit. */
  verificationCode(code: string): string;
  verificationAgain(code: string): string;
  verificationTodo: string;
  menu: string;
  menuHearAgain: string;
  notUnderstood: string;
  goodbye: string;
  goodbyeWithLink: string;
  acknowledged: string;
  alreadyAcknowledged(by: string): string;
  alreadyClosed: string;
  over: string;
  tryLink: string;
}
