import { register } from 'prom-client';
import { expect, test } from 'vitest';
import { createTally } from '../services/process/tally.ts';

test('what was counted stands in the next scrape and in each after it, once', async () => {
  const tally = createTally({ name: 'tally_test_total', help: 'Of this test.', labelNames: ['route', 'status'] });
  const shown = async () => {
    const lines = (await register.getSingleMetricAsString('tally_test_total')).split('\n');
    return lines.filter(line => line.startsWith('tally_test_total'));
  };
  tally.begin('/v1/*', 503);
  expect(await shown()).toEqual(['tally_test_total{route="/v1/*",status="503"} 0']);
  tally.count('/v1/*', 503);
  tally.count('/v1/*', 404);
  tally.count('/v1/*', 404);
  const counted = ['tally_test_total{route="/v1/*",status="503"} 1', 'tally_test_total{route="/v1/*",status="404"} 2'];
  expect(await shown()).toEqual(counted);
  expect(await shown()).toEqual(counted);
});
