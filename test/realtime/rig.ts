import { Code, ConnectError, createRouterTransport, type HandlerContext } from '@connectrpc/connect';
import { onTestFinished } from 'vitest';
import { startFacade } from '../../facade/app.ts';
import type { Config } from '../../facade/config.ts';
import type { RealtimeOptions } from '../../facade/realtime/relay.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { type Bus, subjects } from '../../services/changes/bus.ts';
import { createLocalBus } from '../../services/changes/local.ts';
import { newSecret } from '../../services/store/secret.ts';
import { facadeConfig } from '../support/facade-config.ts';
import { logInto } from '../support/log.ts';
import { openClient } from './client.ts';

/** An API key of the fake services, and what it reaches. */
export interface FakeKey {
  secret: string;
  keyId: string;
  accountId: string;
  alarmId: string;
}

const account = (letter: string) => letter.repeat(32);
const ALARM_A = account('1');
const ALARM_B = account('2');

/** One for the account, two for an alarm each, and one of somebody else. */
export const KEYS = {
  owner: { secret: newSecret('toc'), keyId: account('o'), accountId: account('a'), alarmId: '' },
  second: { secret: newSecret('toc'), keyId: account('s'), accountId: account('a'), alarmId: '' },
  alarmA: { secret: newSecret('toc'), keyId: account('p'), accountId: account('a'), alarmId: ALARM_A },
  alarmB: { secret: newSecret('toc'), keyId: account('q'), accountId: account('a'), alarmId: ALARM_B },
  outsider: { secret: newSecret('toc'), keyId: account('x'), accountId: account('b'), alarmId: '' },
} satisfies Record<string, FakeKey>;

/** Stands where the services are: the contract of AuthorizeChannel and RecheckGrants, spoken through a real Connect router. */
export class FakeServices {
  readonly keys = new Map<string, FakeKey>(Object.values(KEYS).map(key => [key.secret, key]));
  /** The channels that were asked for, and the sizes of the batches of grants. */
  readonly asked: { key: string | null; channel: string }[] = [];
  readonly rechecked: number[] = [];
  state: 'up' | 'down' = 'up';
  /** Runs before an answer about a channel: throws, or waits. */
  behaviour: (asked: { key: string | null; channel: string }) => unknown = () => {};

  /** Grants are under way until this resolves. */
  underWay: Promise<void> = Promise.resolve();

  readonly transport = createRouterTransport(router => {
    router.service(InventoryService, {
      authorizeChannel: async ({ channel }, { requestHeader }: HandlerContext) => {
        const asked = { key: requestHeader.get('x-api-key'), channel };
        this.asked.push(asked);
        await this.behaviour(asked);
        this.#checkUp();
        const key = this.keys.get(asked.key ?? '');
        if (key === undefined) throw new ConnectError('bad key', Code.Unauthenticated);
        const { accountId, alarmId, keyId, secret } = key;
        const own = ['', `/account/${accountId}`, alarmId && `/account/${accountId}/alarm/${alarmId}`];
        if (!own.includes(channel)) throw new ConnectError('not yours', Code.PermissionDenied);
        await this.underWay;
        return { accountId, alarmId, keyId, grant: `grant of ${secret}` };
      },
      recheckGrants: ({ grants }) => {
        this.rechecked.push(grants.length);
        this.#checkUp();
        return { ended: grants.filter(grant => !this.keys.has(grant.slice('grant of '.length))) };
      },
    });
  });

  #checkUp(): void {
    if (this.state === 'down') throw new ConnectError('gone', Code.Unavailable);
  }
}

/** The bus of one process, whose connection a test can take away. */
export class FakeBus implements Bus {
  readonly #local = createLocalBus();
  readonly #reconnects = new Set<(awayS: number) => void>();
  /** Subjects that were published, and the patterns that somebody listens to. */
  readonly published: string[] = [];
  readonly heard: string[] = [];
  #up: PromiseWithResolvers<void> | null = null;

  publish(subject: string, payload?: unknown): void {
    this.published.push(subject);
    this.#local.publish(subject, payload);
  }

  subscribe: Bus['subscribe'] = (subject, receive) => {
    this.heard.push(subject);
    const end = this.#local.subscribe(subject, receive);
    return () => {
      const at = this.heard.indexOf(subject);
      if (at >= 0) this.heard.splice(at, 1);
      end();
    };
  };

  async flush(): Promise<void> {
    await this.#up?.promise;
    await this.#local.flush();
  }

  onReconnect(callback: (awayS: number) => void): () => void {
    this.#reconnects.add(callback);
    return () => this.#reconnects.delete(callback);
  }

  /** From now on nothing is flushed. */
  lose(): void {
    this.#up = Promise.withResolvers();
  }

  comeBack(): void {
    this.#up?.resolve();
    this.#up = null;
    for (const callback of this.#reconnects) callback(0);
  }

  get dropped() {
    return this.#local.dropped;
  }

  get malformed() {
    return this.#local.malformed;
  }

  get connected() {
    return this.#up === null;
  }

  close = () => this.#local.close();
}

/** A facade with the relay on a free port, before services and a bus of its own. It is closed with the test. */
export async function startRig(
  options: Partial<Pick<RealtimeOptions, 'limits' | 'times'>> & { config?: Partial<Config> } = {},
) {
  const services = new FakeServices();
  const bus = new FakeBus();
  const lines: string[] = [];
  const { limits = {}, times = {} } = options;
  const config: Config = facadeConfig({ logLevel: 'debug', ...options.config });
  const facade = await startFacade({
    transport: services.transport,
    config,
    log: logInto(lines, 'debug'),
    realtime: { bus, limits, times },
  });
  onTestFinished(() => facade.close());
  const { accountId } = KEYS.owner;
  return {
    services,
    bus,
    facade,
    url: facade.url,
    port: Number(new URL(facade.url).port),
    log: lines,
    /** Tells all that something changed in the account of KEYS.owner, or in another. */
    change(kind: string, alarmId = '', of = accountId) {
      bus.publish(subjects.change(of), alarmId === '' ? { kind } : { kind, alarmId });
    },
    open: (options: Parameters<typeof openClient>[1] = {}) => openClient(facade.url, options),
    /** A client of this key that listens to this channel, greeted and subscribed. */
    async listening(key: FakeKey = KEYS.owner, channel = `/account/${key.accountId}`) {
      const client = await openClient(facade.url, { key: key.secret });
      await client.greet();
      await client.subscribe('s1', channel, key.secret);
      return client;
    },
  };
}

export type Rig = Awaited<ReturnType<typeof startRig>>;
