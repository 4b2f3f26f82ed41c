import pg from 'pg';
import { pino } from 'pino';
import { inject, onTestFinished } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { Contact, ContactChannel } from '../../services/store/entities/contact.ts';
import { Location } from '../../services/store/entities/location.ts';
import { Policy } from '../../services/store/entities/policy.ts';
import { newId } from '../../services/store/id.ts';
import { createSeal } from '../../services/store/seal.ts';
import { webhookSecretsUnder } from '../../services/store/secret.ts';
import { openStore, type Store } from '../../services/store/store.ts';
import { connection } from '../support/connection.ts';
import { advanceClock, dropDatabase, makeDatabase, TEMPLATE } from '../support/database.ts';
import { loadHistory, nothingUndone, type Rows } from '../support/history/load.ts';
import {
  deliveryOf as deliveryOfText,
  receivedMails,
  receivedTexts,
  receivedWebhooks,
} from '../support/history/received.ts';
import { type Recording, startRecord } from '../support/history/record.ts';
import type { History, Source } from '../support/history.ts';
import { type Hook, startHook } from '../support/hook.ts';
import { addAccount, addApiKey, addPanicButton } from '../support/owned.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';
import { startTwilio, type TwilioServer } from '../support/twilio.ts';
import type { TwilioResource } from '../support/twilio-resource.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';
import { type Product, type Ready, startProduct } from './product.ts';

/** Who is told in one step: how many people over each channel, `afterS` seconds after the step before. */
export type Step = Partial<Record<ChannelKind, number>> & { afterS: number };

/** A message as the product keeps it. */
export interface Kept {
  id: string;
  incident_id: string;
  step: number;
  channel: ChannelKind;
  status: string;
  attempt: number;
  tries: number;
  reason: string | null;
  provider_ref: string | null;
}

/** Carriers, a database whose clock a test moves, and the product in as many processes of its own as a test starts. */
export interface DeliveryRig {
  twilio: TwilioServer;
  smtp: Smtp;
  hook: Hook;
  /** Starts the product on the database and the carriers, and waits until it is ready. */
  start(settings?: Record<string, string>): Promise<Life>;
  /** Makes a panic button whose policy has these steps; gives its id. Each person is somebody else. */
  button(...steps: Step[]): Promise<string>;
  /** Presses a button at a product, or clears it; gives the status. */
  press(at: Life, button: string, verb?: 'trigger' | 'clear'): Promise<number>;
  /** All messages of the button's incidents, in the order in which they were made. */
  messages(button: string): Promise<Kept[]>;
  /** Waits until all messages of the button stand as said, in any order: `text sent`. */
  stand(button: string, wanted: readonly string[]): Promise<Kept[]>;
  /**
   * The same after a database that went away: where its answer to a lease was lost with it, nobody sends until that lease
   * has ended.
   */
  standInTheEnd(button: string, wanted: readonly string[]): Promise<Kept[]>;
  /** Moves the clock on. The products take note by themselves. */
  advance(seconds: number): Promise<void>;
  rows: Rows;
  /** All that happened so far, for the checker, once nothing is left to do. */
  history(): Promise<History>;
  /** A connection of the test's own, for locks. It ends with the test. */
  connection(): Promise<pg.Client>;
  /** Takes the database away as a restart does: every connection is cut, and none is let in until the function given is called. */
  takeDatabaseAway(): Promise<() => Promise<void>>;
}

/** One life of the product. */
export interface Life {
  product: Product;
  ready: Ready;
}

/** No lease is longer, in seconds. */
const LEASES_S = 60;

const DATA_KEY = '0'.repeat(64);
const KEY_PEPPER = 'p'.repeat(32);

