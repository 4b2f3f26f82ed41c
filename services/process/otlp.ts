import { randomBytes } from 'node:crypto';
import { type Link, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import type { RecordSpan, Span } from './span.ts';

/** How many spans may wait for the collector: some ten megabytes. Further ones are dropped. */
const WAITING_MOST = 8_192;

/** How long the collector may take to take a batch, in milliseconds; the end of the process waits no longer than that. */
const ANSWERS_MS = 3_000;

/** How long spans are collected before they are sent, in milliseconds. */
const COLLECT_MS = 1_000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** Sends spans to a collector by OTLP over HTTP, with OpenTelemetry's own packages, in batches beside all other work. */
export function createSender(
  collectorUrl: string,
  service: string,
  { log, dropped }: { log: Logger; dropped: Counter },
): { record: RecordSpan; close(): Promise<void> } {
  let waiting = 0;
  let collector: 'takes_spans' | 'away' = 'takes_spans';
  const ids = createIds();

  const toCollector = new OTLPTraceExporter({ url: `${collectorUrl}/v1/traces`, timeoutMillis: ANSWERS_MS });
  const exporter: SpanExporter = {
    export(spans, done) {
      toCollector.export(spans, result => {
        waiting -= spans.length;
        const before = collector;
        collector = result.code === 0 ? 'takes_spans' : 'away';
        if (collector === 'away') dropped.inc(spans.length);
        if (collector === 'away' && before !== 'away') {
          log.warn(
            { err: result.error },
            'the collector of OTEL_EXPORTER_OTLP_ENDPOINT takes no spans: they are dropped',
          );
        }
        done(result);
      });
    },
    forceFlush: async () => {},
    shutdown: () => toCollector.shutdown(),
  };
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: WAITING_MOST, scheduledDelayMillis: COLLECT_MS }),
    ],
  });
  const tracer = provider.getTracer('tocsin');

  return {
    record(span) {
      if (waiting >= WAITING_MOST) return dropped.inc();
      const { name, kind, attributes, beganAt, endedAt, result } = span;
      const options = { kind: KINDS[kind], attributes, startTime: beganAt, links: linksTo(span.caller) };
      const recorded = tracer.startSpan(name, options, ids.contextOf(span));
      if (!recorded.isRecording()) return;
      waiting++;
      if (result === 'failed') recorded.setStatus({ code: SpanStatusCode.ERROR });
      recorded.end(Math.max(beganAt, endedAt));
    },
    async close() {
      const last = provider.shutdown().catch(() => {});
      await Promise.race([last, new Promise(resolve => setTimeout(resolve, ANSWERS_MS).unref())]);
    },
  };
}

/** Gives spans the ids that follow from the call's own. */
function createIds() {
  let next = { traceId: '', spanId: '' };
  return {
    generateTraceId: () => next.traceId,
    generateSpanId: () => next.spanId,
    /** The context in which to start a span, right after this. */
    contextOf({ traceId, place }: Span) {
      const digits = traceId.replaceAll('-', '');
      const spanOfCall = digits.slice(16);
      if (place === 'call') {
        next = { traceId: digits, spanId: spanOfCall };
        return ROOT_CONTEXT;
      }
      next = { traceId: digits, spanId: randomBytes(8).toString('hex') };
      const call = { traceId: digits, spanId: spanOfCall, traceFlags: TraceFlags.SAMPLED, isRemote: true };
      return trace.setSpanContext(ROOT_CONTEXT, call);
    },
  };
}

const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}/;

function linksTo(traceparent: Span['caller']): Link[] {
  const [, traceId, spanId] = TRACEPARENT.exec(typeof traceparent === 'string' ? traceparent : '') ?? [];
  if (traceId === undefined || spanId === undefined) return [];
  return [{ context: { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true } }];
}
