import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { untilApplied } from '../actions.ts';
import { alone, type Bench } from '../bench.ts';
import { startTocsin } from '../contenders/tocsin.ts';
import { type PacedAnswers, runPaced } from '../load/paced-run.ts';
import { loadRequests, saveRequests } from '../load/requests.ts';
import { newSecrets } from '../machine/product.ts';
import { startTarget } from '../machine/start.ts';
import { median } from '../numbers.ts';
import type { Times } from './half.ts';

/** How often the state of many alarms is read, and what that costs whoever triggers meanwhile. */
export interface StateReads {
  alarms: number;
  bytes: number;
  /** Reads a second of each round: of a Fastify with the same bytes, of the product, and of it beside triggers. */
  bare: number[];
  unchanged: number[];
  besideTriggers: number[];
  /** From the request to the 202, at so many triggers a second: by themselves, and beside the reads. */
  triggersPerSecond: number;
  triggers: { alone: Times; beside: Times };
}

/** So many of each kind (contenders/tocsin.ts), and one more. */
const ALARMS_OF_A_KIND = 499;
const TRIGGERS_PER_SECOND = 200;

/** Reads the state of 1,000 alarms as fast as it comes, alone and beside triggers, in turns with what is at most possible. */
export async function measureState(bench: Bench): Promise<StateReads> {
  return alone(bench, async own => {
    const { postgres, running, generator, connections, rounds, seconds } = own;
    const { target, requests: calls, pool } = await startTocsin(own, newSecrets(), ALARMS_OF_A_KIND);
    const path = '/v1/integration/state';
    const { apiKey = '' } = (await loadRequests(calls))[0]!;
    const body = await (await fetch(target.url + path, { headers: { 'x-api-key': apiKey } })).text();
    const BODY = join(postgres.folder, 'state.json');
    await writeFile(BODY, body);
    const same = await startTarget({ args: ['test/bench/contenders/same-bytes.ts'], env: {} }, { BODY });
    running.defer(same.stop);
    const requests = await saveRequests(join(postgres.folder, 'state.tsv'), [{ path, apiKey }]);
    const read = async ({ url }: { url: string }) =>
      (await generator.apply({ url, requests, connections, seconds })).perSecond;
    const pace = { url: target.url, requests: calls, connections, perSecond: TRIGGERS_PER_SECOND, seconds };
    const [bare, unchanged, besideTriggers]: number[][] = [[], [], []];
    const [quiet, loud]: PacedAnswers[][] = [[], []];
    await read(target);
    for (let round = 1; round <= rounds; round++) {
      own.progress(`state of 1,000 alarms, round ${round} of ${rounds}`);
      bare!.push(await read(same));
      unchanged!.push(await read(target));
      quiet!.push(await runPaced(pace));
      await untilApplied(pool);
      const [reads, answers] = await Promise.all([read(target), runPaced(pace)]);
      besideTriggers!.push(reads);
      loud!.push(answers);
      await untilApplied(pool);
    }
    const times = (all: readonly PacedAnswers[]): Times => ({
      p50: median(all.map(({ p50 }) => p50)),
      p99: median(all.map(({ p99 }) => p99)),
    });
    return {
      alarms: (JSON.parse(body) as { data: { alarms: unknown[] } }).data.alarms.length,
      bytes: body.length,
      bare: bare!,
      unchanged: unchanged!,
      besideTriggers: besideTriggers!,
      triggersPerSecond: TRIGGERS_PER_SECOND,
      triggers: { alone: times(quiet!), beside: times(loud!) },
    };
  });
}
