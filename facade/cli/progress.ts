import type { ApplyProgress } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import type { Io } from './io.ts';

const WIDTH = 30;

export interface Progress {
  show(progress: ApplyProgress): void;
  /** Removes the bar. */
  end(): void;
}

/** A bar on stderr, if that is a terminal; nothing elsewhere. */
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

/** A line on stderr about the progress of something with an unknown end, if that is a terminal; nothing elsewhere. */
export function createCounter({ stderr }: Io) {
  if (!stderr.isTerminal) return { show: () => {}, end: () => {} };
  return {
    show: (sofar: string) => stderr.write(`\r\u001b[K${sofar}`),
    end: () => stderr.write('\r\u001b[K'),
  };
}
