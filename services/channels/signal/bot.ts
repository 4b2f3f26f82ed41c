import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SIGNAL_PREFIX } from '../../process/vocabulary.ts';
import { languageFor } from '../../words/language.ts';
import type { Bot, Heard, Said } from '../channel.ts';
import { HttpFault } from '../http.ts';
import { noAnswer } from '../http-words.ts';
import { writeBack } from '../voice.ts';
import { createSignalApi, ENVELOPES_MOST, type SignalAnswer, type SignalSettings } from './api.ts';
import { receiptsOf } from './receipts.ts';
import { readReceived } from './received.ts';
import { LOSES_REPLIES, NO_SERVER, refusalOf } from './words.ts';

/** How long the server waits for messages, in seconds, and the shortest time from one question to the next, in milliseconds: each starts a program there. */
const WAITS_S = 1;
const EVERY_MS = 500;

/**
 * How long an answer is waited for, in milliseconds, and for how long still once this process ends: what an answer has that nobody waits for is lost.
 * The server ends signal-cli after 120 seconds (its SIGNAL_CLI_CMD_TIMEOUT), and not because nobody waits.
 */
const PATIENCE_MS = 130_000;
const ENDING_MS = 3_000;

/** How much of what was heard is kept before no more is asked for, and handed on at once: a stranger may write a lot. */
const HANDED_MOST = 100;

/** How long any other answer is waited for, in milliseconds. */
const SHORT_MS = 10_000;

/** After how many seconds it is asked again where it cannot answer. */
const AGAIN_S = { wrong_mode: 30, fault: 2 } as const;

/**
 * What is said to the operator's number at Signal. The server hands a message out once: what was heard is kept here until it is stored, and what was
 * heard by a process that is killed before that is lost.
 */
export function createSignalBot(settings: SignalSettings, log: Logger): Bot {
  const api = createSignalApi(settings);
  const receipts = receiptsOf(settings);
  let heard: { nth: number; said: Said }[] = [];
  let nth = 0;
  /** The last one that was handed on. */
  let handed = 0;
  /** From when on it may be asked: whatever comes beyond a full answer waits there already. */
  let askableAt = 0;

  async function ask(signal: AbortSignal): Promise<SignalAnswer | string> {
    const late = new AbortController();
    const end = () => void setTimeout(() => late.abort(), ENDING_MS).unref();
    signal.addEventListener('abort', end, { once: true });
    try {
      return await api.receive({ waitS: WAITS_S, timeoutMs: PATIENCE_MS, signal: late.signal });
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error;
      const outcome = noAnswer('Signal', error, 'of_the_deployment');
      return 'reason' in outcome ? outcome.reason : '';
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  /** Null: it was heard. */
  async function hearMore(signal: AbortSignal): Promise<Extract<Heard, { kind: 'fault' }> | null> {
    const fault = (problem: string, afterS: number = AGAIN_S.fault) =>
      ({ kind: 'fault', problem, afterS, who: 'nobody_knows' }) as const;
    const answer = await ask(signal);
    if (typeof answer === 'string') {
      signal.throwIfAborted();
      return fault(answer);
    }
    if (answer.status === 200 && Array.isArray(answer.json)) {
      if (answer.json.length >= ENVELOPES_MOST) askableAt = 0;
      const said = readReceived(answer.json, settings.number, receipts);
      heard.push(...said.map(one => ({ nth: ++nth, said: one })));
      return null;
    }
    const mode = await api.mode(SHORT_MS).catch(() => undefined);
    if (mode === 'loses_replies') return fault(LOSES_REPLIES, AGAIN_S.wrong_mode);
    if (mode === null) return fault(NO_SERVER, AGAIN_S.wrong_mode);
    const outcome = refusalOf(answer);
    return fault('reason' in outcome ? outcome.reason : NO_SERVER);
  }

  async function write(address: string, text: string): Promise<void> {
    try {
      const { status } = await api.send(address.slice(SIGNAL_PREFIX.length), text, SHORT_MS);
      if (status >= 300) log.debug({ status }, 'an answer at Signal did not go out');
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error;
      log.debug({ problem: error.kind }, 'an answer at Signal did not go out');
    }
  }

  return {
    hands: 'to_one',
    async hear(signal) {
      if (heard.length < HANDED_MOST) {
        const restMs = askableAt - performance.now();
        if (restMs > 0) await pause(restMs, null, { signal });
        askableAt = performance.now() + EVERY_MS;
        const fault = await hearMore(signal);
        // What waits to be stored is tried whatever the server says.
        if (fault !== null && heard.length === 0) return fault;
      }
      const said = heard.slice(0, HANDED_MOST);
      handed = said.at(-1)?.nth ?? handed;
      return { kind: 'heard', said };
    },
    kept(open) {
      heard = heard.filter(one => one.nth >= (open ?? handed + 1));
    },
    async answer() {},
    write,
    async writeBack(address, answer) {
      // Whoever wrote no code may have written to be told of alarms at all.
      const more = answer.said === 'not_understood' ? [languageFor(answer.locale).words.chat.address(address)] : [];
      await write(address, [writeBack(answer.said, answer), ...more].join('\n'));
    },
    async rewrite() {
      return 'done';
    },
  };
}
