import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../support/wait.ts';

export const SUBPROTOCOL = 'aws-appsync-event-ws';

/** A message of the relay, as JSON. */
export interface Message {
  type: string;
  id?: string;
  event?: string;
  errors?: { errorType: string; message: string }[];
  connectionTimeoutMs?: number;
}

export interface ClientOptions {
  /** Sent in the second subprotocol as `Authorization`; absent: no key is sent there. */
  key?: string;
  /** In place of the two subprotocols that `key` makes. */
  protocols?: string[];
  headers?: Record<string, string>;
  path?: string;
  ca?: string;
}

/** The second subprotocol: what a client shows, as base64url of JSON. */
export function holderOf(shown: unknown): string {
  return `header-${Buffer.from(JSON.stringify(shown)).toString('base64url')}`;
}

/** A WebSocket client with nothing but the protocol, which remembers all that it was told. */
export class Client {
  readonly ws: WebSocket;
  readonly messages: Message[] = [];
  readonly raw: string[] = [];
  pings = 0;
  closed: { code: number; reason: string } | null = null;
  /** The answer over HTTP, where the upgrade was not granted. */
  refused: { status: number; headers: NodeJS.Dict<string | string[]>; body: string } | null = null;

  constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on('message', data => {
      this.raw.push(String(data));
      this.messages.push(JSON.parse(String(data)));
    });
    ws.on('ping', () => {
      this.pings += 1;
    });
    ws.on('close', (code, reason) => {
      this.closed ??= { code, reason: String(reason) };
    });
    ws.on('error', () => {});
    ws.on('unexpected-response', (_request, response) => {
      let body = '';
      response.setEncoding('utf8').on('data', chunk => (body += chunk));
      response.on('end', () => {
        this.refused = { status: response.statusCode ?? 0, headers: response.headers, body };
      });
    });
  }

  /** What came as data. */
  get signals(): { id: string; kind: string }[] {
    const data = this.messages.filter(({ type }) => type === 'data');
    return data.map(({ id, event }) => ({ id: id ?? '', kind: JSON.parse(event ?? '').kind }));
  }

  say(message: unknown): void {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  /** Waits for a message that has all of this. */
  async told(wanted: Partial<Message>): Promise<Message> {
    const fits = (message: Message) =>
      Object.entries(wanted).every(([name, value]) => message[name as keyof Message] === value);
    return eventually(() => this.messages.find(fits), { what: `${JSON.stringify(wanted)}, told ${this.raw}` });
  }

  /** Asks for something that is certainly answered: all that was on its way before is here when this returns. */
  async settled(): Promise<void> {
    const id = `unknown-${this.raw.length}-${Math.random().toString(36).slice(2)}`;
    this.say({ type: 'unsubscribe', id });
    await this.told({ type: 'unsubscribe_error', id });
  }

  async greet(): Promise<void> {
    this.say({ type: 'connection_init' });
    await this.told({ type: 'connection_ack' });
    await this.told({ type: 'ka' });
  }

  async subscribe(id: string, channel: string, key: string): Promise<void> {
    this.say({ type: 'subscribe', id, channel, authorization: { Authorization: key, host: 'localhost' } });
    await this.told({ type: 'subscribe_success', id });
  }

  async end(): Promise<{ code: number; reason: string }> {
    return eventually(() => this.closed, { what: `the end of the socket, told ${this.raw}` });
  }
}

/** Connects, and resolves when the socket is open or refused. It is ended with the test. */
export async function openClient(url: string, options: ClientOptions = {}): Promise<Client> {
  const { key, headers = {}, path = '/event/realtime', ca } = options;
  const holder = key === undefined ? [] : [holderOf({ host: new URL(url).host, Authorization: key })];
  const protocols = options.protocols ?? [SUBPROTOCOL, ...holder];
  const address = url.replace(/^http/, 'ws') + path;
  const client = new Client(new WebSocket(address, protocols, { headers, ...(ca !== undefined && { ca }) }));
  onTestFinished(() => client.ws.terminate());
  await eventually(() => client.ws.readyState === WebSocket.OPEN || client.refused || client.closed, {
    what: 'the answer to an upgrade',
  });
  return client;
}
