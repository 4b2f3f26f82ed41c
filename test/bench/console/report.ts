import type { Report } from '../command.ts';
import { rounded } from '../numbers.ts';
import { table } from '../report/table.ts';
import type { Target } from '../report/targets.ts';
import type { Hour } from './hour.ts';
import type { Frames, Scroll } from './scroll.ts';
import type { Start } from './starts.ts';

/** What `npm run bench:console` measured; null: that part was left out. */
interface Measured {
  starts: Start[] | null;
  hour: Hour | null;
  scroll: Scroll | null;
}

/** Puts it into words. */
export function consoleReport(measured: Measured): Report {
  const { starts, hour, scroll } = measured;
  return {
    lines: [
      ...(starts === null ? [] : ['', ...startsTable(starts)]),
      ...(hour === null ? [] : ['', ...hourTable(hour)]),
      ...(scroll === null ? [] : ['', ...scrollTable(scroll)]),
    ].slice(1),
    json: { ...measured },
    targets: targetsOf(measured),
  };
}

function targetsOf({ starts, hour, scroll }: Measured): Target[] {
  const startOf = (page: Start['page']) => starts?.find(start => start.page === page);
  return [
    { name: 'Sign-in, first contentful paint, ms', got: startOf('sign_in')?.painted ?? null, atMost: 1_800 },
    { name: 'Sign-in, interactive, ms', got: startOf('sign_in')?.interactive ?? null, atMost: 3_800 },
    { name: 'Home, first contentful paint, ms', got: startOf('home')?.painted ?? null, atMost: 1_800 },
    { name: 'Home, interactive, ms', got: startOf('home')?.interactive ?? null, atMost: 3_800 },
    { name: 'Home, scripts over the line, kB', got: kB(startOf('home')?.scripts), atMost: 70 },
    { name: 'Heap after an hour of changes, second half / first', got: growth(hour?.heap), atMost: 1.05 },
    { name: 'Nodes after an hour of changes, second half / first', got: growth(hour?.nodes), atMost: 1.05 },
    { name: 'A long list scrolled, longest frame, ms', got: scroll?.list.longest ?? null, atMost: 50 },
    { name: 'A long list scrolled, longest task of the page itself, ms', got: scroll?.list.task ?? null, atMost: 50 },
  ];
}

function startsTable(starts: readonly Start[]): string[] {
  const rows = starts.map(({ page, painted, interactive, blocked, scripts, unpacked }) => [
    page === 'sign_in' ? 'Sign-in' : 'Home',
    ...[painted, interactive, blocked].map(ms => rounded(ms)),
    ...[scripts, unpacked].map(bytes => rounded(kB(bytes), 1)),
  ]);
  const head = [
    'Loaded anew, processor 4 times slower',
    'painted ms',
    'interactive ms',
    'blocked ms',
    'scripts kB',
    'unpacked kB',
  ];
  return table(head, rows);
}

function hourTable({ changes, seconds, asked, heap, nodes }: Hour): string[] {
  return table(
    [`Home, ${changes} changes in ${seconds.toFixed(0)} s, ${asked} calls`, 'first half', 'second half', 'ratio'],
    [
      ['Heap, MB', rounded(heap.first / 1e6, 2), rounded(heap.second / 1e6, 2), rounded(growth(heap), 3)],
      ['Nodes', rounded(nodes.first), rounded(nodes.second), rounded(growth(nodes), 3)],
    ],
  );
}

function scrollTable({ alarms, loaded, list, bare }: Scroll): string[] {
  const row = (title: string, { longest, worst, late, frames, work, task }: Frames) => [
    title,
    ...[longest, worst].map(ms => rounded(ms)),
    late,
    frames,
    rounded(work, 1),
    rounded(task),
  ];
  const head = ['longest frame ms', 'worst round ms', 'over 50 ms', 'frames', 'own work ms a frame', 'longest task ms'];
  return table(
    [`Scrolled to the end (loaded in ${loaded.toFixed(1)} s)`, ...head],
    [row(`${alarms} alarms`, list), row('As many bare rows', bare)],
  );
}

function growth(of: Hour['heap'] | undefined): number | null {
  return of === undefined ? null : of.second / of.first;
}

function kB(bytes: number): number;
function kB(bytes: number | undefined): number | null;
function kB(bytes: number | undefined): number | null {
  return bytes === undefined ? null : bytes / 1_000;
}
