import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Line } from './line.ts';
import type { Pace, PacedAnswers } from './paced-run.ts';
import { headersOf, loadRequests, type Request } from './requests.ts';

/*
 * A process of its own that asks at an even pace, whether or not answers come: takes a Pace as JSON on the command line,
 * prints PacedAnswers as JSON. Over bare sockets, since an HTTP client would cost as much as what it measures.
 */

/** How long the last answers are waited for once nothing more is asked. */
const LAST_ANSWER_MS = 10_000;

const pace = JSON.parse(process.argv[2] ?? '') as Pace;
process.stdout.write(JSON.stringify(await generate(pace)));
process.exit();

async function generate({
  url,
  requests,
  connections,
  perSecond,
  seconds,
  patience = 10,
}: Pace): Promise<PacedAnswers> {
  const { hostname, port, host } = new URL(url);
  const texts = (await loadRequests(requests)).map(request => textOf(request, host));
  const [answered, late] = [createHistogram(), createHistogram()];
  const total = Math.round(perSecond * seconds);
  const counted = { accepted: 0, refused: 0 };
  const free: Line[] = [];
  // When each request was due; those from `sent` on wait for a connection.
  const due = new Float64Array(total);
  let asked = 0;
  let sent = 0;
  let state: 'asking' | 'ending' = 'asking';

  function send(): void {
    if (state === 'ending') return;
    for (; free.length > 0 && sent < asked; sent += 1) free.shift()!.ask(texts[sent % texts.length]!, due[sent]!);
  }

  function end(line: Line, status: number, since: number): void {
    if (status >= 200 && status < 300) {
      counted.accepted += 1;
      answered.record(microseconds(performance.now() - since));
    } else if (status !== 0) {
      counted.refused += 1;
    }
    free.push(line);
    send();
  }

  for (let n = 0; n < connections; n += 1) free.push(await Line.open(hostname, Number(port), end));
  const began = performance.now();
  while (asked < total) {
    const now = performance.now();
    const wanted = Math.min(total, Math.floor(((now - began) * perSecond) / 1_000) + 1);
    for (; asked < wanted; asked += 1) {
      late.record(microseconds(now - began - (asked * 1_000) / perSecond));
      // From when this process came round to it: that it was late is its own fault, that all connections are busy is not.
      due[asked] = now;
    }
    send();
    await sleep(1);
  }
  await until(() => sent === total, patience * 1_000);
  state = 'ending';
  await until(() => free.length === connections, LAST_ANSWER_MS);
  return {
    ...counted,
    broken: sent - counted.accepted - counted.refused,
    unsent: total - sent,
    p50: answered.percentile(50) / 1_000,
    p99: answered.percentile(99) / 1_000,
    lateP99: late.percentile(99) / 1_000,
  };
}

async function until(isDone: () => boolean, within: number): Promise<void> {
  const deadline = performance.now() + within;
  while (!isDone() && performance.now() < deadline) await sleep(5);
}

function microseconds(milliseconds: number): number {
  return Math.max(1, Math.round(milliseconds * 1_000));
}

function textOf(request: Request, host: string): string {
  const { path, body } = request;
  const headers = {
    host,
    ...headersOf(request),
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}
