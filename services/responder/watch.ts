import type { MessageInitShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';
import type { WatchPageResponseSchema } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { endOfStream, listen, pause } from '../rpc/stream.ts';
import { deliveryOfLink, type PagesOn, pageOfLink } from './link.ts';
import type { ResponderOptions } from './options.ts';

/**
 * The longest a watch goes without looking, in milliseconds: the progress of a message is no change of its source and
 * sends no hint.
 */
const POLL_MS = 2_000;

/** Between two looks, in milliseconds: what happens together is shown together. */
const REST_MS = 200;

/** How long a watch lasts, in milliseconds: a page still open asks again. */
const LASTS_MS = 60 * 60 * 1000;

/**
 * Streams the page at once, and again whenever it differs (ResponderService.WatchPage). The next look waits until the
 * last page is consumed. Ends with NOT_FOUND when the link does.
 */
export async function* watchPage(
  deps: PagesOn & Pick<ResponderOptions, 'bus'>,
  token: string,
  { signal }: Pick<HandlerContext, 'signal'>,
): AsyncGenerator<MessageInitShape<typeof WatchPageResponseSchema>> {
  // What asks about an address does not change by itself: who presses its button loads it anew.
  const asking = await deps.verificationLinks.pageOf(token);
  if (asking !== null) {
    yield { page: asking };
    await pause(LASTS_MS, signal);
    return endOfStream(signal);
  }
  const { accountId } = await deliveryOfLink(deps, token);
  const hints = listen(deps.bus, accountId);
  const endsAt = performance.now() + LASTS_MS;
  try {
    let shown = '';
    while (!signal.aborted && performance.now() < endsAt) {
      const page = await pageOfLink(deps, token);
      if (page.print !== shown) yield { page };
      shown = page.print ?? '';
      await pause(REST_MS, signal);
      await hints.wait(POLL_MS, signal);
    }
    endOfStream(signal);
  } finally {
    hints.end();
  }
}
