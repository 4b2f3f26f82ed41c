import { parseArgs } from 'node:util';

/** What a command of the bench takes. */
export interface Command<Figure extends string, Part extends string> {
  /** How it is called, and in a sentence what for. */
  usage: string;
  figures: Record<Figure, { default: number; most: number; help: string }>;
  /** What `--only` takes. */
  parts: readonly Part[];
}

/** What was asked for. */
export interface Options<Figure extends string, Part extends string> {
  figures: Record<Figure, number>;
  /** Whether a part is wanted. */
  wants(part: Part): boolean;
  output: 'table and json' | 'json';
}

/** Reads the command line; `help` where that is all that was asked for. Throws one sentence for anything it does not take. */
export function readOptions<Figure extends string, Part extends string>(
  args: string[],
  { figures, parts }: Command<Figure, Part>,
): Options<Figure, Part> | 'help' {
  const names = Object.keys(figures) as Figure[];
  const { values } = parseArgs({
    args,
    options: {
      ...Object.fromEntries(names.map(name => [name, { type: 'string' as const }])),
      only: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help === true) return 'help';
  const only = (values.only ?? []) as string[];
  const unknown = only.find(part => !parts.some(known => known === part));
  if (unknown !== undefined) throw new Error(`--only takes ${parts.join(', ')}, got "${unknown}".`);
  const read = names.map(name => {
    const text = values[name as keyof typeof values] as string | undefined;
    return [name, text === undefined ? figures[name].default : wholeNumber(`--${name}`, text, figures[name].most)];
  });
  return {
    figures: Object.fromEntries(read) as Record<Figure, number>,
    wants: part => only.length === 0 || only.includes(part),
    output: values.json === true ? 'json' : 'table and json',
  };
}

/** What `--help` prints. */
export function helpText<Figure extends string, Part extends string>(command: Command<Figure, Part>): string {
  const { usage, figures, parts } = command;
  const flags = Object.entries<Command<Figure, Part>['figures'][Figure]>(figures).map(
    ([name, figure]) => [`--${name} <number>`, `${figure.help} (${figure.default})`] as const,
  );
  const all = [
    ...flags,
    ['--only <part>', `only this: ${parts.join(', ')}; may be given again`] as const,
    ['--json', 'only one line of JSON'] as const,
  ];
  return [usage, '', ...all.map(([flag, help]) => `  ${flag.padEnd(24)}${help}`)].join('\n');
}

function wholeNumber(name: string, text: string, most: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= most) return number;
  throw new Error(`${name} takes a whole number from 1 to ${most}, got "${text}".`);
}
