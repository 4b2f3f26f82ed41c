import type { ServerResponse } from 'node:http';
import { type Peer, startPeer } from './peer.ts';
import { eventually } from './wait.ts';

/** A message that went out. `at`: when, by which receipts name it. */
export interface SignalMessage {
  to: string;
  text: string;
  at: string;
}

/**
 * How messages are taken: `captcha_for_new`: of the third person on, who never wrote; `too_old`: Signal refuses this signal-cli; `same_time`: the server
 * names two by one time; `receipt_first`: the receipt is heard before the message is answered; `breaks_off` after it took it.
 */
export type SignalTurn =
  | 'ok'
  | 'captcha_for_new'
  | 'too_old'
  | 'same_time'
  | 'receipt_first'
  | 'breaks_off'
  | { status: number; error: string }
  /** What signal-cli says of the one to whom it goes. */
  | { type: string };

/** A server that does what signal-cli-rest-api does with one number (https://github.com/bbernhard/signal-cli-rest-api). */
export interface SignalServer extends Peer {
  /** What `createChannels` takes. */
  settings: { url: string; number: string };
  /** What went out, in order. */
  sent: readonly SignalMessage[];
  next(wanted?: (message: SignalMessage) => boolean): Promise<SignalMessage>;
  turns(how: SignalTurn): void;
  /** `results`: since 2026 it hands on what signal-cli prints as JSON, and a sentence behind it. */
  speaks(how: 'sentences' | 'results'): void;
  /** `json-rpc`: what comes while nobody is connected is lost, and nobody is. */
  runs(mode: 'native' | 'normal' | 'json-rpc'): void;
  /** Somebody writes to the number. */
  write(from: string, message: string): void;
  /** They change what they wrote. */
  edit(from: string, message: string): void;
  /** Their phone has the message of that time, or they read it. */
  receipt(from: string, at: string, kind?: 'isDelivery' | 'isRead'): void;
  /** Something that this version knows nothing of. */
  oddity(envelope: unknown): void;
  /** They have a new phone: their key is another one. */
  reinstalls(number: string): void;
  /** They have no Signal. */
  leaves(number: string): void;
  /** The number is registered no more. */
  unregister(): void;
  /** Resolves once all that was said was handed out. */
  handedOut(): Promise<void>;
  /** How often it was asked for messages. */
  asked(): number;
  /** Signal-cli says this too, in lines of their own behind the next envelope, which the server hands out among them. */
  mutters(...lines: string[]): void;
  /** Answers to questions for messages wait until what is returned is called. */
  holdsBack(): () => void;
}

