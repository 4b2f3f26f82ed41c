import { request } from 'node:http';
import { Code, ConnectError, createRouterTransport } from '@connectrpc/connect';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { type FacadeOptions, startFacade } from '../../../facade/app.ts';
import type { Config } from '../../../facade/config.ts';
import { SessionService } from '../../../gen/tocsin/console/v1/sessions_pb.ts';
import { IncidentService } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { facadeConfig } from '../../support/facade-config.ts';

/** The one good session, and what no session ever is. */
export const SECRET = `tcs_${'s'.repeat(36)}`;
export const TOKEN = `tcn_${'t'.repeat(36)}`;
export const KEY = `toc_${'k'.repeat(36)}`;

/** A console token that is looked up for as long as the test says. */
export const HELD = `tcn_${'h'.repeat(36)}`;

/** An address that was asked for too many codes. */
export const TOO_OFTEN = 'too-often@example.com';

/** The metadata of a call as the services see it. */
export type Seen = { method: string } & Record<string, string>;

/** A facade before services of another process's contract, spoken through a real Connect router. */
export async function startDoor(config: Partial<Config> = {}, { limits }: Pick<FacadeOptions, 'limits'> = {}) {
  const seen: Seen[] = [];
  let good = true;
  const streams = { open: 0 };
  const held = Promise.withResolvers<void>();
  const see = (method: string, header: Headers) => {
    seen.push({ method, ...Object.fromEntries(header) });
    if (good && header.get('authorization') === `Bearer ${SECRET}`) return;
    throw new ConnectError('The session is missing or not valid.', Code.Unauthenticated);
  };
  const transport = createRouterTransport(router => {
    router.service(SessionService, {
      startSignIn({ email }, { requestHeader }) {
        seen.push({ method: 'StartSignIn', ...Object.fromEntries(requestHeader) });
        if (email === TOO_OFTEN) throw new ConnectError('Try again later.', Code.ResourceExhausted);
        return {};
      },
      async signIn(message, { requestHeader }) {
        seen.push({ method: 'SignIn', ...Object.fromEntries(requestHeader) });
        if (message.way.case === 'consoleToken' && message.way.value.token === HELD) await held.promise;
        if (message.way.case !== 'consoleToken' || message.way.value.token !== TOKEN) {
          throw new ConnectError('That opens nothing.', Code.Unauthenticated);
        }
        const shown = requestHeader.get('x-tocsin-browser');
        const browser = shown === null ? '' : `${shown.slice(0, 32)}.${'p'.repeat(43)}`;
        return { secret: SECRET, browser, expiresAt: { seconds: 2_000_000_000n }, session: { id: 'i'.repeat(32) } };
      },
      async getPhoneLink({ secret }) {
        if (secret === HELD) await held.promise;
        throw new ConnectError('That opens nothing.', Code.Unauthenticated);
      },
      getSession(_message, { requestHeader }) {
        see('GetSession', requestHeader);
        return { kind: 'member' };
      },
      endSession({ sessionId }, { requestHeader }) {
        see('EndSession', requestHeader);
        if (sessionId === 'own') good = false;
        return {};
      },
      endAllSessions(_message, { requestHeader }) {
        see('EndAllSessions', requestHeader);
        good = false;
        return { ended: 1 };
      },
    });
    router.service(IncidentService, {
      listIncidents(_message, { requestHeader }) {
        see('ListIncidents', requestHeader);
        return { incidents: [{ id: 'a'.repeat(32) }] };
      },
      async *watchIncidents(_message, { requestHeader, signal }) {
        see('WatchIncidents', requestHeader);
        yield { kind: 'ready' };
        streams.open++;
        await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }));
        streams.open--;
      },
    });
  });
  const facade = await startFacade({
    transport,
    config: facadeConfig({ rateLimits: 'on', ...config }),
    log: pino({ level: 'silent' }),
    ...(limits !== undefined && { limits }),
  });
  onTestFinished(() => facade.close());
  return { url: facade.url, facade, seen, streams, held };
}

export type Door = Awaited<ReturnType<typeof startDoor>>;

export interface Got {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Record<string, unknown>;
  text: string;
}

/**
 * What a browser sends with a call of one of our own pages, unless `headers` says otherwise; undefined takes one away. `bytes`:
 * the body as it stands on the wire.
 */
export async function call(
  { url }: Pick<Door, 'url'>,
  method: string,
  {
    body = {},
    bytes = Buffer.from(JSON.stringify(body)),
    verb = 'POST',
    headers = {},
  }: { body?: object; bytes?: Buffer; verb?: string; headers?: Record<string, string | undefined> } = {},
): Promise<Got> {
  const usual = {
    'content-type': 'application/json',
    'connect-protocol-version': '1',
    'sec-fetch-site': 'same-origin',
    origin: url,
    cookie: `tocsin-session=${SECRET}`,
  };
  const sent = Object.fromEntries(Object.entries({ ...usual, ...headers }).filter(([, value]) => value !== undefined));
  const { promise, resolve, reject } = Promise.withResolvers<Got>();
  // Not fetch: it forbids what an attacker is free to send.
  const outgoing = request(
    `${url}/rpc/${method}`,
    { method: verb, headers: sent as Record<string, string> },
    incoming => {
      let text = '';
      incoming.setEncoding('utf8').on('data', chunk => (text += chunk));
      incoming.on('error', reject);
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: parsed(text), text }),
      );
    },
  );
  outgoing.on('error', reject);
  outgoing.end(verb === 'GET' || verb === 'HEAD' ? undefined : bytes);
  return promise;
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
