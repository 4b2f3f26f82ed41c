import { call } from './callers.ts';
import { clients, ops } from './client.ts';
import { fateOf, letGo as letAllGo, strike } from './harm.ts';
import { beginLife, count, type Life, say, upAndStarted } from './life.ts';
import type { Lived } from './lived.ts';
import { act, change } from './people.ts';
import type { Plan } from './plan.ts';
import { kill, start } from './running.ts';
import { letGo, nextStatements } from './statements.ts';
import { fire, quiesce, resetTime, time, within } from './virtual.ts';
import type { World } from './world.ts';

/** A life that takes more steps never comes to rest. */
const MOST_STEPS = 40_000;

/** How many calls may be under way before further ones become rare. */
const CALLS_AT_ONCE = 5;

/** How likely statements, timers and answers of carriers are, each of them, beside a call. */
const WEIGHT = 6;

/** How often a step takes time, and how much, in milliseconds. */
const STEPS_TAKE = { chance: 0.25, least: 1, most: 4 } as const;

/** How often time leaps though there is something to do, and by how much, in milliseconds. */
const LEAPS = { chance: 0.03, ms: [1, 20, 300, 1_000, 5_000, 20_000] } as const;

/** Where a keeper looks at the clock, time leaps no further than the deployment's clock goes on without a look. */
const KEPT_MS = 1_900;

/**
 * What passes at the end, while nothing is harmed any more, in milliseconds: retries, leases and later steps have their turn, and
 * after a long leap who kept the clock finds what is due by then.
 */
const REST_MS = [
  0, 300, 1_500, 6_000, 6_000, 20_000, 31_000, 31_000, 31_000, 60_000, 60_000, 300_000, 300_000, 2_000, 2_000,
];

/** What passes beyond that evening, in milliseconds: about the end of the first day, and a second. */
const DAYS_MS = [84_000_000, 3_600_000, 86_400_000, 300_000, 2_000, 2_000];

/** Whoever is idle for less is not at rest, in milliseconds; and how often in a row that may be so. */
const NAP_MS = 30;
const MOST_NAPS = 400;

/** Lives the life of a seed, and returns what was written down of it. Throws if a statement is stuck. */
export async function live(
  world: World,
  seed: number,
  wanted: Partial<Plan> = {},
): Promise<Lived & { statements: number }> {
  resetTime(seed);
  ops.length = 0;
  clients.clear();
  const life = await beginLife(world, seed, wanted);
  say(life, `a life of ${JSON.stringify(life.plan)}`);
  life.running.push(start(life), start(life));
  try {
    await liveOn(life);
    await comeToRest(life);
  } catch (error) {
    if (!(error instanceof NeverEnds)) throw error;
    life.lived.surprises.push(error.message);
  } finally {
    await letAllGo(life);
    for (const one of life.running) await kill(life, one);
    ops.length = 0;
    time.timers = [];
  }
  return { ...life.lived, statements: life.statements };
}

/** The life does not come to rest: reported with its seed like any other fault. */
class NeverEnds extends Error {}

/** While calls come and harm is done, time goes on when there is nothing to do, or in between, to moments that matter. */
async function liveOn(life: Life): Promise<void> {
  while (life.callsLeft > 0 || life.calling.size > 0) {
    const went = await step(life, 'on');
    if (went === 'idle' || (life.dice.chance(LEAPS.chance) && life.calling.size === 0)) await leap(life);
  }
}

/** All harm ends; then time passes until nothing is left to do. */
async function comeToRest(life: Life): Promise<void> {
  await letAllGo(life);
  for (const { process } of life.running) if (process.state === 'dead') process.wakesAt = time.now;
  const days = life.plan.ends === 'two days later' ? DAYS_MS : [];
  for (const ms of [...REST_MS, ...days]) {
    for (let left = ms; left > 0; ) {
      const before = time.now;
      await passTime(life, left, 'end');
      left -= time.now - before;
      while (left > 0 && (await step(life, 'end')) === 'went');
    }
    for (let naps = 0; naps < MOST_NAPS; ) {
      if ((await step(life, 'end')) === 'went') continue;
      const next = nextAt(life) - time.now;
      if (next > NAP_MS) break;
      await passTime(life, Math.max(1, Math.ceil(next)), 'end');
      naps++;
    }
  }
}

