import { expect, onTestFinished, test, vi } from 'vitest';
import { LOCKS } from '../../services/store/lock.ts';
import { oneAtATime } from '../../services/store/statements/apply.ts';
import { patientPool } from '../support/database.ts';
import { historyChecker } from '../support/history/checker.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';
import { type Answered, act, type Beside, startPair } from './side-by-side-rig.ts';

/*
 * Two processes of the present version on one database, each with a door of its own: whichever accepts and whichever applies,
 * callers see one service. Kills and stops are real, of the one that is in the middle of applying.
 */
vi.setConfig({ testTimeout: 180_000 });

const checker = historyChecker('side by side');

/** How long what waits may stand still when whoever applies it dies; with the pace of a busy machine on top. */
const STALL_MS = 3_000;

/** … or stops: its session ends after 2 s without a word. */
const STOPPED_MS = 5_000;

test('calls go to either in turn: each is applied once, in the order of its source, and the gate is one', async () => {
  const { both, pool, account, applied, history } = await startPair();
  const accounts = [await account(), await account()];
  /** What is called, and what it comes to; 404: the gate holds it. */
  const round = [
    ['arm/night', 'armed'],
    ['trigger', 'opened'],
    ['trigger', 'folded'],
    ['clear', 'closed'],
    ['disarm', 'disarmed'],
    ['trigger', 404],
    ['clear', 'nothing_open'],
  ] as const;
  const sources = await Promise.all(
    accounts.flatMap(of => [1, 2, 3, 4].map(async () => ({ of, id: await of.alarm({ onlyWhenArmed: true }) }))),
  );
  const sent = await Promise.all(
    sources.map(async ({ of, id }, nth) => {
      const accepted: { traceId: string; outcome: string }[] = [];
      for (let turn = 0; turn < round.length * 6; turn++) {
        const [action, becomes] = round[turn % round.length]!;
        const { status, traceId } = await act(both[(turn + nth) % 2]!, of.key, `alarm/${id}/${action}`);
        expect({ action, status }).toEqual({ action, status: becomes === 404 ? 404 : 202 });
        if (becomes !== 404) accepted.push({ traceId, outcome: becomes });
      }
      return { id, accepted };
    }),
  );
  await applied(sent.flatMap(({ accepted }) => accepted.map(({ traceId }) => traceId)));
  for (const { id, accepted } of sent) {
    const { rows } = await pool.query(
      'SELECT trace_id AS "traceId", outcome FROM call_log WHERE source_id = $1 AND applied_at IS NOT NULL ORDER BY id',
      [id],
    );
    expect(rows).toEqual(accepted);
  }
  checker.holds(await history());
});

