import type { Pool } from 'pg';
import type { Accept } from '../../services/engine/accept/accept.ts';
import type { Engine } from '../../services/engine/engine.ts';
import { MODES } from '../support/door-model.ts';
import type { Ended, GatedClient, Op } from './client.ts';
import type { Called, Lived, Moment, Settings } from './lived.ts';
import { type Plan, planOf } from './plan.ts';
import { type Dice, diceOf } from './random.ts';
import { type Process, time } from './virtual.ts';
import type { House, World } from './world.ts';

/** A process of the product that is simulated, with what it offers. */
export interface Running {
  process: Process;
  /** Absent until it has started. */
  product?: { engine: Engine; accept: Accept; working: Pool; reading: Pool };
  /** The messages it has leased and not recorded, by delivery and attempt. */
  inHands: Map<string, string>;
  /** When it leased what it has leased, as steps. */
  leased: Map<string, number>;
}

/** An answer that a carrier gives later. */
export interface Answer {
  at: number;
  of: Process;
  what: string;
  give(): void;
}

/** A statement that waits for a lock, and its end. */
export interface Parked {
  op: Op;
  later: Promise<Ended>;
}

/** What an account's owner has set by now. */
export interface Standing {
  environment: 'live' | 'test';
  spareKey: 'good' | 'revoked';
  alarm: 'enabled' | 'disabled';
  /** What is being changed, so that a second change waits for it. */
  changing: 'nothing' | 'something';
}

/** A change under way. */
export interface Change {
  /** Looks what has become of it, once its process is done with it or gone. */
  over(): Promise<void>;
}

/** A life while it is lived: one seed. */
export interface Life {
  world: World;
  dice: Dice;
  plan: Plan;
  lived: Lived;
  step: number;
  running: Running[];
  /** How many processes there were. */
  born: number;
  parked: Parked[];
  answers: Answer[];
  /** What is under way: the calls, each with its process. */
  calling: Map<Called, Process>;
  /** Changes of owners and acts of people that are under way, and those that have ended and are to be looked at. */
  changes: Map<Change, Process>;
  ended: Change[];
  standing: Standing[];
  callsLeft: number;
  traces: number;
  /** Ends of windows, near which much can go wrong. */
  dues: number[];
  /** What the database's own clock is ahead of real time, in milliseconds. */
  wallAhead: number;
  /** When a keeper last left a mark of the clock. */
  markedAt: number;
  /** A process that is to stand still at once, because it has a message in its hands. */
  stall: Process | null;
  /** Until which step whoever accepts is held up in the middle; null: nobody is. */
  heldUntil: number | null;
  /** How many statements were run while calls came. */
  statements: number;
}

/** Prepares the life of a seed on a world that is brought back for it. */
export async function beginLife(world: World, seed: number, wanted: Partial<Plan> = {}): Promise<Life> {
  const dice = diceOf(seed * 7919 + 13);
  const plan = { ...planOf(dice), ...wanted };
  await world.reset(plan.clock);
  await world.setWall(0);
  const settings = await settle(world, dice);
  const { clock, limits } = plan;
  return {
    world,
    dice,
    plan,
    lived: {
      seed,
      clock,
      limits,
      settings,
      calls: [],
      acts: [],
      sends: [],
      reports: [],
      harm: [],
      surprises: [],
      lines: [],
      committed: new Map(),
      counts: {},
    },
    step: 0,
    running: [],
    born: 0,
    parked: [],
    answers: [],
    calling: new Map(),
    changes: new Map(),
    ended: [],
    standing: world.houses.map(() => ({
      environment: 'live',
      spareKey: 'good',
      alarm: 'enabled',
      changing: 'nothing',
    })),
    callsLeft: plan.calls,
    traces: 0,
    dues: [],
    wallAhead: 0,
    markedAt: 0,
    stall: null,
    heldUntil: null,
    statements: 0,
  };
}

/** What owners set before the life begins. */
async function settle(world: World, dice: Dice): Promise<Settings[]> {
  const settings = world.houses.map(
    (): Settings => ({
      gate: dice.pick(['on', 'off', 'off']),
      clearOnDisarm: dice.pick(['on', 'off']),
      windows: Object.fromEntries(MODES.map(mode => [mode, dice.pick([0, 10, 30])])) as Settings['windows'],
      missing: null,
    }),
  );
  for (const [nth, { ids }] of world.houses.entries()) {
    const { gate, clearOnDisarm, windows } = settings[nth]!;
    await world.ask('UPDATE source SET only_when_armed = $2, clear_on_disarm = $3 WHERE id = $1', [
      ids.alarm,
      gate === 'on',
      clearOnDisarm === 'on',
    ]);
    for (const mode of MODES) {
      await world.ask('UPDATE mode SET window_s = $3 WHERE source_id = $1 AND id = $2', [
        ids.alarm,
        mode,
        windows[mode],
      ]);
    }
  }
  return settings;
}

/** Writes down what happened. */
export function say({ lived, step }: Life, line: string): void {
  lived.lines.push(`${step} @${time.now} ${line}`);
}

/** Counts what happened, for the summary. */
export function count({ lived: { counts } }: Life, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}

/** This moment. */
export function moment({ step }: Life): Moment {
  return { step, at: time.now };
}

/** A new trace id, which tells the calls of a life apart at a glance. */
export function newTrace(life: Life): string {
  return `00000000-0000-4000-8000-${String(++life.traces).padStart(12, '0')}`;
}

/** The processes that are up and have started. */
export function upAndStarted({ running }: Life): (Running & Required<Pick<Running, 'product'>>)[] {
  return running.filter(
    (one): one is Running & Required<Pick<Running, 'product'>> =>
      one.process.state === 'up' && one.product !== undefined,
  );
}

/** The running process that a connection belongs to. */
export function ownerOf({ running }: Life, client: GatedClient): Running {
  return running.find(({ process }) => process === client.of)!;
}

/** The account of a house. */
export function houseOf({ world }: Life, nth: number): House {
  return world.houses[nth]!;
}
