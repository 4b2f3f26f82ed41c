import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from './control.ts';
import { Crowd } from './crowd.ts';
import type { Speech } from './speech.ts';

/** A server under test, and how its sockets are opened and signalled. */
export interface Subject {
  name: string;
  url: string;
  control: string;
  key: string;
  channel: string;
  /** Absent: AppSync Events. */
  speech?: Speech;
}

const agent = new Agent({ keepAlive: true });

/** Resolves when the head of the answer is here, with the moment of that. */
export function call(url: string, key = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, headers: { 'x-api-key': key } }, answer => {
      const at = performance.now();
      answer.resume().on('end', () => {
        if (answer.statusCode === 202) resolve(at);
        else reject(new Error(`${url} answered ${answer.statusCode}.`));
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}

async function usage({ control }: Subject, path: '/usage' | '/memory' | `/flood?times=${number}`): Promise<Usage> {
  return (await (await fetch(control + path)).json()) as Usage;
}

/** Times from the answer to the last socket's signal, in milliseconds; `act` gives the moment of the answer. */
export async function untilLast(crowd: Crowd, rounds: number, act: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // The window of the signal before has passed.
    await sleep(300);
    const all = crowd.expect(crowd.members.length);
    const answeredAt = await act();
    await all;
    times.push(Math.max(0, crowd.lastAt - answeredAt));
  }
  return times;
}

/** As fast as it goes: signals per second at the receivers, and the server's CPU for each in microseconds. */
export async function flood(subject: Subject, crowd: Crowd, times: number) {
  const before = await usage(subject, '/usage');
  const started = performance.now();
  const all = crowd.expect(times * crowd.members.length);
  const [after] = await Promise.all([usage(subject, `/flood?times=${times}`), all]);
  const seconds = (crowd.lastAt - started) / 1_000;
  const signals = times * crowd.members.length;
  return { perSecond: signals / seconds, cpuPerSignal: (after.cpu - before.cpu) / signals };
}

/** Opens so many sockets and gives the server's memory for each, in bytes, and how many were opened in a second. */
export async function hold(subject: Subject, count: number) {
  const before = await usage(subject, '/memory');
  const crowd = new Crowd();
  const started = performance.now();
  await crowd.open(count, subject.url, subject.key, subject.channel);
  const seconds = (performance.now() - started) / 1_000;
  const after = await usage(subject, '/memory');
  return { crowd, bytesPerSocket: (after.rss - before.rss) / count, opensPerSecond: count / seconds };
}
