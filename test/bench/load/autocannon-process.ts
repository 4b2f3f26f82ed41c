import { createHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';
import type { Answers, Load } from './load.ts';
import { headersOf, loadRequests } from './requests.ts';

/*
 * A process of its own for machines without wrk: takes a Load as JSON on the command line, prints Answers as JSON.
 */
const load = JSON.parse(process.argv[2] ?? '') as Load;
process.stdout.write(JSON.stringify(await generate(load)));

async function generate({ url, requests, connections, seconds }: Load): Promise<Answers> {
  const all = (await loadRequests(requests)).map(request => ({
    method: request.body === undefined ? ('GET' as const) : ('POST' as const),
    path: request.path,
    headers: headersOf(request),
    ...(request.body !== undefined && { body: request.body }),
  }));
  const microseconds = createHistogram();
  const answers = { accepted: 0, other: 0 };
  let started = 0;
  const run = autocannon({
    url,
    connections,
    duration: seconds,
    setupClient(client) {
      // Each connection has its own share of them, in their order.
      const connection = started++;
      client.setRequests(all.filter((_, index) => index % connections === connection % all.length));
    },
  });
  run.on('response', (_client, status, _bytes, milliseconds) => {
    if (status < 200 || status > 299) {
      answers.other += 1;
      return;
    }
    answers.accepted += 1;
    microseconds.record(Math.max(1, Math.round(milliseconds * 1_000)));
  });
  const { duration, errors } = await run;
  return {
    accepted: answers.accepted,
    refused: answers.other,
    broken: errors,
    perSecond: answers.accepted / duration,
    p50: microseconds.percentile(50) / 1_000,
    p99: microseconds.percentile(99) / 1_000,
  };
}
