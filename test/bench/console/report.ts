import type { Report } from '../command.ts';
import { rounded } from '../numbers.ts';
import { table } from '../report/table.ts';
import type { Target } from '../report/targets.ts';
import type { Hour } from './hour.ts';
import type { Scroll } from './scroll.ts';
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
    { name: 'A long list scrolled, longest frame, ms', got: scroll?.longest ?? null, atMost: 50 },
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

function scrollTable({ alarms, loaded, longest, worst, late, frames }: Scroll): string[] {
  return table(
    [`${alarms} alarms`, 'loaded s', 'longest frame ms', 'worst round ms', 'over 50 ms', 'frames'],
    [['Scrolled to the end', rounded(loaded, 1), rounded(longest), rounded(worst), late, frames]],
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
