import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { DutyService } from '../../gen/tocsin/console/v1/duties_pb.ts';
import type { Places } from '../../services/limits/places.ts';
import type { RateLimits } from '../../services/limits/rate-limits.ts';
import type { Strangers } from '../../services/limits/strangers.ts';
import { type Answer, send } from '../answer.ts';
import type { Overload } from '../overload.ts';
import { type Format, feedAnswer, NO_FEED, OUR_FAULT, TRY_AGAIN } from './formats.ts';

/** How long the services may take, in milliseconds. */
const READ_MS = 2_500;

/** How many days a feed shows. */
const DAYS = { least: 14, usual: 30, most: 60 } as const;

const ADDRESS = /^([a-z0-9]{40})\.(ics|txt|json)$/;

/**
 * The feeds of duties, `/duty/<secret>.ics`, `.txt` and `.json`: who is on duty, for telephone exchanges, displays and calendars
 * (DECISIONS.md "On duty"). The secret is all that is asked for, so that whoever guesses is slowed down as at every other door
 * for strangers. `?days=` says how far a calendar looks ahead.
 */
export function registerFeeds(
  app: FastifyInstance,
  deps: {
    transport: Transport;
    overload: Overload;
    rateLimits: RateLimits;
    strangers: Strangers;
    places: Places;
    log: Logger;
  },
): void {
  const client = createClient(DutyService, deps.transport);

  app.get('/duty/:address', { exposeHeadRoute: true }, async (request, reply): Promise<FastifyReply> => {
    const [, secret, format] = ADDRESS.exec((request.params as { address: string }).address) ?? [];
    if (secret === undefined) return turnedAway(request, reply);
    const limited = { of: `feed ${secret}`, callClass: 'read', source: null } as const;
    if (deps.rateLimits.take(limited) === 'too_many') return send(reply, TRY_AGAIN);
    const answer = await ask(secret, format as Format, daysOf(request));
    if (answer === NO_FEED) return turnedAway(request, reply);
    if (answer.status === 200) {
      deps.rateLimits.learn(limited, 'good');
      deps.places.keep(request.raw.socket);
    }
    return send(reply, answer);
  });

  async function ask(secret: string, format: Format, days: number): Promise<Answer> {
    if (deps.overload.take('read') === 'shed') return TRY_AGAIN;
    try {
      return feedAnswer(await client.getFeed({ secret, days }, { timeoutMs: READ_MS }), format);
    } catch (fault) {
      const { code } = ConnectError.from(fault);
      if (code === Code.NotFound) return NO_FEED;
      if (AWAY.has(code)) return TRY_AGAIN;
      deps.log.error({ err: fault }, 'a feed could not be shown');
      return OUR_FAULT;
    } finally {
      deps.overload.release();
    }
  }

  async function turnedAway(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    await deps.strangers.turnedAway(request.ip);
    return send(reply, NO_FEED);
  }
}

/** The errors after which the same call may succeed in a moment. */
const AWAY: ReadonlySet<Code> = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.ResourceExhausted]);

/** What cannot be read is as good as nothing said: a calendar has nobody to show a fault to. */
function daysOf({ query }: FastifyRequest): number {
  const days = Math.floor(Number((query as { days?: string }).days ?? DAYS.usual));
  return Number.isNaN(days) ? DAYS.usual : Math.min(DAYS.most, Math.max(DAYS.least, days));
}
