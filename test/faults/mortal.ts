import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import type { Pool } from 'pg';
import { onTestFinished } from 'vitest';
import { PanicButtonService } from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Call } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { passTimeTogether } from '../support/database.ts';
import { loadHistory, nothingUndone, type Rows } from '../support/history/load.ts';
import { receivedMails } from '../support/history/received.ts';
import { calledBy, startRecord } from '../support/history/record.ts';
import type { History } from '../support/history.ts';
import { type Mail, type Smtp, startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { holdApplying } from '../support/waiting.ts';
import { emptyFolder, kill, serverPid } from './embedded-rig.ts';
import { connectTo, type LiveDemo, makeLive, stopClock } from './live-demo.ts';
import { type Product, type Ready, startProduct } from './product.ts';

/** What is killed. An embedded PostgreSQL outlives its product unless it is named too. */
export type Victim = 'the product' | 'the product and its PostgreSQL';

/** The answer of an action of /v1. */
export interface Answer {
  status: number;
  traceId: string;
}

/** `npm start` on its demo data, made live, with a clock that a test moves: to be killed, and started again on its data. */
export interface Mortal {
  smtp: Smtp;
  /** Ids. `settle` keeps one panic button to itself. */
  sources: Omit<LiveDemo['sources'], 'counter'>;
  /** An action of /v1, by its path after /v1/, over a connection that is kept. Throws when there is no answer. */
  act(path: string): Promise<Answer>;
  /** What became of a call, as its owner is told over RPC. */
  call(answer: Answer): Promise<Call>;
  /** A press of the panic button `bedside` in the console, by its name. Throws when there is no answer. */
  press(pressId: string): Promise<Call>;
  /** SIGKILL, at once. Resolves when the dead are gone. */
  kill(victim?: Victim): Promise<void>;
  /** Starts it again on the same data, with the same settings, and waits until it is ready. */
  restart(): Promise<void>;
  /** Process id of the embedded PostgreSQL. */
  postgres(): Promise<number>;
  /** Moves the clock on. The product takes note by itself, as it does of a real one; `settle` waits for that. */
  advance(seconds: number): Promise<void>;
  /** Resolves when the product has looked at everything that was due when it was called. */
  settle(): Promise<void>;
  /** Keeps accepted calls from being applied until the function given is called. */
  holdQueue(): Promise<() => Promise<void>>;
  rows: Rows;
  /** All that happened so far, for the checker, once nothing is left to do. `windowsS`: by source, of modes whose window is another than that of all. */
  history(windowsS?: Record<string, Record<string, number>>): Promise<History>;
  /** The mails of an incident that the mail server took, in order. */
  mails(incidentId: string): Mail[];
}

/** How long a busy machine may take over something that is due, in milliseconds. */
export const PATIENCE_MS = 15_000;

const OPERATOR = 'tcn_the-operators-token-in-these-tests';

/** Starts it for the first time; everything ends with the test. The options are those of `makeLive`: none and one step. */
export async function startMortal({ windowS = 0, stepsAfterS = [0] } = {}): Promise<Mortal> {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const dataDir = await emptyFolder();
  const settings = { DATA_DIR: dataDir, SMTP_URL: smtp.url, DEMO_EMAIL: 'you@example.com', CONSOLE_TOKEN: OPERATOR };

  let life = await start(settings);
  const apiKey = life.ready.apiKey ?? '';
  const { accountId, sources } = await makeLive(life.pool, { windowS, stepsAfterS });
  await stopClock(life.pool);
  const [clock] = await rowsOf(life)<{ now: number }>(
    'SELECT (extract(epoch FROM tocsin_now()) * 1000)::float8 AS now',
  );
  const record = startRecord();
  let whole = () => {};

  async function act(path: string): Promise<Answer> {
    return record.call(calledBy(path, accountId), async () => {
      const response = await fetch(`${life.ready.http}/v1/${path}`, { headers: { 'x-api-key': apiKey } });
      const { traceId } = (await response.json()) as { traceId: string };
      return { status: response.status, traceId };
    });
  }

  const as = { headers: { authorization: `Bearer ${OPERATOR}`, 'x-tocsin-account': accountId } };
  const transport = () => createConnectTransport({ baseUrl: life.ready.rpc, httpVersion: '1.1' });

  async function call({ traceId }: Answer): Promise<Call> {
    return (await createClient(IncidentService, transport()).findCall({ traceId }, as)).call!;
  }

  const mails = (incidentId: string) => smtp.mails.filter(mail => header(mail, 'x-tocsin-incident') === incidentId);

  return {
    smtp,
    sources,
    act,
    call,
    async press(pressId) {
      const asked = { panicButtonId: sources.bedside, pressId };
      return (await createClient(PanicButtonService, transport()).triggerPanicButton(asked, as)).call!;
    },
    async kill(victim = 'the product') {
      whole = record.broken(`${victim} is killed`);
      const others = victim === 'the product' ? [] : [await serverPid(dataDir)];
      await Promise.all([life.product.kill(), ...others.map(kill)]);
    },
    async restart() {
      life = await start(settings);
      whole();
    },
    postgres: () => serverPid(dataDir),
    advance: seconds =>
      passTimeTogether(life.pool, seconds, async on => {
        // A message in somebody's hands loses its lease by that, and may go out again.
        const { rows } = await on.query<{ id: string }>("SELECT id FROM delivery WHERE status = 'sending'");
        const inHands = rows.map(({ id }) => id);
        if (inHands.length > 0) record.broken(`the clock is moved by ${seconds} s`, inHands)();
      }),
    async settle() {
      // An alert of its own: the looks at the queue, the timers and the mails that find it find all that is due by then.
      const fired = await act(`panic/${sources.counter}/trigger`);
      await eventually(async () => mails((await call(fired)).incidentId).length > 0, {
        what: 'the alert of the button that tells that the product has looked',
        within: PATIENCE_MS,
      });
      await act(`panic/${sources.counter}/clear`);
    },
    async holdQueue() {
      const applies = record.broken('nobody applies');
      const letGo = await holdApplying(life.pool.options.connectionString!);
      return async () => {
        await letGo();
        applies();
      };
    },
    rows: (sql, values) => rowsOf(life)(sql, values),
    async history(windowsS = {}) {
      await nothingUndone(rowsOf(life), { within: PATIENCE_MS });
      const { counter, bedside, ...alarms } = sources;
      const told = { accountId, environment: 'live' as const, addresses: ['you@example.com'] };
      const recorded = {
        ...record,
        clock: 'moved' as const,
        received: receivedMails(smtp.mails),
        heard: ['email'],
        sources: [
          ...[counter, bedside].map(id => ({ ...told, id, windowsMs: { '': 0 }, stepsMs: { '': [0] } })),
          ...Object.values(alarms).map(id => ({
            ...told,
            id,
            windowsMs: ofModes(mode => 1000 * (windowsS[id]?.[mode] ?? windowS)),
            stepsMs: ofModes(() => dueMs(stepsAfterS)),
          })),
        ],
      };
      return loadHistory(rowsOf(life), recorded, { since: clock!.now });
    },
    mails,
  };
}

const ofModes = <Value>(of: (mode: string) => Value) =>
  Object.fromEntries(['home', 'away', 'night', 'vacation'].map(mode => [mode, of(mode)]));

/** When each step is due after the opening, in milliseconds. */
const dueMs = (afterS: readonly number[]) =>
  afterS.map((_, nth) => 1000 * afterS.slice(0, nth + 1).reduce((sum, s) => sum + s, 0));

const rowsOf =
  ({ pool }: Life): Rows =>
  async (sql, values = []) =>
    (await pool.query(sql, values)).rows;

/** One life of the product: from a start to its end. */
interface Life {
  product: Product;
  ready: Ready;
  pool: Pool;
}

async function start(settings: Record<string, string> & { DATA_DIR: string }): Promise<Life> {
  const product = startProduct(settings);
  const ready = await product.ready();
  return { product, ready, pool: await connectTo(settings.DATA_DIR) };
}

function header(mail: Mail, name: string): string | undefined {
  return mail.headers.find(({ key }) => key === name)?.value;
}
