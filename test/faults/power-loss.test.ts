import { expect, onTestFinished, test, vi } from 'vitest';
import { type Disk, startDisk } from '../support/disk.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { kill, serverPid } from './embedded-rig.ts';
import { connectTo, makeLive } from './live-demo.ts';
import { startProduct } from './product.ts';

/*
 * DATA_DIR stands on a real file system, which forgets at once whatever was not synced: what a power cut leaves. A disk that says
 * it synced what it did not is not shown by this.
 */
vi.setConfig({ testTimeout: 240_000 });

const MEGABYTES = 700;
const CUTS = 4;

/** Calls that are answered between two cuts, at least. */
const ANSWERED = 100;

/** The product on a disk, with callers on it, and everything that was answered 202 so far by who called. */
async function onDisk(disk: Disk) {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const settings = {
    DATA_DIR: disk.folder,
    SMTP_URL: smtp.url,
    DEMO_EMAIL: 'you@example.com',
    UNSAFE_DATABASE: 'allowed',
  };
  let product = startProduct(settings);
  const { http, apiKey = '' } = await product.ready();
  const pool = await connectTo(disk.folder);
  const { sources } = await makeLive(pool, { windowS: 0, stepsAfterS: [0] });
  let at = http;
  const answered: string[][] = [];

  async function call(path: string): Promise<string | null> {
    const response = await fetch(`${at}/v1/${path}`, { headers: { 'x-api-key': apiKey } });
    const { traceId } = (await response.json()) as { traceId: string };
    return response.status === 202 ? traceId : null;
  }

  return {
    pool,
    smtp,
    answered,
    /** Calls until the power is cut, at a moment that depends on how many were answered by then. */
    async untilCut() {
      let power: 'on' | 'off' = 'on';
      const paths = [
        [`alarm/${sources.house}/arm/away`, `alarm/${sources.house}/trigger`, `alarm/${sources.house}/clear`],
        [`alarm/${sources.shop}/arm/home`, `alarm/${sources.shop}/disarm`],
        [`panic/${sources.bedside}/trigger`, `panic/${sources.bedside}/clear`],
        [`panic/${sources.counter}/trigger`],
      ];
      const before = answered.flat().length;
      const callers = paths.map(async ofCaller => {
        const own: string[] = [];
        answered.push(own);
        for (let n = 0; power === 'on'; n++) {
          const traceId = await call(ofCaller[n % ofCaller.length]!).catch(() => null);
          if (traceId !== null) own.push(traceId);
        }
      });
      await eventually(() => answered.flat().length >= before + ANSWERED, {
        what: 'calls to be answered',
        within: 30_000,
      });
      const postgres = await serverPid(disk.folder);
      await disk.cutPower();
      power = 'off';
      await product.kill();
      await kill(postgres);
      await Promise.all(callers);
    },
    async startAgain() {
      await disk.restorePower();
      product = startProduct(settings);
      at = (await product.ready()).http;
    },
  };
}

/** Of the calls that were answered 202, how many are missing, and how many were applied more than once. */
async function missing({ pool, answered }: Awaited<ReturnType<typeof onDisk>>) {
  const { rows } = await pool.query<{ trace_id: string; times: number }>(
    'SELECT trace_id, count(*)::int AS times FROM call_log WHERE applied_at IS NOT NULL GROUP BY 1',
  );
  const times = new Map(rows.map(row => [row.trace_id, row.times]));
  const all = answered.flat();
  return {
    answered: all.length,
    lost: all.filter(trace => !times.has(trace)).length,
    twice: rows.filter(row => row.times > 1).length,
  };
}

test('the power goes under load, again and again: all that was answered 202 is there and done once, in its order', async () => {
  const rig = await onDisk(await startDisk(MEGABYTES));
  for (let cut = 0; cut < CUTS; cut++) {
    await rig.untilCut();
    await rig.startAgain();
  }
  await eventually(async () => (await missing(rig)).lost === 0, { what: 'all to be applied', within: 20_000 }).catch(
    () => {},
  );
  const found = await missing(rig);
  process.stdout.write(`power cut ${CUTS} times: ${JSON.stringify(found)}\n`);
  expect(found).toMatchObject({ lost: 0, twice: 0 });
  const { rows } = await rig.pool.query<{ trace_id: string }>('SELECT trace_id FROM call_log ORDER BY id');
  const place = new Map(rows.map(({ trace_id: trace }, at) => [trace, at]));
  for (const ofCaller of rig.answered) {
    const places = ofCaller.map(trace => place.get(trace)!);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  }
  const open = "SELECT source_id FROM incident WHERE status = 'open' GROUP BY 1 HAVING count(*) > 1";
  expect((await rig.pool.query(open)).rows).toEqual([]);
});

test('a Postgres that syncs nothing loses calls then: the cut is a real one', async () => {
  const rig = await onDisk(await startDisk(MEGABYTES));
  await rig.pool.query('CHECKPOINT');
  await rig.pool.query('ALTER SYSTEM SET fsync = off');
  await rig.pool.query('SELECT pg_reload_conf()');
  await rig.untilCut();
  const comesBack = await rig.startAgain().then(
    () => 'whole' as const,
    () => 'broken' as const,
  );
  // What was not synced may also be what it needs to start at all: then everything is lost.
  const lost = comesBack === 'broken' ? rig.answered.flat().length : (await missing(rig)).lost;
  process.stdout.write(
    `power cut of a Postgres that syncs nothing: ${comesBack}, lost ${lost} of ${rig.answered.flat().length}\n`,
  );
  expect(lost).toBeGreaterThan(0);
});
