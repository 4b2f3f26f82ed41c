import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Bus } from '../../services/changes/bus.ts';
import type { Places } from '../../services/limits/places.ts';
import type { Strangers } from '../../services/limits/strangers.ts';
import { type Answer, send } from '../answer.ts';
import type { Services } from '../client.ts';
import type { Overload } from '../overload.ts';
import { createAuthority, type Verdict } from './authority.ts';
import { BAD_KEY, createConversation, TOO_MANY } from './conversation.ts';
import { Grants } from './grants.ts';
import { readHandshake } from './handshake.ts';
import { Hub } from './hub.ts';
import { socketsEnded, socketsOpen, upgradesAnswered } from './metrics.ts';
import { createSockets, Peer, type PeerHost, type RelaySocket } from './peer.ts';
import { ENDINGS, PUBLISH_PATH, REALTIME_PATH } from './protocol.ts';
import { LIMITS, type RelayLimits, type RelayTimes, TIMES } from './settings.ts';
import { spread } from './spread.ts';
import { Admission, answer, NO_UPGRADE, PUBLISH_REFUSED, REFUSALS, routeUpgrades, type Upgrade } from './upgrades.ts';
import { Wheel } from './wheel.ts';

/** Where the facade hears of changes, with limits and times; absent ones are those of settings.ts. */
export interface RealtimeOptions {
  bus: Bus;
  limits?: Partial<RelayLimits>;
  times?: Partial<RelayTimes>;
}

/**
 * The realtime channel (SPEC.md 6, DECISIONS.md "Realtime"): the routes `GET /event/realtime` and `POST /event`, and
 * behind them the sockets of this process. It ends with the facade.
 */
export function registerRelay(
  app: FastifyInstance,
  deps: RealtimeOptions & { services: Services; overload: Overload; strangers: Strangers; places: Places; log: Logger },
): void {
  const { bus, log } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const times = { ...TIMES, ...deps.times };
  const authority = createAuthority(deps.services, deps.overload, log);
  const admission = new Admission(limits);
  const grants = new Grants({
    authority,
    bus,
    log,
    most: { ofKey: limits.socketsPerKey, ofAccount: limits.socketsPerAccount },
    recheckMs: times.recheck,
    aliveMs: times.alive,
  });
  const hub = new Hub(bus, times);
  const conversation = createConversation({
    authority,
    grants,
    hub,
    log,
    mostSubscriptions: limits.subscriptionsPerSocket,
    refusedSilence: times.refusedSilence,
  });
  const wheel = new Wheel<Peer>(times.keepAlive, peer => peer.keepAlive());
  const peers = new Set<Peer>();
  const sockets = createSockets(limits);
  let phase: 'open' | 'closing' = 'open';

  const upgradeOf = routeUpgrades(app);
  app.get(REALTIME_PATH, { exposeHeadRoute: false }, async (request, reply) => {
    const upgrade = upgradeOf(request.raw);
    return upgrade === undefined ? send(reply, NO_UPGRADE) : connect(request, reply, upgrade);
  });
  app.route({ method: 'POST', url: PUBLISH_PATH, onRequest: refusePublish, handler: refusePublish });

  const host: PeerHost = {
    limits,
    // Spread out, so that clients that connected together, such as after a restart, are not closed together a day
    // later.
    oldAt: () => performance.now() + times.age * (0.9 + 0.1 * Math.random()),
    heard: conversation.heard,
    left(peer) {
      wheel.remove(peer, peer.slot);
      conversation.leave(peer);
    },
    gone(peer, cause) {
      peers.delete(peer);
      admission.release(peer.address);
      socketsOpen.dec();
      socketsEnded.inc({ cause });
    },
  };

  async function connect(request: FastifyRequest, reply: FastifyReply, upgrade: Upgrade): Promise<FastifyReply> {
    const { ip: address, headers } = request;
    if (phase === 'closing') return turnAway(reply, 'closing', REFUSALS.closing);
    const handshake = readHandshake(headers);
    if (handshake.kind === 'malformed') {
      await deps.strangers.enter(address);
      return turnAway(reply, 'malformed', answer(handshake.status, handshake.message, handshake.headers));
    }
    const admitted = admission.take(address);
    if (admitted !== 'admitted') return turnAway(reply, 'limit', REFUSALS[admitted]);

    const who = { address, agent: headers['user-agent'] };
    const { key } = handshake;
    const verdict: Verdict = key === null ? { kind: 'refused' } : await authority.authorize({ ...who, key }, '');
    reply.hijack();
    upgrade.take();
    const ws = accept(request, upgrade);
    if (ws === null) {
      admission.release(address);
      upgradesAnswered.inc({ outcome: 'gone' });
      return reply;
    }
    const peer = new Peer(host, ws, upgrade.connection, who);
    peers.add(peer);
    socketsOpen.inc();
    const outcome = welcome(peer, verdict);
    if (outcome === 'open') deps.places.keep(request.raw.socket);
    upgradesAnswered.inc({ outcome });
    return reply;
  }

  function welcome(peer: Peer, verdict: Verdict): string {
    if (phase === 'closing') {
      peer.end(ENDINGS.closing);
      return 'closing';
    }
    if (verdict.kind === 'unavailable') {
      peer.end(ENDINGS.servicesUnavailable);
      return 'unavailable';
    }
    if (verdict.kind === 'refused') {
      conversation.refuse(peer, BAD_KEY);
      return 'bad_key';
    }
    if (grants.attach(peer, verdict.grant) === 'too_many') {
      conversation.refuse(peer, TOO_MANY);
      return 'limit';
    }
    peer.slot = wheel.add(peer);
    return 'open';
  }

  /** Returns null if the client is gone, or asks for something that ws does not support, which ws has answered then. */
  function accept({ raw }: FastifyRequest, { connection, head }: Upgrade): RelaySocket | null {
    let accepted: RelaySocket | null = null;
    sockets.handleUpgrade(raw, connection, head, ws => {
      accepted = ws;
    });
    return accepted;
  }

  app.addHook('preClose', async () => {
    phase = 'closing';
    const stop = spread([...peers], { mostMs: times.spread, eachMs: times.spreadEach }, peer =>
      peer.end(ENDINGS.closing),
    );
    const late = setTimeout(() => {
      for (const peer of [...peers]) peer.cut('closing');
    }, times.end);
    app.server.once('close', () => {
      stop();
      clearTimeout(late);
      wheel.stop();
      grants.close();
      hub.close();
    });
  });
}

/** Answers an upgrade over HTTP. */
function turnAway(reply: FastifyReply, outcome: string, answer: Answer): FastifyReply {
  upgradesAnswered.inc({ outcome });
  return send(reply, answer);
}

/** Runs before Fastify looks at the body, which is ignored whatever it is. */
async function refusePublish(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return send(reply, PUBLISH_REFUSED);
}
