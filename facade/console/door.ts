import { createHash } from 'node:crypto';
import type { DescMethod, DescMethodServerStreaming, DescMethodUnary, DescService, Message } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type ServiceImpl,
  type Transport,
} from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as consoleApi from '../../gen/tocsin/console/v1/index.ts';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { BadCallers } from '../../services/process/bad-callers.ts';
import { classOf } from '../../services/process/call-class.ts';
import type { RateLimits } from '../../services/process/rate-limits.ts';
import { en } from '../../services/words/en.ts';
import { languageFor } from '../../services/words/language.ts';
import type { OwnerWords } from '../../services/words/owner/words.ts';
import { type Answer, JSON_HEADERS, send } from '../answer.ts';
import type { Overload } from '../overload.ts';
import { noSessionCookie, sessionCookie, sessionIn } from './cookie.ts';
import { languageOf, metadataOf } from './metadata.ts';
import { cameFrom, lineOf } from './origin.ts';
import { createStreams } from './streams.ts';

export interface DoorOptions {
  transport: Transport;
  publicUrl(): string;
  /** `refused`: nobody signs in over a line that is not encrypted. */
  openLine: 'taken' | 'refused';
  overload: Overload;
  rateLimits: RateLimits;
  badCallers: BadCallers;
}

const { SessionService } = consoleApi;

/** What a browser may call: everything that is for owners. */
export const CONSOLE_SERVICES: readonly DescService[] = [
  ...Object.values(consoleApi).filter((made): made is typeof made & DescService => isService(made)),
  IncidentService,
];

/** What opens a session, and so needs none. */
const OPENERS: readonly DescMethod[] = [
  SessionService.method.listSignInWays,
  SessionService.method.startSignIn,
  SessionService.method.signIn,
];

/** How long the services may take for one call, in milliseconds; an acknowledgement answers when it is applied. */
const UNARY_MS = 10_000;

/** The largest request that is taken, in bytes: a whole configuration. */
const REQUEST_MOST = 4 * 1024 * 1024;

const REQUEST = createContextKey<FastifyRequest | null>(null);

/**
 * `/rpc`: the console's way to the services, for browsers alone (DECISIONS.md "Console door"). A POST of one of our own pages is
 * passed on with the session of its cookie, and with nothing else that it brought along but the account it names.
 */
export function registerDoor(app: FastifyInstance, on: DoorOptions): void {
  app.register(
    async scope => {
      scope.addHook('onRequest', async (request, reply) => {
        const refusal = refusalOf(request, on.publicUrl());
        if (refusal !== null) return send(reply, refusal);
      });
      // Whatever it answers is for this browser, now.
      scope.addHook('onRequest', async (_request, reply) => {
        reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      });
      await scope.register(fastifyConnectPlugin, {
        routes: router => {
          for (const service of CONSOLE_SERVICES) router.service(service, forwarderOf(service, on));
        },
        contextValues: request => createContextValues().set(REQUEST, request),
        grpc: false,
        grpcWeb: false,
        requireConnectProtocolHeader: true,
        readMaxBytes: REQUEST_MOST,
        maxTimeoutMs: 60_000,
        shutdownTimeoutMs: 0,
      });
    },
    { prefix: '/rpc' },
  );
}

/** What is refused before a byte of the body is read. */
function refusalOf(request: FastifyRequest, publicUrl: string): Answer | null {
  const { method, headers, host } = request;
  if (method !== 'POST')
    return refused(405, 'unimplemented', 'This is called with POST, by the console.', { allow: 'POST' });
  if (headers['connect-protocol-version'] === undefined) {
    return refused(400, 'invalid_argument', 'The header connect-protocol-version is missing: this is for the console.');
  }
  const site = headers['sec-fetch-site'];
  const from = cameFrom({ site: typeof site === 'string' ? site : undefined, origin: headers.origin, host, publicUrl });
  if (from === 'own_page') return null;
  const message = 'This is for pages of this address alone. If it is, PUBLIC_URL should say where people reach it.';
  return refused(403, 'permission_denied', message);
}

function refused(status: number, code: string, message: string, more: Record<string, string> = {}): Answer {
  return { status, headers: { ...JSON_HEADERS, ...more }, body: JSON.stringify({ code, message }) };
}

