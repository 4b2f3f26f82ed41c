import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TwilioSettings } from '../../services/channels/twilio/api.ts';
import type { WhatsAppSettings } from '../../services/channels/twilio/whatsapp-carrier.ts';
import { createTwilioCallbacks, type TwilioCallbacks } from './twilio-callbacks.ts';
import { type TwilioResource, textOf, wrongCall, wrongMessage, wrongWhatsApp } from './twilio-resource.ts';
import { eventually } from './wait.ts';

/**
 * How the API behaves: `ok`; a number: as well, after so many milliseconds; `hang` takes a request and never answers; `reset`
 * takes it and drops the connection in place of an answer; `garbage` takes it and answers a page that is no JSON; `endless`
 * takes it and answers without end; `broken` takes it and answers 500; `busy` takes nothing and answers 429; `down` drops the connection and takes nothing.
 */
export type TwilioMode = 'ok' | 'hang' | 'reset' | 'garbage' | 'endless' | 'broken' | 'busy' | 'down' | number;

/** What kind of request a mode or a refusal is meant for. */
export type TwilioAt = 'create' | 'list';

/** A real HTTP server on the loopback that does what Twilio's REST API does, with a phone behind it that a test moves. */
export interface TwilioServer extends TwilioCallbacks {
  settings: TwilioSettings;
  /** The same account with its WhatsApp sender, and templates in English and German. */
  whatsApp: WhatsAppSettings;
  /** What the person reads. */
  textOf(message: TwilioResource): string;
  messages: readonly TwilioResource[];
  calls: readonly TwilioResource[];
  /** How many requests of a kind were ever made, whatever came of them. */
  requests(at: TwilioAt): number;
  /** The first text or call, of those taken already and those to come, for which `wanted` holds. */
  nextMessage(wanted?: (message: TwilioResource) => boolean): Promise<TwilioResource>;
  nextCall(wanted?: (call: TwilioResource) => boolean): Promise<TwilioResource>;
  /** For requests that create, unless said otherwise. */
  behave(mode: TwilioMode, at?: TwilioAt): void;
  /** Refuses the next request with this status and code of Twilio's; each call adds one refusal. */
  failNext(refusal: { status: number; code?: number; at?: TwilioAt }): void;
  /** Moves the server's clock by so many seconds: it is another machine's. */
  shiftClock(seconds: number): void;
  /** A text or call comes to stand so, and nobody is told. */
  become(sid: string, status: string, errorCode?: number): TwilioResource;
  /** Twice is fine. */
  stop(): Promise<void>;
}

/** The ContentSids of the templates, and what those say. */
const EN = { message: `HX${'a'.repeat(32)}`, code: `HX${'b'.repeat(32)}` };
const DE = { message: `HX${'c'.repeat(32)}`, code: `HX${'d'.repeat(32)}` };
const TEMPLATES = new Map([
  [EN.message, 'Your alarm system says: {{1}} You are told because you are to be reached.'],
  [EN.code, '{{1}} is your verification code.'],
  [DE.message, 'Ihre Alarmanlage meldet: {{1}} Sie erfahren das, weil Sie erreichbar sein sollen.'],
  [DE.code, '{{1}} ist dein Verifizierungscode.'],
]);

