/*
 * Who is told of one incident, and what people do about it, as it looks from outside: SPEC.md 4, DECISIONS.md "Next now, note, hand over"
 * and "An acknowledgement ages". Imports nothing. Times in milliseconds since the model began.
 */

export type Environment = 'live' | 'test';

/** Nothing reaches Dora. */
export const PEOPLE = ['Anna', 'Ben', 'Cleo', 'Dora'] as const;

export type Person = (typeof PEOPLE)[number];

/** Acts in the console, and is nobody who could be told anything. */
export const CONSOLE = 'Otto';

/** A message of a policy, by its place there and so long after the opening. */
export interface Planned {
  round: number;
  step: number;
  to: Person;
  after: number;
}

export interface Message {
  what: 'step' | 'handed over' | 'asked again' | 'acknowledged';
  /** Of a policy; otherwise how many of the kind went before it. */
  round: number;
  step: number;
  to: Person;
  at: number;
  /**
   * `sent or called off`: it was due when the incident closed, or time jumped past it before the engine had looked at what closed it,
   * and nobody knows whether it had begun.
   */
  state: 'waits' | 'sent' | 'called off' | 'sent or called off' | 'suppressed';
  /** Infinite until it is. */
  sentAt: number;
}

/** What stands in the timeline besides calls and messages. */
export interface Entry {
  at: number;
  kind: 'acknowledged' | 'next_step' | 'noted' | 'handed_over' | 'declined' | 'asked_again';
  detail: string;
  by: string;
}

/** From when to when it waits for an answer, and when the last of its steps was due. */
export interface Unanswered {
  from: number;
  endsAt: number;
  until: number;
}

const MINUTE = 60_000;
const ANSWER_WITHIN = 5 * MINUTE;
const ASKED_MOST = 3;
const HANDED_MOST = 20;

/** One incident, from its opening to its close. */
export class Alerting {
  readonly messages: Message[];
  readonly entries: Entry[] = [];
  readonly unanswered: Unanswered[] = [];
  /** 24 hours before it closes by itself. */
  endsAt: number;
  /** Who has it. */
  holder: { who: string; at: number } | null = null;
  /** When they are asked whether they still do. */
  asksAt = Number.POSITIVE_INFINITY;

  readonly #environment: Environment;
  readonly #plan: readonly Planned[];
  readonly #holdsFor: number;
  #asked = 0;
  #handed = 0;
  #handedTo: Person | null = null;
  /** Called off by what the engine may not have looked at yet. */
  #notLookedAt: Message[] = [];

  /** `holdsFor`: how long an acknowledgement does; 0: for good. */
  constructor(openedAt: number, environment: Environment, plan: readonly Planned[], holdsFor: number) {
    this.#environment = environment;
    this.#plan = plan;
    this.#holdsFor = holdsFor;
    this.messages = [];
    for (const { round, step, to, after } of plan) this.#tell('step', to, openedAt + after, { round, step });
    this.endsAt = openedAt + (plan.at(-1)?.after ?? 0);
    if (plan.length > 0) this.#waitForAnswer(openedAt);
  }

  /** When it tells or asks somebody next, if nobody does anything. */
  get goesOnAt(): number {
    return Math.min(this.asksAt, ...this.messages.filter(({ state }) => state === 'waits').map(({ at }) => at));
  }

  /** The step that people see as the next one. */
  nextStep(now: number): { round: number; step: number } | null {
    const ahead = this.messages.filter(({ what, state, at }) => what === 'step' && state === 'waits' && at > now);
    const [first] = ahead.sort((one, other) => one.at - other.at);
    return first === undefined ? null : { round: first.round, step: first.step };
  }

  hasTold(person: string): boolean {
    return this.messages.some(({ to, state }) => to === person && state === 'sent');
  }

  /** The engine has looked: what is due goes out. */
  send(now: number): void {
    this.#notLookedAt = [];
    for (const message of this.messages) {
      if (message.state === 'waits' && message.at <= now) Object.assign(message, { state: 'sent', sentAt: now });
    }
  }

  /** Time jumps, and messages are looked for before what calls them off is. */
  jump(now: number): void {
    for (const message of this.#notLookedAt) {
      if (message.state === 'called off' && message.at <= now) message.state = 'sent or called off';
    }
  }

  /** A further trigger: whoever went to look sets it off too, whoever sleeps does not. */
  trigger(now: number): void {
    if (!Number.isFinite(this.asksAt)) return;
    if (now - this.holder!.at >= ANSWER_WITHIN) this.asksAt = Math.min(this.asksAt, now);
  }

  /** `by`: a person is told once it is done, a call once it is accepted. */
  close(now: number, by: 'person' | 'call'): void {
    this.#endWait(now);
    const waiting = this.messages.filter(({ state }) => state === 'waits');
    this.#callOff(now, 'all');
    if (by === 'call') this.#notLookedAt.push(...waiting);
    this.asksAt = Number.POSITIVE_INFINITY;
  }

