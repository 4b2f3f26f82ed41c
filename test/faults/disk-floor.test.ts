import { mkdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRoot, run } from '../../services/embedded/system.ts';
import { newSecret } from '../../services/store/secret.ts';
import { consoleOf } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { emptyFolder } from './embedded-rig.ts';
import { connectTo, makeLive } from './live-demo.ts';
import { call, type Product, type Ready, startProduct } from './product.ts';

const MB = 1_000_000;
const DISK = 900 * MB;
/** A file of the log of Postgres, 16 MB, changes no step of it. */
const FLOOR = 300 * MB;

/** A product whose disk the test fills. Where no disk may be mounted, the floor is raised instead. */
interface Filling {
  dataDir: string;
  /** Leaves this part of the floor free, and waits until the product knows. */
  leave(part: number): Promise<Ready>;
}

async function aDisk(settings: Record<string, string>): Promise<Filling> {
  const folder = join(await emptyFolder(), 'disk');
  await mkdir(folder, { mode: 0o755 });
  const mounted =
    isRoot() &&
    (await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'tmpfs', folder], null, '/').then(
      () => true,
      () => false,
    ));
  const dataDir = join(folder, 'data');
  const free = async () => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };
  let product: Product | null = null;
  const start = async (floor: number): Promise<Ready> => {
    product?.signal('SIGTERM');
    await product?.ended();
    const floors = { DISK_FLOOR: `${Math.round(floor / MB)}MB` };
    product = startProduct({ DATA_DIR: dataDir, LOG_LEVEL: 'info', ...settings, ...floors });
    return product.ready();
  };
  /** Of the first start, which shows the key. */
  let first: Ready | null = null;
  if (!mounted) {
    return {
      dataDir,
      async leave(part) {
        const ready = await start((await free()) / part);
        first ??= ready;
        return { ...ready, apiKey: first.apiKey! };
      },
    };
  }
  onTestFinished(async () => {
    product?.signal('SIGTERM');
    await product?.ended();
    await run('umount', [folder], null, '/');
  });
  const ballast = join(folder, 'ballast');
  return {
    dataDir,
    async leave(part) {
      first ??= await start(FLOOR);
      const has = await stat(ballast).then(
        ({ size }) => size,
        () => 0,
      );
      const wanted = (await free()) + has - part * FLOOR;
      await rm(ballast, { force: true });
      if (wanted > 0) await run('fallocate', ['-l', String(Math.round(wanted)), ballast], null, '/');
      // It looks every second, and says so by its figures.
      const known = async () => {
        const text = await (await fetch(`${first!.metrics}/metrics`)).text();
        const said = Number(/^tocsin_disk_free_bytes (\S+)$/m.exec(text)?.[1]);
        return Math.abs(said - (await free())) < 0.05 * FLOOR;
      };
      await eventually(known, { what: 'the product to know how much is free' });
      return first;
    },
  };
}

test('as the disk fills, configuration is given up first, then test, refusals and what is no trigger; a live trigger alerts to the end', async () => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const operator = newSecret('tcn');
  const filling = await aDisk({ SMTP_URL: smtp.url, DEMO_EMAIL: 'you@example.com', CONSOLE_TOKEN: operator });
  await filling.leave(1.3);
  const pool = await connectTo(filling.dataDir);
  const { sources, accountId } = await makeLive(pool, { windowS: 0, stepsAfterS: [0] });
  await pool.query('UPDATE source SET test = id = $1, only_when_armed = false', [sources.shop]);
  await pool.query('UPDATE location SET test = false');

  /** What each kind of call gets; the alarm was triggered by the time it is armed and cleared. */
  const taken = async (part: number) => {
    const ready = await filling.leave(part);
    const own = consoleOf({ rpcUrl: ready.rpc }, operator, accountId);
    const configured = await own.locations.createLocation({ location: { name: `At ${part}` } }).then(
      () => 'changed',
      error => error.rawMessage as string,
    );
    const calls = {
      test: await call(ready, `alarm/${sources.shop}/trigger`),
      live: await call(ready, `alarm/${sources.house}/trigger`),
      arm: await call(ready, `alarm/${sources.house}/arm/away`),
      clear: await call(ready, `alarm/${sources.house}/clear`),
    };
    await call(ready, `alarm/${'x'.repeat(32)}/trigger`);
    return { configured, ...calls };
  };
  const all = { configured: 'changed', test: 202, live: 202, arm: 202, clear: 202 };
  const low = { ...all, configured: expect.stringContaining('The disk of the database is nearly full') };
  expect(await taken(1.2)).toEqual(all);
  expect(await taken(0.9)).toEqual(low);
  expect(await taken(0.7)).toEqual({ ...low, test: 503 });
  expect(await taken(0.45)).toEqual({ ...low, test: 503 });
  expect(await taken(0.2)).toEqual({ ...low, test: 503, arm: 503, clear: 503 });
  const last = await filling.leave(0.15);
  const mails = smtp.mails.length;
  expect(await call(last, `panic/${sources.bedside}/trigger`)).toBe(202);
  await smtp.next(mail => smtp.mails.indexOf(mail) >= mails);

  const health = await fetch(`${last.rpc}/readyz`);
  expect(health.status).toBe(200);
  expect(await taken(1.3)).toEqual(all);
  // Refusals are in the log down to 0.6 of the floor, and again now.
  const again = await connectTo(filling.dataDir);
  const refused = async () => {
    const { rows } = await again.query("SELECT count(*)::int AS calls FROM logged_call WHERE outcome = 'not_found'");
    return rows[0].calls as number;
  };
  await eventually(async () => (await refused()) === 4, { what: 'the refusals that there was room for' });
}, 240_000);
