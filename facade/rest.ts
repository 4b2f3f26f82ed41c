import { METHODS } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type DescMessage, type Message, type MessageInitShape, toJson } from '@bufbuild/protobuf';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { AlarmService } from '../gen/tocsin/alarm/v1/alarm_pb.ts';
import { InventoryService } from '../gen/tocsin/inventory/v1/inventory_pb.ts';
import { createInTurn } from '../services/limits/fair.ts';
import type { Places } from '../services/limits/places.ts';
import type { LimitedCall, RateLimits } from '../services/limits/rate-limits.ts';
import { createSlowdown, type Slowdown } from '../services/limits/slowdown.ts';
import type { Strangers } from '../services/limits/strangers.ts';
import { REFUSED } from '../services/limits/table.ts';
import { type CallClass, classOf, isRead } from '../services/process/call-class.ts';
import { isSecret } from '../services/process/secret-shape.ts';
import type { Span } from '../services/process/span.ts';
import { recordSpan } from '../services/process/traces.ts';
import { type Answer, JSON_HEADERS, send } from './answer.ts';
import { type Binding, bindingsOf } from './bindings.ts';
import type { Caller, Services } from './client.ts';
import { encodedEnvelope, successEnvelope } from './envelope.ts';
import { answerToError, BAD_KEY, methodNotAllowed, notFound, tooMany, tooMuchUnread, tryAgain } from './errors.ts';
import { callsAnswered } from './metrics.ts';
import type { Overload } from './overload.ts';
import { newTraceId, traceTime } from './trace.ts';
import { createTurnedAwayCalls } from './turned-away.ts';
import { createUnread } from './unread.ts';

/** The services behind /v1: each of their methods with google.api.http is a route. */
const SERVICES = [AlarmService, InventoryService];

/** Every path below /v1, including unknown ones. */
const EVERYTHING = ['/v1', '/v1/*'];

/** All methods of a request but CONNECT: Node ends such connections. */
const ALL_METHODS = METHODS.filter(method => method !== 'CONNECT');

/** Answers of so many characters take the thread for a millisecond and more to write out. */
const LARGE = 200_000;

