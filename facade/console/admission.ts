import { createHash } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import {
  Code,
  ConnectError,
  createContextKey,
  createContextValues,
  type HandlerContext,
  type Transport,
} from '@connectrpc/connect';
import type { FastifyRequest } from 'fastify';
import { SessionService } from '../../gen/tocsin/console/v1/sessions_pb.ts';
import type { Places } from '../../services/limits/places.ts';
import type { RateLimits } from '../../services/limits/rate-limits.ts';
import type { Strangers } from '../../services/limits/strangers.ts';
import { classOf } from '../../services/process/call-class.ts';
import { createLru } from '../../services/process/lru.ts';
import { en } from '../../services/words/en.ts';
import { languageFor } from '../../services/words/language.ts';
import type { OwnerWords } from '../../services/words/owner/words.ts';
import type { Overload } from '../overload.ts';
import { browserIn, newBrowser, sessionIn } from './cookie.ts';
import { languageOf, metadataOf } from './metadata.ts';
import { lineOf } from './origin.ts';

export interface AdmissionOptions {
  transport: Transport;
  /** `refused`: nobody signs in over a line that is not encrypted. */
  openLine: 'taken' | 'refused';
  overload: Overload;
  rateLimits: RateLimits;
  strangers: Strangers;
  places: Places;
}

/** A call as it is passed on. */
export interface Call {
  line: 'encrypted' | 'open';
  /** Whom it is counted for; null: nobody, as they are about to sign in. */
  of: string | null;
  address: string;
  metadata: [string, string][];
  /** The id of a browser that had none, for its cookie; null: it has one, or needs none. */
  newBrowser: string | null;
  /** Refusals, as its reader is told them. */
  say: OwnerWords['refusals'];
}

/** Admits calls of browsers, before a byte of their bodies is read. */
export interface Admission {
  /** What the calls of a request know of it. */
  valuesOf(request: FastifyRequest): ReturnType<typeof createContextValues>;
  /** Throws the answer to whoever is not admitted. */
  admit(context: HandlerContext): Promise<void>;
  /** The call that was admitted, and its request. */
  callOf(context: HandlerContext): Call;
  requestOf(context: HandlerContext): FastifyRequest;
  /** Waits as long as the answer to somebody without a good session does. */
  turnedAway(context: HandlerContext): Promise<void>;
  /** Notes whether the session of a call is good. */
  learn(call: Call, session: 'good' | 'bad'): void;
  /** Counts a press that stored nothing as any other action. Returns the answer to one too many; null: it is none. */
  storedNothing(call: Call): ConnectError | null;
}

/** What opens a session, and so needs none. */
const OPENERS: readonly DescMethod[] = [
  SessionService.method.listSignInWays,
  SessionService.method.startSignIn,
  SessionService.method.signIn,
  SessionService.method.confirmAddress,
  SessionService.method.getPhoneLink,
];

/** Tells whether a method needs no session: whoever calls it is a stranger. */
export function isForStrangers(method: DescMethod): boolean {
  return OPENERS.includes(method);
}

/** How long the services may take to say whether a session is good, in milliseconds. */
const ASK_MS = 10_000;

/** For how long a session that was good lets bodies be read, in milliseconds, and how many are remembered. */
const GOOD_FOR_MS = 60_000;
const REMEMBERED = 10_000;

const REQUEST = createContextKey<FastifyRequest | null>(null);
const CALL = createContextKey<Call | null>(null);

/**
 * Creates the admission of the console's door (DECISIONS.md "Console door"). A session that was not good lately is asked about
 * first, so that strangers cannot have anything read, unpacked or parsed; what it may do is for the services to say at each call.
 */
