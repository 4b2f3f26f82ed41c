import type { Logger } from 'pino';
import type { Alert, MemberMail } from '../domain/alert.ts';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { kindOfAddress } from '../domain/reach.ts';
import { AT_ONCE } from '../domain/turns.ts';
import { type RespondFrom, respondFrom } from '../domain/way-back.ts';
import { reachedFrom } from '../process/public-address.ts';
import { ConfigError } from '../process/settings.ts';
import { viaOf } from '../process/vocabulary.ts';
import { shownTimes, toWall } from '../process/wall-clock.ts';
import { createAddressed } from './addressed.ts';
import { type Asking, createAsking } from './asking.ts';
import { createBreaker } from './breaker.ts';
import { CARRIERS, type CarrierSettings, hints, orderSetting } from './carriers.ts';
import type { AnswersThere, Bot, CarrierCallback, Channel, MailChannel, ReturnedMailbox, Route } from './channel.ts';
import { writeKept } from './message.ts';
import { createRoutes } from './routes.ts';
import { type CarrierStanding, createCarrierStanding } from './standing.ts';

export interface Channels {
  byKind: Record<ChannelKind, Channel> & { email: MailChannel };
  /** The kinds without a carrier: messages over them are kept and reach nobody. */
  unconfigured: ChannelKind[];
  /** The addresses for which none is set up, by what they begin with (domain/reach.ts `Carried`). */
  lacks: ReadonlySet<string>;
  /** The carriers that carry something now, by name. */
  inUse: ReadonlySet<string>;
  /** Which settings give each kind its carrier; empty if it needs none. */
  hints: Record<ChannelKind, string>;
  /** How the requests of each carrier are read, by its word in the path. Carriers that are not set up are absent. */
  callbacks: ReadonlyMap<string, CarrierCallback>;
  /** How carriers are asked for what people answer in their apps, by their names. */
  answersThere: ReadonlyMap<string, AnswersThere>;
  /** The bots of carriers, by their names. */
  bots: ReadonlyMap<string, Bot>;
  /** The mailbox for returned mail; null if nobody reads it. */
  returned: ReturnedMailbox | null;
  /** Tells from where people can respond over each channel, with a public URL. */
  respondFrom(publicUrl: string): Record<ChannelKind, RespondFrom>;
  /** Returns the carriers that fail now (standing.ts). */
  failing: CarrierStanding['failing'];
  /** Asks all carriers whether they would accept messages. */
  ask: Asking;
  /** Ends all connections. May be called twice. */
  close(): Promise<void>;
}

/**
 * Opens one channel of each kind: over the carriers that settings.order names for it, otherwise over the first one set up; where there
 * is none, its stand-in. A carrier that no longer carries anything may still report on messages it accepted before.
 */
export function createChannels(settings: CarrierSettings, log: Logger): Channels {
  const on = { ...settings, log };
  const setUp = CARRIERS.flatMap(carrier => {
    const own = (settings as unknown as Record<string, unknown>)[carrier.name] ?? null;
    return own === null ? [] : [{ carrier, own }];
  });
  const hinted = hints();

  function openedOf(kind: ChannelKind): Route[] {
    const order = settings.order?.[kind] ?? null;
    const opened: Route[] = [];
    for (const { carrier, own } of inOrder(setUp, order)) {
      // One whose addresses are its own stands beside the others.
      if (order === null && opened.some(one => prefixOf(one.carrier) === prefixOf(carrier.name))) continue;
      const channel = carrier.carries.includes(kind) ? carrier.open(kind, own, on) : null;
      if (channel !== null) opened.push({ carrier: carrier.name, channel: inShownTime(channel) });
    }
    const missing = CARRIERS.find(
      ({ name }) => order?.includes(name) && !opened.some(({ carrier }) => carrier === name),
    );
    // Whoever counts on one that stands by must not learn at night that there is none.
    if (missing !== undefined) {
      throw new MissingCarrier(kind, missing);
    }
    return opened;
  }

  // Whoever set it up counts on it.
  const unused = setUp.map(({ carrier }) => unnamedFault(carrier, settings.order)).find(fault => fault !== null);
  if (unused !== undefined) throw unused;
  const called = setUp.map(({ carrier, own }) => [carrier.name, carrier.callback?.(own)] as const);
  const returned =
    setUp.map(({ carrier, own }) => carrier.returned?.(own, on) ?? null).find(one => one !== null) ?? null;
  const opened = Object.fromEntries(CHANNELS.map(kind => [kind, openedOf(kind)])) as Record<ChannelKind, Route[]>;
  // Whoever asks the doctor wants to know it now, not what Home heard ten seconds ago.
  const standing = createCarrierStanding(opened, createAsking(opened));
  const byKind = Object.fromEntries(
    CHANNELS.map(kind => {
      const carriers = opened[kind].map(route => ({ ...standing.watched(route), breaker: createBreaker() }));
      const over = (of: readonly (typeof CARRIERS)[number][], hint: string): Route => {
        const among = carriers.filter(({ carrier }) => of.some(({ name }) => name === carrier));
        const none = () => inShownTime(createNoCarrierChannel(kind, hint, log));
        return { carrier: among[0]?.carrier ?? '', channel: among.length === 0 ? none() : createRoutes(kind, among) };
      };
      const listed = CARRIERS.filter(({ carries }) => carries.includes(kind));
      const [others, own] = [listed.filter(one => !one.prefix), listed.filter(one => one.prefix)];
      if (carriers.length === 0 || own.length === 0) return [kind, over(listed, hinted[kind]).channel];
      const hint = others.map(one => one.hint).join(', or ');
      const byPrefix = own.map(one => [one.prefix!, over([one], one.hint)] as const);
      return [kind, createAddressed(kind, new Map(byPrefix), over(others, hint))];
    }),
  ) as Channels['byKind'];
  return {
    byKind,
    unconfigured: CHANNELS.filter(kind => opened[kind].length === 0),
    lacks: new Set(CHANNELS.flatMap(kind => lackedOf(kind, opened[kind]))),
    inUse: new Set(Object.values(opened).flatMap(routes => routes.map(({ carrier }) => carrier))),
    hints: hinted,
    callbacks: new Map(called.flatMap(([name, callback]) => (callback === undefined ? [] : [[name, callback]]))),
    answersThere: new Map(
      setUp.flatMap(({ carrier, own }) => {
        const asked = carrier.answersThere?.(own, on);
        return asked === undefined ? [] : [[carrier.name, asked] as const];
      }),
    ),
    bots: new Map(
      setUp.flatMap(({ carrier, own }) => {
        const bot = carrier.bot?.(own, on);
        return bot === undefined ? [] : [[carrier.name, bot] as const];
      }),
    ),
    returned,
    respondFrom: publicUrl =>
      Object.fromEntries(
        CHANNELS.map(kind => [
          kind,
          respondFrom(kind, reachedFrom(publicUrl), byKind[kind].answers?.(publicUrl) ?? 'come_back'),
        ]),
      ) as Record<ChannelKind, RespondFrom>,
    failing: standing.failing,
    ask: createAsking(opened),
    async close() {
      await Promise.all([...Object.values(byKind), returned].map(opened => opened?.close()));
    },
  };
}

