import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import {
  type Step as AnyStep,
  LIVES_TO_SEE,
  MOVES,
  type Paced,
  SETTINGS,
  STEP,
  SWITCH,
  WAIT,
  WAIT_FOR_MESSAGE,
  WAIT_FOR_TIMER,
  type Wait,
} from '../support/door-lives.ts';
import { Account, type Call, type Move, type Settings } from '../support/door-model.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';
import { type Answer, startWorld, type World } from '../support/world.ts';
import { aHouse } from './lives-house.ts';
import { compareCalls, compareIncidents } from './lives-told.ts';

/**
 * Lives `lives` random lives of an alarm, a panic button and those who are told through their doors on real Postgres, against a small model
 * that shares no code with the product: the status of every answer, the state that is shown, every incident with who was told what and
 * who did what, and what became of every call. `paces`: whether each step is applied before the next. `clock`: whether somebody sets the database's clock all the
 * time, of which nothing may be seen.
 */
export async function liveLives(
  paces: readonly Paced['pace'][],
  lives: number,
  clock: 'left alone' | 'set' = 'left alone',
): Promise<void> {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({
    smtpUrl: smtp.url,
    publicUrl: 'of the facade',
    ...(clock === 'set' && { clock: 'settable' as const }),
  });
  const met = new Set<string>();
  const pace = fc.constantFrom(...paces);
  const life = fc.array(
    fc.record({ step: STEP, pace, setS: clock === 'set' ? fc.constantFrom(...SETS_S) : fc.constant(0) }),
    { maxLength: 40, size: 'max' },
  );
  const property = fc.asyncProperty(SETTINGS, life, async (settings, steps) => {
    const { calls, alarm, button } = await live({ world, smtp, clock }, settings, steps);
    for (const { outcome } of calls) met.add(outcome);
    for (const { closeReason, alerting } of [...alarm.incidents, ...button.incidents]) {
      met.add(`incident ${closeReason}`);
      for (const { kind } of alerting.entries) met.add(kind);
    }
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
      ...['clear', 'disarm', 'auto_close', 'superseded', 'console', ''].map(reason => `incident ${reason}`),
      ...['acknowledged', 'next_step', 'noted', 'handed_over', 'declined', 'asked_again'],
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
async function live(
  { world, smtp, clock }: { world: World; smtp: Smtp; clock: 'left alone' | 'set' },
  settings: Settings,
  steps: readonly Step[],
): Promise<Account> {
  const model = new Account(settings);
  const house = await aHouse(world, smtp, settings);
  const answers: Answer[] = [];
  let named: Named = { round: 0, step: 0 };
  let standing: 'settled' | 'moving' = 'settled';
  const settle = async () => {
    if (standing === 'settled') return;
    await world.settle();
    // What was leased as everything stood still is given up, and goes once its lease is over.
    if (clock === 'set' && (await house.endLeases()) === 'some') await world.settle();
    model.settle();
    standing = 'settled';
  };
  for (const { step, pace, setS } of steps) {
    if (setS !== 0) await house.setClock(setS);
    const wasAgeing = model.isAgeing;
    const persons = personsOf(step);
    // People act on what they were told.
    if (persons !== null) await settle();
    standing = 'moving';
    if (isIn(SWITCH, step)) {
      model.environment = SWITCH[step];
      const values = [house.owner.accountId, model.environment === 'test'];
      await world.rows('UPDATE source SET test = $2 WHERE account_id = $1', values);
    } else if (isIn(WAIT, step) || isIn(WAIT_FOR_TIMER, step) || isIn(WAIT_FOR_MESSAGE, step)) {
      const ms = lengthOf(step, model);
      model.passTime(ms);
      await world.passTime(ms / 1_000);
    } else if (persons !== null) {
      const move = moveOf(persons.move, model[persons.of].nextStep(model.now), named);
      if (move.verb === 'next') named = move.named;
      const came = model.move(move, persons.of);
      if (came !== null) {
        const opener = answers[model[persons.of].incidents.at(-1)!.openedBy]!;
        expect((await house.move(move, persons.of, opener.body.traceId)) ?? came, step).toBe(came);
      }
    } else {
      const call = step as Call;
      const answer = await world.get(house.pathOf(call), house.key);
      answers.push(answer);
      const { status } = model.take(call);
      const environment = status === 202 ? model.environment : undefined;
      expect([answer.status, answer.body.data.environment]).toEqual([status, environment]);
    }
    // Whom it asks when depends on what had gone out by then.
    if (pace === 'settled' || wasAgeing || model.isAgeing) {
      await settle();
      const { body } = await world.get('/v1/integration/state', house.key);
      expect(body.data.alarms).toEqual([{ id: house.alarm, state: model.state }]);
    }
  }
  await settle();
  const isKnown = steps.every(({ pace }) => pace === 'settled');
  const told = await house.owner.incidents();
  compareIncidents(house, told, model, answers, isKnown ? 'known' : 'not known');
  await compareCalls(house, told, model, answers);
  return model;
}

function lengthOf(step: Wait, model: Account): number {
  if (isIn(WAIT, step)) return WAIT[step];
  if (isIn(WAIT_FOR_MESSAGE, step)) {
    const next = model.untilItGoesOn;
    return next === null ? 1_000 : Math.max(0, next + WAIT_FOR_MESSAGE[step]);
  }
  const timer = model.untilNextTimer;
  return timer === null ? 1_000 : Math.max(0, timer + WAIT_FOR_TIMER[step]);
}

/** A step of a policy. */
interface Named {
  round: number;
  step: number;
}

/** What people do in this step, and about which source; null: nothing. */
function personsOf(step: AnyStep): { move: keyof typeof MOVES; of: 'alarm' | 'button' } | null {
  const [of, move] = step.startsWith('button: ')
    ? (['button', step.slice('button: '.length)] as const)
    : (['alarm', step] as const);
  return isIn(MOVES, move) ? { move, of } : null;
}

function moveOf(name: keyof typeof MOVES, next: Named | null, named: Named): Move {
  const move = MOVES[name];
  if (move.verb !== 'next') return move;
  return { verb: 'next', named: name === 'next again' ? named : (next ?? { round: 0, step: 0 }) };
}

function isIn<T extends object>(record: T, word: PropertyKey): word is keyof T {
  return Object.hasOwn(record, word);
}
