import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { advanceClock } from '../support/database.ts';
import { type Answer, type Owner, startWorld, type World } from '../support/world.ts';

/*
 * Random lives of an alarm and a panic button, lived through the public door on real Postgres, against a small model of
 * SPEC.md 3 and 4 and DECISIONS.md that shares no code with the product: the status of every answer, the state that is
 * shown, every incident, and what became of every call.
 */

const MODES = ['home', 'away', 'night', 'vacation'] as const;
type Mode = (typeof MODES)[number];

const DAY = 86_400_000;

/** When messages go out after an opening, in milliseconds; home has no policy. Auto-close is 24 hours after the last. */
const MESSAGES: Record<Mode | 'button', number[]> = {
  home: [],
  away: [0, 600_000],
  night: [5_000],
  vacation: [0, 60_000, 120_000, 180_000],
  button: [0],
};

interface Settings {
  gate: 'on' | 'off';
  clearOnDisarm: 'on' | 'off';
  /** Seconds. */
  windows: Record<Mode, number>;
  missing: Mode | null;
}

type Step =
  | { do: 'arm' | 'trigger'; mode: Mode | null }
  | { do: 'disarm' | 'clear' | 'panic' | 'panic_clear' }
  /** The test switch of both sources. Later calls run as it says; what is pending or open stays as it is. */
  | { do: 'switch'; to: 'live' | 'test' }
  | { do: 'wait'; ms: number }
  /** To the next moment at which something happens by itself, give or take a millisecond. */
  | { do: 'wait_for_timer'; offBy: -1 | 0 | 1 };

/** `later`: the next step comes before the engine was given time to do anything. */
type Paced = Step & { then: 'settle' | 'later' };

interface ModelIncident {
  openedBy: number;
  mode: string;
  environment: 'live' | 'test';
  openedAt: number;
  triggers: number;
  lastTriggerAt: number;
  closedAt: number | null;
  closeReason: string;
}

interface Pending {
  calls: number[];
  /** The one with the earliest deadline: it opens the incident. */
  opener: number;
  mode: Mode;
  environment: 'live' | 'test';
  dueAt: number;
  lastTriggerAt: number;
}

interface Expected {
  status: 202 | 404;
  outcome: string;
  /** The call that opened the incident which this one opened, joined or closed. */
  incident: number | null;
  cancelledPending: boolean;
}

/** An alarm or a panic button as SPEC.md has it. Times in milliseconds since the model began. */
class Source {
  armed: Mode | null = null;
  pending: Pending | null = null;
  incidents: ModelIncident[] = [];
  readonly #calls: Expected[];
  readonly #clearOnDisarm: 'on' | 'off';

  constructor(calls: Expected[], clearOnDisarm: 'on' | 'off' = 'off') {
    this.#calls = calls;
    this.#clearOnDisarm = clearOnDisarm;
  }

  get open(): ModelIncident | undefined {
    return this.incidents.find(incident => incident.closedAt === null);
  }

  /** When the next thing happens by itself. */
  get nextTimer(): number {
    return Math.min(this.pending?.dueAt ?? Number.POSITIVE_INFINITY, this.#autoCloseAt());
  }

  #autoCloseAt(): number {
    const { open } = this;
    if (open === undefined) return Number.POSITIVE_INFINITY;
    return open.openedAt + (MESSAGES[(open.mode || 'button') as Mode].at(-1) ?? 0) + DAY;
  }

