import type { Op } from './client.ts';
import { count, type Life, say } from './life.ts';
import { freeze, kill } from './running.ts';
import { type Fate, settleParked } from './statements.ts';
import { time } from './virtual.ts';

/** Where it matters whether the one who asked learns what came of it. */
const DECISIVE = /^(COMMIT|accept_group|lease_|record_)/;

/** How much of the harm goes to such statements and to others. */
const AIMS = { anywhere: { decisive: 2, other: 0.5 }, in_flight: { decisive: 4, other: 0.2 } } as const;

/** How long a process stands still, in milliseconds: less and more than its open transactions and its leases last. */
const STANDS_STILL_MS = [1_500, 4_000, 12_000, 70_000] as const;

/** Longer than the lease of what it has just sent. */
const STALLS_MS = 70_000;

/** By how much the database's clock is set, in milliseconds. */
const SET_BY_MS = [-3_600_000, -60_000, -3_000, 3_000, 60_000, 3_600_000] as const;

/** How soon at the latest a clock that is kept is right again, in milliseconds. */
const PUT_RIGHT_MS = 5_000;

/** For how many steps whoever accepts is held up: less than their statements may take. */
const HELD_STEPS = [5, 30] as const;

/** Decides what happens to a statement that is let go while harm is done. */
export function fateOf(life: Life, op: Op): Fate {
  const { plan, dice, statements } = life;
  if (statements === plan.dieAt) return 'dies_after';
  if (statements === plan.cutAt) return 'cut_after';
  const decisive = op.kind === 'sql' && DECISIVE.test(op.label);
  const chance = plan.harm * AIMS[plan.aim][decisive ? 'decisive' : 'other'];
  const roll = dice.roll();
  if (roll < chance / 3) return 'cut_before';
  if (roll < (chance * 2) / 3) return 'cut_after';
  return roll < chance ? 'dies_after' : 'runs';
}

/** Harms somebody, now and then: who stands still, dies at rest, or finds the clock set. */
export async function strike(life: Life): Promise<'struck' | 'spared'> {
  const { dice, plan } = life;
  const stall = life.running.find(({ process }) => process === life.stall && process.state === 'up');
  life.stall = null;
  if (stall !== undefined) {
    await freeze(life, stall, STALLS_MS);
    await settleParked(life);
    return 'struck';
  }
  if (life.heldUntil !== null && life.step >= life.heldUntil) await letGo(life);
  if (dice.chance(plan.harm / 5)) return holdUp(life);
  if (!dice.chance(plan.harm / 4)) return 'spared';
  const hit = dice.pick(life.running);
  const roll = dice.roll();
  if (roll < 0.3 && plan.clock === 'keepers') return setClock(life);
  if (hit.process.state !== 'up') return 'spared';
  if (roll < 0.7) await freeze(life, hit, dice.pick(STANDS_STILL_MS));
  else {
    say(life, `${hit.process.name} DIES`);
    await kill(life, hit);
  }
  await settleParked(life);
  return 'struck';
}

/** Holds up whoever accepts, after the time of their calls is taken and before these are committed, as a slow disk does. */
async function holdUp(life: Life): Promise<'struck' | 'spared'> {
  const table = life.dice.pick(['gate', 'gate', 'journal'] as const);
  if (life.heldUntil !== null || (await life.world.holdUp(table)) === 'busy') return 'spared';
  life.heldUntil = life.step + life.dice.between(...HELD_STEPS);
  count(life, 'held up');
  say(life, `${table} IS HELD`);
  return 'struck';
}

/** Lets them go on. */
export async function letGo(life: Life): Promise<void> {
  if (life.heldUntil === null) return;
  life.heldUntil = null;
  say(life, 'nobody is held up any more');
  await life.world.letGo();
  await settleParked(life);
}

/** Sets the database's clock, as somebody with the rights to may at any time. */
function setClock(life: Life): 'struck' {
  const byMs = life.dice.pick(SET_BY_MS);
  life.wallAhead += byMs;
  count(life, 'clock set');
  say(life, `THE CLOCK IS SET by ${byMs} ms`);
  life.lived.harm.push({ what: 'clock set', at: time.now, until: time.now + PUT_RIGHT_MS, inHands: [] });
  return 'struck';
}
