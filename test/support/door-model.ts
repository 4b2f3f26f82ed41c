/*
 * A small account of SPEC.md 3 and 4 and DECISIONS.md as they look from outside: calls go in, statuses come out, and at
 * the end there are incidents and an outcome for every call. Imports nothing. Times in milliseconds since the model began.
 */

export const MODES = ['home', 'away', 'night', 'vacation'] as const;

export type Mode = (typeof MODES)[number];

type Environment = 'live' | 'test';

const DAY = 86_400_000;

/** When messages go out after an opening; home has no policy. Auto-close is 24 hours after the last. */
export const MESSAGES: Record<Mode | 'button', readonly number[]> = {
  home: [],
  away: [0, 600_000],
  night: [5_000],
  vacation: [0, 60_000, 120_000, 180_000],
  button: [0],
};

/** What its owner set. */
export interface Settings {
  gate: 'on' | 'off';
  clearOnDisarm: 'on' | 'off';
  /** The false-alarm window of each mode in seconds. */
  windows: Record<Mode, number>;
  /** A mode that the alarm does not have. */
  missing: Mode | null;
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

/** One alarm, one panic button, one clock. */
export class Account {
  now = 0;
  /** What the test switch of both says: it decides about later calls only. */
  environment: Environment = 'live';
  readonly calls: Outcome[] = [];
  readonly alarm = new Source(this.calls);
  readonly button = new Source(this.calls);
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
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
  /** When they were acknowledged. */
  readonly #acknowledged = new Map<Incident, number>();
  #pending: Pending | null = null;
  readonly #calls: Outcome[];

  constructor(calls: Outcome[]) {
    this.#calls = calls;
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

  get #windowEnd(): number {
    return this.#pending?.dueAt ?? Number.POSITIVE_INFINITY;
  }

  get #autoClose(): number {
    const { open } = this;
    if (open === undefined) return Number.POSITIVE_INFINITY;
    const last = open.openedAt + (MESSAGES[open.mode || 'button'].at(-1) ?? 0);
    return Math.min(last, this.#acknowledged.get(open) ?? last) + DAY;
  }

  /** Timers up to and including `now`, the earliest first. */
  passTime(now: number): void {
    while (this.nextTimer <= now) {
      if (this.#autoClose <= this.#windowEnd) this.#close(this.#autoClose, 'auto_close');
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
      this.#end(call, 'folded', open.openedBy);
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
        const was = this.#acknowledged.has(open);
        if (!was) this.#acknowledged.set(open, now);
        return was ? 'already_acknowledged' : 'acknowledged';
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

  #callOff(): void {
    for (const waiting of this.#pending?.calls ?? []) this.#end(waiting, 'cancelled');
    this.#pending = null;
  }

  #openOne(opening: Omit<Incident, 'closedAt' | 'closeReason'>): void {
    this.#close(opening.openedAt, 'superseded');
    this.incidents.push({ ...opening, closedAt: null, closeReason: '' });
  }

  #close(closedAt: number, closeReason: string): void {
    const { open } = this;
    // What was accepted before the opening, and is known after it, closes it at once.
    if (open !== undefined) Object.assign(open, { closedAt: Math.max(closedAt, open.openedAt), closeReason });
  }

  #end(call: number, outcome: string, incident: number | null = null): void {
    Object.assign(this.#calls[call]!, { outcome, incident });
  }
}
