import type { DescMethod, DescMethodServerStreaming, DescMethodUnary, DescService, Message } from '@bufbuild/protobuf';
import { Code, ConnectError, type HandlerContext, type MethodImpl } from '@connectrpc/connect';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as consoleApi from '../../gen/tocsin/console/v1/index.ts';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import { createHeldTurns } from '../../services/limits/fair.ts';
import { createSlowdown, type Slowdown } from '../../services/limits/slowdown.ts';
import { PRESSES_MOST, REFUSED, SIGN_INS_MOST } from '../../services/limits/table.ts';
import { createUnderWay } from '../../services/limits/under-way.ts';
import { classOf } from '../../services/process/call-class.ts';
import { networkOf } from '../../services/process/network.ts';
import { beginReading, blameReading, carriedOut } from '../../services/process/unreadable.ts';
import { type Answer, JSON_HEADERS, send } from '../answer.ts';
import {
  type Admission,
  type AdmissionOptions,
  type Call,
  createAdmission,
  isForStrangers,
  onTheWay,
} from './admission.ts';
import { browserCookie, noSessionCookie, sessionCookie } from './cookie.ts';
import { cameFrom } from './origin.ts';
import { createStreams } from './streams.ts';

export interface DoorOptions extends AdmissionOptions {
  publicUrl(): string;
  /** Of the triggers of each panic button. */
  pressed: Slowdown;
}

const { ConfigurationService, PanicButtonService, SessionService } = consoleApi;

/** Connect alone is spoken here. */
const ONE_PROTOCOL = { grpc: false, grpcWeb: false, requireConnectProtocolHeader: true } as const;

/** What a browser may call: everything that is for owners. */
export const CONSOLE_SERVICES: readonly DescService[] = [
  ...Object.values(consoleApi).filter((made): made is typeof made & DescService => isService(made)),
  IncidentService,
];

/** How long the services may take for one call, in milliseconds; an acknowledgement answers when it is applied. */
const UNARY_MS = 10_000;

/** The largest message, in bytes: of whom nothing is known yet, of strangers, usually, and of a whole configuration. */
const READ_MOST = { unknown: 1024, stranger: 16 * 1024, usual: 1024 * 1024, configuration: 4 * 1024 * 1024 } as const;

/**
 * `/rpc`: the console's way to the services, for browsers alone (DECISIONS.md "Console door"). A POST of one of our own pages is
 * passed on with the session of its cookie, and with nothing else that it brought along but the account it names.
 */
export function registerDoor(app: FastifyInstance, deps: DoorOptions): void {
  const admission = createAdmission(deps);
  app.register(
    async scope => {
      scope.addHook('onRequest', async (request, reply) => {
        const refusal = refusalOf(request, deps.publicUrl());
        if (refusal !== null) return send(reply, refusal);
      });
      // Whatever it answers is for this browser, now.
      scope.addHook('onRequest', async (_request, reply) => {
        reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
      });
      // The plugin makes a route of each of HTTP's verbs for every method: a thousand, of which all but POST are refused above.
      const others = scope.supportedMethods.filter(verb => verb !== 'POST');
      scope.route({ method: others, url: '/*', handler: (_request, reply) => reply.callNotFound() });
      scope.all = scope.post;
      await scope.register(fastifyConnectPlugin, {
        routes: router => {
          const forwarder = createForwarder(deps, admission);
          for (const method of CONSOLE_SERVICES.flatMap(({ methods }) => methods)) {
            router.rpc(method, carriedOut<Message, unknown>(forwarder(method)) as MethodImpl<DescMethod>, {
              ...ONE_PROTOCOL,
              readMaxBytes: readMost(method),
            });
          }
        },
        contextValues: admission.valuesOf,
        async requestGate(context) {
          await admission.admit(context);
          beginReading(context, readMost(context.method), () => admission.callOf(context).say);
        },
        interceptors: [blameReading],
        ...ONE_PROTOCOL,
        maxTimeoutMs: 60_000,
        shutdownTimeoutMs: 0,
      });
    },
    { prefix: '/rpc' },
  );
}

function readMost(method: DescMethod): number {
  // It is what tells whether a session is good, and its request is empty.
  if (method === SessionService.method.getSession) return READ_MOST.unknown;
  if (isForStrangers(method)) return READ_MOST.stranger;
  return method.parent === ConfigurationService ? READ_MOST.configuration : READ_MOST.usual;
}

/** What is refused before a byte of the body is read. */
function refusalOf(request: FastifyRequest, publicUrl: string): Answer | null {
  const { method, headers, host, raw } = request;
  if (method !== 'POST')
    return refusalAnswer(405, 'unimplemented', 'This is called with POST, by the console.', { allow: 'POST' });
  if (headers['connect-protocol-version'] === undefined) {
    return refusalAnswer(
      400,
      'invalid_argument',
      'The header connect-protocol-version is missing: this is for the console.',
    );
  }
  // Connect would throw for it outside of any call: its plugin prints a stack for each, and answers with nothing.
  if (headers.host === undefined || !URL.canParse(raw.url ?? '', `http://${headers.host}`)) {
    return refusalAnswer(400, 'invalid_argument', 'The header Host is missing, or names no host.');
  }
  const site = headers['sec-fetch-site'];
  const from = cameFrom({ site: typeof site === 'string' ? site : undefined, origin: headers.origin, host, publicUrl });
  if (from === 'own_page') return null;
  const message = 'This is for pages of this address alone. If it is, PUBLIC_URL should say where people reach it.';
  return refusalAnswer(403, 'permission_denied', message);
}

function refusalAnswer(status: number, code: string, message: string, more: Record<string, string> = {}): Answer {
  return { status, headers: { ...JSON_HEADERS, ...more }, body: JSON.stringify({ code, message }) };
}

