import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TwilioSettings } from '../../services/channels/twilio/api.ts';
import { parseTwiml, type Twiml } from './twiml.ts';
import { eventually } from './wait.ts';

/** A text or a call as the API took it. */
export interface TwilioResource {
  sid: string;
  /** Every field of the request, the last of those that came twice. */
  fields: Readonly<Record<string, string>>;
  /** When it was taken, milliseconds since 1970. */
  at: number;
  /** As the API lists it. */
  status: string;
  errorCode: number | null;
}

/**
 * How the API behaves: `ok`; a number: as well, after so many milliseconds; `hang` takes a request and never answers; `reset`
 * takes it and drops the connection in place of an answer; `garbage` takes it and answers a page that is no JSON; `endless`
 * takes it and answers without end; `broken` takes it and answers 500; `busy` takes nothing and answers 429; `down` drops the connection and takes nothing.
 */
export type TwilioMode = 'ok' | 'hang' | 'reset' | 'garbage' | 'endless' | 'broken' | 'busy' | 'down' | number;

/** What kind of request a mode or a refusal is meant for. */
export type TwilioAt = 'create' | 'list';

/** A request of the carrier's own: `wrong` is signed under another token, `of_another_url` as if it went elsewhere. */
export type TwilioSigns = 'right' | 'wrong' | 'missing' | 'of_another_url';

/** What was answered to a request of the carrier's own. */
export interface CallbackAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** A real HTTP server on the loopback that does what Twilio's REST API does, with a phone behind it that a test moves. */
export interface TwilioServer {
  settings: TwilioSettings;
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
  /** A text or call comes to stand so: tells its StatusCallback, and gives its answer; null: it has none for this. */
  tell(sid: string, status: string, on?: { errorCode?: number; signs?: TwilioSigns }): Promise<CallbackAnswer | null>;
  /** The phone is answered: what is said, from the call itself or from its Url. */
  answerCall(sid: string, on?: { signs?: TwilioSigns }): Promise<Twiml>;
  /** A key is pressed while the first Gather of what was said last waits. Empty, none in time: throws where the Gather tells nobody. */
  press(sid: string, digits: string, on?: { signs?: TwilioSigns }): Promise<Twiml>;
  /** Somebody writes to the number: the text that they get back; null: none. */
  replyTo(from: string, body: string, inboundUrl: string, on?: { signs?: TwilioSigns }): Promise<string | null>;
  /** A signed request with any fields or body at all. */
  post(url: string, body: URLSearchParams | string, on?: { signs?: TwilioSigns }): Promise<CallbackAnswer>;
  /** Twice is fine. */
  stop(): Promise<void>;
}

