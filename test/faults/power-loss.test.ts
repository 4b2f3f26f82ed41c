import { expect, onTestFinished, test, vi } from 'vitest';
import { type Disk, startDisk } from '../support/disk.ts';
import { acceptedAndLost } from '../support/history/calls.ts';
import { historyChecker } from '../support/history/checker.ts';
import { loadHistory, nothingUndone } from '../support/history/load.ts';
import { receivedMails } from '../support/history/received.ts';
import { calledBy, startRecord } from '../support/history/record.ts';
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

const checker = historyChecker('power cut');

const MEGABYTES = 700;
const CUTS = 4;

/** Calls that are answered between two cuts, at least. */
const ANSWERED = 100;

/** The product on a disk, with callers on it and everything that they saw. */
async function onDisk(disk: Disk) {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const settings = { DATA_DIR: disk.folder, SMTP_URL: smtp.url, DEMO_EMAIL: 'you@example.com' };
  let product = startProduct(settings);
  const { http, apiKey = '' } = await product.ready();
  const pool = await connectTo(disk.folder);
  const rows = async <Row extends Record<string, unknown>>(sql: string) => (await pool.query<Row>(sql)).rows;
  const { sources, accountId } = await makeLive(pool, { windowS: 0, stepsAfterS: [0] });
  const record = startRecord();
  let at = http;
  let isWhole = () => {};

  const call = (path: string) =>
    record.call(calledBy(path, accountId), async () => {
      const response = await fetch(`${at}/v1/${path}`, { headers: { 'x-api-key': apiKey } });
      const { traceId } = (await response.json()) as { traceId: string };
      return { status: response.status, traceId };
    });

  // Few incidents: what one person is told too often is put off.
  const paths = [
    [`alarm/${sources.house}/arm/away`, `alarm/${sources.house}/trigger`],
    [`alarm/${sources.shop}/arm/home`, `alarm/${sources.shop}/disarm`],
    [`alarm/${sources.tryMe}/arm/night`, `alarm/${sources.tryMe}/clear`],
    [`panic/${sources.bedside}/trigger`],
  ];
  return {
    rows,
    /** Calls, and cuts the power while they are under way. */
    async untilCut(): Promise<void> {
      let power: 'on' | 'off' = 'on';
      const accepted = () => record.calls.filter(({ status }) => status === 202).length;
      const before = accepted();
      const callers = paths.map(async own => {
        for (let n = 0; power === 'on'; n++) await call(own[n % own.length]!).catch(() => {});
      });
      await eventually(() => accepted() >= before + ANSWERED, { what: 'calls to be answered', within: 30_000 });
      const postgres = await serverPid(disk.folder);
      isWhole = record.broken('the power is gone');
      await disk.cutPower();
      power = 'off';
      await product.kill();
      await kill(postgres);
      await Promise.all(callers);
    },
    async startAgain(): Promise<void> {
      await disk.restorePower();
      product = startProduct(settings);
      at = (await product.ready()).http;
      isWhole();
    },
    history: () =>
      loadHistory(rows, { ...record, received: receivedMails(smtp.mails), heard: ['email'] }, { since: record.since }),
  };
}

test('the power goes under load, again and again: all that was answered 202 is there and done once, in its order', async () => {
  const rig = await onDisk(await startDisk(MEGABYTES));
  for (let cut = 0; cut < CUTS; cut++) {
    await rig.untilCut();
    await rig.startAgain();
  }
  await nothingUndone(rig.rows);
  checker.holds(await rig.history());
});

test('a Postgres that syncs nothing loses calls then: the cut is a real one', async () => {
  const rig = await onDisk(await startDisk(MEGABYTES));
  await rig.rows('CHECKPOINT');
  await rig.rows('ALTER SYSTEM SET fsync = off');
  await rig.rows('SELECT pg_reload_conf()');
  await rig.untilCut();
  const comesBack = await rig.startAgain().then(
    () => 'whole' as const,
    () => 'broken' as const,
  );
  // What was not synced may also be what it needs to start at all: then everything is lost.
  if (comesBack === 'broken') return;
  const { looked, violations } = acceptedAndLost(await rig.history());
  process.stdout.write(`a power cut where nothing is synced: ${violations.length} of ${looked} calls are lost\n`);
  expect(violations.length).toBeGreaterThan(0);
});
