import { type Peer, startPeer } from './peer.ts';
import { eventually } from './wait.ts';

/** A message as the services behind a key are given it (https://github.com/caronc/apprise-api). */
export interface Notified {
  key: string;
  title: string;
  body: string;
  type: string;
}

/** A server that does what an Apprise server does with the keys that its operator has set up. */
export interface Apprise extends Peer {
  /** What `createChannels` takes. */
  settings: { url: string };
  /** What went out, in order. */
  notified: readonly Notified[];
  next(wanted?: (message: Notified) => boolean): Promise<Notified>;
  /** `some_fail`: one of the services behind each key refuses, after the others took it. */
  turns(how: 'all_take' | 'some_fail'): void;
}

/** Starts one; `keys`: those that something is set up under. */
export async function startApprise(keys: readonly string[] = ['anna', 'ben']): Promise<Apprise> {
  let how: Parameters<Apprise['turns']>[0] = 'all_take';
  const notified: Notified[] = [];
  const peer = await startPeer(({ method, path, body }, response) => {
    if (path === '/status') return void response.writeHead(200).end('OK');
    const [, key] = /^\/notify\/([\w-]{1,128})$/.exec(path) ?? [];
    if (method !== 'POST' || key === undefined) return void response.writeHead(404).end();
    if (!keys.includes(key)) return void response.writeHead(204).end();
    const { title, body: text, type } = JSON.parse(body) as Record<string, string>;
    if (!text) return void response.writeHead(400).end();
    notified.push({ key, title: title ?? '', body: text, type: type ?? 'info' });
    if (how === 'some_fail')
      return void response.writeHead(424).end('{"error": "One or more notification could not be sent."}');
    response.writeHead(200, { 'content-type': 'text/html' }).end('<ul class="logs"></ul>');
  });
  return {
    ...peer,
    settings: { url: peer.url },
    notified,
    next: (wanted = () => true) => eventually(() => notified.find(wanted), { what: 'a message to Apprise' }),
    turns(next) {
      how = next;
    },
  };
}
