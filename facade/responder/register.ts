import { type Client, Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ResponderService } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import type { Places } from '../../services/limits/places.ts';
import type { RateLimits } from '../../services/limits/rate-limits.ts';
import type { Strangers } from '../../services/limits/strangers.ts';
import type { CallClass } from '../../services/process/call-class.ts';
import { type Answer, JSON_HEADERS, send } from '../answer.ts';
import type { Overload } from '../overload.ts';
import { type Asked, faultAnswer, outcomeAnswer, pageAnswer, TRY_AGAIN, toPage, type Wanted } from './answers.ts';
import { carrierAnswer, carrierFault, carrierRequest } from './carriers.ts';
import { createPageEvents, FOLLOW_LIMITS, type FollowLimits } from './events.ts';
import { SCRIPT, SCRIPT_PATH } from './html.ts';
import { responsesAnswered } from './metrics.ts';
import { RING_MANIFEST_PATH, RING_SCRIPT_PATH, ringAnswer, ringManifest, ringScript } from './ring.ts';
import type { PageVerb } from './verbs.ts';

/** The largest body that is accepted, in bytes. */
const BODY_MOST = 64 * 1024;

/** How long the services may take, in milliseconds: a person's action is applied before it is answered. */
const READ_MS = 2_500;
const ACT_MS = 7_000;

/** The same where a test message goes out before it is answered. */
const RING_MS = 15_000;

export interface ResponderRoutes {
  transport: Transport;
  overload: Overload;
  /** One link may ask as much as one key. */
  rateLimits: RateLimits;
  /** Who shows a link or a signature that is none. */
  strangers: Strangers;
  places: Places;
  log: Logger;
  /** Absent: those of events.ts. */
  limits?: FollowLimits;
}

/**
 * The routes for those who were alerted: the page `/i/<token>`, its buttons and its changes, and `/carrier/…`,
 * where carriers report and ask (ResponderService). A GET only shows: mail scanners follow links (DECISIONS.md
 * "Acknowledge").
 */
export function registerResponder(app: FastifyInstance, deps: ResponderRoutes): void {
  const client = createClient(ResponderService, deps.transport);
  app.register(async scope => {
    // Carriers send any type, and the signature covers their bytes; forms of the page have a few fields.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_MOST }, (_request, body, done) => {
      done(null, body);
    });
    scope.setErrorHandler((error: FastifyError, _request, reply) => send(reply, unreadable(error)));
    registerPage(scope, client, deps);
    registerRing(scope, client, deps);
    registerCarriers(scope, client, deps);
  });
}

function registerPage(app: FastifyInstance, client: Client<typeof ResponderService>, deps: ResponderRoutes): void {
  const route = '/i/{token}';
  const show = answering(deps, route, 'read', async ({ token, path, said }) => {
    // Relative links on the page would lead below this path.
    if (path.endsWith('/')) return toPage({ token, path });
    const { page } = await client.getPage({ token, said }, { timeoutMs: READ_MS });
    return pageAnswer(page!, token);
  });
  app.get('/i/:token', { exposeHeadRoute: true }, show);

  const within = { timeoutMs: ACT_MS };
  const rang = async (token: string, ring: 'aloud' | 'silent') => {
    await client.tellRing({ token, ring }, within);
    return { outcome: ring };
  };
  const acts: Record<PageVerb, (asked: Asked) => Promise<{ outcome: string }>> = {
    acknowledge: ({ token, form }) => client.acknowledgeByLink({ token, via: form('via') }, within),
    shown: ({ token, form }) => client.tellShown({ token, attempt: Number(form('attempt')) || 1 }, within),
    next: ({ token, form }) => client.nextStepByLink({ token, step: form('step') }, within),
    'hand-over': ({ token, form }) => client.handOverByLink({ token, contactId: form('contact') }, within),
    decline: ({ token }) => client.declineByLink({ token }, within),
    note: ({ token, form }) => client.addNoteByLink({ token, text: form('text') }, within),
    close: ({ token, form }) => client.closeByLink({ token, disposition: form('disposition') }, within),
    aloud: ({ token }) => rang(token, 'aloud'),
    silent: ({ token }) => rang(token, 'silent'),
  };
  for (const [verb, act] of Object.entries(acts)) {
    const path = `/i/:token/${verb}`;
    const answer = answering(deps, `${route}/${verb}`, 'action', async asked =>
      outcomeAnswer((await act(asked)).outcome, asked),
    );
    app.post(path, answer);
    // A browser that reopens its tabs must not act.
    app.get(path, (request, reply) => send(reply, toPage(askedBy(request))));
  }

  const follow = createPageEvents(app, client, deps.limits ?? FOLLOW_LIMITS);
  app.get('/i/:token/events', async (request, reply) => {
    const limited = { of: linkOf(tokenOf(request)), callClass: 'read', source: null } as const;
    if (deps.rateLimits.take(limited) === 'too_many') return send(reply, TRY_AGAIN.json);
    await follow(reply, tokenOf(request), { address: request.ip, begun: () => deps.places.keep(request.raw.socket) });
    if (reply.raw.statusCode === 200) deps.rateLimits.learn(limited, 'good');
    return reply;
  });

  app.get(SCRIPT_PATH, (_request, reply) => send(reply, SCRIPT_ANSWER));
}

