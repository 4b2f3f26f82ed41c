import { createHistogram } from 'node:perf_hooks';
import autocannon from 'autocannon';

/** What one load is to do. */
export interface Load {
  /** Without path. */
  url: string;
  apiKey: string;
  /** Dealt out to the connections; each asks for its own in turn, over and over. */
  paths: string[];
  connections: number;
  until: { seconds: number } | { answers: number };
}

/** What came of it. Latencies are those of the 202s, in milliseconds. */
export interface Answers {
  accepted: number;
  /** Answers other than 202, and requests without one. */
  failed: number;
  perSecond: number;
  p50: number;
  p99: number;
}

/*
 * A process of its own, so that every server under load gets the same generator, started anew: takes a Load as JSON on
 * the command line, prints Answers as JSON.
 */
const load = JSON.parse(process.argv[2] ?? '') as Load;
process.stdout.write(JSON.stringify(await generate(load)));

async function generate({ url, apiKey, paths, connections, until }: Load): Promise<Answers> {
  const microseconds = createHistogram();
  const answers = { accepted: 0, other: 0 };
  let started = 0;
  const run = autocannon({
    url,
    connections,
    ...('seconds' in until ? { duration: until.seconds } : { amount: until.answers }),
    setupClient(client) {
      const connection = started++;
      const own = paths.filter((_, index) => index % connections === connection % paths.length);
      client.setRequests(own.map(path => ({ path, headers: { 'x-api-key': apiKey } })));
    },
  });
  run.on('response', (_client, status, _bytes, milliseconds) => {
    if (status !== 202) {
      answers.other += 1;
      return;
    }
    answers.accepted += 1;
    microseconds.record(Math.max(1, Math.round(milliseconds * 1_000)));
  });
  const { duration, errors } = await run;
  return {
    accepted: answers.accepted,
    failed: answers.other + errors,
    perSecond: answers.accepted / duration,
    p50: microseconds.percentile(50) / 1_000,
    p99: microseconds.percentile(99) / 1_000,
  };
}
