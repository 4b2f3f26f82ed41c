import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { ConfigError } from '../process/settings.ts';
import { createAsking } from './asking.ts';
import { CARRIERS, orderSetting } from './carriers.ts';
import type { Asked, Route } from './channel.ts';
import type { CarriersSetUp, Judged, SettingValues, StoredCarrier } from './described.ts';
import { createLiveChannels, type LiveChannels } from './live.ts';
import { createOpener, type SetUpOn } from './opening.ts';

/** The carriers of a deployment, which can be set up anew while it runs. */
export interface OpenCarriers extends Omit<CarriersSetUp, 'taken'> {
  channels: LiveChannels;
  /**
   * Opens the channels anew by what is stored now. Never throws: a carrier whose settings cannot be used goes on as it was, or is left
   * out. `as_before`: all of them go on as they were.
   */
  apply(stored: readonly StoredCarrier[]): 'opened' | 'as_before';
}

type Described = (typeof CARRIERS)[number];

/**
 * Opens the channels by the environment and by what is stored: the same settings, read by the same readers (DECISIONS.md "Carriers set
 * up in the console"). What is stored and cannot be used is left out, and stops no start; what stands in the environment is checked
 * as ever. Throws ConfigError.
 */
export function openCarriers(on: SetUpOn, first: readonly StoredCarrier[]): OpenCarriers {
  const { base, made, log } = on;
  const opener = createOpener(on);
  let now = opener.open(first);
  tell(first);

  function tell(stored: readonly StoredCarrier[]): void {
    for (const [carrier, problem] of now.leftOut) {
      const isUsed = now.used.some(({ name }) => name === carrier);
      const isStored = stored.some(({ name }) => name === carrier);
      log.error({ carrier, problem }, isUsed ? GOES_ON : isStored ? LEFT_OUT : MISSING);
    }
  }

  /** Opens a carrier on all channels that it carries, apart from all others. */
  async function apart<T>(name: string, values: SettingValues | null, work: (on: Opened) => Promise<T>): Promise<T> {
    const carrier = described(name);
    const asNow = (now.settings as unknown as Record<string, unknown>)[name] ?? null;
    const read = values === null ? { own: asNow } : opener.read({ name, values }, now.used);
    if ('problem' in read) throw new ConfigError(read.problem);
    const { own } = read;
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

  const channels = createLiveChannels(now.channels, log);
  return {
    channels,
    described: CARRIERS.filter(({ settings }) => settings.length > 0).toSorted((one, other) => rank(one) - rank(other)),
    inEnvironment: opener.inEnvironment,
    leftOut: name => now.leftOut.get(name) ?? null,
    isInUse: name => channels.inUse.has(name),
    orderedBy(name) {
      const named = Object.entries(base.order ?? {}).find(([, names]) => names.includes(name));
      return named === undefined ? null : orderSetting(named[0] as ChannelKind);
    },
    judge(name, values): Judged {
      const problem = opener.faultOf({ name: described(name).name, values }, now.used);
      return problem === null ? { verdict: 'fits' } : { verdict: 'refused', problem };
    },
    ask: (name, values, limitMs) =>
      apart(name, values, async opened => {
        const asked = Object.values(await createAsking(opened)(limitMs)).flatMap(({ each }) => each);
        return worst(asked);
      }),
    send: (name, { kind, to, alert }) =>
      apart(name, null, async opened => (await opened[kind][0]?.channel.send(to, alert)) ?? null),
    apply(anew) {
      try {
        now = opener.open(anew, now.used);
      } catch (error) {
        log.error({ err: error }, 'carriers could not be opened as they are set up now: they go on as they were');
        return 'as_before';
      }
      channels.replaceWith(now.channels);
      tell(anew);
      return 'opened';
    },
  };
}

/** What costs least to begin with comes first. */
const RANKS: readonly ChannelKind[] = ['email', 'push', 'chat', 'text'];

function rank({ carries }: Described): number {
  return RANKS.findIndex(kind => carries.includes(kind));
}

type Opened = Record<ChannelKind, readonly Route[]>;

const LEFT_OUT = 'what is stored for a carrier cannot be used: it is left out until it is set up anew';
const GOES_ON = 'what is stored for a carrier cannot be used: until the next start it goes on as it was set up before';
const MISSING = 'a carrier that the environment counts on is not set up: it is left out until it is';

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