/** Starts all but the product; everything ends with the test. */
export async function startDeliveryRig(): Promise<DeliveryRig> {
  const postgresUrl = inject('postgresUrl');
  const name = `delivery_${newId()}`;
  const databaseUrl = await makeDatabase(postgresUrl, { name, from: TEMPLATE });
  onTestFinished(() => dropDatabase(postgresUrl, name));
  const store = await openStore(databaseUrl, pino({ level: 'silent' }));
  const owner = await anOwner(store);
  await store.close();

  const secret = webhookSecretsUnder(Buffer.from(DATA_KEY, 'hex'))(owner.accountId);
  const [twilio, smtp, hook] = await Promise.all([startTwilio(), startSmtp(), startHook({ secret })]);
  onTestFinished(async () => void (await Promise.all([twilio.stop(), smtp.stop(), hook.stop()])));
  const settings = {
    DATABASE_URL: databaseUrl,
    KEY_PEPPER,
    DATA_KEY,
    SMTP_URL: smtp.url,
    // Texts have a link where it opens for those who get them.
    PUBLIC_URL: 'https://alarm.example.com',
    TWILIO_ACCOUNT_SID: twilio.settings.accountSid,
    TWILIO_AUTH_TOKEN: twilio.settings.authToken,
    TWILIO_FROM: twilio.settings.from,
    TWILIO_API_URL: twilio.settings.apiUrl,
    OUTBOUND_NETWORKS: '127.0.0.0/8',
  };

  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => {
    // Tests cut connections.
  });
  onTestFinished(() => pool.end());
  const record = startRecord();
  const sources: Source[] = [];
  const dead: (() => void)[] = [];

  const rows: Rows = async (sql, values = []) => (await pool.query(sql, values)).rows;

  const messages = (button: string) =>
    rows<Kept & Record<string, unknown>>(
      `SELECT d.id, d.incident_id, d.step, d.channel, d.status, d.attempt, d.tries, d.reason, d.provider_ref
       FROM delivery d JOIN incident i ON i.account_id = d.account_id AND i.id = d.incident_id
       WHERE i.source_id = $1 ORDER BY d.seq`,
      [button],
    );

  const stand: DeliveryRig['stand'] = async (button, wanted) => {
    const sorted = [...wanted].sort().join(', ');
    const seen = async () => {
      const kept = await messages(button);
      return kept
        .map(({ channel, status }) => `${channel} ${status}`)
        .sort()
        .join(', ');
    };
    await eventually(async () => (await seen()) === sorted, { what: sorted.slice(0, 500), within: 20_000 }).catch(
      async (fault: Error) => {
        throw new Error(`${fault.message} They stand so: ${(await seen()).slice(0, 2_000)}`);
      },
    );
    return messages(button);
  };

  return {
    twilio,
    smtp,
    hook,
    async start(more = {}) {
      const product = startProduct({ ...settings, ...more });
      const ready = await product.ready();
      for (const isBack of dead.splice(0)) isBack();
      return { product: watched(product, record, dead), ready };
    },
    async button(...steps) {
      const id = await addButton(databaseUrl, { ...owner, steps, hookUrl: hook.url });
      let dueMs = 0;
      const stepsMs = steps.map(({ afterS }) => (dueMs += 1000 * afterS));
      const { accountId } = owner;
      sources.push({ id, accountId, environment: 'live', windowsMs: { '': 0 }, stepsMs: { '': stepsMs } });
      return id;
    },
    async press({ ready }, button, verb = 'trigger') {
      const headers = { 'x-api-key': owner.apiKey };
      const called = { accountId: owner.accountId, sourceId: button, action: verb };
      const answer = await record.call(called, async () => {
        const response = await fetch(`${ready.http}/v1/panic/${button}/${verb}`, { headers });
        const { traceId } = (await response.json()) as { traceId: string };
        return { status: response.status, traceId };
      });
      return answer.status;
    },
    messages,
    stand,
    standInTheEnd: (button, wanted) =>
      stand(button, wanted).catch(async () => {
        await advanceClock(pool, LEASES_S);
        return stand(button, wanted);
      }),
    advance: seconds => advanceClock(pool, seconds),
    rows,
    async history() {
      await nothingUndone(rows);
      return loadHistory(rows, {
        ...record,
        clock: 'moved',
        received: [...receivedMails(smtp.mails), ...receivedTexts(twilio.messages), ...receivedWebhooks(hook)],
        heard: ['email', 'text', 'webhook'],
        sources,
      });
    },
    connection: () => connection(databaseUrl),
    async takeDatabaseAway() {
      const admin = new pg.Client({ connectionString: postgresUrl });
      await admin.connect();
      await admin.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
      const isBack = record.broken('the database is away');
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      return async () => {
        isBack();
        await admin.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
        await admin.end();
      };
    },
  };
}

