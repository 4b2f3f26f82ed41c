import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type {
  ReceiveFromCarrierRequest,
  ReceiveFromCarrierResponseSchema,
} from '../../gen/tocsin/incident/v1/responder_pb.ts';
import type { CarrierCallback, CarrierNews, WrittenBack } from '../channels/channel.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { readNow } from '../store/statements/responder.ts';
import { answerCall } from './calls.ts';
import type { Links } from './links.ts';
import type { ResponderOptions } from './options.ts';
import { recordNews } from './progress.ts';
import { NOTHING, type Received, UNKNOWN_DELIVERY } from './received.ts';
import { createReplies } from './replies.ts';

/**
 * Handles requests of carriers (ResponderService.ReceiveFromCarrier). Their signature alone identifies them; an
 * unsigned request leaves no trace but its refusal.
 */
export function createCarrierRequests(deps: ResponderOptions) {
  const replies = createReplies(deps);

  async function act(request: ReceiveFromCarrierRequest, news: CarrierNews, signal: AbortSignal): Promise<Received> {
    switch (news.kind) {
      case 'forged':
        throw new ConnectError('The signature is missing or wrong: nothing was recorded.', Code.PermissionDenied);
      case 'unreadable':
        throw new ConnectError(`The request cannot be read: ${news.problem}`, Code.InvalidArgument);
      case 'nothing':
        return NOTHING;
      case 'reply':
        return replies.answer(news, signal);
    }
    const about = deps.links.attemptOf(request.reference);
    if (about === null) return UNKNOWN_DELIVERY;
    switch (news.kind) {
      case 'arrived':
      case 'fault':
        return recordNews(deps, about, news, request.carrier);
      case 'answered':
      case 'key':
        return answerCall(deps, about, news, signal);
    }
  }

  /** Nobody waits for it: the carrier asks again where the answer to its own request is late, and what was written has its effect already. */
  function writeBack(carrier: string, callback: CarrierCallback, to: string, answer: WrittenBack): void {
    callback.writeBack?.(to, answer).then(reason => {
      if (reason !== null) deps.log.warn({ carrier, reason }, 'a text in answer to another one did not go out');
    });
  }

  return {
    async receive(
      request: ReceiveFromCarrierRequest,
      signal: AbortSignal,
    ): Promise<MessageInitShape<typeof ReceiveFromCarrierResponseSchema>> {
      const callback = deps.callbacks.get(request.carrier);
      if (callback === undefined) throw new ConnectError('No such carrier is set up here.', Code.NotFound);
      const news = read(callback, deps.links, request);
      const { outcome, answer } = await act(request, news, signal);
      if (news.kind === 'reply' && answer.kind === 'write') writeBack(request.carrier, callback, news.from, answer);
      const { carrier, topic, reference } = request;
      const about = deps.links.attemptOf(reference);
      deps.log.info(
        { carrier, topic, delivery: about?.deliveryId, attempt: about?.attempt, outcome },
        'a carrier called',
      );
      return { ...callback.answer(answer), outcome, at: protoTime(await readNow(deps.store.pool)) };
    },
  };
}

/** The signature covers the path: topic and reference count only if the path names them. */
function read(callback: CarrierCallback, links: Links, request: ReceiveFromCarrierRequest): CarrierNews {
  const { carrier, topic, reference, path, headers, body } = request;
  const url = links.publicUrlOf(path);
  const named = `/carrier/${carrier}/${topic}${reference === '' ? '' : `/${reference}`}`;
  if (url === null || path.split('?', 1)[0] !== named) return { kind: 'forged' };
  return callback.read({ topic, url, headers, body });
}
