import { alone, type Bench } from './bench.ts';
import { runLoads } from './command.ts';
import { startAlertmanager } from './contenders/alertmanager.ts';
import { startByHand } from './contenders/by-hand.ts';
import type { Contender, ContenderName } from './contenders/contender.ts';
import { startPgbench } from './contenders/pgbench.ts';
import { type Standalone, startTocsin, startTocsinApart } from './contenders/tocsin.ts';
import { newSecrets, type Secrets } from './machine/product.ts';
import type { Command } from './options.ts';
import { measureApply } from './parts/file.ts';
import { measureHalf } from './parts/half.ts';
import { measureLists } from './parts/lists.ts';
import { measureNoise } from './parts/noise.ts';
import { measurePeaks, type Peaks } from './parts/peaks.ts';
import { measureState } from './parts/state.ts';
import { benchReach } from './reach/run.ts';
import { peakOf } from './report/peaks.ts';
import { shortReport } from './report/short.ts';

/*
 * npm run bench [-- --rounds 5 --seconds 3 --connections 64 --only <part> --json]
 *
 *   peaks  what the whole product accepts per second, with its engine running and every call applied by the end of each
 *          round, beside a bare Fastify, hand-written servers on Postgres and JetStream, pgbench and Alertmanager, in turns, so that
 *          noise hits all alike, and their ratios round by round: calls/s, latencies, processor time of each side, bytes of
 *          Postgres' log, memory
 *   half   at half of that: how long callers wait, and from the 202 to applied and to the signal at a socket
 *   state  reads of the state of 1,000 alarms, beside a Fastify with the same bytes, and triggers beside them
 *   reach  from the 202 to the carrier, and how late timers are
 *   file   a file of 10,000 alarms, applied twice
 *   lists  pages of a list of 100,000 alarms
 *
 * --only peaks may be given again for more parts. Ends with 1 when an accepted call was lost or not applied; missed targets
 * and refused calls are only said. Within 9 minutes on 2 processors. What takes longer is in long.ts.
 */
const COMMAND = {
  usage: 'npm run bench -- [flags]: what the product accepts per second and how long everything waits, beside others.',
  figures: {
    rounds: { default: 5, most: 100, help: 'rounds of each server; medians count' },
    seconds: { default: 3, most: 600, help: 'length of a round; half of the peak lasts as long as all of them' },
    connections: { default: 64, most: 1_000, help: 'keep-alive connections of the load' },
  },
  parts: ['peaks', 'half', 'state', 'reach', 'file', 'lists'],
} as const satisfies Command<string, string>;

const ALARMS = 200;

await runLoads(COMMAND, async (bench, { wants }) => {
  bench.progress('watching the machine by itself');
  const noise = await measureNoise(bench.postgres.folder);
  const secrets = newSecrets();
  const needsProduct = (['peaks', 'half', 'file', 'lists'] as const).some(wants);
  if (needsProduct) bench.progress('starting the servers');
  const tocsin = needsProduct ? await startTocsin(bench, secrets, ALARMS) : null;
  const peaks = wants('peaks') ? await measurePeaks(bench, await contenders(bench, secrets, tocsin!)) : {};
  const half = wants('half') ? await halfOf(bench, secrets, tocsin!, peaks) : null;
  if (wants('file')) bench.progress('applying a file of many alarms, twice');
  const door = { rpcUrl: tocsin?.target.rpcUrl ?? '', token: secrets.consoleToken };
  const file = wants('file') ? await measureApply(door, `${tocsin!.target.url}/livez`) : null;
  if (wants('lists')) bench.progress('filling an account and reading its lists');
  const lists = wants('lists') ? await measureLists(tocsin!.pool, door) : null;
  const state = wants('state') ? await measureState(bench) : null;
  const reach = wants('reach') ? await alone(bench, benchReach) : null;
  return shortReport({ noise, peaks, idleMemory: tocsin?.idleMemory ?? null, half, state, reach, file, lists });
});

/** Starts all others beside the product; what cannot be had on this machine is left out, and said. */
async function contenders(bench: Bench, secrets: Secrets, tocsin: Standalone): Promise<Contender[]> {
  const optional = async (start: Promise<Contender>, name: string) =>
    start.then(
      contender => [contender],
      fault => {
        bench.notes.push(`${name} is not measured: ${fault instanceof Error ? fault.message : fault}`);
        return [];
      },
    );
  return [
    ...(await startByHand(bench, secrets.pepper, ALARMS)),
    ...(await optional(startPgbench(bench.postgres, bench.connections), 'pgbench')),
    ...(await optional(startAlertmanager(bench, ALARMS), 'Alertmanager')),
    ...tocsin.contenders,
    await startTocsinApart(bench, secrets, ALARMS),
  ];
}

/** The peak is that of the rounds; where they were left out, that of one more. */
async function halfOf(bench: Bench, secrets: Secrets, tocsin: Standalone, measured: Peaks<ContenderName>) {
  const spread = tocsin.contenders.filter(({ name }) => name === 'spread');
  const peaks = measured.spread === undefined ? await measurePeaks({ ...bench, rounds: 1 }, spread) : measured;
  const perSecond = Math.round(peakOf(peaks.spread)!.perSecond / 2);
  return measureHalf(bench, tocsin, secrets, { perSecond, seconds: bench.rounds * bench.seconds });
}