export function createAdmission(deps: AdmissionOptions): Admission {
  const known = createLru<string, { at: number; asked: Promise<void> }>(REMEMBERED);
  const now = () => performance.now();

  function learn({ of }: Call, session: 'good' | 'bad'): void {
    if (of === null) return;
    deps.rateLimits.learn({ of, source: null }, session);
    if (session === 'bad') known.delete(of);
    else known.set(of, { at: now(), asked: Promise.resolve() });
  }

  async function ask(call: Call): Promise<void> {
    if (deps.overload.take('read') === 'shed') throw new ConnectError(call.say.tooMuchUnderWay, Code.Unavailable);
    try {
      await deps.transport.unary(SessionService.method.getSession, undefined, ASK_MS, call.metadata, {});
      learn(call, 'good');
    } catch (fault) {
      known.delete(call.of!);
      throw fault;
    } finally {
      deps.overload.release();
    }
  }

  /** Calls at the same moment share the question. */
  function goodSession(call: Call, of: string): Promise<void> {
    const before = known.get(of);
    if (before !== undefined && now() - before.at < GOOD_FOR_MS) return before.asked;
    const asked = ask(call);
    known.set(of, { at: now(), asked });
    return asked;
  }

  function callIn(request: FastifyRequest, method: DescMethod): Call {
    const line = lineOf(request.protocol, request.headers.origin);
    const { cookie } = request.headers;
    const say = sayTo(request);
    if (isForStrangers(method)) {
      if (line === 'open' && deps.openLine === 'refused') throw new ConnectError(say.openLine, Code.FailedPrecondition);
      const shown = method === SessionService.method.listSignInWays ? null : browserIn(cookie, line);
      const made = shown === null && method === SessionService.method.startSignIn ? newBrowser() : null;
      const metadata = metadataOf(request, { session: null, browser: shown ?? made });
      return { line, of: null, address: request.ip, metadata, newBrowser: made, say };
    }
    const session = sessionIn(cookie, line);
    if (session === null) throw new ConnectError(say.notSignedIn, Code.Unauthenticated);
    const of = `session ${createHash('sha256').update(session).digest('base64')}`;
    const metadata = metadataOf(request, { session, browser: null });
    return { line, of, address: request.ip, metadata, newBrowser: null, say };
  }

  const turnedAway = (context: HandlerContext) => deps.strangers.turnedAway(context.values.get(REQUEST)!.ip);

  return {
    valuesOf: request => createContextValues().set(REQUEST, request),
    async admit(context) {
      try {
        const call = callIn(context.values.get(REQUEST)!, context.method);
        context.values.set(CALL, call);
        if (call.of === null) return;
        const limited = { of: call.of, callClass: classOf(context.method), source: null };
        // Who presses a panic button is never limited (door.ts: but where nothing is stored).
        if (limited.callClass !== 'trigger' && deps.rateLimits.take(limited) === 'too_many') throw tooMany(call);
        if (context.method !== SessionService.method.getSession) {
          await goodSession(call, call.of);
          deps.places.keep(context.values.get(REQUEST)!.raw.socket);
        }
      } catch (fault) {
        const error = ConnectError.from(fault);
        if (error.code === Code.Unauthenticated) await turnedAway(context);
        throw onTheWay(error, context.values.get(REQUEST)!);
      }
    },
    callOf: context => context.values.get(CALL)!,
    requestOf: context => context.values.get(REQUEST)!,
    turnedAway,
    learn,
    storedNothing: call =>
      deps.rateLimits.take({ of: call.of, callClass: 'action', source: null }) === 'too_many' ? tooMany(call) : null,
  };
}

/** What a reader is told in their language. */
function sayTo(request: FastifyRequest): OwnerWords['refusals'] {
  return languageFor(languageOf(request)).words.owner.refusals;
}

/** Whatever the services say is in their reader's language already; what went wrong on the way to them is not. */
export function onTheWay(error: ConnectError, request: FastifyRequest): ConnectError {
  const which = (['servicesAway', 'noAnswer'] as const).find(one => error.rawMessage === en.owner.refusals[one]);
  return which === undefined ? error : new ConnectError(sayTo(request)[which], error.code);
}

function tooMany({ say }: Call): ConnectError {
  return new ConnectError(say.tooManyAtOnce, Code.ResourceExhausted, { 'retry-after': '1' });
}
