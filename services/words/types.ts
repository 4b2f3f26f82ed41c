import type { ChannelKind } from '../domain/delivery.ts';
import type { CloseReason, Disposition, Via } from '../domain/incident.ts';
import type { ModeId } from '../domain/mode.ts';
import type { Environment, ResponseKind, SourceKind } from '../domain/source.ts';
import type { OwnerWords } from './owner/words.ts';

/**
 * Everything that is said to people in one language. Each sentence is whole: none is put together from pieces elsewhere. What
 * is handed in is clean (process/text.ts) and in that language; nothing here is HTML or markup of a carrier.
 */
export interface Words extends SharedWords {
  /** BCP 47, its language subtag alone. */
  language: string;
  /** The regions for which carriers have voices; the first where a person's own is none of them. */
  regions: readonly [string, ...string[]];
  mail: MailWords;
  sms: SmsWords;
  chat: ChatWords;
  voice: VoiceWords;
  page: PageWords;
  /** What those who own and look after an account are told. */
  owner: OwnerWords;
}

/** What fired. `what`: the mode of an alarm, the kind of help of a panic button; null: none. `by`: what tripped it; null: not known. */
export interface Fired {
  kind: SourceKind;
  source: string;
  what: string | null;
  by: string | null;
}

/** What a message and the page behind its link say alike, so that nobody takes them for two things. */
interface SharedWords {
  /** Stands before the title of everything that is not live. */
  testPrefix: string;
  /** In the place of a name that is empty. */
  nameless: string;
  /** `other`: where its owner's words are missing. */
  /** What modes are called that nobody renamed. */
  modes: Record<ModeId, string>;
  responseKinds: Record<ResponseKind, string>;
  /** What a title begins with (names.ts `titleOf`): what it is comes first, short enough for a locked phone. */
  heads: Record<SourceKind, string>;
  /** What marks a title where there is no other place for it. */
  marks: Record<Environment, string>;
  acknowledgedTitle(by: string, title: string): string;
  stillHappeningTitle(title: string): string;
  askedAgainTitle(title: string): string;
  /** To whoever acknowledged: what to do, as it is still open. */
  askedAgain: string;
  /** One sentence: what fired. */
  fired(fired: Fired): string;
  /** What tripped it first, and what joined since, as the value of a line. */
  trippedBy(first: string, joined: readonly string[]): string;
  /** In the place of its label, where a sender did no more than fall silent: in a title, and as the value of a line. */
  silent(label: string): string;
  silentSince(label: string, time: string): string;
  /** One sentence each. */
  environment: Record<Environment, string>;
  notAcknowledged: string;
  drill: DrillWords;
  verification: VerificationWords;
  /** On the button that acknowledges. */
  acknowledge: string;
  /** What stands before a fact. */
  labels: Record<Label, string>;
}

/** What a drill says (DECISIONS.md "Drill"): its title begins with that word, for everybody who reads no further. */
interface DrillWords {
  title: string;
  what: string;
  todo: string;
  /** On its page, once it was answered; the buttons; and the status after either. */
  ringQuestion: string;
  rangAloud: string;
  rangSilent: string;
  toldAloud: string;
  toldSilent: string;
}

export type Label =
  | 'who'
  | 'what'
  | 'trippedBy'
  | 'status'
  | 'acknowledged'
  | 'triggers'
  | 'before'
  | 'when'
  | 'since'
  | 'where'
  | 'environment'
  | 'replyCode'
  | 'page'
  | 'code'
  | 'todo'
  | 'account'
  | 'incident';

/** On the button of a message that asks whether an address is theirs, and on the page that it leads to. */
interface VerificationWords {
  /** On the button. */
  yes: string;
  title(account: string): string;
  /** The title once they said yes. */
  thanks: string;
  /** One sentence each: how it stands. */
  asked(account: string): string;
  confirmed(account: string): string;
  /** What somebody does who knows nothing of it. */
  todo: string;
}

/** For mails, push messages and webhooks. */
interface MailWords {
  /** Subjects of what is about no incident. Of a drill: nothing fired and nobody needs to come. */
  drill: string;
  verification(code: string): string;
  acknowledgedBy(by: string): string;
  triggers(count: number, last: string): string;
  /** Incidents of the same alarm shortly before, of which the person was not told. */
  moreBefore(count: number): string;
  replyCode(code: string): string;
  drilled: string;
  verificationAsked(account: string): string;
  verificationTodo: string;
  /** The same where a button does it as well. */
  verificationTodoByLink: string;
  /** On the button that leads to the page: where it can be acknowledged, and where only looking is left. */
  seeAndAcknowledge: string;
  see: string;
}

/** For texts: as short as they can be understood, in the letters of GSM 03.38. */
interface SmsWords {
  triggers(count: number, last: string): string;
  /** What joined since. */
  joined(labels: readonly string[]): string;
  moreBefore(count: number): string;
  since(time: string): string;
  reply(code: string): string;
  drill: string;
  /** Of a drill that waits for an answer: link and reply code follow. */
  drilling: string;
  drillAnswered: string;
  verification(code: string, account: string): string;
  youAcknowledged: string;
  alreadyAcknowledged(by: string): string;
  alreadyClosed: string;
  unknownCode(code: string): string;
  notUnderstood: string;
  tryAgain: string;
}