/** The page of a link that makes a browser ring for a person. A GET only shows; the browser itself posts what it subscribed with. */
function registerRing(app: FastifyInstance, client: Client<typeof ResponderService>, deps: ResponderRoutes): void {
  const route = '/ring/{token}';
  app.get(RING_SCRIPT_PATH, (_request, reply) => send(reply, ringScript()));
  app.get(RING_MANIFEST_PATH, (request, reply) =>
    send(reply, ringManifest(String((request.query as { of?: unknown }).of ?? ''))),
  );
  const show = answering(deps, route, 'read', async ({ token }) => {
    return ringAnswer(await client.getDeviceLink({ token }, { timeoutMs: READ_MS }), token);
  });
  app.get('/ring/:token', { exposeHeadRoute: true }, show);
  const add = answering(deps, route, 'action', async ({ token, form }) => {
    const [endpoint, p256dh, auth, name] = ['endpoint', 'p256dh', 'auth', 'name'].map(form) as Four;
    try {
      const asked = { token, endpoint, p256dh, auth, name };
      const { outcome, problem } = await client.addDeviceByLink(asked, { timeoutMs: RING_MS });
      return { status: 200, headers: JSON_HEADERS, body: JSON.stringify({ outcome, problem }) };
    } catch (fault) {
      const { code, rawMessage } = ConnectError.from(fault);
      if (code !== Code.InvalidArgument && code !== Code.FailedPrecondition) throw fault;
      return { status: 400, headers: JSON_HEADERS, body: JSON.stringify({ message: rawMessage }) };
    }
  });
  app.post('/ring/:token', add);
}

type Four = [string, string, string, string];

function registerCarriers(app: FastifyInstance, client: Client<typeof ResponderService>, deps: ResponderRoutes): void {
  const route = '/carrier/{carrier}/{topic}';
  const receive = async (request: FastifyRequest, reply: FastifyReply) => {
    const answer = await within(deps.overload, 'action', TRY_AGAIN.json, async () => {
      const response = await client.receiveFromCarrier(carrierRequest(request), { timeoutMs: ACT_MS });
      return carrierAnswer(response);
    }).catch(carrierFault);
    responsesAnswered.inc({ route, status: answer.status });
    if (isTurnedAway(answer)) await deps.strangers.turnedAway(request.ip);
    return send(reply, answer);
  };
  app.post('/carrier/:carrier/:topic', receive);
  app.post('/carrier/:carrier/:topic/*', receive);
}

function answering(
  { overload, rateLimits, strangers, places, log }: ResponderRoutes,
  route: string,
  callClass: CallClass,
  ask: (asked: Asked) => Promise<Answer>,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const asked = askedBy(request);
    const limited = { of: linkOf(asked.token), callClass, source: null };
    if (rateLimits.take(limited) === 'too_many') return send(reply, TRY_AGAIN[asked.wanted]);
    const answer = await within(overload, callClass, TRY_AGAIN[asked.wanted], () => ask(asked)).catch(fault => {
      const refused = faultAnswer(fault, asked.wanted);
      if (refused.status === 500) log.error({ err: fault, route }, 'a call of the page failed');
      return refused;
    });
    responsesAnswered.inc({ route, status: answer.status });
    if (answer.status < 400) {
      rateLimits.learn(limited, 'good');
      places.keep(request.raw.socket);
    }
    if (isTurnedAway(answer)) await strangers.turnedAway(request.ip);
    return send(reply, answer);
  };
}

/** The link or the signature was none that this deployment made, or the request was not to be understood. */
function isTurnedAway({ status }: Answer): boolean {
  return status >= 400 && status < 500 && status !== 429;
}

async function within(
  overload: Overload,
  callClass: CallClass,
  shed: Answer,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  if (overload.take(callClass) === 'shed') return shed;
  try {
    return await ask();
  } finally {
    overload.release();
  }
}

function askedBy(request: FastifyRequest): Asked {
  const [path = ''] = (request.raw.url ?? '').split('?', 1);
  const { body } = request;
  const fields = new URLSearchParams(typeof body === 'string' ? body : '');
  return {
    ...{ token: tokenOf(request), path, wanted: wantedBy(request) },
    form: name => fields.get(name) ?? '',
    said: new URLSearchParams((request.raw.url ?? '').split('?')[1] ?? '').get('said') ?? '',
  };
}

/** What the calls of a link are counted for; one that opens nothing is never remembered. */
function linkOf(token: string): string {
  return `link ${token}`;
}

function tokenOf({ params }: FastifyRequest): string {
  return (params as { token: string }).token;
}

/** Only a browser sends forms or asks for HTML; the buttons of push messages do neither. */
function wantedBy({ headers, method }: FastifyRequest): Wanted {
  const { accept = '', 'content-type': type = '' } = headers;
  if (method !== 'POST') return 'html';
  return accept.includes('text/html') || type.startsWith('application/x-www-form-urlencoded') ? 'html' : 'json';
}

const SCRIPT_ANSWER: Answer = {
  status: 200,
  headers: {
    ...JSON_HEADERS,
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  },
  body: SCRIPT,
};

function unreadable({ statusCode = 500 }: FastifyError): Answer {
  const status = statusCode >= 400 && statusCode < 500 ? statusCode : 500;
  return { status, headers: JSON_HEADERS, body: JSON.stringify({ message: 'The request cannot be read.' }) };
}
