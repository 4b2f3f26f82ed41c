import { Alerting, CONSOLE, type Environment, type Person, type Planned } from './door-alerting.ts';

/*
 * A small account of SPEC.md 3 and 4 and DECISIONS.md as they look from outside: calls go in, statuses come out, and at
 * the end there are incidents and an outcome for every call. Imports nothing of the product. Times in milliseconds since the model began.
 */

export const MODES = ['home', 'away', 'night', 'vacation'] as const;

export type Mode = (typeof MODES)[number];

const DAY = 86_400_000;

/** Who is told when after an opening; home has no policy. Auto-close is 24 hours after the last. */
export const PLANS: Record<Mode | 'button', readonly Planned[]> = {
  home: [],
  away: [
    { round: 0, step: 0, to: 'Anna', after: 0 },
    { round: 0, step: 1, to: 'Ben', after: 600_000 },
  ],
  night: [{ round: 0, step: 0, to: 'Anna', after: 5_000 }],
  vacation: [
    { round: 0, step: 0, to: 'Anna', after: 0 },
    { round: 0, step: 1, to: 'Ben', after: 60_000 },
    { round: 1, step: 0, to: 'Anna', after: 120_000 },
    { round: 1, step: 1, to: 'Ben', after: 180_000 },
  ],
  button: [{ round: 0, step: 0, to: 'Anna', after: 0 }],
};

const times = (of: Mode | 'button') => PLANS[of].map(({ after }) => after);

/** The same without whom. */
export const MESSAGES: Record<Mode | 'button', readonly number[]> = {
  home: times('home'),
  away: times('away'),
  night: times('night'),
  vacation: times('vacation'),
  button: times('button'),
};

/** What its owner set. */
export interface Settings {
  gate: 'on' | 'off';
  clearOnDisarm: 'on' | 'off';
  /** The false-alarm window of each mode in seconds. */
  windows: Record<Mode, number>;
  /** A mode that the alarm does not have. */
  missing: Mode | null;
  /** How long an acknowledgement holds, in seconds; absent or 0: for good. */
  holdsS?: number;
}

/** The rest of a path behind the alarm's identifier, or a call of the panic button. */
export type Call =
  | 'arm'
  | `arm/${Mode}`
  | 'disarm'
  | 'trigger'
  | `trigger/${Mode}`
  | 'clear'
  | 'panic trigger'
  | 'panic clear';

/** What a call came to. */
export interface Outcome {
  status: 202 | 404;
  outcome: string;
  /** The call that opened the incident which this one opened, joined or closed. */
  incident: number | null;
  cancelledPending: boolean;
}

export interface Incident {
  /** The call that opened it. */
  openedBy: number;
  /** Empty for a panic button. */
  mode: Mode | '';
  environment: Environment;
  openedAt: number;
  triggers: number;
  lastTriggerAt: number;
  closedAt: number | null;
  closeReason: string;
  alerting: Alerting;
}

interface Pending {
  calls: number[];
  /** The call with the earliest deadline: it opens the incident. */
  opener: number;
  mode: Mode;
  environment: Environment;
  dueAt: number;
  lastTriggerAt: number;
}

/** What a person does about an incident, or an owner about the source. */
export type Act = { verb: 'acknowledge' | 'close'; incident: number } | { verb: 'disable' | 'go_live' };

/** What people do about the newest incident of a source. `next`: it names the step that they see as the next one. */
export type Move =
  | { verb: 'acknowledge'; by: Person | typeof CONSOLE }
  | { verb: 'next'; named: { round: number; step: number } }
  | { verb: 'hand over'; to: Person }
  | { verb: 'decline'; by: Person }
  | { verb: 'note' }
  | { verb: 'close' };

export const NOTE = 'The neighbour has a key';

