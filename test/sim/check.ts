import { MESSAGES, MODES } from '../support/door-model.ts';
import { check, type Finding, type History, INVARIANTS } from '../support/history.ts';
import { checkModel } from './check-model.ts';
import {
  checkAccess,
  checkFailover,
  checkOutcome,
  checkOver,
  checkPlans,
  checkSteps,
  checkTimes,
  checkTripped,
  checkWorkers,
  KEPT_MS,
} from './check-own.ts';
import type { Found } from './found.ts';
import { BEGIN, type Called, type Lived } from './lived.ts';
import { CARRIED, type House } from './world.ts';

/** Steps within a millisecond, as a part of it: what came after is later. */
const STEP_MS = 1e-6;

/** Judges a life by what was written down and what the database holds: every invariant, ours and those of all tests. */
export function judge(lived: Lived, found: Found, houses: readonly House[]): Finding[] {
  const history = historyOf(lived, found, houses);
  const asked = { ...history, received: lived.sends.map(received) };
  return [
    ...check(history).filter(({ invariant }) => !OURS.includes(invariant)),
    // A carrier that refuses was tried.
    { invariant: 'first attempt <= 5 s', ...INVARIANTS['first attempt <= 5 s'](asked) },
    { invariant: 'time of calls', ...checkTimes(lived, found) },
    { invariant: 'steps in real time', ...checkSteps(lived, found) },
    { invariant: 'steps at their time', ...checkPlans(found) },
    { invariant: 'what tripped', ...checkTripped(found) },
    { invariant: 'access', ...checkAccess(lived, found) },
    { invariant: 'the model of the door', ...checkModel(lived, found, houses) },
    { invariant: 'state of messages', ...checkOutcome(lived, found) },
    { invariant: 'alerts of what is over', ...checkOver(lived, found) },
    { invariant: 'another way where one fails', ...checkFailover(lived, found, houses) },
    { invariant: 'nothing unexpected', ...checkWorkers(lived) },
  ];
}

/** What the simulation looks at in its own way. */
const OURS: readonly string[] = ['first attempt <= 5 s', 'time of calls'];

const received = ({ delivery, address, at }: Lived['sends'][number]) => ({ messageId: delivery, address, at });

/** Returns the history of a life for the checker of all tests: times in milliseconds since the life began. */
function historyOf(lived: Lived, found: Found, houses: readonly House[]): History {
  // Between two looks a clock that is set back lets the deployment's time fall back to the last one.
  const slackMs = lived.clock === 'keepers' ? KEPT_MS.late : 0;
  return {
    calls: lived.calls.map(call => callOf(call, houses)),
    logged: found.logged.map(row => since(row, ['at', 'appliedAt'])),
    incidents: found.incidents
      .map(row => since(row, ['openedAt', 'appliedAt', 'acknowledgedAt', 'closedAt']))
      .map(row => ({ ...row, appliedAt: row.appliedAt + slackMs })),
    messages: found.messages
      .map(row => since(row, ['plannedAt', 'movedFrom', 'dueAt', 'firstAttemptAt']))
      .map(row => ({ ...row, firstAttemptAt: row.firstAttemptAt === null ? null : row.firstAttemptAt + slackMs })),
    undone: found.undone,
    received: lived.sends.filter(({ taken }) => ['sent', 'delivered', 'lost'].includes(taken)).map(received),
    faults: lived.harm.map(({ what, at, until, inHands }) => ({ what, from: at, until, inFlight: inHands })),
    sources: houses.flatMap(({ accountId, ids, addresses }, nth) => [
      {
        id: ids.alarm,
        accountId,
        addresses,
        windowsMs: Object.fromEntries(MODES.map(mode => [mode, lived.settings[nth]!.windows[mode] * 1_000])),
        stepsMs: MESSAGES,
      },
      { id: ids.button, accountId, addresses, windowsMs: { '': 0 }, stepsMs: { '': MESSAGES.button } },
    ]),
    clock: 'steady',
    repeats: 'never',
    heard: CARRIED,
  };
}

function callOf({ house, source, call, trace, began, ended, answer, environments }: Called, houses: readonly House[]) {
  const { accountId, ids } = houses[house]!;
  return {
    accountId,
    sourceId: ids[source],
    action: call,
    traceId: trace,
    began: began.at + began.step * STEP_MS,
    answered: ended === null ? Number.POSITIVE_INFINITY : ended.at + ended.step * STEP_MS,
    status: answer === 'accepted' ? 202 : answer === 'refused' ? 404 : ('unknown' as const),
    environments,
  };
}

function since<Row extends object>(row: Row, times: readonly (keyof Row)[]): Row {
  const moved = times.map(time => [time, row[time] === null ? null : (row[time] as number) - BEGIN]);
  return { ...row, ...Object.fromEntries(moved) };
}
