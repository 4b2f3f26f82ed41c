import type { Logger } from 'pino';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { ConfigError, type Environment } from '../process/settings.ts';
import { createAsking } from './asking.ts';
import type { MadeSetting, OwnSettings } from './carrier.ts';
import { CARRIERS, type CarrierSettings, orderSetting } from './carriers.ts';
import type { Asked, Route } from './channel.ts';
import { type Channels, createChannels, unnamedFault } from './channels.ts';
import type { CarriersSetUp, Judged, SettingValues, StoredCarrier } from './described.ts';
import { createLiveChannels, type LiveChannels } from './live.ts';

/** What carriers are set up from. */
export interface SetUpOn {
  /** What stands in the environment, of which the same carriers may not be stored (carrierEnvironment). */
  env: Environment;
  /** What that comes to. */
  base: Omit<CarrierSettings, MadeSetting>;
  /** What is made of DATA_KEY. */
  made: Omit<OwnSettings, 'outboundNetworks'>;
  log: Logger;
}

/** The carriers of a deployment, which can be set up anew while it runs. */
export interface OpenCarriers extends Omit<CarriersSetUp, 'taken'> {
  channels: LiveChannels;
  /** Opens the channels anew by what is stored now. Never throws: what cannot be used is left out. */
  apply(stored: readonly StoredCarrier[]): void;
}

type Described = (typeof CARRIERS)[number];

/**
 * Opens the channels by the environment and by what is stored: the same settings, read by the same readers (DECISIONS.md "Carriers set
 * up in the console"). What is stored and cannot be used is left out, and stops no start; what stands in the environment is checked
 * as ever. Throws ConfigError.
 */
