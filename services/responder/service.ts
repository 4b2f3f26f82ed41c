import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { ResponderService } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { acknowledgeAs, closeAs } from './act.ts';
import { createCarrierRequests } from './carrier.ts';
import { deliveryOfLink, pageOfLink } from './link.ts';
import type { ResponderOptions } from './options.ts';
import { watchPage } from './watch.ts';

/**
 * How those who were alerted, and the carriers that alerted them, answer (DECISIONS.md "Acknowledge", "Delivery").
 * Accessible only with the token of a link or the signature of a carrier.
 */
export function createResponderService(deps: ResponderOptions): ServiceImpl<typeof ResponderService> {
  const carrierRequests = createCarrierRequests(deps);
  return {
    async getPage({ token }) {
      return { page: await pageOfLink(deps, token) };
    },

    watchPage: ({ token }, context) => watchPage(deps, token, context),

    async acknowledgeByLink({ token }, { signal }) {
      const delivery = await deliveryOfLink(deps, token);
      const outcome = await acknowledgeAs(deps, delivery, 'link', signal);
      return { outcome, page: await pageAfter(deps, token, outcome) };
    },

    async closeByLink({ token }, { signal }) {
      const delivery = await deliveryOfLink(deps, token);
      const outcome = await closeAs(deps, delivery, signal);
      return { outcome, page: await pageAfter(deps, token, outcome) };
    },

    receiveFromCarrier: (request, { signal }) => carrierRequests.receive(request, signal),
  };
}

/** The action was applied by then: the caller must not be told that nothing was accepted. */
async function pageAfter(deps: ResponderOptions, token: string, outcome: string) {
  return pageOfLink(deps, token).catch(cause => {
    const message = `It was applied (${outcome}), but the page cannot be read now: open it in a moment.`;
    throw new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
  });
}