/** CARRIERS_<CHANNEL> names a carrier that is not set up. */
export class MissingCarrier extends ConfigError {
  readonly kind: ChannelKind;
  readonly carrier: string;

  constructor(kind: ChannelKind, { name, hint }: Pick<(typeof CARRIERS)[number], 'name' | 'hint'>) {
    super(`${orderSetting(kind)} names ${name}, which is not set up: set ${hint}, or leave it out.`);
    this.kind = kind;
    this.carrier = name;
  }
}

/** Returns what is wrong with a carrier that is set up and used only where CARRIERS_<CHANNEL> names it; null: nothing. */
export function unnamedFault(
  { inOrderOnly, name, hint, carries }: (typeof CARRIERS)[number],
  order: CarrierSettings['order'],
): ConfigError | null {
  if (!inOrderOnly || Object.values(order ?? {}).some(named => named.includes(name))) return null;
  return new ConfigError(
    `${hint} is set, and ${orderSetting(carries[0]!)} does not name ${name}: name it, or unset it.`,
  );
}

/** Names the addresses of a channel that none of these carriers takes. */
function lackedOf(kind: ChannelKind, opened: readonly Route[]): string[] {
  const viaOfCarrier = (name: string) => viaOf(prefixOf(name) ?? '');
  const there = new Set(opened.map(({ carrier }) => viaOfCarrier(carrier)));
  const all = new Set(CARRIERS.filter(({ carries }) => carries.includes(kind)).map(({ name }) => viaOfCarrier(name)));
  return [...all].filter(via => !there.has(via)).map(via => kindOfAddress(kind, via));
}

function prefixOf(name: string): string | undefined {
  return CARRIERS.find(carrier => carrier.name === name)?.prefix;
}

/** Returns the carriers named, in that order; if none are, all that need not be. */
function inOrder<Of extends { carrier: (typeof CARRIERS)[number] }>(
  setUp: readonly Of[],
  order: readonly string[] | null,
) {
  if (order === null) return setUp.filter(({ carrier }) => !carrier.inOrderOnly);
  return order.flatMap(name => setUp.filter(({ carrier }) => carrier.name === name));
}

/** Whatever a message says of times is said as the clocks of those who read it show them. */
function inShownTime(channel: Channel): Channel {
  const { find } = channel;
  return {
    ...channel,
    send: (address, alert, within) => channel.send(address, shownAlert(alert), within),
    ...(find !== undefined && { find: (address, alert, limitMs) => find(address, shownAlert(alert), limitMs) }),
  };
}

function shownAlert<Of extends Alert | MemberMail>(alert: Of): Of {
  const shown = { ...alert, firstTriedAt: toWall(alert.firstTriedAt) };
  if ('at' in shown) shown.at = toWall(shown.at);
  if ('about' in shown) shown.about = shownTimes(shown.about);
  if ('openedAt' in shown) {
    shown.openedAt = toWall(shown.openedAt);
    shown.lastTriggerAt = toWall(shown.lastTriggerAt);
    shown.silentSince = shown.silentSince === null ? null : toWall(shown.silentSince);
  }
  return shown;
}

/**
 * Stands in for a channel without a carrier (DECISIONS.md "Delivery"): the message is kept, nobody is reached, and the
 * outcome says so and what to set.
 */
function createNoCarrierChannel(kind: ChannelKind, hint: string, log: Logger): Channel {
  const reason = `no carrier is configured for ${kind}: set ${hint.includes(', or ') ? `${hint},` : hint} to send it`;
  return {
    kind,
    atOnce: AT_ONCE[kind],
    async send(_address, alert) {
      const incident = 'incidentId' in alert && alert.incidentId !== '' ? { incident: alert.incidentId } : {};
      log.warn({ channel: kind, delivery: alert.deliveryId, ...incident }, `kept and not sent: ${reason}`);
      return { kind: 'kept', reason, message: writeKept(alert) };
    },
    async close() {},
  };
}
