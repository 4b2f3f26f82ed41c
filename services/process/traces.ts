import type { Logger } from 'pino';
import { Counter } from 'prom-client';
import { type Environment, readSetting, webUrl } from './settings.ts';
import type { RecordSpan } from './span.ts';

/**
 * What records spans; null while none are wanted. Look at it before anything is made for a span, so that a call costs nothing
 * where there is no collector.
 */
export let recordSpan: RecordSpan | null = null;

/** Reads OTEL_EXPORTER_OTLP_ENDPOINT, the URL of a collector without `/v1/traces`; null where it is not set. Throws ConfigError. */
export function readCollector(env: Environment): string | null {
  return readSetting(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', webUrl, null);
}

/**
 * Starts to send spans to a collector, if there is one. `service`: the name of this process there. When `close` resolves, the last
 * of them are sent, or given up.
 */
export async function startTracing(
  { collector, service }: { collector: string | null; service: string },
  log: Logger,
): Promise<{ close(): Promise<void> }> {
  if (collector === null) return { close: async () => {} };
  // OpenTelemetry is loaded by those alone who use it.
  const { createSender } = await import('./otlp.ts');
  const sender = createSender(collector, service, { log, dropped: spansDropped });
  recordSpan = sender.record;
  return {
    async close() {
      recordSpan = null;
      await sender.close();
    },
  };
}

const spansDropped = new Counter({
  name: 'tocsin_trace_spans_dropped_total',
  help: 'Spans that did not reach the collector: it did not answer or refused them, or there were too many.',
});