/** Starts a carrier on a free port, with one account and one number. */
export async function startTwilio(): Promise<TwilioServer> {
  const accountSid = `AC${randomBytes(16).toString('hex')}`;
  const authToken = randomBytes(16).toString('hex');
  const from = '+12025550100';
  const sender = { from: '+12025550177', templates: TEMPLATES };
  const taken: Record<'Messages' | 'Calls', TwilioResource[]> = { Messages: [], Calls: [] };
  const modes: Record<TwilioAt, TwilioMode> = { create: 'ok', list: 'ok' };
  const counts: Record<TwilioAt, number> = { create: 0, list: 0 };
  const refusals: { status: number; code?: number; at: TwilioAt }[] = [];
  let shift = 0;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const url = new URL(request.url ?? '/', 'http://twilio.test');
    const at: TwilioAt = request.method === 'POST' ? 'create' : 'list';
    counts[at]++;
    const answer = (status: number, json: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    };
    const mode = modes[at];
    if (mode === 'down') return void request.socket.destroy();
    if (mode === 'busy') return answer(429, fault(429, 20429));
    const refused = refusals.findIndex(each => each.at === at);
    if (refused !== -1) {
      const [{ status, code } = { status: 500 }] = refusals.splice(refused, 1);
      return code === undefined
        ? void response.writeHead(status, { 'content-type': 'text/html' }).end('<html>no</html>')
        : answer(status, fault(status, code));
    }
    const { status, json } = serve(request, url, at, body);
    if (typeof mode === 'number') await new Promise(resolve => setTimeout(resolve, mode).unref());
    if (mode === 'hang') return;
    if (mode === 'reset') return void request.socket.destroy();
    if (mode === 'garbage') return void response.writeHead(200).end('<html>{"sid": </html>');
    if (mode === 'broken') return answer(500, fault(500, 20500));
    if (mode === 'endless') {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('a'.repeat(16_384)));
        if (!response.destroyed) response.once('drain', more);
      };
      return more();
    }
    answer(status, json);
  }

  function serve(request: IncomingMessage, url: URL, at: TwilioAt, body: string): { status: number; json: object } {
    const login = `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`;
    if (request.headers.authorization !== login) return refuse(401, 20003);
    const resource = new RegExp(`^/2010-04-01/Accounts/${accountSid}/(Messages|Calls)\\.json$`).exec(url.pathname)?.[1];
    if (url.pathname === `/2010-04-01/Accounts/${accountSid}.json`)
      return { status: 200, json: { sid: accountSid, status: 'active' } };
    if (resource !== 'Messages' && resource !== 'Calls') return refuse(404, 20404);
    if (at === 'list') return { status: 200, json: list(resource, url.searchParams) };
    if (request.headers['content-type'] !== 'application/x-www-form-urlencoded') return refuse(415, 20001);
    const fields = Object.fromEntries(new URLSearchParams(body));
    const isWhatsApp = resource === 'Messages' && fields.To?.startsWith('whatsapp:');
    const wrong = isWhatsApp
      ? wrongWhatsApp(fields, sender)
      : resource === 'Messages'
        ? wrongMessage(fields, from)
        : wrongCall(fields, from);
    if (wrong !== null) return refuse(400, wrong);
    const sid = `${resource === 'Messages' ? 'SM' : 'CA'}${randomBytes(16).toString('hex')}`;
    const created: TwilioResource = { sid, fields, at: Date.now() + shift, status: 'queued', errorCode: null };
    taken[resource].push(created);
    return { status: 201, json: written(resource, created) };
  }

  /** Newest first, and by days in UTC, as the API has it: what has left no queue yet has neither of these dates. */
  function list(resource: 'Messages' | 'Calls', query: URLSearchParams): object {
    const name = resource === 'Messages' ? 'DateSent' : 'StartTime';
    const day = (each: TwilioResource) =>
      ['queued', 'accepted'].includes(each.status) ? '' : new Date(each.at).toISOString().slice(0, 10);
    const listed = taken[resource]
      .filter(each => [null, each.fields.To].includes(query.get('To')))
      .filter(each => [null, each.fields.From].includes(query.get('From')))
      .filter(each => !query.has(name) || day(each) === query.get(name))
      .filter(each => !query.has(`${name}>`) || day(each) >= (query.get(`${name}>`) ?? ''))
      .filter(each => !query.has(`${name}<`) || (day(each) !== '' && day(each) <= (query.get(`${name}<`) ?? '')))
      .toReversed()
      .slice(0, Number(query.get('PageSize') ?? 50));
    const key = resource.toLowerCase();
    return { [key]: listed.map(each => written(resource, each)), page: 0, page_size: 50, next_page_uri: null };
  }

  function written(resource: 'Messages' | 'Calls', { sid, fields, at, status, errorCode }: TwilioResource): object {
    const date = new Date(at).toUTCString().replace('GMT', '+0000');
    const left = status === 'queued' ? null : date;
    const uri = `/2010-04-01/Accounts/${accountSid}/${resource}/${sid}.json`;
    const both = {
      sid,
      account_sid: accountSid,
      api_version: '2010-04-01',
      date_created: date,
      date_updated: date,
      uri,
    };
    const between = { to: fields.To, from: fields.From, status, direction: 'outbound-api', price: null };
    if (resource === 'Calls') return { ...both, ...between, start_time: left, end_time: null, duration: null };
    const about = {
      body: textOf({ sid, fields, at, status, errorCode }, sender),
      num_segments: '1',
      num_media: '0',
      date_sent: left,
    };
    return { ...both, ...between, ...about, error_code: errorCode, error_message: null };
  }

  function find(sid: string): TwilioResource {
    const found = [...taken.Messages, ...taken.Calls].find(each => each.sid === sid);
    if (found === undefined) throw new Error(`There is no ${sid}.`);
    return found;
  }

  function become(sid: string, status: string, errorCode?: number): TwilioResource {
    return Object.assign(find(sid), { status, errorCode: errorCode ?? null });
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    settings: { accountSid, authToken, from, apiUrl: `http://127.0.0.1:${port}` },
    whatsApp: {
      ...{ accountSid, authToken, from: sender.from, apiUrl: `http://127.0.0.1:${port}` },
      templates: new Map([
        ['en', { message: EN.message, code: EN.code }],
        ['de', { message: DE.message, code: DE.code }],
      ]),
    },
    textOf: message => textOf(message, sender) ?? '',
    messages: taken.Messages,
    calls: taken.Calls,
    requests: at => counts[at],
    nextMessage: (wanted = () => true) => eventually(() => taken.Messages.find(wanted), { what: 'a text' }),
    nextCall: (wanted = () => true) => eventually(() => taken.Calls.find(wanted), { what: 'a call' }),
    behave(mode, at = 'create') {
      modes[at] = mode;
    },
    failNext({ at = 'create', ...refusal }) {
      refusals.push({ at, ...refusal });
    },
    shiftClock(seconds) {
      shift += seconds * 1000;
    },
    become,
    ...createTwilioCallbacks({ accountSid, authToken, from, whatsAppFrom: sender.from, find, become }),
    async stop() {
      if (!server.listening) return;
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function refuse(status: number, code: number): { status: number; json: object } {
  return { status, json: fault(status, code) };
}

function fault(status: number, code: number): object {
  return { code, message: `No, ${code}`, more_info: `https://www.twilio.com/docs/errors/${code}`, status };
}
