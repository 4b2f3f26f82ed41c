import { CHANNELS, type ChannelKind } from '../domain/delivery.ts';
import type { Asked, Channel } from './channel.ts';

/** For how long an answer stands, in milliseconds: whoever asks again and again must not make us log in as often. */
const STANDS_MS = 10_000;

/**
 * Makes a way to ask all carriers whether they would take messages: a login each, all at once, nothing is sent. Never throws;
 * one that has not answered within `limitMs` fails.
 */
export function createAsking(byKind: Readonly<Record<ChannelKind, Pick<Channel, 'ask'>>>) {
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
