import type { Logger } from 'pino';
import type { Alert, MemberMail } from '../domain/alert.ts';
import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import { AT_ONCE } from '../domain/turns.ts';
import { type RespondFrom, respondFrom } from '../domain/way-back.ts';
import { reachedFrom } from '../process/public-address.ts';
import { shownOpening, toWall } from '../process/wall-clock.ts';
import { CARRIERS, type CarrierSettings, hints } from './carriers.ts';
import type { Asked, CarrierCallback, Channel, MailChannel, ReturnedMailbox } from './channel.ts';
import { writeKept } from './message.ts';

export interface Channels {
  byKind: Record<ChannelKind, Channel> & { email: MailChannel };
  /** The kinds without a carrier: messages over them are kept and reach nobody. */
  unconfigured: ChannelKind[];
  /** Which settings give each kind its carrier; empty if it needs none. */
  hints: Record<ChannelKind, string>;
  /** How the requests of each carrier are read, by its word in the path. Carriers that are not set up are absent. */
  callbacks: ReadonlyMap<string, CarrierCallback>;
  /** The mailbox for returned mail; null if nobody reads it. */
  returned: ReturnedMailbox | null;
  /** Tells from where people can respond over each channel, with a public URL. */
  respondFrom(publicUrl: string): Record<ChannelKind, RespondFrom>;
  /** Asks all carriers whether they would accept messages. */
  ask: ReturnType<typeof createAsking>;
  /** Ends all connections. May be called twice. */
  close(): Promise<void>;
}

/**
 * Opens one channel of each kind: that of the first carrier set up for it, otherwise its stand-in. A carrier that no
 * longer carries anything may still report on messages it accepted before.
 */
export function createChannels(settings: CarrierSettings, log: Logger): Channels {
  const on = { ...settings, log };
  const setUp = CARRIERS.flatMap(carrier => {
    const own = (settings as unknown as Record<string, unknown>)[carrier.name] ?? null;
    return own === null ? [] : [{ carrier, own }];
  });
  const carried = new Map<ChannelKind, Channel>();
  for (const { carrier, own } of setUp) {
    for (const kind of carrier.carries) {
      const channel = carried.has(kind) ? null : carrier.open(kind, own, on);
      if (channel !== null) carried.set(kind, channel);
    }
  }
  const called = setUp.map(({ carrier, own }) => [carrier.name, carrier.callback?.(own)] as const);
  const returned =
    setUp.map(({ carrier, own }) => carrier.returned?.(own, on) ?? null).find(one => one !== null) ?? null;
  const hinted = hints();
  const byKind = Object.fromEntries(
    CHANNELS.map(kind => [kind, inShownTime(carried.get(kind) ?? createNoCarrierChannel(kind, hinted[kind], log))]),
  ) as Channels['byKind'];
  return {
    byKind,
    unconfigured: CHANNELS.filter(kind => !carried.has(kind)),
    hints: hinted,
    callbacks: new Map(called.flatMap(([name, callback]) => (callback === undefined ? [] : [[name, callback]]))),
    returned,
    respondFrom: publicUrl =>
      Object.fromEntries(
        CHANNELS.map(kind => [
          kind,
          respondFrom(kind, reachedFrom(publicUrl), byKind[kind].answers?.(publicUrl) ?? 'come_back'),
        ]),
      ) as Record<ChannelKind, RespondFrom>,
    ask: createAsking(byKind),
    async close() {
      await Promise.all([...Object.values(byKind), returned].map(opened => opened?.close()));
    },
  };
}

/** Whatever a message says of times is said as the clocks of those who read it show them. */
function inShownTime(channel: Channel): Channel {
  return { ...channel, send: (address, alert) => channel.send(address, shownAlert(alert)) };
}

function shownAlert<Of extends Alert | MemberMail>(alert: Of): Of {
  const shown = { ...alert, firstTriedAt: toWall(alert.firstTriedAt) };
  if ('at' in shown) shown.at = toWall(shown.at);
  if ('about' in shown) shown.about = shownOpening(shown.about);
  if ('openedAt' in shown) {
    shown.openedAt = toWall(shown.openedAt);
    shown.lastTriggerAt = toWall(shown.lastTriggerAt);
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

/** How long an answer is cached, in milliseconds: repeated questions must not cause as many logins. */
const STANDS_MS = 10_000;

/**
 * Creates a function that asks all carriers whether they would accept messages: one login each, all at once, sending
 * nothing. Never throws; a carrier that has not answered within `limitMs` fails.
 */
function createAsking(byKind: Readonly<Record<ChannelKind, Pick<Channel, 'ask'>>>) {
  let last: { at: number; limitMs: number; asked: Promise<Record<ChannelKind, Asked>> } | null = null;
  return (limitMs: number): Promise<Record<ChannelKind, Asked>> => {
    if (last !== null && performance.now() < last.at + STANDS_MS && last.limitMs >= limitMs) return last.asked;
    const asked = Promise.all(CHANNELS.map(async kind => [kind, await ask(byKind[kind], limitMs)] as const));
    last = { at: performance.now(), limitMs, asked: asked.then(Object.fromEntries) };
    return last.asked;
  };
}

async function ask(channel: Pick<Channel, 'ask'>, limitMs: number): Promise<Asked> {
  if (channel.ask === undefined) return { state: 'not_asked' };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>(resolve => {
    timer = setTimeout(resolve, limitMs, `it did not answer within ${limitMs / 1000} s`);
  });
  const problem = await Promise.race([channel.ask(limitMs), late]).catch(() => 'it could not be asked');
  clearTimeout(timer);
  return problem === null ? { state: 'answers' } : { state: 'fails', problem };
}
