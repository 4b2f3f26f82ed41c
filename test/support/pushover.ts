import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Heard, type Peer, startPeer } from './peer.ts';
import { eventually } from './wait.ts';

/** The API token of the operator's application, and the user keys that Pushover knows. */
export const TOKEN = 'azGDORePK8gMaC0QOYAMyEEuzJnyUi';
export const ANNAS_KEY = 'uQiRzpo4DXghDmr9QzzfQu27cmVRsG';
export const BENS_KEY = `u${'B'.repeat(29)}`;

/** A message as the server took it (https://pushover.net/api). */
export interface Rung {
  user: string;
  title: string;
  message: string;
  priority: number;
  url: string;
  /** Of priority 2; empty: it has none. */
  receipt: string;
  tag: string;
  is: 'ringing' | 'acknowledged' | 'cancelled' | 'expired';
  acknowledgedBy: string;
}

type Five = [string, string, string, string, string];

/** A server that does what Pushover does with messages and receipts. */
export interface Pushover extends Peer {
  /** What `createChannels` takes. */
  settings: { token: string; apiUrl: string };
  /** Everything that was taken, in order. */
  rung: readonly Rung[];
  next(wanted?: (rung: Rung) => boolean): Promise<Rung>;
  /** Somebody presses "Acknowledge" in the app; by default whom it went to. */
  press(rung: Rung, by?: string): void;
  /** From now on: `used_up` refuses with 429, `no_receipt` takes messages without one, `breaks_off` takes them and says nothing, `refuses_cancel` answers 500 to that. */
  turns(how: 'ok' | 'used_up' | 'no_receipt' | 'breaks_off' | 'says_no' | 'refuses_cancel'): void;
  /** How often each receipt was asked for. */
  asked(receipt: string): number;
  /** Answers 500 to every question about this receipt from now on. */
  breaks(receipt: string): void;
  /** The account of this user key is closed from now on. */
  closes(user: string): void;
}

/** Starts one. It knows TOKEN, ANNAS_KEY and BENS_KEY. */
export async function startPushover(): Promise<Pushover> {
  const rung: Rung[] = [];
  const users = new Set([ANNAS_KEY, BENS_KEY]);
  const asked = new Map<string, number>();
  const broken = new Set<string>();
  let how: Parameters<Pushover['turns']>[0] = 'ok';

  function take(fields: URLSearchParams, response: ServerResponse): void {
    const said = (name: string) => fields.get(name) ?? '';
    if (how === 'used_up') return void answer(response, 429, { status: 0, errors: ['message limit reached'] });
    if (how === 'says_no') return void answer(response, 200, { status: 0, errors: ['something else'] });
    if (said('token') !== TOKEN) {
      return void answer(response, 400, { token: 'invalid', errors: ['application token is invalid'], status: 0 });
    }
    if (!users.has(said('user'))) {
      const errors = ['user identifier is not a valid user, group, or subscribed user key'];
      return void answer(response, 400, { user: 'invalid', errors, status: 0 });
    }
    const priority = Number(said('priority'));
    const wrong = wrongWith(said, priority);
    if (wrong !== null) return void answer(response, 400, { errors: [wrong], status: 0 });
    const receipt = priority === 2 && how !== 'no_receipt' ? `r${randomBytes(15).toString('hex').slice(0, 29)}` : '';
    const [user, title, message, url, tag] = ['user', 'title', 'message', 'url', 'tags'].map(said) as Five;
    rung.push({ user, tag, title, message, url, priority, receipt, is: 'ringing', acknowledgedBy: '' });
    if (how === 'breaks_off') return void response.socket?.resetAndDestroy();
    answer(response, 200, { status: 1, request: randomBytes(8).toString('hex'), ...(receipt !== '' && { receipt }) });
  }

  function tell(receipt: string, response: ServerResponse): void {
    asked.set(receipt, (asked.get(receipt) ?? 0) + 1);
    if (broken.has(receipt)) return void answer(response, 500, { status: 0 });
    const one = rung.find(known => known.receipt === receipt);
    if (one === undefined) return void answer(response, 404, { receipt: 'not found', status: 0 });
    answer(response, 200, {
      status: 1,
      acknowledged: one.is === 'acknowledged' ? 1 : 0,
      // Its clock is its own.
      acknowledged_at: one.is === 'acknowledged' ? 1 : 0,
      acknowledged_by: one.acknowledgedBy,
      last_delivered_at: 1,
      expired: one.is === 'expired' || one.is === 'cancelled' ? 1 : 0,
      called_back: 0,
    });
  }

  function cancel(tag: string, response: ServerResponse): void {
    if (how === 'refuses_cancel') return void answer(response, 500, { status: 0 });
    for (const one of rung) if (one.tag === tag && one.is === 'ringing') one.is = 'cancelled';
    answer(response, 200, { status: 1 });
  }

  const peer = await startPeer(({ method, path, body }: Heard, response) => {
    const url = new URL(path, 'http://pushover');
    const [, receipt = ''] = /^\/1\/receipts\/(?:cancel_by_tag\/)?(\w+)\.json$/.exec(url.pathname) ?? [];
    const token = method === 'POST' ? new URLSearchParams(body).get('token') : url.searchParams.get('token');
    if (method === 'POST' && url.pathname === '/1/messages.json') return take(new URLSearchParams(body), response);
    if (token !== TOKEN) return void answer(response, 400, { token: 'invalid', status: 0 });
    if (url.pathname === '/1/apps/limits.json') {
      return void answer(response, 200, {
        limit: 10_000,
        remaining: how === 'used_up' ? 0 : 7_496,
        reset: 1,
        status: 1,
      });
    }
    if (receipt === '') return void answer(response, 404, { status: 0 });
    if (method === 'POST') cancel(receipt, response);
    else tell(receipt, response);
  });

  return {
    ...peer,
    settings: { token: TOKEN, apiUrl: peer.url },
    rung,
    next: (wanted = () => true) => eventually(() => rung.find(wanted), { what: 'a message to Pushover' }),
    press(one, by = one.user) {
      one.is = 'acknowledged';
      one.acknowledgedBy = by;
    },
    turns(next) {
      how = next;
    },
    asked: receipt => asked.get(receipt) ?? 0,
    breaks: receipt => void broken.add(receipt),
    closes: user => void users.delete(user),
  };
}

/** What Pushover says is wrong with a message; null: nothing. */
function wrongWith(said: (name: string) => string, priority: number): string | null {
  if (said('message') === '') return 'message cannot be blank';
  if ([...said('message')].length > 1_024) return 'message is too long';
  if ([...said('title')].length > 250) return 'title is too long';
  if (priority !== 2) return null;
  if (!(Number(said('retry')) >= 30)) return 'retry is too small';
  return Number(said('expire')) <= 10_800 ? null : 'expire is too large';
}

function answer(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}