/** One alarm, one panic button, one clock. */
export class Account {
  now = 0;
  /** What the test switch of both says: it decides about later calls only. */
  environment: Environment = 'live';
  readonly calls: Outcome[] = [];
  readonly alarm: Source;
  readonly button: Source;
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
    const holdsMs = (settings.holdsS ?? 0) * 1_000;
    this.alarm = new Source(this.calls, holdsMs);
    this.button = new Source(this.calls, holdsMs);
  }

  /** What the state endpoint shows for the alarm. */
  get state(): string {
    return this.alarm.open === undefined ? (this.alarm.armed ?? 'disarmed') : 'triggered';
  }

  /** How long until something happens by itself; null: nothing will. */
  get untilNextTimer(): number | null {
    const next = Math.min(this.alarm.nextTimer, this.button.nextTimer);
    return Number.isFinite(next) ? next - this.now : null;
  }

  /** How long until somebody is told or asked, if nobody does anything; null: nobody is. */
  get untilItGoesOn(): number | null {
    const next = Math.min(...this.#open.map(({ alerting }) => alerting.goesOnAt));
    return Number.isFinite(next) ? next - this.now : null;
  }

  /** Whether there is an acknowledgement that will age. */
  get isAgeing(): boolean {
    return this.#open.some(({ alerting }) => Number.isFinite(alerting.asksAt));
  }

  get #open(): Incident[] {
    return [this.alarm.open, this.button.open].filter(incident => incident !== undefined);
  }

  /** What is due goes out. */
  settle(): void {
    this.alarm.settle(this.now);
    this.button.settle(this.now);
  }

  passTime(ms: number): void {
    this.now += ms;
    this.alarm.passTime(this.now);
    this.button.passTime(this.now);
  }

  take(call: Call): Outcome {
    const index = this.calls.length;
    this.calls.push({ status: 202, outcome: '', incident: null, cancelledPending: false });
    const [verb, named] = call.split('/') as [string, Mode | undefined];
    const { alarm, button, now, environment } = this;
    const { gate, clearOnDisarm, windows, missing } = this.settings;
    const mode = named ?? this.#unnamedMode();
    const refuse = (outcome: string) => Object.assign(this.calls[index]!, { status: 404, outcome });

    if (verb === 'panic trigger') button.trigger(index, now, environment, '', 0);
    else if (verb === 'panic clear') button.clear(index, now);
    else if (verb === 'clear') alarm.clear(index, now);
    else if (verb === 'disarm') alarm.disarm(index, now, clearOnDisarm);
    else if (verb === 'arm' && named !== undefined && named === missing) refuse('mode_missing');
    else if (verb === 'arm') alarm.arm(index, mode);
    else if (mode === missing) refuse('mode_missing');
    else if (gate === 'on' && alarm.isIdle) refuse('held_by_gate');
    else alarm.trigger(index, now, environment, mode, windows[mode] * 1_000);
    return this.calls[index]!;
  }

  /** Does what somebody does in the console. Returns what it came to. */
  act(act: Act, of: 'alarm' | 'button'): string {
    return this[of].act(act, this.now);
  }

  /** Does what people do about the newest incident. Returns what it came to; null: they cannot, as they know of none. */
  move(move: Move, of: 'alarm' | 'button'): string | null {
    return this[of].move(move, this.now);
  }

  /** The armed mode; disarmed, or armed in a mode that is not there: away. */
  #unnamedMode(): Mode {
    const { armed } = this.alarm;
    return armed === null || armed === this.settings.missing ? 'away' : armed;
  }
}

/** An alarm or a panic button. It writes what calls come to into `calls`. */
class Source {
  armed: Mode | null = null;
  readonly incidents: Incident[] = [];
  readonly #holdsMs: number;
  #pending: Pending | null = null;
  readonly #calls: Outcome[];

  constructor(calls: Outcome[], holdsMs: number) {
    this.#calls = calls;
    this.#holdsMs = holdsMs;
  }

  get open(): Incident | undefined {
    return this.incidents.find(incident => incident.closedAt === null);
  }

  /** Disarmed, and nothing there that a trigger could join. */
  get isIdle(): boolean {
    return this.armed === null && this.open === undefined && this.#pending === null;
  }

  get nextTimer(): number {
    return Math.min(this.#windowEnd, this.#autoClose);
  }

  get #asking(): number {
    return this.open?.alerting.asksAt ?? Number.POSITIVE_INFINITY;
  }

