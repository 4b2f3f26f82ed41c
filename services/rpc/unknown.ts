import type { DescService } from '@bufbuild/protobuf';
import type { connectNodeAdapter } from '@connectrpc/connect-node';
import { suggestion } from '../process/suggest.ts';
import { shown } from '../process/text.ts';
import { encodeGrpcMessage } from './grpc-message.ts';

/** The types of bodies that a method takes, in any of the three protocols. */
const TYPES = /^application\/(json|proto|connect\+(json|proto)|grpc(-web)?(\+(json|proto))?)\s*(;|$)/i;

const TAKES = 'application/proto, application/json, application/connect+proto, application/grpc, application/grpc-web';

const HERE =
  'This is the RPC port of Tocsin, for gRPC, gRPC-Web and Connect. Calls of devices (/v1), the console and the documentation are at HTTP_PORT.';

const PATH = /^\/(\w+(?:\.\w+)+)\/(\w+)$/;

/** What the parts of one deployment say to each other. */
const INTERNAL = 'tocsin.internal.';

/** A gRPC status: `UNIMPLEMENTED`. */
const UNIMPLEMENTED = '12';

type NodeHandlerFn = ReturnType<typeof connectNodeAdapter>;
type Asked = Parameters<NodeHandlerFn>[0];
type Answer = Parameters<NodeHandlerFn>[1];

/**
 * Answers what is no call of a method, for who mistyped a name, came to the wrong port or sent another type of body: with a sentence
 * that says what there is. What it names anybody may read in the protos.
 */
export function createUnknown(services: readonly DescService[]) {
  const forOthers = services.filter(({ typeName }) => !typeName.startsWith(INTERNAL));
  const byName = new Map(forOthers.map(service => [service.typeName, service.methods.map(({ name }) => name)]));

  function sentenceFor(path: string): string {
    const [, service, method] = PATH.exec(path) ?? [];
    if (service === undefined || method === undefined) return HERE;
    const methods = byName.get(service);
    if (methods === undefined) {
      return `There is no service ${shown(service)}. ${meant(service, byName.keys())}It serves: ${[...byName.keys()].join(', ')}.`;
    }
    return `${service} has no method ${shown(method)}. ${meant(method, methods)}It has: ${methods.join(', ')}.`;
  }

  return {
    /** Answers a path that is no method. */
    path(request: Asked, response: Answer): void {
      answer(request, response, 404, sentenceFor(pathOf(request)));
    },
    /** Answers a POST to a method whose body is of a type that none takes; `taken` where it is left to the method. */
    type(request: Asked, response: Answer): 'taken' | 'answered' {
      const type = request.headers['content-type'] ?? '';
      const [, service = '', method = ''] = PATH.exec(pathOf(request)) ?? [];
      if (request.method !== 'POST' || TYPES.test(type) || byName.get(service)?.includes(method) !== true)
        return 'taken';
      const got = type === '' ? 'none' : shown(type);
      const sentence = `content-type takes ${TAKES}; got ${got}. With curl: -H 'content-type: application/json'.`;
      answer(request, response, 415, sentence, { 'accept-post': TAKES });
      return 'answered';
    },
  };
}

function meant(written: string, known: Iterable<string>): string {
  const near = suggestion(written, known);
  return near === '' ? '' : `Did you mean ${near}? `;
}

function pathOf({ url = '' }: Asked): string {
  return url.split('?', 1)[0]!;
}

/** In the form of the protocol that was spoken: gRPC knows errors in trailers alone, Connect and all others as JSON. */
function answer(
  request: Asked,
  response: Answer,
  status: number,
  message: string,
  headers: Record<string, string> = {},
): void {
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('application/grpc')) {
    const told = { 'grpc-status': UNIMPLEMENTED, 'grpc-message': encodeGrpcMessage(message) };
    response.writeHead(200, { 'content-type': type, ...told });
    response.end();
    return;
  }
  response.writeHead(status, { ...headers, 'content-type': 'application/json' });
  response.end(JSON.stringify({ code: 'unimplemented', message }));
}
