import { Code, ConnectError, type Transport } from '@connectrpc/connect';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SessionService } from '../../gen/tocsin/console/v1/sessions_pb.ts';
import type { Strangers } from '../../services/limits/strangers.ts';
import { networkOf } from '../../services/process/network.ts';
import type { Overload } from '../overload.ts';
import { browserCookie, browserIn, flowCookie, flowIn, noFlowCookie, sessionCookie } from './cookie.ts';
import { createFairPlaces } from './fair-places.ts';
import { metadataOf } from './metadata.ts';

export interface OidcOptions {
  transport: Transport;
  publicUrl(): string;
  /** `refused`: nobody signs in over a line that is not encrypted. */
  openLine: 'taken' | 'refused';
  overload: Overload;
  strangers: Strangers;
}

/** Why a sign-in did not work, for the page to say. */
type Failure = 'refused' | 'away' | 'open_line';

/** A longer address of a screen is none of ours, in characters. */
const SCREEN_MOST = 500;

/** How long the services and the provider may take together, in milliseconds. */
const PATIENCE_MS = 15_000;

/**
 * How many wait for the provider at once, in all and from one network: one that hangs must not take the places of other
 * reads, and no stranger those of who signs in. A newcomer of another network gets the place of one who waits for it.
 */
const AT_ONCE = { all: 8, network: 4 } as const;

/**
 * `/sign-in/oidc`: to the identity provider and back (DECISIONS.md "Identity provider"). The browser itself opens both, so they
 * answer with the page that comes next: the provider's, the screen of the console that `to` names, or the sign-in, which says what did
 * not work.
 */
export function registerOidc(app: FastifyInstance, deps: OidcOptions): void {
  const callbackUrl = () => `${deps.publicUrl()}/sign-in/oidc/callback`;
  // People come back to the public URL alone: its scheme is that of the line, whatever a proxy says.
  const line = () => (deps.publicUrl().startsWith('https:') ? 'encrypted' : 'open');

  app.get('/sign-in/oidc', async (request, reply) => {
    const to = screenWanted(request);
    const start = startAtPublicUrl(request, deps.publicUrl(), to);
    if (start !== null) return next(reply, start, []);
    if (line() === 'open' && deps.openLine === 'refused') return failed(reply, 'open_line', to);
    return attempt(request, reply, to, async () => {
      const asked = { callbackUrl: callbackUrl() };
      const { message } = await deps.transport.unary(
        SessionService.method.startOidcSignIn,
        undefined,
        PATIENCE_MS,
        metadataOf(request, { session: null, browser: null }),
        asked,
      );
      return next(reply, message.url, [flowCookie({ state: message.flow, to }, line())]);
    });
  });

  app.get('/sign-in/oidc/callback', async (request, reply) => {
    const flow = flowIn(request.headers.cookie, line());
    if (flow === null) return failed(reply, 'refused', '');
    const { state, to } = flow;
    return attempt(request, reply, to, async () => {
      const query = request.raw.url?.split('?').slice(1).join('?') ?? '';
      const { message } = await deps.transport.unary(
        SessionService.method.signIn,
        undefined,
        PATIENCE_MS,
        metadataOf(request, { session: null, browser: browserIn(request.headers.cookie, line()) }),
        { way: { case: 'oidcAnswer', value: { flow: state, query } } },
      );
      const { secret, browser } = message;
      const known = browser === '' ? [] : [browserCookie(browser, line())];
      return next(reply, screenAt(deps.publicUrl(), to), [
        sessionCookie(secret, line()),
        ...known,
        noFlowCookie(line()),
      ]);
    });
  });

  const signIns = createFairPlaces(AT_ONCE);

  async function attempt(
    { ip }: FastifyRequest,
    reply: FastifyReply,
    to: string,
    act: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      return await inPlace(networkOf(ip), act);
    } catch (fault) {
      if (ConnectError.from(fault).code !== Code.Unauthenticated) return failed(reply, 'away', to);
      // Whoever waits for a refusal takes nobody's place meanwhile.
      await deps.strangers.turnedAway(ip);
      return failed(reply, 'refused', to);
    }
  }

  async function inPlace(network: string, act: () => Promise<FastifyReply>): Promise<FastifyReply> {
    using place = signIns.enter(network);
    if (place === null || deps.overload.take('read') === 'shed') {
      throw new ConnectError('There is no place.', Code.Unavailable);
    }
    try {
      const acted = act();
      await Promise.race([acted, place.lost]);
      return await acted;
    } finally {
      deps.overload.release();
    }
  }

  function failed(reply: FastifyReply, why: Failure, to: string): FastifyReply {
    return next(reply, `${deps.publicUrl()}/sign-in?failed=${why}${andTo(to)}`, [noFlowCookie(line())]);
  }
}

/** The screen for which somebody signs in. Empty: the first one. */
function screenWanted({ query }: FastifyRequest): string {
  const { to } = query as { to?: unknown };
  return typeof to === 'string' && to.length <= SCREEN_MOST ? to : '';
}

/** The address of a screen; of the first one where the text leads away from ours. */
function screenAt(publicUrl: string, to: string): string {
  const top = `${publicUrl}/`;
  const url = URL.canParse(to, top) ? new URL(to, top).href : top;
  return url.startsWith(top) ? url : top;
}

function andTo(to: string): string {
  return to === '' ? '' : `&to=${encodeURIComponent(to)}`;
}

/**
 * The address at which a sign-in has to begin, where the browser came by another name: its cookie would not be there when it
 * comes back. Null: it is there, or was sent there already; a proxy may ask us by any name.
 */
function startAtPublicUrl({ host, query }: FastifyRequest, publicUrl: string, to: string): string | null {
  const isThere = host === new URL(publicUrl).host || (query as { at?: unknown }).at === 'public';
  return isThere ? null : `${publicUrl}/sign-in/oidc?at=public${andTo(to)}`;
}

function next(reply: FastifyReply, url: string, cookies: string[]): FastifyReply {
  return reply
    .code(303)
    .headers({ location: url, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'set-cookie': cookies })
    .send();
}
