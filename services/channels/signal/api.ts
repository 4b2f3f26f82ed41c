import { z } from 'zod';
import { clean, withoutLinks } from '../../process/text.ts';
import { get, type HttpAnswer, post } from '../http.ts';
import { parseAs, withoutNumbers } from '../http-words.ts';
import { envelopesIn } from './envelopes.ts';

export interface SignalSettings {
  /** SIGNAL_URL: the server (github bbernhard/signal-cli-rest-api), without trailing slash. */
  url: string;
  /** SIGNAL_NUMBER: the number that is registered there, in E.164. */
  number: string;
}

/** What the server answers. */
export interface SignalAnswer {
  status: number;
  /** Undefined: it is no JSON. */
  json: unknown;
  /** What signal-cli says of the one to whom it goes, such as `UNREGISTERED_FAILURE`; empty: nothing. */
  failure: string;
  /** Its own words, whole and without JSON: they say who people are, and are for looking at alone. */
  words: string;
  /** The same to be shown: cleaned, without numbers, empty where they may name somebody. */
  said: string;
  /** Whether its words name our own number. */
  about: 'us' | 'others';
  /** Whether a captcha would lift what it refuses. */
  captcha: 'wanted' | 'no';
}

/** How the server runs signal-cli: in one of these modes replies are lost while nobody is connected. */
export type Mode = 'keeps_replies' | 'loses_replies';

/** How many envelopes are asked for at once: signal-cli says what it heard only at its end, and waits anew after each. */
export const ENVELOPES_MOST = 10;

/** The longest answer to a question for messages, in bytes: attachments are not asked for. */
const BYTES_MOST = 16 * 1024 * 1024;

/** The parts of the server's API that we use. Functions throw HttpFault where there is no answer. */
export interface SignalApi {
  send(to: string, message: string, timeoutMs: number): Promise<SignalAnswer>;
  /** Takes what was said, ENVELOPES_MOST of it: it does not come again. */
  receive(on: { waitS: number; timeoutMs: number; signal: AbortSignal }): Promise<SignalAnswer>;
  /** Returns how it runs; null: it is no such server. */
  mode(timeoutMs: number): Promise<Mode | null>;
  /** Returns the numbers that are registered there; null: it does not say. */
  numbers(timeoutMs: number): Promise<readonly string[] | null>;
}

export function createSignalApi({ url, number }: SignalSettings): SignalApi {
  const headers = { accept: 'application/json', 'user-agent': 'tocsin' };
  return {
    async send(to, message, timeoutMs) {
      const body = JSON.stringify({ number, recipients: [to], message, text_mode: 'normal' });
      const json = { ...headers, 'content-type': 'application/json' };
      return read(await post(`${url}/v2/send`, { headers: json, body, timeoutMs }), number);
    },
    async receive({ waitS, timeoutMs, signal }) {
      const query = new URLSearchParams({
        timeout: String(waitS),
        max_messages: String(ENVELOPES_MOST),
        ignore_attachments: 'true',
        ignore_stories: 'true',
      });
      const at = `${url}/v1/receive/${encodeURIComponent(number)}?${query}`;
      const answer = await get(at, { headers, timeoutMs, signal, mostBytes: BYTES_MOST });
      const all = read(answer, number);
      return all.json === undefined ? { ...all, json: envelopesIn(answer.text) } : all;
    },
    async mode(timeoutMs) {
      const { text } = await get(`${url}/v1/about`, { headers, timeoutMs });
      const mode = parseAs(ABOUT, text)?.mode ?? null;
      if (mode === null) return null;
      return mode.startsWith('json-rpc') ? 'loses_replies' : 'keeps_replies';
    },
    async numbers(timeoutMs) {
      const { text } = await get(`${url}/v1/accounts`, { headers, timeoutMs });
      return parseAs(NUMBERS, text);
    },
  };
}

const ABOUT = z.object({ mode: z.string() });
const NUMBERS = z.array(z.string());
const REFUSAL = z.object({ error: z.string(), challenge_tokens: z.array(z.unknown()).nullish().catch(null) });
const TYPE = z.string().regex(/^[A-Z_]{1,40}$/);

/** What signal-cli prints of a message, and what the server makes of that where it counts as sent nevertheless. */
const RESULTS = z.object({ results: z.array(z.object({ type: TYPE, token: z.string().nullish() })) });
const ERRORS = z.object({ errors: z.object({ recipients: z.array(z.object({ reason: TYPE })) }) });

function read({ status, text }: HttpAnswer, number: string): SignalAnswer {
  const json = parseAs(z.unknown(), text) ?? undefined;
  const refusal = REFUSAL.safeParse(json).data;
  const error = refusal?.error ?? '';
  const printed = /\{.*\}/.exec(error)?.[0] ?? '';
  const result = parseAs(RESULTS, printed)?.results.find(({ type }) => type !== 'SUCCESS');
  const failure = result?.type ?? ERRORS.safeParse(json).data?.errors.recipients[0]?.reason ?? '';
  const isChallenge = (refusal?.challenge_tokens?.length ?? 0) > 0 || Boolean(result?.token);
  const words = error.replace(printed, '');
  return {
    status,
    json,
    failure,
    words,
    said: error.includes('{') ? '' : clean(withoutNumbers(withoutLinks(error)), 200),
    about: error.includes(number) ? 'us' : 'others',
    captcha: isChallenge || /captcha|proof required/i.test(words) ? 'wanted' : 'no',
  };
}
