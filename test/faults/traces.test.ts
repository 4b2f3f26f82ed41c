import { expect, test, vi } from 'vitest';
import { startCollector } from '../support/otlp.ts';
import { expectInTime } from '../support/wait.ts';
import { emptyFolder } from './embedded-rig.ts';
import { call, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 120_000 });

/** How long a stop may take while the collector hangs, in milliseconds: it is waited for 3 s, on a machine that has other work. */
const STOPS_MS = 15_000;

test('the product sends its traces where OTEL_EXPORTER_OTLP_ENDPOINT says, and stops although the collector hangs', async () => {
  const collector = await startCollector();
  const product = startProduct({
    DATA_DIR: await emptyFolder(),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    LOG_LEVEL: 'info',
  });
  const ready = await product.ready();
  const response = await fetch(`${ready.http}/v1/integration/state`, { headers: { 'x-api-key': ready.apiKey! } });
  const { traceId } = (await response.json()) as { traceId: string };
  const [span] = await collector.of(traceId.replaceAll('-', ''), 1);
  expect(span).toMatchObject({ name: 'GET /v1/integration/state', service: 'tocsin' });

  collector.behave('hang');
  expect(await call(ready, 'integration/state')).toBe(200);
  const asked = performance.now();
  product.signal('SIGTERM');
  expect(await product.ended()).toBe(0);
  expectInTime(performance.now() - asked, STOPS_MS);
  expect(product.printed().stderr).toContain('Tocsin has stopped.');
});