/** For what a bot answers in a chat: 200 characters at most where somebody pressed. */
export interface ChatWords {
  /** Somebody else pressed. */
  notYours: string;
  over: string;
  /** What they answered is stored, and not applied yet. */
  appliedLater: string;
  /** To whoever writes to it. */
  address(address: string): string;
  /** To whoever opened the link that an account gave them. */
  connected(account: string): string;
  /** To whom that account alerted here until somebody else opened such a link. */
  replaced(account: string): string;
  linkOver: string;
}

/** For calls: short sentences that somebody half asleep understands. */
export interface VoiceWords {
  greeting(name: string): string;
  environment: Record<Environment, string>;
  /** What fired; of a panic button, the kind of help that is wanted follows in a sentence of its own. */
  fired(fired: Fired): string;
  wanted: Record<ResponseKind, string>;
  /** In its owner's own words. */
  wantedOther(text: string): string;
  trippedBy(first: string, joined: readonly string[]): string;
  silentSince(label: string, time: string): string;
  place(place: string): string;
  time(time: string): string;
  acknowledgedBy(by: string): string;
  stillHappening: string;
  askedAgain: string;
  triggers(count: number, last: string): string;
  moreBefore(count: number): string;
  drilled: string;
  drillTodo: string;
  drillAnswered: string;
  verificationAsked(account: string): string;
  /** Said twice. `code` is written so that it is read digit by digit. */
  verificationCode(code: string): string;
  verificationTodo: string;
  menu: string;
  menuHearAgain: string;
  notUnderstood: string;
  goodbye: string;
  goodbyeWithLink: string;
  /** No key reaches us, and links open only in the network where Tocsin is. */
  goodbyeInNetwork: string;
  /** Neither keys nor links reach us. */
  goodbyeUnanswered: string;
  youAcknowledged: string;
  alreadyAcknowledged(by: string): string;
  alreadyClosed: string;
  over: string;
  tryLink: string;
}

/** For the page of a link that makes a browser ring for a person. */
interface RingWords {
  title(name: string): string;
  text(account: string, name: string): string;
  label: string;
  over: string;
  overTodo: string;
  /** What is said there by what became of it; what a worker shows without a line. */
  said: Record<'rings' | 'refused' | 'unsupported' | 'install' | 'failed' | 'unproven' | 'working' | 'silent', string>;
}

/** For the page of an incident. */
interface PageWords {
  ring: RingWords;
  /** In the place of any page, where the browser has no line. `since`: the time at which that was found. */
  noLine(since: string): string;
  channels: Record<ChannelKind, string>;
  /** One or two words, for the top of the page. */
  environmentLabel: Record<Environment, string>;
  triggers(count: number, last: string): string;
  /** Who acknowledged, when and how, as the value of a line. */
  acknowledged(by: string, at: string, via: string): string;
  vias: Record<Via, string>;
  /** How it stands, one sentence each. */
  nobodyReached: string;
  nobodyAcknowledged: string;
  acknowledgedBy(by: string, at: string): string;
  youAcknowledged(at: string): string;
  closed(at: string, reason: string): string;
  /** By a person whose name is known. */
  closedBy(by: string, at: string): string;
  closeReasons: Record<CloseReason, string>;
  you(name: string): string;
  mapLabel: string;
  /** On the link to the page of a camera or the like. */
  lookHere(label: string): string;
  toldHeading: { open: string; closed: string };
  closeLabel: string;
  /** Asked once before it is closed, and the button of those who mean it. */
  closeQuestion: string;
  closeConfirmLabel: string;
  /** Before a clock that runs since it opened. */
  openFor: string;
  /** A button that dials the emergency services. */
  callNumber(number: string): string;
  /** A button that dials somebody who was alerted too. */
  callPerson(name: string): string;
  /** On the buttons that close it and say what it was. */
  dispositions: Record<Disposition, string>;
  /** Sends the next step at once. */
  nextLabel: string;
  /** Leads to a note; the field and the button there. */
  noteLabel: string;
  noteField: string;
  noteConfirm: string;
  /** Leads to those who could take over; what that means. */
  declineLabel: string;
  handOverLabel: string;
  handOverText: string;
  notesHeading: string;
  /** A note, and that somebody handed over, with who and when. */
  noted(by: string, at: string, text: string): string;
  handedOver(by: string, to: string, at: string): string;
  steppedBy(by: string, at: string): string;
  declinedBy(by: string, at: string): string;
  /** What became of what was just done, by its outcome, where the page does not show it. */
  said: Readonly<Record<string, string>>;
  /** In the place of all that is shown while there is no connection. */
  offline: string;
  /** Who was told over which channel, and what became of it, as one sentence. */
  toldLine(name: string, channel: string, what: string): string;
  told: {
    scheduled(at: string): string;
    retried(why: string, at: string): string;
    sending: string;
    sent(at: string): string;
    delivered(at: string): string;
    failed(why: string): string;
    cancelled: string;
    noCarrier: string;
    suppressed(at: string): string;
    /** In test: live, it would not have reached them either. */
    passedOver(why: string): string;
  };
  /**
   * What stood in the way, by the words that are stored, up to their colon: behind it stands what a server said. Others are
   * for the owner and mean nothing to those who are alerted: they are not shown.
   */
  reasons: Readonly<Record<string, string>>;
  /** In the place of the page, where there is none to show: whose it is, is not known, so each is said in all languages. */
  noSuchPage: string;
  tryAgain: string;
  ourFault: string;
}