const TAKES_PLACE: readonly DescMethod[] = [
  SessionService.method.signIn,
  SessionService.method.confirmAddress,
  SessionService.method.getPhoneLink,
];

const PRESS: DescMethod = PanicButtonService.method.triggerPanicButton;

/** After any other fault of a press nothing was stored. */
const MAY_BE_STORED: readonly Code[] = [Code.Unavailable, Code.DeadlineExceeded, Code.Internal, Code.Unknown];

/** Returns what hands the calls of a method to the transport. */
function createForwarder(deps: DoorOptions, admission: Admission) {
  const streams = createStreams();
  const signIns = createUnderWay();
  const presses = createHeldTurns(PRESSES_MOST.session);
  const refused = createSlowdown(REFUSED);

  function placeToSignIn({ address, say }: Call): Disposable {
    const { all, network } = SIGN_INS_MOST;
    const place = signIns.enter({ all, [`from ${networkOf(address)}`]: network });
    if (place === null) throw new ConnectError(say.tooManyAtOnce, Code.ResourceExhausted, { 'retry-after': '1' });
    return place;
  }

  /** Whoever presses on and on waits, and takes no place that others read and answer with. */
  async function pressed(input: Message, context: HandlerContext): Promise<Message> {
    const call = admission.callOf(context);
    const method = PRESS as DescMethodUnary;
    try {
      const answer = await presses(call.of ?? '', () => answered(method, input, call, context));
      await deps.pressed.slow((answer as consoleApi.TriggerPanicButtonResponse).call?.sourceId ?? '');
      return answer;
    } catch (fault) {
      const error = await told(call, fault, context);
      const tooMany = MAY_BE_STORED.includes(error.code) ? null : admission.storedNothing(call);
      if (tooMany === null) throw error;
      await refused.slow(call.of ?? '');
      throw tooMany;
    }
  }

  async function forward(method: DescMethodUnary, input: Message, context: HandlerContext): Promise<Message> {
    const call = admission.callOf(context);
    try {
      return await answered(method, input, call, context);
    } catch (fault) {
      // Whoever waits for a refusal takes nobody's place meanwhile.
      throw await told(call, fault, context);
    }
  }

  async function answered(
    method: DescMethodUnary,
    input: Message,
    call: Call,
    context: HandlerContext,
  ): Promise<Message> {
    using _place = TAKES_PLACE.includes(method) ? placeToSignIn(call) : null;
    const shedAs = classOf(method) === 'trigger' ? 'trigger' : 'read';
    if (deps.overload.take(shedAs) === 'shed') throw new ConnectError(call.say.tooMuchUnderWay, Code.Unavailable);
    try {
      const { message } = await deps.transport.unary(method, undefined, UNARY_MS, call.metadata, input);
      admission.learn(call, 'good');
      return await kept(method, message, call, context);
    } finally {
      deps.overload.release();
    }
  }

  /** A session goes into the cookie and no further, and out of it when it has ended; what a browser is known by goes there too. */
  async function kept(method: DescMethod, message: Message, call: Call, context: HandlerContext): Promise<Message> {
    const keep = (cookie: string) => context.responseHeader.append('set-cookie', cookie);
    if (call.newBrowser !== null) keep(browserCookie(call.newBrowser, call.line));
    if (method === SessionService.method.signIn) {
      const { secret, browser } = message as consoleApi.SignInResponse;
      keep(sessionCookie(secret, call.line));
      if (browser !== '') keep(browserCookie(browser, call.line));
      return { ...message, secret: '', browser: '' } as Message;
    }
    const ends = method === SessionService.method.endSession || method === SessionService.method.endAllSessions;
    if (ends && !(await isGood(call))) keep(noSessionCookie(call.line));
    return message;
  }

  async function isGood(call: Call): Promise<boolean> {
    const asked = deps.transport.unary(SessionService.method.getSession, undefined, UNARY_MS, call.metadata, {});
    return asked.then(
      () => true,
      fault => ConnectError.from(fault).code !== Code.Unauthenticated,
    );
  }

  async function* follow(method: DescMethodServerStreaming, input: Message, context: HandlerContext) {
    const call = admission.callOf(context);
    using _place = streams.enter(call.of ?? '', networkOf(call.address));
    using _watch = endWithReader(admission.requestOf(context));
    try {
      const { message } = await deps.transport.stream(method, context.signal, undefined, call.metadata, only(input));
      yield* message;
    } catch (fault) {
      throw await told(call, fault, context);
    }
  }

  /** Returns the answer to a fault, for a bad session and for a stranger who asks too often when it may be sent. */
  async function told(call: Call, fault: unknown, context: HandlerContext): Promise<ConnectError> {
    const error = ConnectError.from(fault);
    const tooOften = error.code === Code.ResourceExhausted && isForStrangers(context.method);
    if (error.code !== Code.Unauthenticated && !tooOften) return onTheWay(error, admission.requestOf(context));
    if (!tooOften) admission.learn(call, 'bad');
    await admission.turnedAway(context);
    return error;
  }

  return (method: DescMethod) =>
    method.methodKind === 'unary'
      ? (input: Message, context: HandlerContext) =>
          method === PRESS ? pressed(input, context) : forward(method as DescMethodUnary, input, context)
      : (input: Message, context: HandlerContext) => follow(method as DescMethodServerStreaming, input, context);
}

/** The facade answers devices that close their sending side early (http.ts); a browser that does has gone. */
function endWithReader({ raw: { socket } }: FastifyRequest): Disposable {
  const end = () => socket.destroy();
  socket.once('end', end);
  return { [Symbol.dispose]: () => socket.off('end', end) };
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}

function isService(made: unknown): boolean {
  return typeof made === 'object' && made !== null && 'kind' in made && made.kind === 'service';
}