export function openCarriers(on: SetUpOn, first: readonly StoredCarrier[]): OpenCarriers {
  const { env, base, made, log } = on;
  let stored = first;
  let now = settle(stored, new Map());

  function open(): Channels {
    now = settle(stored, new Map());
    try {
      return createChannels(now.settings, log);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      const all = stored.map(({ name }) => [name, problem] as const);
      now = settle([], new Map([...all, ...now.leftOut]));
      return createChannels(now.settings, log);
    } finally {
      for (const [carrier, problem] of now.leftOut) log.error({ carrier, problem }, LEFT_OUT);
    }
  }

  function settle(all: readonly StoredCarrier[], left: Map<string, string>): Settled {
    const read: Record<string, unknown> = {};
    for (const { name, values } of all) {
      if (isInEnvironment(name)) continue;
      const carrier = CARRIERS.find(one => one.name === name);
      if (carrier === undefined) left.set(name, 'this version of Tocsin has no such carrier');
      else if (values === null) left.set(name, 'what is stored cannot be opened with this DATA_KEY');
      else {
        const own = readOne(carrier, values, all);
        if (own instanceof ConfigError) left.set(name, own.message);
        else read[name] = own;
      }
    }
    // Whoever named it in the environment counts on the others all the more.
    const order = Object.fromEntries(
      Object.entries(base.order ?? {}).map(([channel, named]) => [channel, named.filter(name => !left.has(name))]),
    );
    return { leftOut: left, settings: { ...base, ...read, ...made, order } as CarrierSettings };
  }

  /** Reads what is stored for a carrier, beside what is stored for the others, with which it may share settings. */
  function readOne(carrier: Described, values: SettingValues, all: readonly StoredCarrier[]): unknown {
    const missing = carrier.settings.find(({ name, asked }) => asked === 'needed' && !values[name]);
    if (missing !== undefined) return new ConfigError(`${missing.name} is missing.`);
    const others = all.filter(({ name }) => name !== carrier.name && !isInEnvironment(name));
    try {
      const read = carrier.read(Object.assign({}, ...others.map(one => one.values), values, env));
      return unnamedFault(carrier, base.order) ?? read;
    } catch (error) {
      if (error instanceof ConfigError) return error;
      throw error;
    }
  }

  function isInEnvironment(name: string): boolean {
    return Object.keys(inEnvironment(name)).length > 0;
  }

  function inEnvironment(name: string): Record<string, string | null> {
    const own = CARRIERS.find(carrier => carrier.name === name)?.settings ?? [];
    return Object.fromEntries(
      own.flatMap(setting => {
        const [text, file] = [env[setting.name], env[`${setting.name}_FILE`]];
        return text || file ? [[setting.name, text || null] as const] : [];
      }),
    );
  }

  /** Opens a carrier on all channels that it carries, apart from all others. */
  async function apart<T>(name: string, values: SettingValues | null, work: (on: Opened) => Promise<T>): Promise<T> {
    const carrier = described(name);
    const asNow = (now.settings as unknown as Record<string, unknown>)[name] ?? null;
    const own = values === null ? asNow : readOne(carrier, values, stored);
    if (own instanceof ConfigError) throw own;
    const deps = { ...base, ...made, log };
    const opened = Object.fromEntries(
      CHANNELS.map(kind => {
        const isOpen = own !== null && carrier.carries.includes(kind);
        const channel = isOpen ? carrier.open(kind, own, deps) : null;
        return [kind, channel === null ? [] : [{ carrier: name, channel }]];
      }),
    ) as unknown as Opened;
    try {
      return await work(opened);
    } finally {
      await Promise.all(
        Object.values(opened)
          .flat()
          .map(({ channel }) => channel.close()),
      );
    }
  }

  const channels = createLiveChannels(open(), log);
  return {
    channels,
    described: CARRIERS.filter(({ settings }) => settings.length > 0).toSorted((one, other) => rank(one) - rank(other)),
    inEnvironment,
    leftOut: name => now.leftOut.get(name) ?? null,
    isInUse: name => channels.inUse.has(name),
    orderedBy(name) {
      const named = Object.entries(base.order ?? {}).find(([, names]) => names.includes(name));
      return named === undefined ? null : orderSetting(named[0] as ChannelKind);
    },
    judge(name, values): Judged {
      const own = readOne(described(name), values, stored);
      return own instanceof ConfigError ? { verdict: 'refused', problem: own.message } : { verdict: 'fits' };
    },
    ask: (name, values, limitMs) =>
      apart(name, values, async opened => {
        const asked = Object.values(await createAsking(opened)(limitMs)).flatMap(({ each }) => each);
        return worst(asked);
      }),
    send: (name, { kind, to, alert }) =>
      apart(name, null, async opened => (await opened[kind][0]?.channel.send(to, alert)) ?? null),
    apply(anew) {
      const before = stored;
      stored = anew;
      try {
        channels.replaceWith(open());
      } catch (error) {
        // Those of before go on.
        stored = before;
        log.error({ err: error }, 'carriers could not be opened as they are set up now');
      }
    },
  };
}

/** The settings of all carriers, and why what is stored for some is left out. */
interface Settled {
  settings: CarrierSettings;
  leftOut: ReadonlyMap<string, string>;
}

/** What costs least to begin with comes first. */
const RANKS: readonly ChannelKind[] = ['email', 'push', 'text'];

function rank({ carries }: Described): number {
  return RANKS.findIndex(kind => carries.includes(kind));
}

type Opened = Record<ChannelKind, readonly Route[]>;

const LEFT_OUT = 'what is stored for a carrier cannot be used: it is left out until it is set up anew';

function described(name: string): Described {
  const carrier = CARRIERS.find(one => one.name === name);
  if (carrier === undefined) throw new Error(`no carrier is called ${name}`);
  return carrier;
}

/** What is true of a carrier on all its channels. */
function worst(asked: readonly Asked[]): Asked {
  return (
    asked.find(({ state }) => state === 'fails') ??
    asked.find(({ state }) => state === 'answers') ?? { state: 'not_asked' }
  );
}
