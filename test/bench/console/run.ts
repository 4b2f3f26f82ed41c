import { alone } from '../bench.ts';
import { runCommand } from '../command.ts';
import type { Command } from '../options.ts';

import { measureHour } from './hour.ts';
import { startLooked } from './looked.ts';
import { consoleReport } from './report.ts';
import { measureScroll } from './scroll.ts';
import { measureStarts } from './starts.ts';

/*
 * npm run bench:console [-- --rounds 5 --changes 3600 --speed 25 --alarms 10000 --only <part> --json]
 *
 *   starts  the sign-in and Home, loaded anew by a browser on a processor that is four times slower: when something is seen, when
 *           it can be used, how long it would not have answered a key, and the scripts that it took
 *   hour    Home through an hour of changes, one a second, in fast motion: what the page keeps, after its garbage is collected
 *   scroll  all of 10,000 alarms scrolled through, and as many bare rows: the longest that a frame took, and what of it was the page's
 *           own work, in time of the processor
 *
 * In a real Chromium before the product as `npm start` has it. --only starts may be given again for more parts. Within 8 minutes on
 * 2 processors; missed targets are only said.
 */
const COMMAND = {
  usage:
    'npm run bench:console -- [flags]: how fast the console is there, whether it stays small, and how smoothly it scrolls.',
  figures: {
    rounds: {
      default: 5,
      most: 100,
      help: 'times that each page is loaded, and twice the times that a list is scrolled; medians count',
    },
    changes: { default: 3_600, most: 1_000_000, help: 'changes that Home is shown' },
    speed: { default: 25, most: 100, help: 'how many of them in a second; the clocks of the page go as much faster' },
    alarms: { default: 10_000, most: 100_000, help: 'how many alarms are scrolled through' },
  },
  parts: ['starts', 'hour', 'scroll'],
} as const satisfies Command<string, string>;

await runCommand(COMMAND, async (ground, { wants, figures }) =>
  alone(ground, async own => {
    const looked = await startLooked(own);
    const { rounds, alarms } = figures;
    return consoleReport({
      starts: wants('starts') ? await measureStarts(own, looked, rounds) : null,
      hour: wants('hour') ? await measureHour(own, looked, figures) : null,
      scroll: wants('scroll') ? await measureScroll(own, looked, { rounds: Math.ceil(rounds / 2), alarms }) : null,
    });
  }),
);
