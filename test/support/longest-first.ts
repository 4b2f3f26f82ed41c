import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest though its file is not the largest, by which the runner would go. */
const LONGEST = [
  'sim/sim.long.test.ts',
  'faults/upgrade.test.ts',
  'faults/patroni.test.ts',
  'faults/clock.test.ts',
  'facade/console/windows.long.test.ts',
  'facade/console/stale.long.test.ts',
  'faults/watchman.test.ts',
  'facade/console/operator.long.test.ts',
  'faults/alerts.test.ts',
  'faults/failover.test.ts',
];

/** Begins with the longest files, or a process would be left alone with one of them at the end of a run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap(name => {
      const own = sorted.filter(({ project }) => project.name === name);
      return own.toSorted((one, other) => rank(one) - rank(other));
    });
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = LONGEST.findIndex(path => moduleId.endsWith(`/${path}`));
  return at === -1 ? LONGEST.length : at;
}