  acknowledge(who: string, now: number): string {
    if (this.holder !== null) return 'already_acknowledged';
    this.#endWait(now);
    this.#callOff(now, 'alerts');
    this.holder = { who, at: now };
    this.#handedTo = null;
    this.#write('acknowledged', now, { detail: who });
    if (this.#environment === 'test') return 'acknowledged';
    const told = this.messages.filter(({ what, state }) => what !== 'acknowledged' && state === 'sent');
    for (const to of new Set(told.map(message => message.to))) {
      if (to !== who) this.#tell('acknowledged', to, now, { round: 0, step: this.#asked + this.#handed });
    }
    if (this.#holdsFor > 0 && this.#asked < ASKED_MOST) this.asksAt = now + this.#holdsFor;
    return 'acknowledged';
  }

  sendNext(named: { round: number; step: number }, by: string, now: number): string {
    if (this.holder !== null) return 'already_acknowledged';
    const next = this.nextStep(now);
    if (next === null || next.round !== named.round || next.step !== named.step) return 'no_next_step';
    for (const message of this.messages) {
      if (message.what === 'step' && message.round === next.round && message.step === next.step) message.at = now;
    }
    this.endsAt = Math.max(...this.messages.filter(message => isAlert(message) && isOn(message)).map(({ at }) => at));
    this.#write('next_step', now, { by });
    return 'stepped';
  }

  /** Takes nothing away from anybody; who is alone with it has the next told. */
  decline(who: Person, now: number): string {
    if (this.holder !== null) return 'already_acknowledged';
    const declined = new Set(this.entries.flatMap(({ kind, by }) => (kind === 'declined' ? [by] : [])));
    if (!declined.has(who)) this.#write('declined', now, { by: who });
    declined.add(who);
    const alerts = this.messages.filter(isAlert);
    const told = alerts.filter(({ state, at }) => state === 'sent' || (state === 'waits' && at <= now));
    if (told.some(({ to }) => !declined.has(to))) return 'declined';
    const ahead = alerts.filter(({ state, at, to }) => state === 'waits' && at > now && !declined.has(to));
    const [next] = ahead.sort((one, other) => one.at - other.at);
    if (next === undefined) return 'declined_last';
    for (const message of this.messages) {
      if (message.what === 'step' && message.round === next.round && message.step === next.step) message.at = now;
    }
    this.endsAt = Math.max(...this.messages.filter(message => isAlert(message) && isOn(message)).map(({ at }) => at));
    return 'declined_next';
  }

  note(text: string, by: string, now: number): string {
    const isSame = (entry: Entry) => entry.kind === 'noted' && entry.detail === text && entry.by === by;
    if (!this.entries.some(entry => isSame(entry) && now - entry.at < MINUTE)) {
      this.#write('noted', now, { detail: text, by });
    }
    return 'noted';
  }

  handOver(to: Person, by: string, now: number): string {
    if (this.#handed === HANDED_MOST) return 'too_many_hand_overs';
    if (to === 'Dora') return 'not_reachable';
    if (this.holder === null && this.#handedTo === to) return 'already_handed_over';
    this.#endWait(now);
    this.#tell('handed over', to, now, { round: 0, step: this.#handed });
    this.#write('handed_over', now, { detail: to, by });
    this.#handed++;
    this.#handedTo = to;
    this.holder = null;
    this.asksAt = Number.POSITIVE_INFINITY;
    this.endsAt = Math.max(this.endsAt, now);
    this.#waitForAnswer(now);
    return 'handed_over';
  }

  /** The acknowledgement has aged. */
  ask(): void {
    const at = this.asksAt;
    const { who } = this.holder!;
    const isAsked = who !== CONSOLE;
    const calledOff = this.messages.filter(
      one => one.what === 'step' && one.state === 'called off' && this.#isOfUse(one),
    );
    if (isAsked) this.#tell('asked again', who as Person, at, { round: 0, step: this.#asked });
    const goesOn = at + (isAsked ? ANSWER_WITHIN : 0);
    if (calledOff.length > 0) {
      const first = Math.min(...calledOff.map(message => message.at));
      for (const message of calledOff) Object.assign(message, { state: 'waits', at: goesOn + message.at - first });
      this.endsAt = Math.max(...calledOff.map(message => message.at));
    } else {
      const round = 1 + Math.max(...this.messages.map(message => (message.what === 'step' ? message.round : 0)));
      const firstRound = this.#plan.filter(planned => planned.round === 0);
      for (const { step, to, after } of firstRound) {
        this.#tell('step', to, goesOn + after - firstRound[0]!.after, { round, step });
      }
      this.endsAt = goesOn + firstRound.at(-1)!.after - firstRound[0]!.after;
    }
    this.#write('asked_again', at, { detail: who });
    this.#asked++;
    this.holder = null;
    this.asksAt = Number.POSITIVE_INFINITY;
    this.#waitForAnswer(at);
  }

  /** Whoever was handed it since then knows of it. */
  #isOfUse({ to, at }: Message): boolean {
    return !this.messages.some(
      other => other.what === 'handed over' && other.to === to && other.state === 'sent' && other.at >= at,
    );
  }

  #callOff(now: number, what: 'alerts' | 'all'): void {
    for (const message of this.messages) {
      if (what === 'alerts' && !isAlert(message)) continue;
      if (message.state === 'suppressed' && message.at > now) message.state = 'called off';
      if (message.state === 'waits') message.state = message.at > now ? 'called off' : 'sent or called off';
    }
    this.endsAt = Math.min(this.endsAt, now);
  }

  #tell(what: Message['what'], to: Person, at: number, { round, step }: { round: number; step: number }): void {
    const state = this.#environment === 'test' ? 'suppressed' : 'waits';
    this.messages.push({ what, round, step, to, at, state, sentAt: Number.POSITIVE_INFINITY });
  }

  #write(kind: Entry['kind'], at: number, { detail = '', by = '' }: { detail?: string; by?: string }): void {
    this.entries.push({ at, kind, detail, by });
  }

  #waitForAnswer(from: number): void {
    this.unanswered.push({ from, endsAt: this.endsAt, until: Number.POSITIVE_INFINITY });
  }

  /** It waits no more, if it did. */
  #endWait(now: number): void {
    const wait = this.unanswered.at(-1);
    if (this.holder !== null || wait === undefined) return;
    Object.assign(wait, { endsAt: this.endsAt, until: now });
  }
}

function isAlert({ what }: Message): boolean {
  return what !== 'acknowledged';
}

function isOn({ state }: Message): boolean {
  return state === 'waits' || state === 'sent';
}
