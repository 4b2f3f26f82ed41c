import { parseArgs } from 'node:util';

/** What `npm run simulate` is asked for. */
export type Wanted =
  | { what: 'help' }
  | ({ what: 'seeds'; from: number; to: number; until: 'end' | 'first' } & Output)
  | ({ what: 'replay'; seed: number; times: number } & Output)
  | ({ what: 'sweep'; lives: readonly number[]; every: number } & Output)
  | ({ what: 'planted'; seeds: number; only: readonly string[] } & Output);

interface Output {
  /** Whether every other process is of a next version that is made up (test/support/neighbour.ts). */
  beside: 'neighbour' | 'nobody';
  output: 'table' | 'json';
  /** Whether the history of what is not all right is written to a file. */
  history: 'written' | 'no';
}

export const HELP = `npm run simulate -- [flags]: seeded lives of two processes on one database, statement by statement.

  --seeds <from-to>   these lives (1-100)
  --first             end at the first that is not all right
  --replay <seed>     this life again, and its history to a file; --times <number>: so often, and whether it stays the same
  --sweep             a death and a cut after every statement of three lives; --life <number>: of this one only;
                      --every <number>: after each so many statements
  --planted           every planted bug in a copy of the tree, until it is found; --only <name> may be given again;
                      --most <number>: in so many seeds (500)
  --neighbour         every other process is of a next version that is made up, which has migrated the database
  --history           write the history of every life that is not all right to a file
  --json              only one line of JSON`;

/** Reads the command line. Throws one sentence for anything it does not take. */
export function readOptions(args: string[]): Wanted {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string' },
      first: { type: 'boolean', default: false },
      replay: { type: 'string' },
      times: { type: 'string', default: '1' },
      sweep: { type: 'boolean', default: false },
      life: { type: 'string', multiple: true, default: ['1', '2', '3'] },
      every: { type: 'string', default: '1' },
      planted: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      most: { type: 'string', default: '500' },
      neighbour: { type: 'boolean', default: false },
      history: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return { what: 'help' };
  const output: Output = {
    beside: values.neighbour ? 'neighbour' : 'nobody',
    output: values.json ? 'json' : 'table',
    history: values.history || values.replay !== undefined ? 'written' : 'no',
  };
  if (values.planted) return { what: 'planted', seeds: whole('--most', values.most), only: values.only, ...output };
  if (values.sweep) {
    const lives = values.life.map(life => whole('--life', life, 3));
    return { what: 'sweep', lives, every: whole('--every', values.every), ...output };
  }
  if (values.replay !== undefined) {
    return { what: 'replay', seed: whole('--replay', values.replay), times: whole('--times', values.times), ...output };
  }
  const range = /^(\d+)(?:-(\d+))?$/.exec(values.seeds ?? '1-100');
  if (range === null) throw new Error(`--seeds takes two numbers such as 1-100, got "${values.seeds}".`);
  const [from, to] = [Number(range[1]), Number(range[2] ?? range[1])];
  return { what: 'seeds', from, to, until: values.first ? 'first' : 'end', ...output };
}

function whole(name: string, text: string, most = 1_000_000): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Error(`${name} takes a whole number from 1 to ${most}, got "${text}".`);
}
