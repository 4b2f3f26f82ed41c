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

/** The headers of a request that is signed, for those who play the other side; `at` in seconds since 1970. */
export function signedBy(secret: string, body: string, { id = 'msg_1', at = Math.floor(Date.now() / 1000) } = {}) {
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': `v1,${sign(secret, id, at, body)}` };
}

function isSigned(secret: string, { headers, body }: Heard): boolean {
  const at = Number(headers['webhook-timestamp']);
  const age = Math.abs(Date.now() / 1000 - at);
  return age < 300 && headers['webhook-signature'] === `v1,${sign(secret, String(headers['webhook-id']), at, body)}`;
}

function sign(secret: string, id: string, at: number, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
}
