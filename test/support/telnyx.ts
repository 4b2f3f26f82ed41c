import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TelnyxSettings } from '../../services/channels/telnyx/api.ts';
import { createTelnyxCallbacks, type TelnyxCallbacks } from './telnyx-callbacks.ts';
import { eventually } from './wait.ts';

/** A text or a call as the API took it. */
export interface TelnyxResource {
  ref: string;
  fields: Readonly<Record<string, unknown>>;
}

/**
 * How the API behaves: `ok`; `hang` takes a request and never answers; `reset` takes it and drops the connection in
 * place of an answer; `garbage` takes it and answers a page that is no JSON; `broken` takes it and answers 500; `busy`
 * takes nothing and answers 429; `down` drops the connection and takes nothing; `unnamed` takes a call and does not say
 * how it is called, as the API did once.
 */
export type TelnyxMode = 'ok' | 'hang' | 'reset' | 'garbage' | 'broken' | 'busy' | 'down' | 'unnamed';

/** A real HTTP server on the loopback that does what Telnyx's API does, with a phone behind it that a test moves. */
export interface TelnyxServer extends TelnyxCallbacks {
  settings: TelnyxSettings;
  texts: readonly TelnyxResource[];
  calls: readonly TelnyxResource[];
  /** How many requests were ever made, whatever came of them. */
  requests(): number;
  nextText(wanted?: (text: TelnyxResource) => boolean): Promise<TelnyxResource>;
  nextCall(): Promise<TelnyxResource>;
  behave(mode: TelnyxMode): void;
  /** Refuses the next request with this status, and code of Telnyx's. */
  failNext(refusal: { status: number; code?: string }): void;
  /** What the account has left. */
  credit(left: string): void;
  /** Twice is fine. */
  stop(): Promise<void>;
}

/** Starts a carrier on a free port, with one account, one number and one TeXML application. */
export async function startTelnyx(): Promise<TelnyxServer> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const apiKey = 'KEY0123456789abcdef_telnyx';
  const texmlApp = '1293384261075731499';
  const from = '+12025550101';
  const [texts, calls]: [TelnyxResource[], TelnyxResource[]] = [[], []];
  const refusals: { status: number; code?: string }[] = [];
  let [mode, left, requests]: [TelnyxMode, string, number] = ['ok', '12.30', 0];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    requests++;
    const answer = (status: number, json: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    if (mode === 'down') return void request.socket.destroy();
    if (mode === 'busy') return answer(429, fault('10011'));
    const refused = refusals.shift();
    if (refused !== undefined) {
      if (refused.code !== undefined) return answer(refused.status, fault(refused.code));
      return void response.writeHead(refused.status, { 'content-type': 'text/html' }).end('<html>no</html>');
    }
    const { status, json } = serve(request, body);
    if (mode === 'hang') return;
    if (mode === 'reset') return void request.socket.destroy();
    if (mode === 'garbage') return void response.writeHead(200).end('<html>{"data": </html>');
    if (mode === 'broken') return answer(500, fault('10007'));
    answer(status, json);
  }

  function serve(request: IncomingMessage, body: string): { status: number; json: object } {
    const path = request.url ?? '';
    const refuse = (status: number, code: string) => ({ status, json: fault(code) });
    if (request.headers.authorization !== `Bearer ${apiKey}`) return refuse(401, '10009');
    if (request.method === 'GET') {
      if (path === '/v2/balance') return { status: 200, json: { data: { available_credit: left, currency: 'USD' } } };
      if (path === `/v2/texml_applications/${texmlApp}`) return { status: 200, json: { data: { id: texmlApp } } };
      return refuse(404, '10005');
    }
    if (request.headers['content-type'] !== 'application/json') return refuse(415, '10014');
    const fields = JSON.parse(body) as Record<string, unknown>;
    if (path === '/v2/messages') {
      const code = wrongText(fields, from);
      if (code !== null) return refuse(code === '40300' ? 409 : 400, code);
      const ref = `40385f64-5717-4562-b3fc-${String(texts.push({ ref: '', fields })).padStart(12, '0')}`;
      texts[texts.length - 1] = { ref, fields };
      return { status: 200, json: { data: { record_type: 'message', id: ref, parts: 1, errors: [] } } };
    }
    if (path !== `/v2/texml/calls/${texmlApp}`) return refuse(404, '10005');
    const code = wrongCall(fields, from);
    if (code !== null) return refuse(422, code);
    const ref = `v3:call-${calls.length + 1}`;
    calls.push({ ref, fields });
    const named = mode === 'unnamed' ? {} : { call_sid: ref };
    return { status: 200, json: { ...named, from, to: fields.To, status: 'queued' } };
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');

  return {
    settings: { apiKey, publicKey: key, from, texmlApp, apiUrl: `http://127.0.0.1:${port}` },
    texts,
    calls,
    requests: () => requests,
    nextText: (wanted = () => true) => eventually(() => texts.find(wanted), { what: 'a text' }),
    nextCall: () => eventually(() => calls[0], { what: 'a call' }),
    behave(next) {
      mode = next;
    },
    failNext: refusal => void refusals.push(refusal),
    credit(now) {
      left = now;
    },
    ...createTelnyxCallbacks({
      privateKey,
      from,
      find: ref => [...texts, ...calls].find(each => each.ref === ref)!,
    }),
    async stop() {
      if (!server.listening) return;
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The code with which Telnyx refuses a text; null: it takes it. */
function wrongText({ to, from, text: body, webhook_url: url }: Record<string, unknown>, own: string): string | null {
  if (typeof to !== 'string' || !/^\+[1-9]\d{6,14}$/.test(to)) return '40310';
  if (from !== own) return '40305';
  if (typeof body !== 'string' || body === '') return '40316';
  return url !== undefined && !isCallable(url) ? '10003' : null;
}

/** The same of a call. */
function wrongCall({ To, From, Url, Texml }: Record<string, unknown>, own: string): string | null {
  if (typeof To !== 'string' || !/^\+[1-9]\d{6,14}$/.test(To)) return '10016';
  if (From !== own) return '10010';
  if (Url === undefined) return typeof Texml === 'string' ? null : '10004';
  return isCallable(Url) ? null : '10003';
}

function isCallable(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && new URL(url).hostname !== 'localhost';
}

function fault(code: string): object {
  return { errors: [{ code, title: 'No', detail: `No, ${code}, to +4366012345678` }] };
}