/** Does one thing of those that can be done, or harm. */
async function step(life: Life, phase: 'on' | 'end'): Promise<'went' | 'idle'> {
  await quiesce();
  if (++life.step > MOST_STEPS) throw new NeverEnds(`does not come to rest within ${MOST_STEPS} steps`);
  await lookAfterProcesses(life);
  if (phase === 'on' && (await strike(life)) === 'struck') return 'went';

  const { dice } = life;
  const statements = nextStatements(life);
  const timers = time.timers.filter(({ at, of }) => at <= time.now && of.state === 'up');
  const answers = life.answers.filter(({ at, of }) => at <= time.now && of.state === 'up');
  const works = (statements.length + timers.length + answers.length) * WEIGHT;
  const calls = phase === 'on' ? weightOfCalls(life) : 0;
  if (works + calls === 0) return 'idle';
  const roll = dice.roll() * (works + calls);
  const nth = Math.floor(roll / WEIGHT);
  if (nth < statements.length) {
    const op = statements[nth]!;
    if (phase === 'on') life.statements++;
    await life.world.setWall(time.now + life.wallAhead);
    await letGo(life, op, phase === 'on' ? fateOf(life, op) : 'runs');
  } else if (nth < statements.length + timers.length) {
    fire(timers[nth - statements.length]!);
  } else if (roll < works) {
    const answer = answers[nth - statements.length - timers.length]!;
    life.answers.splice(life.answers.indexOf(answer), 1);
    say(life, `${answer.of.name} hears: ${answer.what}`);
    within(answer.of, answer.give);
  } else if (dice.chance(0.12)) {
    change(life);
  } else if (life.plan.people === 'some' && dice.chance(0.15)) {
    await act(life);
  } else {
    call(life);
  }
  if (dice.chance(STEPS_TAKE.chance)) time.now += dice.between(STEPS_TAKE.least, STEPS_TAKE.most);
  return 'went';
}

function weightOfCalls(life: Life): number {
  if (life.callsLeft === 0 || upAndStarted(life).length === 0) return 0;
  return life.calling.size < CALLS_AT_ONCE ? 2 : 0.2;
}

/** Wakes who stood still, starts who died, and looks what became of changes that have ended. */
async function lookAfterProcesses(life: Life): Promise<void> {
  for (const [nth, { process }] of life.running.entries()) {
    if (time.now < process.wakesAt) continue;
    if (process.state === 'frozen') {
      process.state = 'up';
      say(life, `${process.name} goes on`);
    } else if (process.state === 'dead') {
      life.running[nth] = start(life);
      say(life, `${life.running[nth].process.name} starts`);
    }
  }
  for (const change of life.ended.splice(0)) {
    if (life.changes.delete(change)) await change.over();
  }
}

/** When the next thing happens by itself. */
function nextAt({ answers, running }: Life): number {
  return Math.min(
    ...time.timers.filter(({ of }) => of.state === 'up').map(({ at }) => at),
    ...answers.filter(({ of }) => of.state === 'up').map(({ at }) => at),
    ...running.filter(({ process }) => process.state !== 'up').map(({ process }) => process.wakesAt),
  );
}

/** Lets time leap: to the next timer, to about the end of a window, or anywhere. */
async function leap(life: Life): Promise<void> {
  const { dice } = life;
  const next = Math.ceil(nextAt(life) - time.now);
  const ends = life.dues
    .map(due => due - time.now + dice.pick([-1, 0, 1]))
    .filter(ms => ms > 0)
    .toSorted((a, b) => a - b);
  const roll = dice.roll();
  if (roll < 0.4 && Number.isFinite(next)) await passTime(life, Math.max(1, next));
  else if (roll < 0.75 && ends.length > 0) await passTime(life, dice.pick(ends));
  else await passTime(life, dice.pick(LEAPS.ms));
}

/** Lets time pass, but no further than to the next answer of a carrier, which would otherwise outlast its lease. */
async function passTime(life: Life, ms: number, phase: 'on' | 'end' = 'on'): Promise<void> {
  const answer = Math.min(...life.answers.filter(({ of }) => of.state === 'up').map(({ at }) => at)) - time.now;
  const isKept = phase === 'on' && life.plan.clock === 'keepers' && upAndStarted(life).length > 0;
  const most = isKept ? life.markedAt + KEPT_MS - time.now : Number.POSITIVE_INFINITY;
  const passes = Math.max(1, Math.min(ms, answer, most));
  noteStandstill(life, passes);
  say(life, `+${passes} ms`);
  time.now += passes;
}

/** Whoever had something to do meanwhile did not do it: all stood still. */
function noteStandstill(life: Life, ms: number): void {
  const from = nextStatements(life).length > 0 ? time.now : Math.max(time.now, nextAt(life));
  const until = time.now + ms;
  if (until - from < 100) return;
  count(life, 'all stood still');
  life.lived.harm.push({ what: 'all stood still', at: from, until, inHands: [] });
}
