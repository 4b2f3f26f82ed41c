import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import { advanceClock } from '../support/database.ts';
import {
  LIVES_TO_SEE,
  type Paced,
  SETTINGS,
  STEP,
  SWITCH,
  WAIT,
  WAIT_FOR_TIMER,
  type Wait,
} from '../support/door-lives.ts';
import { Account, type Call, type Incident, MESSAGES, MODES, type Mode, type Settings } from '../support/door-model.ts';
import { startSmtp } from '../support/smtp.ts';
import { type Answer, startWorld, type World } from '../support/world.ts';

/** After the last message of a live incident, in milliseconds: nobody answered. */
const ANSWER_WITHIN = 300_000;

/** A message that goes out so much after its time is late, in milliseconds. */
const LATE_MS = 5_000;

/**
 * Lives `lives` random lives of an alarm and a panic button through the public door on real Postgres, against a small model that shares no
 * code with the product: the status of every answer, the state that is shown, every incident with its messages, and what became
 * of every call. `paces`: whether each step is applied before the next. `clock`: whether somebody sets the database's clock all the
 * time, of which nothing may be seen.
 */
export async function liveLives(
  paces: readonly Paced['pace'][],
  lives: number,
  clock: 'left alone' | 'set' = 'left alone',
): Promise<void> {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url, ...(clock === 'set' && { clock: 'settable' as const }) });
  const met = new Set<string>();
  const pace = fc.constantFrom(...paces);
  const life = fc.array(
    fc.record({ step: STEP, pace, setS: clock === 'set' ? fc.constantFrom(...SETS_S) : fc.constant(0) }),
    { maxLength: 40, size: 'max' },
  );
  const property = fc.asyncProperty(SETTINGS, life, async (settings, steps) => {
    const { calls, alarm, button } = await live(world, settings, steps);
    for (const { outcome } of calls) met.add(outcome);
    for (const { closeReason } of [...alarm.incidents, ...button.incidents]) met.add(`incident ${closeReason}`);
  });
  const examples = LIVES_TO_SEE.map(([settings, steps]): [Settings, Step[]] => [
    settings,
    steps.map((step, nth) => ({ step, pace: paces.at(-1)!, setS: clock === 'set' ? SETS_S[nth % SETS_S.length]! : 0 })),
  ]);
  await fc.assert(property, {
    numRuns: lives,
    examples,
    // Lengths spread evenly: short lives show little.
    unbiased: true,
    interruptAfterTimeLimit: 90_000,
  });
  // What was never met was not tested. `pending` is an end only where time stops inside a window.
  met.delete('pending');
  expect(met).toEqual(
    new Set([
      ...[
        'armed',
        'disarmed',
        'cancelled',
        'opened',
        'folded',
        'closed',
        'nothing_open',
        'held_by_gate',
        'mode_missing',
      ],
      ...['clear', 'disarm', 'auto_close', 'superseded', ''].map(reason => `incident ${reason}`),
    ]),
  );
}

interface Step extends Paced {
  /** By how many seconds the database's clock is set before it. */
  setS: number;
}

/** Mostly not at all. */
const SETS_S = [0, -3_600, 0, -20, 0, 20, 0, 3_600, 0, -30 * 86_400, 0];

/** Lives one life in an account of its own, compares all along, and gives the model as it stands at the end. */
async function live(world: World, settings: Settings, steps: readonly Step[]): Promise<Account> {
  const model = new Account(settings);
  const house = await aHouse(world, settings);
  const answers: Answer[] = [];
  for (const { step, pace, setS } of steps) {
    if (setS !== 0) await house.setClock(setS);
    if (isIn(SWITCH, step)) {
      model.environment = SWITCH[step];
      const values = [house.owner.accountId, model.environment === 'test'];
      await world.rows('UPDATE source SET test = $2 WHERE account_id = $1', values);
    } else if (isIn(WAIT, step) || isIn(WAIT_FOR_TIMER, step)) {
      const ms = lengthOf(step, model);
      model.passTime(ms);
      await world.passTime(ms / 1_000);
    } else {
      const answer = await world.get(house.pathOf(step), house.key);
      answers.push(answer);
      const { status } = model.take(step);
      const environment = status === 202 ? model.environment : undefined;
      expect([answer.status, answer.body.data.environment]).toEqual([status, environment]);
    }
    if (pace === 'settled') {
      await world.settle();
      const { body } = await world.get('/v1/integration/state', house.key);
      expect(body.data.alarms).toEqual([{ id: house.alarm, state: model.state }]);
    }
  }
  await world.settle();
  await compareIncidents(house, model, answers);
  await compareCalls(house, model, answers);
  return model;
}

function lengthOf(step: Wait, model: Account): number {
  if (isIn(WAIT, step)) return WAIT[step];
  const timer = model.untilNextTimer;
  return timer === null ? 1_000 : Math.max(0, timer + WAIT_FOR_TIMER[step]);
}

type House = Awaited<ReturnType<typeof aHouse>>;

