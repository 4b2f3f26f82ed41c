import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { eventually } from './wait.ts';

/** A span as it came, with its attributes as plain values. */
export interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  /** 2: an error. */
  status: { code: number };
  links: { traceId: string; spanId: string }[];
  attributes: Record<string, string | number>;
  service: string;
}

/** A collector of OpenTelemetry: a real HTTP server that takes OTLP as JSON. */
export interface Collector {
  url: string;
  spans: readonly SentSpan[];
  /** Everything that came, as text. */
  raw(): string;
  /** `hang` takes a request and never answers; `refuse` answers 400. */
  behave(mode: 'ok' | 'hang' | 'refuse'): void;
  /** How many requests came. */
  requests(): number;
  /** Waits for so many spans of a trace (32 digits). */
  of(traceId: string, howMany: number): Promise<SentSpan[]>;
}

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number };
type Attributes = { key: string; value: Value }[];

/** Starts one on a free port; it ends with the test. */
export async function startCollector(): Promise<Collector> {
  const spans: SentSpan[] = [];
  let said = '';
  let mode: 'ok' | 'hang' | 'refuse' = 'ok';
  let requests = 0;
  const hanging: ServerResponse[] = [];
  const server = createServer(async (request, response) => {
    requests++;
    const body = await bodyOf(request);
    if (mode === 'hang') return void hanging.push(response);
    if (mode === 'refuse') return void response.writeHead(400).end();
    if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end();
    said += body;
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: {
        resource: { attributes: Attributes };
        scopeSpans: { spans: (Omit<SentSpan, 'attributes'> & { attributes: Attributes })[] }[];
      }[];
    };
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(plain(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap(scope => scope.spans)) {
        spans.push({ ...span, links: span.links ?? [], attributes: plain(span.attributes), service });
      }
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    raw: () => said,
    behave(next) {
      mode = next;
    },
    requests: () => requests,
    of: (traceId, howMany) =>
      eventually(
        () => {
          const found = spans.filter(span => span.traceId === traceId);
          return found.length >= howMany && found;
        },
        { what: `${howMany} spans of the trace ${traceId}` },
      ),
  };
}

async function bodyOf(request: import('node:http').IncomingMessage): Promise<string> {
  if (request.headers['content-encoding'] !== 'gzip') return text(request);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return gunzipSync(Buffer.concat(chunks)).toString();
}

function plain(attributes: Attributes): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)]),
  );
}
