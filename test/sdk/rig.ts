import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type Facade, type FacadeOptions, startFacade } from '../../facade/app.ts';
import type { Config } from '../../facade/config.ts';
import { LIMITS, TIMES } from '../../facade/realtime/settings.ts';
import { type ClientOptions, createClient, type Fetch, type Inventory, type State } from '../../facade/sdk/client.ts';
import type { TlsFiles } from '../../facade/tls.ts';
import { consoleOf } from '../support/console.ts';
import { facadeConfig } from '../support/facade-config.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

const log = pino({ level: 'silent' });

/** In what the door differs from that of every deployment. */
interface Door extends Pick<FacadeOptions, 'limits'> {
  socketsPerKey?: number;
  /** Between two keep-alives, in milliseconds. */
  keepAlive?: number;
  /** Between two questions about all keys, in milliseconds. */
  recheck?: number;
  tls?: TlsFiles;
}

/**
 * The whole product, whose public door can be closed and opened again at the same place, with an account that has an alarm and
 * a panic button.
 */
export async function aHouse(door: Door = {}) {
  let url = '';
  const world = await startWorld({
    get publicUrl() {
      return url;
    },
  });
  const config: Config = facadeConfig({ tls: door.tls ?? null });
  const { transport } = world.services;
  const { socketsPerKey = LIMITS.socketsPerKey, keepAlive = TIMES.keepAlive, recheck = TIMES.recheck } = door;
  const realtime = { bus: world.bus, limits: { socketsPerKey }, times: { keepAlive, recheck } };
  const limits = door.limits && { limits: door.limits };
  const start = () => startFacade({ ...limits, transport, config, log, realtime });
  let facade: Facade | null = await start();
  url = facade.url;
  config.port = Number(new URL(url).port);
  const close = async () => {
    await facade?.close();
    facade = null;
  };
  onTestFinished(close);

  const owner = await world.account();
  const alarmId = await owner.alarm({ modes: { away: {}, night: {} } });
  const panicId = await owner.panicButton();
  return {
    world,
    owner,
    alarmId,
    panicId,
    url,
    close,
    /** From now on describe says that the socket is there. */
    moveTo(publicUrl: string) {
      url = publicUrl;
    },
    async open() {
      facade = await start();
    },
    console: consoleOf(world, world.operator, owner.accountId),
  };
}

export type House = Awaited<ReturnType<typeof aHouse>>;

/** A watch that remembers all that it was told, and how often it asked. It is closed with the test. */
export function watching(on: Omit<ClientOptions, 'fetch'>) {
  const told = {
    states: [] as State[],
    inventories: [] as Inventory[],
    links: [] as { status: 'up' | 'down'; why: string | null }[],
    problems: [] as string[],
    stopped: [] as string[],
    /** The paths that were asked for. */
    asked: [] as string[],
    count: (path: string) => told.asked.filter(asked => asked.endsWith(path)).length,
    /** Waits until the last state is this one of the only alarm. */
    state: (wanted: string) =>
      eventually(() => told.states.at(-1)?.alarms[0]?.state === wanted, {
        what: `the state ${wanted}, told ${JSON.stringify(told.states.at(-1))}`,
      }),
    link: (wanted: 'up' | 'down') =>
      eventually(() => told.links.at(-1)?.status === wanted, { what: `a link that is ${wanted}` }),
    close: () => watch.close(),
  };
  const counting: Fetch = (url, init) => {
    told.asked.push(new URL(url).pathname);
    return fetch(url, init);
  };
  const watch = createClient({ ...on, fetch: counting }).watch({
    onState: state => told.states.push(state),
    onInventory: inventory => told.inventories.push(inventory),
    onLink: (status, why) => told.links.push({ status, why }),
    onProblem: ({ kind }) => told.problems.push(kind),
    onStop: ({ kind }) => told.stopped.push(kind),
  });
  onTestFinished(() => watch.close());
  return told;
}