  /** Timers up to and including `now`, the earliest first. */
  passTime(now: number): void {
    while (this.nextTimer <= now) {
      if (this.#autoCloseAt() <= (this.pending?.dueAt ?? Number.POSITIVE_INFINITY)) {
        this.#close(this.#autoCloseAt(), 'auto_close');
      } else {
        const { opener, mode, environment, dueAt, calls, lastTriggerAt } = this.pending!;
        this.pending = null;
        this.#open(opener, mode, environment, dueAt, calls.length, lastTriggerAt);
        for (const call of calls) {
          Object.assign(this.#calls[call]!, { outcome: call === opener ? 'opened' : 'folded', incident: opener });
        }
      }
    }
  }

  trigger(call: number, now: number, environment: 'live' | 'test', mode: Mode | null, windowMs: number): void {
    const { open, pending } = this;
    if (open !== undefined && (open.environment === 'live' || environment === 'test')) {
      open.triggers++;
      open.lastTriggerAt = now;
      this.#end(call, 'folded', open.openedBy);
    } else if (pending !== null && mode !== null) {
      pending.calls.push(call);
      pending.lastTriggerAt = now;
      if (environment === 'live') pending.environment = 'live';
      if (now + windowMs < pending.dueAt) Object.assign(pending, { opener: call, mode, dueAt: now + windowMs });
      this.#end(call, 'folded');
    } else if (windowMs > 0 && mode !== null) {
      const dueAt = now + windowMs;
      this.pending = { calls: [call], opener: call, mode, environment, dueAt, lastTriggerAt: now };
      this.#end(call, 'pending');
    } else {
      this.#open(call, mode ?? '', environment, now, 1, now);
      this.#end(call, 'opened', call);
    }
    // A shortened window may be over at once.
    this.passTime(now);
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

  disarm(call: number, now: number): void {
    this.armed = null;
    const { pending } = this;
    for (const waiting of pending?.calls ?? []) this.#end(waiting, 'cancelled');
    this.pending = null;
    const closed = this.#clearOnDisarm === 'on' ? this.open : undefined;
    if (closed !== undefined) this.#close(now, 'disarm');
    this.#end(call, 'disarmed', closed?.openedBy, pending !== null);
  }

  #open(
    openedBy: number,
    mode: string,
    environment: 'live' | 'test',
    openedAt: number,
    triggers: number,
    lastTriggerAt: number,
  ): void {
    this.#close(openedAt, 'superseded');
    const incident = {
      openedBy,
      mode,
      environment,
      openedAt,
      triggers,
      lastTriggerAt,
      closedAt: null,
      closeReason: '',
    };
    this.incidents.push(incident);
  }

  #close(at: number, closeReason: string): void {
    const { open } = this;
    if (open !== undefined) Object.assign(open, { closedAt: at, closeReason });
  }

  #end(call: number, outcome: string, incident: number | null = null, cancelledPending = false): void {
    this.#calls[call] = { status: 202, outcome, incident, cancelledPending };
  }
}

/** The whole account: one alarm, one panic button, one clock. */
class Model {
  now = 0;
  environment: 'live' | 'test' = 'live';
  readonly calls: Expected[] = [];
  readonly alarm: Source;
  readonly button: Source;
  readonly settings: Settings;

  constructor(settings: Settings) {
    this.settings = settings;
    this.alarm = new Source(this.calls, settings.clearOnDisarm);
    this.button = new Source(this.calls);
  }

  get state(): string {
    return this.alarm.open === undefined ? (this.alarm.armed ?? 'disarmed') : 'triggered';
  }

  /** How long to wait for a step that waits. */
  waitOf(step: Extract<Step, { do: 'wait' | 'wait_for_timer' }>): number {
    if (step.do === 'wait') return step.ms;
    const next = Math.min(this.alarm.nextTimer, this.button.nextTimer);
    return Number.isFinite(next) ? Math.max(0, next - this.now + step.offBy) : 1_000;
  }

  passTime(ms: number): void {
    this.now += ms;
    this.alarm.passTime(this.now);
    this.button.passTime(this.now);
  }

  call(step: Exclude<Step, { do: 'wait' | 'wait_for_timer' | 'switch' }>): Expected {
    const { alarm, button, now } = this;
    const call = this.calls.length;
    switch (step.do) {
      case 'arm': {
        const mode = step.mode ?? this.#bareMode();
        if (step.mode !== null && step.mode === this.settings.missing) this.#refuse('mode_missing');
        else alarm.arm(call, mode);
        break;
      }
      case 'trigger': {
        const mode = step.mode ?? this.#bareMode();
        const idle = alarm.armed === null && alarm.open === undefined && alarm.pending === null;
        if (mode === this.settings.missing) this.#refuse('mode_missing');
        else if (this.settings.gate === 'on' && idle) this.#refuse('held_by_gate');
        else alarm.trigger(call, now, this.environment, mode, this.settings.windows[mode] * 1_000);
        break;
      }
      case 'disarm':
        alarm.disarm(call, now);
        break;
      case 'clear':
        alarm.clear(call, now);
        break;
      case 'panic':
        button.trigger(call, now, this.environment, null, 0);
        break;
      case 'panic_clear':
        button.clear(call, now);
    }
    return this.calls[call]!;
  }