async function aHouse(world: World, { gate, clearOnDisarm, windows, missing }: Settings) {
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyFor = async (messages: readonly number[]) => {
    if (messages.length === 0) return {};
    const delays = messages.map((ms, index) => (ms - (messages[index - 1] ?? 0)) / 1_000);
    const contacts = [{ contactId, channels: ['email' as const] }];
    return { policyId: await owner.policy(delays.map(delayS => ({ delayS, contacts }))) };
  };
  const modes: Partial<Record<Mode, { windowS: number; policyId?: string }>> = {};
  for (const mode of MODES) modes[mode] = { windowS: windows[mode], ...(await policyFor(MESSAGES[mode])) };
  const alarm = await owner.alarm({ onlyWhenArmed: gate === 'on', clearOnDisarm: clearOnDisarm === 'on', modes });
  const button = await owner.panicButton(await policyFor(MESSAGES.button));
  await world.rows('DELETE FROM mode WHERE source_id = $1 AND id = $2', [alarm, missing]);
  const [clock] = await world.rows<{ ms: number }>(
    'SELECT (extract(epoch FROM at) * 1000)::float8 AS ms FROM test_clock',
  );
  let setMs = 0;
  return {
    async setClock(seconds: number) {
      setMs += seconds * 1_000;
      await advanceClock(world.store.pool, seconds);
      await world.services.keepTime();
    },
    owner,
    alarm,
    button,
    key: await owner.key(),
    pathOf: (call: Call) =>
      call.startsWith('panic ') ? `/v1/panic/${button}/${call.slice('panic '.length)}` : `/v1/alarm/${alarm}/${call}`,
    /** Milliseconds since the life began, however the clock was set since. */
    since: (time: Timestamp | undefined) => (time === undefined ? null : timestampMs(time) - setMs - clock!.ms),
  };
}

/** The incidents as the owner is told, each known by the call that opened it. */
async function compareIncidents({ owner, alarm, button, since }: House, model: Account, answers: readonly Answer[]) {
  const told = await owner.incidents();
  const shown = told.map(incident => ({
    source: incident.sourceId,
    openedBy: answers.findIndex(({ body }) => body.traceId === incident.traceId),
    mode: incident.mode,
    environment: incident.environment,
    outcome: incident.outcome,
    openedAt: since(incident.openedAt),
    triggers: incident.triggerCount,
    lastTriggerAt: since(incident.lastTriggerAt),
    status: incident.status,
    closedAt: since(incident.closedAt),
    closeReason: incident.closeReason,
    // In the timeline they stand where they were sent: those that are late, as time has jumped, in any order.
    messages: incident.deliveries.map(({ dueAt }) => since(dueAt)!).toSorted((one, other) => one - other),
  }));
  /**
   * When the last message went out that was late, as time had jumped: until then it had no chance. Infinite if one that was due never
   * went out, because its incident closed in that same jump.
   */
  const lateOf = (openedBy: number) => {
    const incident = told[shown.findIndex(one => one.openedBy === openedBy)];
    const closedAt = since(incident?.closedAt) ?? Number.POSITIVE_INFINITY;
    const times = (incident?.deliveries ?? []).map(({ sentAt, dueAt, status }) => {
      const [sent, due] = [since(sentAt), since(dueAt)!];
      if (sent === null) return status === 'cancelled' && due < closedAt ? Number.POSITIVE_INFINITY : 0;
      return sent > due + LATE_MS ? sent : 0;
    });
    return Math.max(0, ...times);
  };
  const expected = [
    ...model.alarm.incidents.map(incident => asTold(model, alarm, incident, lateOf)),
    ...model.button.incidents.map(incident => asTold(model, button, incident, lateOf)),
  ];
  expect(shown.sort((a, b) => a.openedBy - b.openedBy)).toEqual(expected.sort((a, b) => a.openedBy - b.openedBy));
  for (const { environment, deliveries } of told) {
    for (const { status } of deliveries) {
      const reachesNobody = status === 'suppressed' || (status === 'cancelled' && environment === 'test');
      expect(reachesNobody, `a message ${status} of a ${environment} incident`).toBe(environment === 'test');
    }
  }
}

/** An incident of the model in the words in which its owner is told. */
function asTold({ now }: Account, source: string, incident: Incident, lateOf: (openedBy: number) => number) {
  const messages = MESSAGES[incident.mode || 'button'].map(after => incident.openedAt + after);
  const unansweredAt = Math.max(messages.at(-1) ?? 0, lateOf(incident.openedBy)) + ANSWER_WITHIN;
  const unanswered = incident.environment === 'live' && (incident.closedAt ?? now) >= unansweredAt;
  const alerting = unanswered ? 'exhausted' : 'alerting';
  return {
    ...incident,
    source,
    outcome: messages.length > 0 ? alerting : 'nobody_to_alert',
    status: incident.closedAt === null ? 'open' : 'closed',
    messages,
  };
}

/** What became of each call as the owner is told who asks with its traceId. */
async function compareCalls({ owner }: House, model: Account, answers: readonly Answer[]) {
  const opened = new Map((await owner.incidents()).map(({ id, traceId }) => [id, traceId]));
  const shown: unknown[] = [];
  for (const answer of answers) {
    const { outcome, incidentId, cancelledPending } = await owner.call(answer);
    const openedBy = answers.findIndex(({ body }) => body.traceId === opened.get(incidentId));
    shown.push({ status: answer.status, outcome, incident: openedBy === -1 ? null : openedBy, cancelledPending });
  }
  expect(shown).toEqual(model.calls);
}

function isIn<T extends object>(record: T, word: PropertyKey): word is keyof T {
  return Object.hasOwn(record, word);
}
