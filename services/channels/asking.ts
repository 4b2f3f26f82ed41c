import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import type { Asked, AskedChannel, Channel, Route } from './channel.ts';

/** Asks all carriers whether they would accept messages, within a time limit in milliseconds. */
export type Asking = (limitMs: number) => Promise<Record<ChannelKind, AskedChannel>>;

/** How long an answer is cached, in milliseconds: repeated questions must not cause as many logins. */
const STANDS_MS = 10_000;

/**
 * Creates a function that asks all carriers whether they would accept messages: one login each, all at once, sending
 * nothing. Never throws; a carrier that has not answered within `limitMs` fails.
 */
export function createAsking(carriers: Readonly<Record<ChannelKind, readonly Route[]>>): Asking {
  let last: { at: number; limitMs: number; asked: ReturnType<Asking> } | null = null;
  return limitMs => {
    if (last !== null && performance.now() < last.at + STANDS_MS && last.limitMs >= limitMs) return last.asked;
    const asked = Promise.all(CHANNELS.map(async kind => [kind, await askChannel(carriers[kind], limitMs)] as const));
    last = { at: performance.now(), limitMs, asked: asked.then(Object.fromEntries) };
    return last.asked;
  };
}

async function askChannel(carriers: readonly Route[], limitMs: number): Promise<AskedChannel> {
  const each = await Promise.all(
    carriers.map(async ({ carrier, channel }) => ({ carrier, ...(await ask(channel, limitMs)) })),
  );
  const ofAll = each.find(({ state }) => state === 'answers') ?? each.find(({ state }) => state === 'not_asked');
  const { carrier: _, ...asked } = ofAll ?? each[0] ?? { carrier: '', state: 'not_asked' as const };
  return { ...asked, each };
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
