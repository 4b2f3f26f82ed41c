import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Heard, type Peer, startPeer } from './peer.ts';
import { eventually } from './wait.ts';

/** A message as the server took it (https://docs.ntfy.sh/publish/#publish-as-json). */
export interface Push {
  id: string;
  topic: string;
  title: string;
  message: string;
  priority: number;
  tags: string[];
  click?: string;
  sequence_id?: string;
  actions?: { action: string; label: string; url: string; method?: string; clear?: boolean }[];
}

/** A server that does what ntfy does with what is published to its root. */
export interface Ntfy extends Peer {
  /** Everything that was taken, in order. */
  pushes: readonly Push[];
  /** The first push, of those taken already and those to come, for which `wanted` holds; any where it is absent. */
  next(wanted?: (push: Push) => boolean): Promise<Push>;
  /** Refuses everything from now on as ntfy does: its own code, and the status that it begins with. */
  refuse(code: number, error: string): void;
}

/** The longest message that stays one; a longer one becomes a file, which no phone shows at night. */
const LONGEST = 4096;

/** Starts one. `token`: it takes nothing without this one. */
export async function startNtfy({ token }: { token?: string } = {}): Promise<Ntfy> {
  const pushes: Push[] = [];
  const peer = await startPeer((heard, response) => {
    if (token !== undefined && heard.headers.authorization !== `Bearer ${token}`) return forbid(heard, response);
    const push = read(heard);
    if (typeof push === 'string') return fail(response, 40024, push);
    const taken = { id: randomBytes(6).toString('hex'), ...push };
    pushes.push(taken);
    json(response, 200, { ...taken, time: Math.floor(Date.now() / 1000), event: 'message' });
  });
  return {
    ...peer,
    pushes,
    next: (wanted = () => true) => eventually(() => pushes.find(wanted), { what: 'a push' }),
    refuse(code, error) {
      const status = Math.floor(code / 100);
      peer.behave({ status, headers: { 'content-type': 'application/json' }, body: errorOf(status, code, error) });
    },
  };
}

/** What is wrong with a request, or the message in it. */
function read({ method, path, body }: Heard): string | Omit<Push, 'id'> {
  if (method !== 'POST' || path !== '/') return 'page not found';
  const push = parse(body);
  if (push === null) return 'invalid request: request body must be message JSON';
  if (!/^[-_A-Za-z0-9]{1,64}$/.test(push.topic)) return 'invalid request: topic invalid';
  if (![1, 2, 3, 4, 5].includes(push.priority)) return 'invalid request: priority invalid';
  if (Buffer.byteLength(push.message) > LONGEST) return 'message is too long';
  if ((push.actions ?? []).some(({ action }) => !['view', 'http', 'broadcast'].includes(action)))
    return 'invalid request: actions invalid';
  return push;
}

function parse(body: string): Push | null {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function forbid({ headers }: Heard, response: ServerResponse): void {
  if (headers.authorization === undefined) fail(response, 40301, 'forbidden');
  else fail(response, 40101, 'unauthorized');
}

function fail(response: ServerResponse, code: number, error: string): void {
  const status = Math.floor(code / 100);
  response.writeHead(status, { 'content-type': 'application/json' }).end(errorOf(status, code, error));
}

function errorOf(http: number, code: number, error: string): string {
  return JSON.stringify({ code, http, error, link: 'https://ntfy.sh/docs/publish/' });
}

function json(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}