  /** The armed mode; disarmed, or armed in a mode that is not there: away. */
  #bareMode(): Mode {
    const { armed } = this.alarm;
    return armed === null || armed === this.settings.missing ? 'away' : armed;
  }

  #refuse(outcome: string): void {
    this.calls.push({ status: 404, outcome, incident: null, cancelledPending: false });
  }
}

const mode = fc.constantFrom(...MODES);
const bareOrMode = fc.option(mode, { freq: 2 });

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('arm'), mode: bareOrMode }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('trigger'), mode: bareOrMode }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('disarm', 'clear') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('panic', 'panic', 'panic_clear') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('switch'), to: fc.constantFrom('live', 'test') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait'),
      ms: fc.constantFrom(1, 1_000, 9_999, 10_000, 20_000, 30_000, DAY),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('wait_for_timer'), offBy: fc.constantFrom(-1, 0, 1) }) },
);

const settings: fc.Arbitrary<Settings> = fc.record({
  gate: fc.constantFrom('off', 'on'),
  clearOnDisarm: fc.constantFrom('off', 'on'),
  windows: fc.record({ home: window(), away: window(), night: window(), vacation: window() }),
  missing: fc.option(mode, { freq: 1 }),
});

function window(): fc.Arbitrary<number> {
  return fc.constantFrom(0, 10, 30);
}

function lives(then: Paced['then'][]): fc.Arbitrary<[Settings, Paced[]]> {
  const paced = fc.tuple(step, fc.constantFrom(...then)).map(([step, then]) => ({ ...step, then }));
  return fc.tuple(settings, fc.array(paced, { minLength: 1, maxLength: 30, size: 'max' }));
}

test.each([
  { pace: 'every step applied before the next', then: ['settle'] as const },
  { pace: 'steps that come before the engine has looked', then: ['settle', 'later', 'later'] as const },
])('every life ends as SPEC.md and DECISIONS.md say: $pace', { timeout: 120_000 }, async ({ then }) => {
  const world = await startWorld();
  const met = new Set<string>();
  const property = fc.asyncProperty(lives([...then]), async ([settings, steps]) => {
    const model = await live(world, settings, steps);
    for (const { outcome } of model.calls) met.add(outcome);
    for (const { closeReason } of [...model.alarm.incidents, ...model.button.incidents]) met.add(closeReason);
  });
  await fc.assert(property, { numRuns: 20, interruptAfterTimeLimit: 100_000 });
  console.log([...met]);
});

/** Lives one life in an account of its own, compares all along, and gives the model as it stands at the end. */
async function live(world: World, settings: Settings, steps: readonly Paced[]): Promise<Model> {
  const model = new Model(settings);
  const house = await aHouse(world, settings);
  const answers: Answer[] = [];
  for (const step of steps) {
    switch (step.do) {
      case 'switch':
        model.environment = step.to;
        await world.rows('UPDATE source SET test = $2 WHERE account_id = $1', [
          house.owner.accountId,
          step.to === 'test',
        ]);
        break;
      case 'wait':
      case 'wait_for_timer': {
        const ms = model.waitOf(step);
        model.passTime(ms);
        await advanceClock(world.store.pool, ms / 1_000);
        break;
      }
      default: {
        const expected = model.call(step).status;
        const answer = await world.get(house.pathOf(step), house.key);
        answers.push(answer);
        const { environment = null } = answer.body.data;
        expect([answer.status, environment]).toEqual([expected, expected === 202 ? model.environment : null]);
      }
    }
    if (step.then === 'later') continue;
    await world.settle();
    const { body } = await world.get('/v1/integration/state', house.key);
    expect(body.data.alarms).toEqual([{ id: house.alarm, state: model.state }]);
  }
  await world.settle();
  await compare(house, model, answers);
  return model;
}