/** Hands every method of a service to the transport. */
function forwarderOf(service: DescService, on: DoorOptions): ServiceImpl<DescService> {
  const streams = createStreams();

  async function forward(method: DescMethodUnary, input: Message, context: HandlerContext): Promise<Message> {
    const call = callOf(context, method);
    if (on.rateLimits.take({ of: call.of, callClass: classOf(method), source: null }) === 'too_many')
      throw tooMany(call);
    if (on.overload.take('read') === 'shed') throw new ConnectError(call.say.tooMuchUnderWay, Code.Unavailable);
    try {
      const { message } = await on.transport.unary(method, undefined, UNARY_MS, call.metadata, input);
      on.rateLimits.learn({ of: call.of, source: null }, 'good');
      return await kept(method, message, call, context);
    } finally {
      on.overload.release();
    }
  }

  /** A session goes into the cookie and no further, and out of it when it has ended. */
  async function kept(method: DescMethod, message: Message, call: Call, context: HandlerContext): Promise<Message> {
    if (method === SessionService.method.signIn) {
      const { secret } = message as consoleApi.SignInResponse;
      context.responseHeader.append('set-cookie', sessionCookie(secret, call.line));
      return { ...message, secret: '' } as Message;
    }
    const ends = method === SessionService.method.endSession || method === SessionService.method.endAllSessions;
    if (ends && !(await isGood(call))) context.responseHeader.append('set-cookie', noSessionCookie(call.line));
    return message;
  }

  async function isGood(call: Call): Promise<boolean> {
    const asked = on.transport.unary(SessionService.method.getSession, undefined, UNARY_MS, call.metadata, {});
    return asked.then(
      () => true,
      fault => ConnectError.from(fault).code !== Code.Unauthenticated,
    );
  }

  async function* follow(method: DescMethodServerStreaming, input: Message, context: HandlerContext) {
    const call = callOf(context, method);
    using _place = streams.enter(call.of ?? '', call.address);
    using _watch = endWithReader(context.values.get(REQUEST)!);
    const { message } = await on.transport.stream(method, context.signal, undefined, call.metadata, only(input));
    yield* message;
  }

  async function told<T>(context: HandlerContext, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (fault) {
      const error = ConnectError.from(fault);
      const request = context.values.get(REQUEST)!;
      if (error.code === Code.Unauthenticated) await on.badCallers.turnedAway(request.ip);
      throw onTheWay(error, request);
    }
  }

  function callOf(context: HandlerContext, method: DescMethod): Call {
    const request = context.values.get(REQUEST)!;
    const line = lineOf(request.protocol, request.headers.origin);
    const opens = OPENERS.includes(method);
    const say = sayTo(request);
    if (opens && line === 'open' && on.openLine === 'refused')
      throw new ConnectError(say.openLine, Code.FailedPrecondition);
    const session = opens ? null : sessionIn(request.headers.cookie, line);
    if (session === null && !opens) throw new ConnectError(say.notSignedIn, Code.Unauthenticated);
    const of = session === null ? null : `session ${createHash('sha256').update(session).digest('base64')}`;
    return { line, of, address: request.ip, metadata: metadataOf(request, session), say };
  }

  const methods = service.methods.map(method => [
    method.localName,
    method.methodKind === 'unary'
      ? (input: Message, context: HandlerContext) =>
          told(context, () => forward(method as DescMethodUnary, input, context))
      : (input: Message, context: HandlerContext) => follow(method as DescMethodServerStreaming, input, context),
  ]);
  return Object.fromEntries(methods) as ServiceImpl<DescService>;
}

/** What a reader is told in their language. */
function sayTo(request: FastifyRequest): OwnerWords['refusals'] {
  return languageFor(languageOf(request)).words.owner.refusals;
}

/** Whatever the services say is in their reader's language already; what went wrong on the way to them is not. */
function onTheWay(error: ConnectError, request: FastifyRequest): ConnectError {
  const which = (['servicesAway', 'noAnswer'] as const).find(one => error.rawMessage === en.owner.refusals[one]);
  return which === undefined ? error : new ConnectError(sayTo(request)[which], error.code);
}

/** The facade answers devices that close their sending side early (http.ts); a browser that does has gone. */
function endWithReader({ raw: { socket } }: FastifyRequest): Disposable {
  const end = () => socket.destroy();
  socket.once('end', end);
  return { [Symbol.dispose]: () => socket.off('end', end) };
}

/** A call as it is passed on. */
interface Call {
  line: 'encrypted' | 'open';
  /** Whom it is counted for; null: nobody who could be good. */
  of: string | null;
  address: string;
  metadata: [string, string][];
  /** Refusals, as its reader is told them. */
  say: OwnerWords['refusals'];
}

function tooMany({ say }: Call): ConnectError {
  return new ConnectError(say.tooManyAtOnce, Code.ResourceExhausted, { 'retry-after': '1' });
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}

function isService(made: unknown): boolean {
  return typeof made === 'object' && made !== null && 'kind' in made && made.kind === 'service';
}
