import { parseArgs } from 'node:util';

export interface Options {
  /** Length of one round. */
  seconds: number;
  connections: number;
  rounds: number;
  output: 'table and json' | 'json';
  /** `reach`: only how long it takes to reach people. */
  part: 'all' | 'reach';
}

/** Reads the command line. Throws one sentence for anything it does not take. */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '5' },
      // One for each alarm: a camera keeps its own.
      connections: { type: 'string', default: '200' },
      rounds: { type: 'string', default: '5' },
      json: { type: 'boolean', default: false },
      reach: { type: 'boolean', default: false },
    },
  });
  return {
    seconds: wholeNumber('--seconds', values.seconds, 600),
    connections: wholeNumber('--connections', values.connections, 1_000),
    rounds: wholeNumber('--rounds', values.rounds, 100),
    output: values.json ? 'json' : 'table and json',
    part: values.reach ? 'reach' : 'all',
  };
}

function wholeNumber(name: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Error(`${name} takes a whole number from 1 to ${most}, got "${text}".`);
}
