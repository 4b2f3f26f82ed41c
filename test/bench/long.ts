import { alone } from './bench.ts';
import { runLoads } from './command.ts';
import type { Command } from './options.ts';
import { measureCatchUp } from './parts/catch-up.ts';
import { measureEndurance } from './parts/endurance.ts';
import { type Filling, measureGrowth } from './parts/growth.ts';
import { measureIdle } from './parts/idle.ts';
import { measureSnapshot } from './parts/snapshot.ts';
import { type FilledName, longReport } from './report/long.ts';

/*
 * npm run bench:long [-- --minutes 10 --rounds 5 --seconds 5 --alarms 100000 --calls 5000000 --waiting 1000000
 * --connections 64 --only <part> --json]
 *
 *   idle      memory of the product that nobody calls
 *   alarms    what a call costs with 100,000 alarms beside one with 1,000, every one of them called
 *   log       what a call costs with 5 million calls in the log beside one with none
 *   snapshot  a transaction that read something and stays open, for 20 minutes, of which the product has 10 at 1,500 calls
 *             a second and another product without snapshot the other 10, in turns: from the 202 to applied, minute for minute
 *   backlog   a million calls that wait because nothing was applied: how fast they are, and how long calls wait beside it
 *   half      10 minutes at half of the peak: whether memory grows
 *
 * --only alarms may be given again for more parts; --minutes is that of snapshot and half. Ends with 1 when an
 * accepted call was lost or not applied; missed targets and refused calls are only said. Within 45 minutes on 2 processors.
 */
const COMMAND = {
  usage: 'npm run bench:long -- [flags]: whether the product stays as fast and as small as it is at first.',
  figures: {
    minutes: { default: 10, most: 600, help: 'how long a snapshot is held under load, and half of the peak lasts' },
    rounds: { default: 5, most: 100, help: 'rounds of each size; medians count' },
    seconds: { default: 5, most: 600, help: 'length of a round' },
    alarms: { default: 100_000, most: 1_000_000, help: 'how many alarms are many' },
    calls: { default: 5_000_000, most: 1_000_000_000, help: 'how many calls in the log are many' },
    waiting: { default: 1_000_000, most: 100_000_000, help: 'how many calls wait in a backlog' },
    connections: { default: 64, most: 1_000, help: 'keep-alive connections of the load' },
  },
  parts: ['idle', 'alarms', 'log', 'snapshot', 'backlog', 'half'],
} as const satisfies Command<string, string>;

const FEW_ALARMS = 1_000;

await runLoads(COMMAND, async (bench, { wants, figures }) => {
  const few: Filling<FilledName> = { name: 'few', alarms: Math.min(FEW_ALARMS, figures.alarms), calls: 0 };
  const fillings: Filling<FilledName>[] = [
    ...(wants('alarms') ? [{ ...few, name: 'many_alarms' as const, alarms: figures.alarms }] : []),
    ...(wants('log') ? [{ ...few, name: 'long_log' as const, calls: figures.calls }] : []),
    ...(wants('alarms') || wants('log') ? [few] : []),
  ];
  return longReport({
    idleMemory: wants('idle') ? await alone(bench, measureIdle) : null,
    growth: await alone(bench, own => measureGrowth(own, fillings)),
    snapshot: wants('snapshot') ? await alone(bench, own => measureSnapshot(own, figures.minutes)) : null,
    catchUp: wants('backlog') ? await alone(bench, own => measureCatchUp(own, figures.waiting)) : null,
    endurance: wants('half') ? await alone(bench, own => measureEndurance(own, figures.minutes)) : null,
  });
});
