import { onTestFinished } from 'vitest';
import { createSignalBot } from '../../services/channels/signal/bot.ts';
import { createSignalChannel } from '../../services/channels/signal/send.ts';
import { logInto } from '../support/log.ts';
import type { PeerMode } from '../support/peer.ts';
import { type SignalServer, startSignal } from '../support/signal.ts';

export const ANNAS = '+4366012345678';
export const BENS = '+4366087654321';
export const ANNA = `signal:${ANNAS}`;

/** Lets a server misbehave as any peer may. */
export const behaves = (mode: PeerMode) => (signal: SignalServer) => signal.behave(mode);

/** A server of Signal that ends with the test, and what sends and listens there. */
export async function rig({ timeoutMs = 500, turnMs = 3_000 } = {}) {
  const signal = await startSignal();
  onTestFinished(signal.stop);
  const lines: string[] = [];
  const log = logInto(lines);
  const channel = createSignalChannel({ settings: signal.settings, log, timeoutMs, turnMs });
  const bot = createSignalBot(signal.settings, log);
  return { signal, channel, bot, lines, hear: () => bot.hear(AbortSignal.timeout(20_000)) };
}
