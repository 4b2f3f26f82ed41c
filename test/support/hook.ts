import { createHmac } from 'node:crypto';
import { type Heard, type Peer, startPeer } from './peer.ts';

/** What stands in a request that was signed, once its signature was found right. */
export interface HookEvent {
  id: string;
  /** The JSON of the body. */
  event: Record<string, unknown>;
}

/** A receiver of webhooks, or a gateway: it takes signed requests and refuses all others with 401, as Standard Webhooks asks. */
export interface Hook extends Peer {
  /** Those that were signed right. */
  events: readonly HookEvent[];
}

/** Starts one. `secret` is `whsec_…`; `answer` is the JSON that it answers, nothing where it is absent. */
export async function startHook(options: { secret: string; answer?: Record<string, unknown> }): Promise<Hook> {
  const events: HookEvent[] = [];
  const peer = await startPeer((heard, response) => {
    if (!isSigned(options.secret, heard)) return void response.writeHead(401).end();
    events.push({ id: String(heard.headers['webhook-id']), event: JSON.parse(heard.body) });
    if (options.answer === undefined) response.writeHead(204).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(options.answer));
  });
  return { ...peer, events };
}

/** The headers of a request that is signed as Standard Webhooks has it, without its path; `at` in seconds since 1970. */
export function signedBy(secret: string, body: string, { id = 'msg_1', at = Math.floor(Date.now() / 1000) } = {}) {
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signV1(secret, id, at, body) };
}

/** The same with its path, for those who play the other side; `url` is where it is posted. */
export function signedFor(url: string, secret: string, body: string, options: { id?: string; at?: number } = {}) {
  const headers = signedBy(secret, body, options);
  const { 'webhook-id': id, 'webhook-timestamp': at } = headers;
  const { pathname, search } = new URL(url);
  return { ...headers, 'webhook-signature': signV2(secret, id, Number(at), pathname + search, body) };
}

/** Both signatures have to be right: a receiver may know either. */
function isSigned(secret: string, { path, headers, body }: Heard): boolean {
  const [id, at] = [String(headers['webhook-id']), Number(headers['webhook-timestamp'])];
  const both = `${signV1(secret, id, at, body)} ${signV2(secret, id, at, path, body)}`;
  return Math.abs(Date.now() / 1000 - at) < 300 && headers['webhook-signature'] === both;
}

function signV1(secret: string, id: string, at: number, body: string): string {
  return `v1,${hmac(secret, `${id}.${at}.${body}`)}`;
}

function signV2(secret: string, id: string, at: number, path: string, body: string): string {
  return `v2,${hmac(secret, `${id}\n${at}\nPOST\n${path}\n${body}`)}`;
}

function hmac(secret: string, content: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
