import { onTestFinished } from 'vitest';
import { consoleOf } from '../../support/console.ts';
import { loadHistory, nothingUndone, type Rows } from '../../support/history/load.ts';
import { receivedMails } from '../../support/history/received.ts';
import { calledBy, startRecord } from '../../support/history/record.ts';
import type { History, Source } from '../../support/history.ts';
import { startNatsServer } from '../../support/nats-server.ts';
import { startSmtp } from '../../support/smtp.ts';
import { eventually } from '../../support/wait.ts';
import { type Account, makeAccount } from '../cluster/deployment.ts';
import { type Load, startLoad } from '../cluster/load.ts';
import { rowsAt } from '../embedded-rig.ts';
import { startProduct } from '../product.ts';
import type { PatroniCluster } from './cluster.ts';

/** Two services and a facade apart, each a process of its own, on a cluster, with calls on them. */
export interface Deployment {
  accounts: Account[];
  load: Load;
  facade: string;
  /** Triggers an alarm that nothing has triggered yet: its window and its second step are under way when it resolves. */
  beginWindow(): Promise<void>;
  /** Presses a panic button. */
  press(): Promise<void>;
  /** Begins a new history, with calls on all alarms. */
  begin(): void;
  /** Writes down that something broke, until the function given is called. */
  broken(what: string): () => void;
  /** Calls nothing any more, and waits until all is answered. */
  rest(): Promise<void>;
  /** All that happened since it began, once nothing is left to do. */
  history(): Promise<History>;
  /** What the processes said of trouble. */
  said(): string;
}

/** In seconds: windows are longer than what comes before a fault, and shorter than most faults. */
const WINDOW_S = 8;
const STEP_S = 5;

const OPERATOR = 'tcn_the-operators-token-in-these-tests';
const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64), CONSOLE_TOKEN: OPERATOR };

/** `alarms`: how many are called all the time, each by a caller of its own. `faults`: how many there will be. */
export async function startDeployment(
  cluster: PatroniCluster,
  database: string,
  { alarms, faults }: { alarms: number; faults: number },
): Promise<Deployment> {
  const [nats, smtp] = await Promise.all([startNatsServer(), startSmtp()]);
  onTestFinished(async () => void (await Promise.all([nats.stop(), smtp.stop()])));
  const settings = {
    ...SECRETS,
    NATS_URL: nats.url,
    DATABASE_URL: cluster.url(database),
    SMTP_URL: smtp.url,
    CONTACT_VERIFICATION: 'trusted',
  };
  const services = [startProduct(settings, { script: 'services' }), startProduct(settings, { script: 'services' })];
  const ready = await Promise.all(services.map(one => one.ready()));
  const RPC_URL = ready.map(({ rpc }) => rpc).join(',');
  const front = startProduct({ NATS_URL: nats.url, RPC_URL }, { script: 'facade' });
  const facade = (await front.ready()).http;
  const at = { rpcUrl: ready[0]!.rpc, operator: OPERATOR };
  const accounts = await Promise.all([makeAccount(at, alarms / 2), makeAccount(at, alarms / 2)]);
  const house = await aHouse(at, faults);

  let record = startRecord();
  const load = startLoad(accounts, [facade]);
  const call = async (path: string) => {
    const { status } = await record.call(calledBy(path, house.accountId), async () => {
      const answer = await fetch(`${facade}/v1/${path}`, { headers: { 'x-api-key': house.key } });
      const { traceId } = (await answer.json()) as { traceId: string };
      return { status: answer.status, traceId };
    });
    if (status !== 202) throw new Error(`${path} was answered ${status}.`);
  };
  const leader = () => eventually(() => cluster.leader(), { what: 'a node to lead' });
  const rows: Rows = async (sql, values) => rowsAt(cluster.at(await leader(), database))(sql, values);
  const untouched = [...house.alarmIds];
  return {
    accounts,
    load,
    facade,
    beginWindow: () => call(`alarm/${untouched.shift()}/trigger`),
    async press() {
      await call(`panic/${house.panicId}/trigger`);
      await call(`panic/${house.panicId}/clear`);
    },
    begin() {
      record = startRecord();
      load.goOn();
    },
    broken: what => record.broken(what),
    async rest() {
      for (const account of accounts) load.rest(account);
      await load.rested(accounts);
    },
    async history() {
      await nothingUndone(rows, { within: 60_000 });
      const alarmsOf = ({ id: accountId, alarmIds }: Account) =>
        alarmIds.map(id => ({ id, accountId, environment: 'test' as const }));
      const recorded = {
        calls: [...record.calls, ...load.answered, ...load.unanswered],
        faults: record.faults,
        sources: [...house.sources, ...accounts.flatMap(alarmsOf)],
        received: receivedMails(smtp.mails).filter(({ at }) => at >= record.since),
        heard: ['email'],
        repeats: 'by the facade' as const,
      };
      return loadHistory(rows, recorded, { since: record.since });
    },
    said: () => [...services, front].map(one => one.printed().stderr).join(''),
  };
}

/** A household whose alarms tell Ann, and Ben a step later, when their window has ended; a button tells both at once. */
async function aHouse(at: { rpcUrl: string; operator: string }, alarms: number) {
  const operator = consoleOf(at, at.operator);
  const { account, token } = await operator.accounts.createAccount({ account: { name: 'A house' } });
  const own = consoleOf(at, token, account!.id);
  const { location } = await own.locations.createLocation({ location: { name: 'Home' } });
  const addresses = ['ann@example.com', 'ben@example.com'];
  const steps = [];
  for (const [nth, address] of addresses.entries()) {
    const channels = [{ channel: 'email', address }];
    const { contact } = await own.contacts.createContact({ contact: { name: address.slice(0, 3), channels } });
    steps.push({ delayS: nth * STEP_S, contacts: [{ contactId: contact!.id, channels: ['email'] }] });
  }
  const { policy } = await own.policies.createPolicy({ policy: { name: 'Both', steps } });
  const { policy: first } = await own.policies.createPolicy({ policy: { name: 'Ann', steps: steps.slice(0, 1) } });
  const modes = [{ id: 'away', policyId: policy!.id, windowS: WINDOW_S }];
  const place = { locationId: location!.id, test: false };
  const alarmIds: string[] = [];
  for (let nth = 0; nth < alarms; nth++) {
    const { alarm } = await own.alarms.createAlarm({ alarm: { ...place, name: `Alarm ${nth}`, modes } });
    alarmIds.push(alarm!.id);
  }
  const { panicButton } = await own.panicButtons.createPanicButton({
    panicButton: { ...place, name: 'Button', policyId: first!.id, responseKind: 'fire' },
  });
  const { secret: key } = await own.apiKeys.createApiKey({ apiKey: { label: 'Panel' } });
  const told = { accountId: account!.id, environment: 'live' as const, addresses };
  const sources: Source[] = [
    ...alarmIds.map(id => ({
      ...told,
      id,
      windowsMs: { away: 1000 * WINDOW_S },
      stepsMs: { away: [0, 1000 * STEP_S] },
    })),
    { ...told, id: panicButton!.id, windowsMs: { '': 0 }, stepsMs: { '': [0] } },
  ];
  return { accountId: account!.id, alarmIds, panicId: panicButton!.id, key, sources };
}