/** Starts a carrier on a free port, with one account and one number. */
export async function startTwilio(): Promise<TwilioServer> {
  const accountSid = `AC${randomBytes(16).toString('hex')}`;
  const authToken = randomBytes(16).toString('hex');
  const from = '+12025550100';
  const taken: Record<'Messages' | 'Calls', TwilioResource[]> = { Messages: [], Calls: [] };
  const modes: Record<TwilioAt, TwilioMode> = { create: 'ok', list: 'ok' };
  const counts: Record<TwilioAt, number> = { create: 0, list: 0 };
  const refusals: { status: number; code?: number; at: TwilioAt }[] = [];
  const spoken = new Map<string, { url: string; twiml: Twiml }>();
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
    const wrong = resource === 'Messages' ? wrongMessage(fields, from) : wrongCall(fields, from);
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
    const about = { body: fields.Body, num_segments: '1', num_media: '0', date_sent: left };
    return { ...both, ...between, ...about, error_code: errorCode, error_message: null };
  }

  async function post(url: string, body: URLSearchParams | string, on: { signs?: TwilioSigns } = {}) {
    const { signs = 'right' } = on;
    const signed = signs === 'of_another_url' ? `${url}x` : url;
    const signature = sign(
      signs === 'wrong' ? 'another token' : authToken,
      signed,
      new URLSearchParams(body.toString()),
    );
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        'user-agent': 'TwilioProxy/1.1',
        ...(signs === 'missing' ? {} : { 'x-twilio-signature': signature }),
      },
      body: body.toString(),
      redirect: 'manual',
    });
    const contentType = response.headers.get('content-type') ?? '';
    return { status: response.status, contentType, body: await response.text() };
  }

  function find(sid: string): TwilioResource {
    const found = [...taken.Messages, ...taken.Calls].find(each => each.sid === sid);
    if (found === undefined) throw new Error(`There is no ${sid}.`);
    return found;
  }

  function become(sid: string, status: string, errorCode?: number): TwilioResource {
    return Object.assign(find(sid), { status, errorCode: errorCode ?? null });
  }

  function about(call: TwilioResource): Record<string, string> {
    const { To = '', From = '' } = call.fields;
    return { AccountSid: accountSid, ApiVersion: '2010-04-01', To, From, Direction: 'outbound-api' };
  }

  /** Asks for a document as the carrier does; a page that is none is what people hear as an application error. */
  async function ask(sid: string, url: string, fields: Record<string, string>, on: { signs?: TwilioSigns }) {
    const call = find(sid);
    const form = new URLSearchParams({ CallSid: sid, CallStatus: call.status, ...about(call), ...fields });
    const answer = await post(url, form, on);
    if (answer.status !== 200 || !/^(text|application)\/xml\b/.test(answer.contentType)) {
      throw new Error(`An application error has occurred: ${answer.status} ${answer.contentType}`);
    }
    const twiml = parseTwiml(answer.body);
    spoken.set(sid, { url, twiml });
    return twiml;
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    settings: { accountSid, authToken, from, apiUrl: `http://127.0.0.1:${port}` },
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
    async tell(sid, status, { errorCode, ...on } = {}) {
      const told = become(sid, status, errorCode);
      const { StatusCallback, StatusCallbackEvent = 'completed' } = told.fields;
      const isCall = sid.startsWith('CA');
      const event = ENDS.includes(status) ? 'completed' : status === 'in-progress' ? 'answered' : status;
      if (StatusCallback === undefined || (isCall && StatusCallbackEvent !== event)) return null;
      const standing = isCall
        ? { CallSid: sid, CallStatus: status, CallbackSource: 'call-progress-events', SequenceNumber: '0' }
        : { MessageSid: sid, SmsSid: sid, MessageStatus: status, SmsStatus: status };
      const fields = {
        ...about(told),
        ...standing,
        ...(errorCode === undefined ? {} : { ErrorCode: String(errorCode) }),
      };
      return post(StatusCallback, new URLSearchParams(fields), on);
    },
    async answerCall(sid, on = {}) {
      const call = find(sid);
      call.status = 'in-progress';
      const { Url, Twiml: inline = '' } = call.fields;
      if (Url !== undefined) return ask(sid, Url, {}, on);
      const twiml = parseTwiml(inline);
      spoken.set(sid, { url: '', twiml });
      return twiml;
    },
    async press(sid, digits, on = {}) {
      const last = spoken.get(sid);
      const gather = last?.twiml.gathers[0];
      if (last === undefined || gather === undefined) throw new Error('Nothing waits for a key.');
      if (digits === '' && gather.attributes.actionOnEmptyResult !== 'true')
        throw new Error('The call goes on by itself.');
      const action = new URL(gather.attributes.action ?? last.url, last.url).href;
      return ask(sid, action, { Digits: digits, FinishedOnKey: '', msg: 'Gather End' }, on);
    },
    async replyTo(phone, body, inboundUrl, on = {}) {
      const sid = `SM${randomBytes(16).toString('hex')}`;
      const fields = { MessageSid: sid, SmsSid: sid, SmsMessageSid: sid, AccountSid: accountSid, NumSegments: '1' };
      const form = new URLSearchParams({
        ...fields,
        From: phone,
        To: from,
        Body: body,
        NumMedia: '0',
        ApiVersion: '2010-04-01',
      });
      const answer = await post(inboundUrl, form, on);
      if (answer.status < 200 || answer.status > 299) throw new Error(`The reply was answered ${answer.status}.`);
      return answer.body === '' ? null : (parseTwiml(answer.body).written[0] ?? null);
    },
    post,
    async stop() {
      if (!server.listening) return;
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Of calls: the statuses of which the event `completed` tells. */
const ENDS: readonly string[] = ['completed', 'busy', 'no-answer', 'failed', 'canceled'];

/** Numbers that behave in one way at Twilio itself, with test credentials, and its codes for texts and calls to them. */
const MAGIC: Readonly<Record<string, { text: number; call: number }>> = {
  '+15005550001': { text: 21211, call: 21217 },
  '+15005550002': { text: 21612, call: 21214 },
  '+15005550003': { text: 21408, call: 21215 },
  '+15005550004': { text: 21610, call: 21216 },
  '+15005550009': { text: 21614, call: 13224 },
};

/** The code with which Twilio refuses a text; null: it takes it. */
function wrongMessage(
  { To, From, Body, StatusCallback, ValidityPeriod = '14400' }: Record<string, string>,
  from: string,
) {
  if (To === undefined) return 21604;
  if (!/^\+[1-9]\d{6,14}$/.test(To)) return 21211;
  if (From === undefined) return 21603;
  if (From !== from) return 21659;
  if (Body === undefined || Body === '') return 21602;
  if (Body.length > 1600) return 21617;
  if (StatusCallback !== undefined && !isCallable(StatusCallback)) return 21609;
  if (!/^\d+$/.test(ValidityPeriod) || Number(ValidityPeriod) < 1 || Number(ValidityPeriod) > 36_000) return 20001;
  return MAGIC[To]?.text ?? null;
}

/** The code with which Twilio refuses a call; null: it takes it. */
function wrongCall(fields: Record<string, string>, from: string) {
  const { To, From, Url, Twiml: inline, StatusCallback, Timeout = '60' } = fields;
  if (To === undefined) return 21201;
  if (!/^\+[1-9]\d{6,14}$/.test(To)) return 21211;
  if (From === undefined) return 21213;
  if (From !== from) return 21210;
  if (Url === undefined ? inline === undefined : !isCallable(Url)) return 21205;
  if (StatusCallback !== undefined && !isCallable(StatusCallback)) return 21609;
  if (!/^\d+$/.test(Timeout) || Number(Timeout) > 600) return 20001;
  if (Url === undefined && inline !== undefined && (inline.length > 4000 || !isTwiml(inline))) return 20001;
  return MAGIC[To]?.call ?? null;
}

function isCallable(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && new URL(url).hostname !== 'localhost';
}

function isTwiml(xml: string): boolean {
  try {
    return parseTwiml(xml).verbs.length > 0;
  } catch {
    return false;
  }
}

function refuse(status: number, code: number): { status: number; json: object } {
  return { status, json: fault(status, code) };
}

function fault(status: number, code: number): object {
  return { code, message: `No, ${code}`, more_info: `https://www.twilio.com/docs/errors/${code}`, status };
}

/** Written anew, so that the product's own reading of it is held against something. */
function sign(token: string, url: string, form: URLSearchParams): string {
  const pairs = [...new Map([...form].map(pair => [JSON.stringify(pair), pair])).values()];
  pairs.sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
  return createHmac('sha1', token)
    .update(url + pairs.flat().join(''), 'utf8')
    .digest('base64');
}
