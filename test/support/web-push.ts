import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Subscription } from '../../services/channels/devices.ts';
import { type Heard, type Peer, startPeer } from './peer.ts';
import { eventually } from './wait.ts';

/** What a browser reads of a message (facade/worker/worker.js). */
export interface PushContent {
  web_push?: number;
  notification: { title: string; body: string; tag: string; navigate?: string; lang: string };
  tocsin: { acknowledge?: string; see?: string; attempt?: number; loud: boolean };
}

/** A message as its browser got it. */
export interface Pushed {
  /** Which browser, by its number. */
  browser: number;
  topic: string;
  urgency: string;
  ttl: string;
  content: PushContent;
}

/** How the service behaves towards one browser, or towards all. */
export type PushMode =
  | 'ok'
  | 'takes_and_loses'
  /** The browser has it, and whoever sent it is not told so. */
  | 'takes_and_hangs'
  | 'gone'
  | 'unknown'
  | 'later'
  | 'never_again'
  | 'leads_elsewhere'
  | 'twice'
  | 'broken'
  /** Once; then it is well. */
  | 'breaks_once'
  | 'breaks_off';

/** A push service, and the browsers that are subscribed at it: it checks who sends, and they decrypt. */
export interface PushService extends Peer {
  /** Everything that browsers got, in order. */
  pushed: readonly Pushed[];
  /** Makes a browser subscribe for a key; by default for the first that is used. */
  subscribe(): Subscription & { browser: number };
  next(wanted?: (pushed: Pushed) => boolean): Promise<Pushed>;
  /** From now on, towards one browser (`browser`), or towards all. */
  turns(mode: PushMode, browser?: number): void;
  /** How many messages were posted, whatever became of them. */
  posted(): number;
}

interface Browser {
  keys: ReturnType<typeof createECDH>;
  auth: Buffer;
}

/** The longest that push services take, in bytes, and for how long a signature may count, in seconds. */
const MOST_BYTES = 4_096;
const A_DAY_S = 86_400;

/** Starts one. It refuses what real ones refuse: a signature that is none, another audience, localhost, odd topics, what is too long. */
export async function startPushService(): Promise<PushService> {
  const browsers: Browser[] = [];
  const pushed: Pushed[] = [];
  const modes = new Map<number | 'all', PushMode>();
  let knownKey: string | null = null;
  let posted = 0;

  function take(heard: Heard & { bytes?: Buffer }, response: ServerResponse): void {
    posted++;
    const browser = Number(/^\/push\/(\d+)$/.exec(heard.path)?.[1] ?? -1);
    const one = browsers[browser];
    const mode = modes.get(browser) ?? modes.get('all') ?? 'ok';
    if (one === undefined) return void response.writeHead(404).end();
    const refused = refusalOf(heard, peer.url, knownKey);
    if (refused !== null) return void response.writeHead(refused.status).end(refused.said);
    knownKey ??= keyIn(heard);
    if (mode === 'gone') return void response.writeHead(410).end();
    if (mode === 'unknown') return void response.writeHead(404).end();
    if (mode === 'later') return void response.writeHead(429, { 'retry-after': '7' }).end();
    if (mode === 'never_again') return void response.writeHead(429, { 'retry-after': '3600' }).end();
    if (mode === 'broken') return void response.writeHead(503).end();
    if (mode === 'breaks_once') {
      modes.set(browser, 'ok');
      return void response.writeHead(503).end();
    }
    if (mode === 'breaks_off') return void response.socket?.resetAndDestroy();
    if (mode === 'leads_elsewhere')
      return void response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end();
    // A service that loses characters it does not know of a topic would replace another message.
    const topic = String(heard.headers.topic ?? '');
    const told = {
      browser,
      topic,
      urgency: String(heard.headers.urgency),
      ttl: String(heard.headers.ttl),
      content: JSON.parse(decrypt(heard.bytes!, one)) as PushContent,
    };
    if (mode !== 'takes_and_loses') pushed.push(told);
    if (mode === 'takes_and_hangs') return;
    if (mode === 'twice') pushed.push(told);
    response.writeHead(201, { location: `${peer.url}/message/${posted}` }).end();
  }

  const peer: Peer = await startPeer((heard, response) => take(heard, response), 'bytes');
  return {
    ...peer,
    pushed,
    posted: () => posted,
    subscribe() {
      const keys = createECDH('prime256v1');
      keys.generateKeys();
      const auth = randomBytes(16);
      browsers.push({ keys, auth });
      return {
        browser: browsers.length - 1,
        endpoint: `${peer.url}/push/${browsers.length - 1}`,
        p256dh: keys.getPublicKey('base64url'),
        auth: auth.toString('base64url'),
      };
    },
    next: (wanted = () => true) => eventually(() => pushed.find(wanted), { what: 'a message to a browser' }),
    turns: (mode, browser) => void modes.set(browser ?? 'all', mode),
  };
}

function keyIn({ headers }: Heard): string {
  return /k=([\w-]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
}

function refusalOf(heard: Heard & { bytes?: Buffer }, own: string, knownKey: string | null) {
  const { headers, bytes = Buffer.alloc(0) } = heard;
  const no = (status: number, said: string) => ({ status, said });
  if (headers.ttl === undefined) return no(400, 'no TTL');
  if (headers['content-encoding'] !== 'aes128gcm') return no(400, 'no aes128gcm');
  if (bytes.length > MOST_BYTES) return no(413, 'too long');
  if (!/^[A-Za-z0-9]{0,32}$/.test(String(headers.topic ?? ''))) return no(400, 'BadWebPushTopic');
  const [, jwt = '', key = ''] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  const [head = '', claims = '', signature = ''] = jwt.split('.');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65) return no(401, 'no key');
  if (knownKey !== null && key !== knownKey) return no(403, 'VapidPkHashMismatch');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map(part => part.toString('base64url'));
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: x!, y: y! }, format: 'jwk' });
  const signed = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, 'base64url')))
    return no(403, 'BadJwtToken');
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  const now = Date.now() / 1_000;
  if (aud !== own) return no(403, 'BadJwtToken');
  if (typeof exp !== 'number' || exp > now + A_DAY_S || exp < now) return no(403, 'BadJwtToken');
  if (typeof sub !== 'string' || !/^(mailto:|https:)/.test(sub) || sub.includes('localhost'))
    return no(403, 'BadJwtToken');
  return null;
}

/** What a browser does (RFC 8291), by itself: nothing of the product's is used. */
export function decrypt(body: Buffer, { keys, auth }: Browser): string {
  const [salt, theirs] = [body.subarray(0, 16), body.subarray(21, 21 + body[20]!)];
  const sealed = body.subarray(21 + body[20]!);
  const hkdf = (from: Buffer, salt: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', from, salt, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), theirs]);
  const secret = hkdf(keys.computeSecret(theirs), auth, info, 32);
  const key = hkdf(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = hkdf(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  if (text.at(-1) !== 2) throw new Error('the last record of a message ends with 2');
  return text.subarray(0, -1).toString('utf8');
}