test('many arm and disarm one alarm through both at once: nobody is turned away, and the gate stands where the last call led', async () => {
  const { both, pool, account, applied, history } = await startPair();
  const [owner, other] = [await account(), await account()];
  const [hot, elsewhere] = [await owner.alarm({ onlyWhenArmed: true }), await other.alarm()];
  const answers: Answered[] = [];
  const callers = Array.from({ length: 12 }, async (_, nth) => {
    for (let turn = 0; turn < 40; turn++) {
      const action = (turn + nth) % 2 === 0 ? 'arm/night' : 'disarm';
      answers.push(await act(both[nth % 2]!, owner.key, `alarm/${hot}/${action}`));
    }
  });
  const besides = [1, 2, 3, 4].map(async nth => {
    for (let turn = 0; turn < 40; turn++) answers.push(await act(both[nth % 2]!, other.key, `alarm/${elsewhere}/arm`));
  });
  await Promise.all([...callers, ...besides]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  await applied(answers.map(({ traceId }) => traceId));
  const { rows } = await pool.query(
    `SELECT (SELECT mode FROM call_log WHERE source_id = $1 ORDER BY id DESC LIMIT 1) AS last, st.armed_mode AS applied,
       (SELECT g.armed_mode FROM gate g JOIN source s ON s.seq = g.source_seq WHERE s.id = $1 ORDER BY g.id DESC LIMIT 1) AS gate
     FROM source_state st WHERE source_id = $1`,
    [hot],
  );
  expect(rows[0].applied).toBe(rows[0].last);
  expect(rows[0].gate).toBe(rows[0].last);
  checker.holds(await history());
});

test('the one that applies is killed in the middle of it: the other applies all of it, once, without a stall', async () => {
  const { call, callElsewhere, accepted, applied, history, victim, survivor, letGo } = await stuckInTheMiddle();
  accepted.push(await call(victim, 'trigger'), await call(survivor, 'trigger'));
  const killed = victim.product.kill();
  await letGo();
  accepted.push(await callElsewhere(survivor, 'trigger'));
  expect(new Set(accepted.map(({ status }) => status))).toEqual(new Set([202]));
  await applied(
    accepted.map(({ traceId }) => traceId),
    STALL_MS,
  );
  await killed;
  checker.holds(await history());
});

test('the one that applies is stopped in the middle of it: the other goes on, and it comes back to no harm', async () => {
  const { call, callElsewhere, accepted, applied, history, victim, survivor, letGo } = await stuckInTheMiddle();
  victim.product.freeze();
  await letGo();
  accepted.push(await call(survivor, 'trigger'), await callElsewhere(survivor, 'trigger'));
  expect(new Set(accepted.map(({ status }) => status))).toEqual(new Set([202]));
  await applied(
    accepted.map(({ traceId }) => traceId),
    STOPPED_MS,
  );

  victim.product.thaw();
  const after = [await call(victim, 'clear'), await call(survivor, 'arm'), await call(victim, 'disarm')];
  expect(after.map(({ status }) => status)).toEqual([202, 202, 202]);
  await applied([...accepted, ...after].map(({ traceId }) => traceId));
  expect(victim.product.printed().stderr).not.toContain('unexpected error');
  checker.holds(await history());
});

test('one is stopped wherever a load finds it, again and again: what the other accepts is applied', async () => {
  const { both, account, applied, history } = await startPair();
  const [owner, other] = [await account(), await account()];
  const [alarmId, elsewhere] = [await owner.alarm(), await other.alarm()];
  const [victim, survivor] = both;
  const atSurvivor: Answered[] = [];
  const atVictim: Promise<Answered>[] = [];
  for (let round = 0; round < 6; round++) {
    const load = [1, 2, 3, 4].map(async nth => {
      for (let turn = 0; turn < 12; turn++) {
        atVictim.push(act(victim, owner.key, `alarm/${alarmId}/${turn % 2 === 0 ? 'arm' : 'trigger'}`));
        atSurvivor.push(
          await act(
            survivor,
            nth % 2 === 0 ? other.key : owner.key,
            `alarm/${nth % 2 === 0 ? elsewhere : alarmId}/trigger`,
          ),
        );
      }
    });
    // After as many answers as differ from round to round: it is stopped in another place each time.
    await Promise.race(atVictim.slice(-1 - round));
    victim.product.freeze();
    await Promise.all(load);
    await applied(
      atSurvivor.map(({ traceId }) => traceId),
      STOPPED_MS,
    );
    victim.product.thaw();
  }
  expect(new Set(atSurvivor.map(({ status }) => status))).toEqual(new Set([202]));
  const late = (await Promise.all(atVictim)).filter(({ status }) => status === 202);
  expect(late.length).toBeGreaterThan(0);
  await applied(late.map(({ traceId }) => traceId));
  checker.holds(await history());
});

test('a session that has the turn to apply and says nothing more loses it', async () => {
  const world = await startWorld();
  const [owner, other] = [await world.account(), await world.account()];
  const pool = patientPool(world.databaseUrl);
  onTestFinished(() => pool.end());
  const silent = await pool.connect();
  onTestFinished(() => silent.release(true));
  const { text, read } = oneAtATime(LOCKS.apply);
  const takeTurn = async () => {
    const begun = (await silent.query(`BEGIN${text}`)) as unknown as { rows: Record<string, unknown>[] }[];
    if (read(begun.at(-1)!.rows) === 'begun') return 'ours';
    await silent.query('ROLLBACK');
    return null;
  };
  // The product looks now and then whether anything is to be applied.
  await eventually(takeTurn, { what: 'the turn to be free' });
  const answers = [
    await world.get(`/v1/alarm/${await owner.alarm()}/arm`, await owner.key()),
    await world.get(`/v1/alarm/${await other.alarm()}/arm`, await other.key()),
  ];
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  const applied = async () => {
    const calls = [await owner.call(answers[0]!), await other.call(answers[1]!)];
    return calls.every(({ outcome }) => outcome === 'armed');
  };
  await eventually(applied, { what: 'both calls to be applied', within: STOPPED_MS });
  await expect(silent.query('SELECT 1')).rejects.toThrow();
});

/** Two processes that accepted calls, one of which is in the middle of applying them: `victim`. `elsewhere`: another account. */
async function stuckInTheMiddle() {
  const { both, account, applied, history, stuckApplying } = await startPair();
  const [owner, other] = [await account(), await account()];
  const [alarmId, elsewhere] = [await owner.alarm(), await other.alarm()];
  const call = (at: Beside, action: string) => act(at, owner.key, `alarm/${alarmId}/${action}`);
  const callElsewhere = (at: Beside, action: string) => act(at, other.key, `alarm/${elsewhere}/${action}`);
  const stuck = stuckApplying();
  const accepted: Answered[] = [];
  for (const at of both)
    for (const action of ['arm', 'trigger', 'clear', 'disarm']) accepted.push(await call(at, action));
  const { victim, other: survivor, letGo } = await stuck;
  return { call, callElsewhere, accepted, applied, history, victim, survivor, letGo };
}
