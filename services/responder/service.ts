import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { ResponderService } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { dispositionOf } from '../domain/incident.ts';
import { NOTE_LENGTH } from '../domain/person-moves.ts';
import { disposeOfClosed } from '../incident/disposition.ts';
import { MOVES_MOST } from '../limits/table.ts';
import { createRateLimit } from '../limits/times.ts';
import { clean, shown } from '../process/text.ts';
import { WEB_PUSH_ADDRESS } from '../process/vocabulary.ts';
import type { RespondingDelivery } from '../store/statements/responder.ts';
import { acknowledgeAs, actAs, closeAs, nameOf } from './act.ts';
import { addressTold } from './address-told.ts';
import { createCarrierRequests } from './carrier.ts';
import { deliveryOfLink, pageOfLink } from './link.ts';
import type { ResponderOptions } from './options.ts';
import { othersOf } from './page.ts';
import { recordNews } from './progress.ts';
import { prove, recordRing } from './proof.ts';
import { watchPage } from './watch.ts';

/**
 * How those who were alerted, and the carriers that alerted them, answer (DECISIONS.md "Acknowledge", "Delivery").
 * Accessible only with the token of a link or the signature of a carrier.
 */
export function createResponderService(deps: ResponderOptions): ServiceImpl<typeof ResponderService> {
  const carrierRequests = createCarrierRequests(deps);
  const limit = createRateLimit(MOVES_MOST);
  return {
    async getPage({ token, said }) {
      return { page: await pageOfLink(deps, token, said) };
    },

    watchPage: ({ token }, context) => watchPage(deps, token, context),

    async acknowledgeByLink({ token, via: word }, { signal }) {
      const confirmed = await deps.verificationLinks.confirm(token);
      if (confirmed !== null) return { outcome: confirmed, page: await pageAfter(deps, token, confirmed) };
      const delivery = await deliveryOfLink(deps, token);
      const via = word === 'push' && isWebPush(deps, delivery) ? 'push' : 'link';
      const outcome = await acknowledgeAs(deps, delivery, via, signal).finally(() => prove(deps, delivery));
      return { outcome, page: await pageAfter(deps, token, outcome) };
    },

    async closeByLink({ token, disposition: word }, { signal }) {
      const delivery = await deliveryOfLink(deps, token);
      if (delivery.incident.environment === 'drill') {
        throw new ConnectError(
          'A drill cannot be closed. Acknowledge it as you would an alarm.',
          Code.FailedPrecondition,
        );
      }
      const outcome = await closeAs(deps, delivery, signal).finally(() => prove(deps, delivery));
      const disposition = dispositionOf(word);
      if (disposition !== null) {
        const of = { accountId: delivery.accountId, incidentId: delivery.incident.id };
        const said = { outcome, disposition, by: nameOf(delivery), limit };
        await disposeOfClosed({ ...deps, pool: deps.store.pool }, of, said);
      }
      return { outcome, page: await pageAfter(deps, token, outcome) };
    },

    async tellRing({ token, ring }) {
      const delivery = await deliveryOfLink(deps, token);
      if (ring !== 'aloud' && ring !== 'silent') {
        throw new ConnectError(`ring takes "aloud" or "silent", got ${shown(ring)}.`, Code.InvalidArgument);
      }
      await recordRing(deps, delivery, ring);
      return { page: await pageAfter(deps, token, ring) };
    },

    async tellShown({ token, attempt }) {
      const delivery = await deliveryOfLink(deps, token);
      if (!isWebPush(deps, delivery)) return { outcome: 'nothing' };
      const news = { kind: 'arrived', providerRef: delivery.id } as const;
      const { outcome } = await recordNews(deps, { deliveryId: delivery.id, attempt }, news, null);
      return { outcome };
    },

    async getDeviceLink({ token }) {
      const page = await deps.deviceLinks.pageOf(token);
      if (page === null) throw noDeviceLink();
      return page;
    },

    async addDeviceByLink({ token, endpoint, p256dh, auth, name }) {
      const added = await deps.deviceLinks.add(token, { endpoint, p256dh, auth, name });
      if (added === null) throw noDeviceLink();
      return added;
    },

    async nextStepByLink({ token, step }, { signal }) {
      const delivery = await deliveryOfLink(deps, token);
      const outcome = await actAs(deps, delivery, 'next_step', step, { signal, limit }).finally(() =>
        prove(deps, delivery),
      );
      return { outcome };
    },

    async addNoteByLink({ token, text }, { signal }) {
      const delivery = await deliveryOfLink(deps, token);
      const note = clean(text, NOTE_LENGTH);
      if (note === '') return { outcome: 'no_text' };
      const outcome = await actAs(deps, delivery, 'note', note, { signal, limit }).finally(() => prove(deps, delivery));
      return { outcome };
    },

    async handOverByLink({ token, contactId }, { signal }) {
      const delivery = await deliveryOfLink(deps, token);
      const isOfPage = othersOf(delivery).some(({ id }) => id === contactId);
      if (!isOfPage) return { outcome: 'not_reachable' };
      const outcome = await actAs(deps, delivery, 'hand_over', contactId, { signal, limit }).finally(() =>
        prove(deps, delivery),
      );
      return { outcome };
    },

    async declineByLink({ token }, { signal }) {
      const delivery = await deliveryOfLink(deps, token);
      // A drill asks one person for an answer: there is nobody behind them.
      if (delivery.incident.environment === 'drill') return { outcome: 'declined_last' };
      const outcome = await actAs(deps, delivery, 'decline', '', { signal, limit }).finally(() =>
        prove(deps, delivery),
      );
      return { outcome };
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

function noDeviceLink(): ConnectError {
  return new ConnectError('There is no such link, or it was used already, or has run out.', Code.NotFound);
}

/** Tells whether a message went to the browsers of its person: of these alone it is believed what a browser says. */
function isWebPush({ seal }: ResponderOptions, delivery: RespondingDelivery): boolean {
  if (delivery.channel !== 'push') return false;
  return addressTold(seal, delivery) === WEB_PUSH_ADDRESS;
}
