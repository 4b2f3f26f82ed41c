import type { Logger } from 'pino';
import type { Authority } from './authority.ts';
import type { Grants } from './grants.ts';
import type { Hub } from './hub.ts';
import type { Peer } from './peer.ts';
import {
  CONNECTION_ACK,
  connectionError,
  ENDINGS,
  type Ending,
  KEEP_ALIVE,
  refusal,
  subscribeSuccess,
  UNAUTHORIZED,
  type WireError,
} from './protocol.ts';
import { type Step, stepOn } from './session.ts';
import { Subscription } from './subscription.ts';

/** Answers messages of clients. */
export interface Conversation {
  heard(peer: Peer, text: string): void;
  /**
   * Refuses a socket that is open already, because only then can its client be told why (REALTIME.md 3). It is told
   * after its first message, because some clients do not listen before, or after a while of silence.
   */
  refuse(peer: Peer, refusal: Refusal): void;
  /** Ends all subscriptions of a peer. */
  leave(peer: Peer): void;
}

/** The last words to a refused socket. */
export interface Refusal {
  error: WireError;
  ending: Ending;
}

/** After this a client gives up for good, which is right only if its key is bad. */
export const BAD_KEY: Refusal = { error: UNAUTHORIZED, ending: ENDINGS.badKey };

/** After this it reconnects a minute later. */
export const TOO_MANY: Refusal = {
  error: { errorType: 'LimitExceededError', message: 'This key or its account has too many sockets.' },
  ending: ENDINGS.tooManySockets,
};

type Asked = Extract<Step, { kind: 'authorize' }>;

/** Carries out the steps of session.ts: the conversation after a socket is open (REALTIME.md 2). */
export function createConversation(deps: {
  authority: Authority;
  grants: Grants;
  hub: Hub;
  log: Logger;
  mostSubscriptions: number;
  /** How long a refused client may stay silent before it is told, in milliseconds. */
  refusedSilence: number;
}): Conversation {
  const { authority, grants, hub, log, mostSubscriptions, refusedSilence } = deps;
  const refused = new WeakMap<Peer, Refusal>();

  function sayRefusal(peer: Peer, { error, ending }: Refusal): void {
    peer.say(connectionError(error));
    peer.end(ending);
  }

  /** Checks the key in this message anew: the socket's own may have ended since (REALTIME.md 4). */
  async function subscribe(peer: Peer, { id, channel, key }: Asked): Promise<void> {
    const subscription = new Subscription(id, peer);
    peer.subscriptions.set(id, subscription);
    const wanted = () => peer.subscriptions.get(id) === subscription;

    const verdict = await authority.authorize({ key, address: peer.address, agent: peer.agent }, channel);
    if (!wanted()) return;
    if (verdict.kind === 'unavailable') return peer.end(ENDINGS.servicesUnavailable);
    if (verdict.kind === 'refused' || grants.attach(peer, verdict.grant) === 'too_many') {
      peer.subscriptions.delete(id);
      return peer.say(refusal('subscribe_error', id, verdict.kind === 'refused' ? UNAUTHORIZED : TOO_MANY.error));
    }
    subscription.alarmId = verdict.grant.alarmId;
    await hub.enter(subscription, verdict.grant.accountId).opened;
    if (!wanted()) return;
    hub.admit(subscription);
    peer.say(subscribeSuccess(id));
  }

  function leave(peer: Peer, id: string): void {
    hub.leave(peer.subscriptions.get(id)!);
    peer.subscriptions.delete(id);
  }

  return {
    refuse(peer, refusal) {
      refused.set(peer, refusal);
      setTimeout(() => sayRefusal(peer, refusal), refusedSilence).unref();
    },
    heard(peer, text) {
      const refusal = refused.get(peer);
      if (refusal !== undefined) return sayRefusal(peer, refusal);
      const step = stepOn(text, { subscriptions: peer.subscriptions, mostSubscriptions });
      switch (step.kind) {
        case 'greet':
          // Send the keep-alive at once: Amplify counts silence from before the connection (REALTIME.md 3, trap 1).
          peer.say(CONNECTION_ACK);
          return peer.say(KEEP_ALIVE);
        case 'answer':
          return peer.say(step.text);
        case 'leave':
          leave(peer, step.id);
          return peer.say(step.text);
        case 'authorize':
          subscribe(peer, step).catch(error => {
            log.error({ err: error }, 'a subscription failed: unexpected error');
            peer.end(ENDINGS.servicesUnavailable);
          });
      }
    },
    leave(peer) {
      for (const id of [...peer.subscriptions.keys()]) leave(peer, id);
      grants.detach(peer);
    },
  };
}
