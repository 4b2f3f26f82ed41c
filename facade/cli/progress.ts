import type { ApplyProgress } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import type { Io } from './io.ts';

const WIDTH = 30;

export interface Progress {
  show(progress: ApplyProgress): void;
  /** Takes the bar away. */
  end(): void;
}

/** A bar on stderr, where that is a terminal; nothing elsewhere. */
export function createProgress({ stderr }: Io): Progress {
  if (!stderr.isTerminal) return { show: () => {}, end: () => {} };
  return {
    show({ stage, done, total }) {
      const filled = total === 0 ? 0 : Math.round((WIDTH * done) / total);
      stderr.write(`\r\u001b[K${stage.padEnd(9)} ${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${done}/${total}`);
    },
    end: () => stderr.write('\r\u001b[K'),
  };
}

/** A line on stderr that says how far something is of which nobody knows the end, where that is a terminal; nothing elsewhere. */
export function createCounter({ stderr }: Io) {
  if (!stderr.isTerminal) return { show: () => {}, end: () => {} };
  return {
    show: (sofar: string) => stderr.write(`\r\u001b[K${sofar}`),
    end: () => stderr.write('\r\u001b[K'),
  };
}