  get #windowEnd(): number {
    return this.#pending?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  get #autoClose(): number {
    return (this.open?.alerting.endsAt ?? Number.POSITIVE_INFINITY) + DAY;
  }

  /** What is due goes out. */
  settle(now: number): void {
    for (const { alerting } of this.incidents) alerting.send(now);
  }

  /** Timers up to and including `now`, the earliest first. */
  passTime(now: number): void {
    for (const { alerting } of this.incidents) alerting.jump(now);
    for (;;) {
      if (Math.min(this.nextTimer, this.#asking) > now) return;
      if (this.#asking <= this.nextTimer) this.open!.alerting.ask();
      else if (this.#autoClose <= this.#windowEnd) this.#close(this.#autoClose, 'auto_close');
      else this.#endWindow(this.#pending!);
    }
  }

  #endWindow({ opener, mode, environment, dueAt, calls, lastTriggerAt }: Pending): void {
    this.#pending = null;
    this.#openOne({ openedBy: opener, mode, environment, openedAt: dueAt, triggers: calls.length, lastTriggerAt });
    for (const call of calls) this.#end(call, call === opener ? 'opened' : 'folded', opener);
  }

  trigger(call: number, now: number, environment: Environment, mode: Mode | '', windowMs: number): void {
    const { open } = this;
    const pending = this.#pending;
    if (open !== undefined && (open.environment === 'live' || environment === 'test')) {
      open.triggers++;
      open.lastTriggerAt = now;
      open.alerting.trigger(now);
      this.#end(call, 'folded', open.openedBy);
      this.passTime(now);
    } else if (pending !== null && mode !== '') {
      pending.calls.push(call);
      pending.lastTriggerAt = now;
      if (environment === 'live') pending.environment = 'live';
      if (now + windowMs < pending.dueAt) Object.assign(pending, { opener: call, mode, dueAt: now + windowMs });
      this.#end(call, 'folded');
      // Without a window of its own the deadline is now.
      this.passTime(now);
    } else if (windowMs > 0 && mode !== '') {
      const dueAt = now + windowMs;
      this.#pending = { calls: [call], opener: call, mode, environment, dueAt, lastTriggerAt: now };
      this.#end(call, 'pending');
    } else {
      this.#openOne({ openedBy: call, mode, environment, openedAt: now, triggers: 1, lastTriggerAt: now });
      this.#end(call, 'opened', call);
    }
  }

  clear(call: number, now: number): void {
    const { open } = this;
    this.#close(now, 'clear');
    this.#end(call, open === undefined ? 'nothing_open' : 'closed', open?.openedBy);
  }

  arm(call: number, mode: Mode): void {
    this.armed = mode;
    this.#end(call, 'armed');
  }

  disarm(call: number, now: number, clearOnDisarm: 'on' | 'off'): void {
    const pending = this.#pending;
    this.#callOff();
    this.armed = null;
    const closed = clearOnDisarm === 'on' ? this.open : undefined;
    if (closed !== undefined) this.#close(now, 'disarm');
    this.#end(call, 'disarmed', closed?.openedBy);
    this.#calls[call]!.cancelledPending = pending !== null;
  }

  act(act: Act, now: number): string {
    const { open } = this;
    switch (act.verb) {
      case 'acknowledge': {
        if (open?.openedBy !== act.incident) return 'already_closed';
        return open.alerting.acknowledge(CONSOLE, now);
      }
      case 'close':
        if (open?.openedBy !== act.incident) return 'already_closed';
        this.#close(now, 'console');
        return 'closed';
      case 'disable':
        this.#close(now, 'source_disabled');
        this.#callOff();
        return 'disabled';
      case 'go_live':
        if (open?.environment === 'test') this.#close(now, 'went_live');
        if (this.#pending?.environment === 'test') this.#callOff();
        return 'went_live';
    }
  }

  /** The step that people see as the next one of its newest incident. */
  nextStep(now: number): { round: number; step: number } | null {
    const incident = this.incidents.at(-1);
    return incident === undefined || incident.closedAt !== null ? null : incident.alerting.nextStep(now);
  }

  move(move: Move, now: number): string | null {
    const incident = this.incidents.at(-1);
    if (incident === undefined) return null;
    const { alerting, closedAt } = incident;
    if (move.verb === 'note') return alerting.note(NOTE, CONSOLE, now);
    // Whoever answers a message was sent one.
    const byLink = move.verb === 'decline' || (move.verb === 'acknowledge' && move.by !== CONSOLE);
    if (byLink && (closedAt !== null || !alerting.hasTold(move.by as Person))) return null;
    if (closedAt !== null) return 'already_closed';
    switch (move.verb) {
      case 'acknowledge':
        return alerting.acknowledge(move.by, now);
      case 'next':
        return alerting.sendNext(move.named, CONSOLE, now);
      case 'hand over':
        return alerting.handOver(move.to, CONSOLE, now);
      case 'decline':
        return alerting.decline(move.by, now);
      case 'close':
        this.#close(now, 'console');
        return 'closed';
    }
  }

  #callOff(): void {
    for (const waiting of this.#pending?.calls ?? []) this.#end(waiting, 'cancelled');
    this.#pending = null;
  }

  #openOne(opening: Omit<Incident, 'closedAt' | 'closeReason' | 'alerting'>): void {
    const { openedAt, environment, mode } = opening;
    this.#close(openedAt, 'superseded');
    const plan = PLANS[mode || 'button'];
    // Whose mode has no policy waits for nobody.
    const alerting = new Alerting(openedAt, environment, plan, plan.length === 0 ? 0 : this.#holdsMs);
    this.incidents.push({ ...opening, closedAt: null, closeReason: '', alerting });
  }

  #close(closedAt: number, closeReason: string): void {
    const { open } = this;
    // What was accepted before the opening, and is known after it, closes it at once.
    if (open === undefined) return;
    Object.assign(open, { closedAt: Math.max(closedAt, open.openedAt), closeReason });
    open.alerting.close(open.closedAt!, closeReason === 'console' ? 'person' : 'call');
  }

  #end(call: number, outcome: string, incident: number | null = null): void {
    Object.assign(this.#calls[call]!, { outcome, incident });
  }
}