async function aHouse(world: World, { gate, clearOnDisarm, windows, missing }: Settings) {
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyOf = async (messages: number[]) =>
    messages.length === 0
      ? {}
      : {
          policyId: await owner.policy(
            messages.map((ms, index) => ({
              delayS: (ms - (messages[index - 1] ?? 0)) / 1_000,
              contacts: [{ contactId, channels: ['email'] }],
            })),
          ),
        };
  const modes: Partial<Record<Mode, { windowS: number; policyId?: string }>> = {};
  for (const mode of MODES) modes[mode] = { windowS: windows[mode], ...(await policyOf(MESSAGES[mode])) };
  const alarm = await owner.alarm({ onlyWhenArmed: gate === 'on', clearOnDisarm: clearOnDisarm === 'on', modes });
  const button = await owner.panicButton(await policyOf(MESSAGES.button));
  await world.rows('DELETE FROM mode WHERE source_id = $1 AND id = $2', [alarm, missing]);
  const [clock] = await world.rows<{ at: Date }>('SELECT at FROM test_clock');
  const pathOf = (step: Step): string => {
    if (step.do === 'panic') return `/v1/panic/${button}/trigger`;
    if (step.do === 'panic_clear') return `/v1/panic/${button}/clear`;
    return `/v1/alarm/${alarm}/${step.do}${'mode' in step && step.mode !== null ? `/${step.mode}` : ''}`;
  };
  return { owner, alarm, button, key: await owner.key(), pathOf, began: clock!.at.getTime() };
}

/** What the owner is told against the model: all incidents, their messages, and what became of every call. */
async function compare(
  { owner, alarm, button, began }: Awaited<ReturnType<typeof aHouse>>,
  model: Model,
  answers: readonly Answer[],
): Promise<void> {
  const callOf = new Map(answers.map(({ body }, index) => [body.traceId, index]));
  const told = await owner.incidents();
  const openerOf = new Map(told.map(({ id, traceId }) => [id, callOf.get(traceId)]));
  const since = (time: Timestamp | undefined) => (time === undefined ? null : timestampMs(time) - began);

  expect(
    told
      .map(incident => ({
        source: incident.sourceId,
        openedBy: callOf.get(incident.traceId)!,
        mode: incident.mode,
        environment: incident.environment,
        outcome: incident.outcome,
        openedAt: since(incident.openedAt),
        triggers: incident.triggerCount,
        lastTriggerAt: since(incident.lastTriggerAt),
        status: incident.status,
        closedAt: since(incident.closedAt),
        closeReason: incident.closeReason,
        messages: incident.deliveries.map(({ dueAt }) => since(dueAt)).sort((a, b) => a! - b!),
      }))
      .sort((a, b) => a.openedBy - b.openedBy),
  ).toEqual(
    [...model.alarm.incidents.map(asTold(alarm)), ...model.button.incidents.map(asTold(button))].sort(
      (a, b) => Number(a.openedBy) - Number(b.openedBy),
    ),
  );

  for (const { environment, deliveries } of told) {
    const ofTest = ['suppressed', 'cancelled'];
    const wrong = deliveries.filter(({ status }) =>
      environment === 'test' ? !ofTest.includes(status) : status === 'suppressed',
    );
    expect(wrong, `messages of a ${environment} incident`).toEqual([]);
  }

  const calls = await Promise.all(answers.map(answer => owner.call(answer)));
  expect(
    calls.map(({ outcome, incidentId, cancelledPending }, call) => ({
      status: answers[call]!.status,
      outcome,
      incident: incidentId === '' ? null : openerOf.get(incidentId),
      cancelledPending,
    })),
  ).toEqual(model.calls);
}

/** An incident of the model in the words in which its owner is told. */
function asTold(source: string): (incident: ModelIncident) => Record<string, unknown> {
  return ({ closedAt, openedAt, ...incident }) => {
    const messages = MESSAGES[(incident.mode || 'button') as Mode].map(after => openedAt + after);
    const status = closedAt === null ? 'open' : 'closed';
    const outcome = messages.length > 0 ? 'alerting' : 'nobody_to_alert';
    return { source, ...incident, openedAt, closedAt, status, outcome, messages };
  };
}