/** Starts one. */
export async function startSignal(): Promise<SignalServer> {
  const number = '+12025550199';
  const sent: SignalMessage[] = [];
  const known = new Set<string>();
  const distrusted = new Set<string>();
  const gone = new Set<string>();
  let envelopes: unknown[] = [];
  let how: SignalTurn = 'ok';
  let words: 'sentences' | 'results' = 'sentences';
  let mode = 'native';
  let registered = true;
  let asked = 0;
  let muttered: string[] = [];
  let held: Promise<void> = Promise.resolve();
  let at = 1_795_000_000_000;
  let onHanded: (() => void) | null = null;

  /** Null: it takes the message. */
  function refusal(to: string): { status: number; error: string; challenge_tokens?: string[] } | null {
    if (!registered) return { status: 400, error: `User ${number} is not registered.\n` };
    if (how === 'too_old') return { status: 400, error: 'Failed to send message: [499] Client version is too old' };
    if (distrusted.has(to)) {
      const error = 'Failed to send message due to untrusted identities';
      return words === 'results' ? result(to, 'IDENTITY_FAILURE', error) : { status: 400, error };
    }
    if (gone.has(to)) {
      if (words === 'results') return result(to, 'UNREGISTERED_FAILURE', 'Failed to send message');
      return { status: 400, error: `Failed to send message: Unregistered user "${to}"` };
    }
    if (how === 'captcha_for_new' && !known.has(to) && known.size >= 2) {
      if (words === 'results')
        return result(to, 'RATE_LIMIT_FAILURE', 'Failed to send message due to rate limiting', { token: '7a3e' });
      const error = `CAPTCHA proof required for sending to "${to}", available options "RECAPTCHA" with challenge token "7a3e", or wait "86400" seconds`;
      return { status: 429, error, challenge_tokens: ['7a3e'] };
    }
    if (typeof how !== 'object') return null;
    return 'type' in how ? result(to, how.type, 'Failed to send message') : how;
  }

  function send(body: string, response: ServerResponse): void {
    const { number: from, recipients, message } = JSON.parse(body) as Record<string, unknown>;
    const to = Array.isArray(recipients) ? String(recipients[0]) : '';
    if (from !== number || !/^\+\d{8,15}$/.test(to) || typeof message !== 'string' || message === '')
      return void answer(response, 400, { error: "Couldn't process request - please provide a valid number" });
    const refused = refusal(to);
    if (refused !== null) {
      const { status, ...said } = refused;
      return void answer(response, status, said);
    }
    known.add(to);
    if (how !== 'same_time' || sent.length === 0) at += 1_000;
    sent.push({ to, text: message, at: String(at) });
    if (how === 'breaks_off') return void response.socket?.resetAndDestroy();
    const taken = () => answer(response, 201, { timestamp: String(at) });
    if (how !== 'receipt_first') return void taken();
    say(to, { receiptMessage: { isDelivery: true, isRead: false, timestamps: [at] } });
    onHanded = taken;
  }

  async function receive(path: string, response: ServerResponse): Promise<void> {
    asked++;
    const most = Number(new URL(path, peer.url).searchParams.get('max_messages') ?? 0);
    if (mode === 'json-rpc') {
      envelopes = [];
      return void answer(response, 400, {
        error: "websocket: the client is not using the websocket protocol: 'upgrade' token not found",
      });
    }
    if (!registered) return void answer(response, 400, { error: `User ${number} is not registered.` });
    const handed = most > 0 ? envelopes.splice(0, most) : envelopes.splice(0);
    const [first, ...rest] = handed.map(one => JSON.stringify(one));
    const lines = [...(first === undefined ? [] : [first]), ...muttered, ...rest];
    muttered = [];
    await held;
    response.once('close', () => {
      if (handed.length === 0 || onHanded === null) return;
      onHanded();
      onHanded = null;
    });
    // As it puts it together: lines of signal-cli between brackets, of the type text.
    response.writeHead(200, { 'content-type': 'text/plain' }).end(`[${lines.join(',')}]`);
  }

  function say(from: string, what: Record<string, unknown>): void {
    const about = { source: from, sourceNumber: from, sourceUuid: '7ccae375', sourceName: 'Somebody', sourceDevice: 1 };
    envelopes.push({ envelope: { ...about, timestamp: at, ...what }, account: number });
  }

  const peer = await startPeer(({ method, path, body }, response) => {
    const route = `${method} ${decodeURIComponent(path.split('?', 1)[0]!)}`;
    switch (route) {
      case 'GET /v1/about':
        return void answer(response, 200, {
          versions: ['v1', 'v2'],
          build: 2,
          mode,
          version: '0.98',
          capabilities: {},
        });
      case 'GET /v1/accounts':
        return void answer(response, 200, registered ? [number] : []);
      case 'POST /v2/send':
        return send(body, response);
      case `GET /v1/receive/${number}`:
        return void receive(path, response);
      default:
        return void response.writeHead(404).end('404 page not found');
    }
  });

  return {
    ...peer,
    settings: { url: peer.url, number },
    sent,
    next: (wanted = () => true) => eventually(() => sent.find(wanted), { what: 'a message at Signal' }),
    turns(next) {
      how = next;
    },
    speaks(next) {
      words = next;
    },
    runs(next) {
      mode = next;
    },
    write(from, message) {
      known.add(from);
      say(from, { dataMessage: { timestamp: at, message, expiresInSeconds: 0 } });
    },
    edit: (from, message) =>
      say(from, { editMessage: { targetSentTimestamp: at, dataMessage: { timestamp: at + 1, message } } }),
    receipt: (from, of, kind = 'isDelivery') =>
      say(from, {
        receiptMessage: { when: at, isDelivery: false, isRead: false, [kind]: true, timestamps: [Number(of)] },
      }),
    oddity: envelope => void envelopes.push(envelope),
    reinstalls: of => void distrusted.add(of),
    leaves: of => void gone.add(of),
    unregister() {
      registered = false;
    },
    handedOut: () =>
      eventually(() => (envelopes.length === 0 ? true : null), { what: 'that what was said is handed out' }).then(
        () => {},
      ),
    asked: () => asked,
    mutters: (...lines) => void muttered.push(...lines),
    holdsBack() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}

/** Who somebody is at Signal, besides their number. */
export const AT_SIGNAL = { uuid: '7ccae375-dead-4bee-9f00-a1b2c3d4e5f6', username: 'somebody.42' };

/** What signal-cli prints of a message to one person, with what the server cannot use, and its sentence. */
function result(to: string, type: string, sentence: string, more: { token?: string } = {}) {
  const results = [{ recipientAddress: { ...AT_SIGNAL, number: to }, type, ...more }];
  return { status: 400, error: `${JSON.stringify({ timestamp: 1_795_000_001_000, results })}\n${sentence}\n` };
}

function answer(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}
