import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** What only another part of this deployment asks for, by the beginnings of their paths. */
const INTERNAL = [
  '/tocsin.internal.v1.BatchService/',
  '/tocsin.incident.v1.ResponderService/',
  '/tocsin.inventory.v1.InventoryService/RecheckGrants',
];

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

/**
 * Looks at a request of the RPC port before anything of its body is read. What belongs between the parts of a deployment needs
 * their token (SERVICE_TOKEN, metadata `x-tocsin-service`) where there is one; and only who has it is believed about whom a
 * call comes from. Answers what it refuses, as Connect clients read it; gRPC clients see the same by its status.
 */
export function createRpcGuard(
  serviceToken: string | null,
): (request: Request, response: Response) => 'passed' | 'refused' {
  const wanted = serviceToken === null ? null : digest(serviceToken);

  function isService({ headers }: Request): boolean {
    const shown = headers['x-tocsin-service'];
    return wanted !== null && typeof shown === 'string' && timingSafeEqual(digest(shown), wanted);
  }

  return (request, response) => {
    const path = request.url ?? '';
    const service = isService(request);
    if (!service) delete request.headers['x-tocsin-client'];
    if (wanted !== null && !service && INTERNAL.some(begin => path.startsWith(begin))) {
      refuse(response);
      return 'refused';
    }
    return 'passed';
  };
}

function refuse(response: Response): void {
  const message = 'This is for the parts of this deployment alone: they share SERVICE_TOKEN.';
  response.statusCode = 401;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ code: 'unauthenticated', message }));
}

/** So that what is compared has one length, whatever was shown. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