/** Writes down what is done to a product, which counts as broken until it, or the next one, is there again. */
function watched(product: Product, record: Recording, dead: (() => void)[]): Product {
  let thawed = () => {};
  return {
    ...product,
    kill() {
      dead.push(record.broken('a process is killed'));
      return product.kill();
    },
    signal(signal) {
      dead.push(record.broken(`a process gets ${signal}`));
      product.signal(signal);
    },
    freeze() {
      thawed = record.broken('a process stands still');
      product.freeze();
    },
    thaw() {
      product.thaw();
      thawed();
    },
  };
}

/** So many times the same. */
export function times(count: number, what: string): string[] {
  return Array.from({ length: count }, () => what);
}

/** The delivery that a text was sent for, by the link that it carries. */
export function deliveryOf({ fields }: TwilioResource): string {
  return deliveryOfText(fields.Body ?? '');
}

type Manager = Store['orm']['em'];

interface OwnerOf {
  accountId: string;
  locationId: string;
  apiKey: string;
}

/** An account with a location and a key. */
async function anOwner({ orm }: Store): Promise<OwnerOf> {
  return orm.em.fork().transactional(async manager => {
    const em = manager as Manager;
    const accountId = addAccount(em, { name: 'An account', plan: 'paid' });
    const locationId = newId();
    em.create(Location, { accountId, id: locationId, name: 'Home', address: '1 Elm Street' });
    const { secret: apiKey } = addApiKey(em, KEY_PEPPER, { accountId, label: 'A key' });
    return { accountId, locationId, apiKey };
  });
}

let phones = 0;

async function addButton(
  databaseUrl: string,
  { accountId, locationId, steps, hookUrl }: OwnerOf & { steps: readonly Step[]; hookUrl: string },
): Promise<string> {
  const store = await openStore(databaseUrl, pino({ level: 'silent' }));
  const seal = createSeal(Buffer.from(DATA_KEY, 'hex'));
  try {
    return await store.orm.em.fork().transactional(async manager => {
      const em = manager as Manager;
      const person = (channel: ChannelKind) => {
        const contactId = newId();
        const number = String(phones++).padStart(4, '0');
        em.create(Contact, { accountId, id: contactId, name: `Person ${number}` });
        const address =
          channel === 'email' ? `person${number}@example.com` : channel === 'webhook' ? hookUrl : `+1202555${number}`;
        const own = { accountId, contactId, channel, position: 0, address: seal.seal(address) };
        em.create(ContactChannel, { ...own, verifiedAt: new Date() });
        return { contactId, channels: [channel] };
      };
      const made = steps.map(({ afterS, ...people }) => ({
        delayS: afterS,
        contacts: Object.entries(people).flatMap(([channel, count]) =>
          Array.from({ length: count }, () => person(channel as ChannelKind)),
        ),
      }));
      const policyId = newId();
      em.create(Policy, { accountId, id: policyId, name: 'A policy', steps: made });
      return addPanicButton(em, { accountId, locationId, name: 'Button', responseKind: 'fire', test: false, policyId });
    });
  } finally {
    await store.close();
  }
}

/** A world with a receiver of webhooks, and the carriers given. */
export async function withHook(carriers: NonNullable<Parameters<typeof startWorld>[0]>['carriers']) {
  const secret = `whsec_${Buffer.alloc(32, 'h').toString('base64')}`;
  const hook = await startHook({ secret });
  onTestFinished(hook.stop);
  const world = await startWorld({
    carriers: { ...carriers, webhookSecret: () => secret },
    publicUrl: 'of the facade',
  });
  return { world, hook };
}