export interface Rest {
  register(app: FastifyInstance): void;
  /** Answers a call to an unknown path: 401 for a bad key, else 404. */
  answerUnknownPath(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

type Answerer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/**
 * Creates /v1: a route for each path that the protos give to an RPC, and the answers to everything else below /v1, in the order
 * of DECISIONS.md "Order of checks": key, known path, method, then the RPC itself.
 */
export function createRest(deps: {
  services: Services;
  overload: Overload;
  /** The limits of keys. The services apply those of accounts. */
  rateLimits: RateLimits;
  strangers: Strangers;
  places: Places;
  /** Of the triggers of each panic button. */
  pressed: Slowdown;
  /** URL of the arming guide, for links.help. */
  helpUrl: () => string;
  log: Logger;
}): Rest {
  const { services, overload, rateLimits, strangers, places, pressed, helpUrl, log } = deps;
  const turnedAway = createTurnedAwayCalls(services);
  const unread = createUnread();
  /** Whoever asks on however often it is told to wait. */
  const refused = createSlowdown(REFUSED);
  /** Large answers are made one in each round of the event loop, so that everybody else's calls go between them. */
  const inTurn = createInTurn();

  /** Does what all calls share: trace id, limits of the key, slot, metrics, and errors as answers. */
  function answerer(
    route: string,
    callClass: CallClass,
    ask: (caller: Caller, params: unknown) => Promise<Answer>,
  ): Answerer {
    async function answerTo(caller: Caller, params: unknown): Promise<Answer> {
      // It comes before all that could be full, and takes no place from others (DECISIONS.md "401").
      if (!mayBeKey(caller.apiKey)) return BAD_KEY;
      const limited = { of: keyOf(caller), callClass, source: sourceOf(params) };
      if (rateLimits.take(limited) === 'too_many') {
        if (callClass !== 'read') turnedAway.limited({ caller, verb: verbOf(route), source: limited.source });
        return tooMany(caller.traceId);
      }
      if (callClass === 'read' && unread.mayHaveMore(limited.of) === 'too_much') return tooMuchUnread(caller.traceId);
      if (overload.take(callClass) === 'shed') {
        if (callClass !== 'read') turnedAway.shed({ caller, verb: verbOf(route), source: limited.source });
        return tryAgain(caller.traceId);
      }
      try {
        return await ask(caller, params);
      } catch (error) {
        const answer = answerToError(error, caller.traceId, helpUrl);
        if (answer.status === 500) log.error({ err: error, traceId: caller.traceId, route }, 'a call failed');
        return answer;
      } finally {
        overload.release();
      }
    }
    callsAnswered.begin(route, 503);
    return async (request, reply) => {
      const { 'x-api-key': apiKey, 'user-agent': agent } = request.headers;
      const caller = { apiKey, traceId: newTraceId(), address: request.ip, agent };
      const answer = await answerTo(caller, request.params);
      const came = CAME_OF[answer.status];
      const source = sourceOf(request.params);
      if (came !== undefined) rateLimits.learn({ of: keyOf(caller), source }, came);
      if (came === 'bad') await strangers.turnedAway(caller.address);
      else if (came !== undefined) places.keep(request.raw.socket);
      if (answer.status === 429) await refused.slow(keyOf(caller) ?? '');
      if (answer.status === 202 && callClass === 'trigger' && source?.kind === 'panic_button')
        await pressed.slow(source.id);
      callsAnswered.count(route, answer.status);
      recordSpan?.(spanOf(request, route, caller.traceId, answer.status));
      if (came === 'good') unread.given(keyOf(caller), reply.raw, answer.body.length);
      return send(reply, answer);
    };
  }

  function answerCallOf({ method, template }: Binding): Answerer {
    const kind = isRead(method) ? 'read' : 'action';
    return answerer(template, classOf(method), async (caller, params) => {
      const { traceId } = caller;
      const answer = await services.call(method, params as MessageInitShape<DescMessage>, caller);
      const data = dataOf(method.output, answer.message);
      if (typeof data !== 'string') await inTurn(keyOf(caller) ?? '', () => setImmediate());
      const body = typeof data === 'string' ? successEnvelope(traceId, data) : encodedEnvelope(traceId, data);
      // To ask for the headers of an answer creates them.
      return kind === 'read'
        ? { status: 200, headers: cacheHeaders(answer.header.get('cache-control')), body }
        : { status: 202, headers: JSON_HEADERS, body };
    });
  }

  const answerMethodOf = ({ template }: Binding): Answerer =>
    answerer(template, 'read', async (caller, params) => {
      const sourceId = sourceOf(params)?.id ?? '';
      await services.checkKey(caller, { refusal: 'wrong_method', verb: verbOf(template), sourceId });
      return methodNotAllowed(caller.traceId);
    });

  const answerUnknownPath = answerer('/v1/*', 'read', async caller => {
    await services.checkKey(caller, { refusal: 'unknown_path' });
    return notFound(caller.traceId);
  });

  return {
    answerUnknownPath,
    register(app) {
      for (const method of ALL_METHODS) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
      for (const binding of bindingsOf(SERVICES)) {
        app.get(binding.path, answerCallOf(binding));
        refuse(
          app,
          [binding.path],
          ALL_METHODS.filter(method => method !== 'GET'),
          answerMethodOf(binding),
        );
      }
      refuse(app, EVERYTHING, ALL_METHODS, answerUnknownPath);
    },
  };
}

/** Writes a message out once, and encodes it once if it is large: the services give the same message to all who are told the same. */
const dataOf = (() => {
  const known = new WeakMap<Message, string | Buffer>();
  return (schema: DescMessage, message: Message): string | Buffer => {
    const before = known.get(message);
    if (before !== undefined) return before;
    const text = JSON.stringify(toJson(schema, message, { alwaysEmitImplicit: true }));
    const data = text.length < LARGE ? text : Buffer.from(text);
    known.set(message, data);
    return data;
  };
})();

/** Tells whether a header can be a key: what is missing, doubled or mistyped cannot. */
function mayBeKey(apiKey: Caller['apiKey']): boolean {
  return typeof apiKey === 'string' && isSecret('toc', apiKey);
}

function keyOf({ apiKey }: Caller): string | null {
  return typeof apiKey === 'string' ? apiKey : null;
}

/** From when a call came until its answer is sent. */
function spanOf({ method, headers }: FastifyRequest, route: string, traceId: string, status: number): Span {
  return {
    name: `${method} ${route}`,
    traceId,
    place: 'call',
    kind: 'server',
    beganAt: traceTime(traceId),
    endedAt: Date.now(),
    result: status >= 500 ? 'failed' : 'ok',
    attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
    caller: headers.traceparent,
  };
}

/** Returns what an answer says about its key; nothing if the key was not checked. */
const CAME_OF: Readonly<Record<number, 'accepted' | 'good' | 'bad'>> = {
  200: 'good',
  202: 'accepted',
  404: 'good',
  405: 'good',
  401: 'bad',
};

/** Returns the source that the parameters of a path name; a path that cannot be decoded has none. */
function sourceOf(params: unknown): LimitedCall['source'] {
  const { alarmId, panicId } = (params ?? {}) as { alarmId?: string; panicId?: string };
  if (alarmId !== undefined) return { kind: 'alarm', id: alarmId };
  return panicId === undefined ? null : { kind: 'panic_button', id: panicId };
}

/** Returns the verb of a path: its last segment that is no parameter, `arm` in `/v1/alarm/{alarm_id}/arm/{mode_id}`. */
function verbOf(template: string): string {
  return template.split('/').findLast(word => !word.startsWith('{')) ?? '';
}

/** Refuses before Fastify parses the body, whose type or size must not change the answer. */
function refuse(app: FastifyInstance, paths: string[], method: string[], answer: Answerer): void {
  for (const url of paths) app.route({ url, method, onRequest: answer, handler: answer });
}

/** Sets caching as the RPC says. Caches must tell keys apart (DECISIONS.md "Caching"). */
function cacheHeaders(cacheControl: string | null): Answer['headers'] {
  return cacheControl === null ? JSON_HEADERS : { ...JSON_HEADERS, 'cache-control': cacheControl, vary: 'X-API-Key' };
}
