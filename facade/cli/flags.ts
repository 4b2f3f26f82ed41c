import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { type Command, Option } from 'commander';
import { parseDuration } from './duration.ts';
import { time } from './text.ts';

/** Adds two flags that exclude each other, such as --live and --test. */
export function eitherOr(
  command: Command,
  [one, meansOne]: readonly [flag: string, means: string],
  [other, meansOther]: readonly [flag: string, means: string],
): Command {
  return command
    .addOption(new Option(one, meansOne).conflicts(attribute(other)))
    .addOption(new Option(other, meansOther).conflicts(attribute(one)));
}

/** Returns the value of a switch: undefined if neither of its two flags is given. */
export function switchedOn(on: true | undefined, off: true | undefined): boolean | undefined {
  return on ?? (off === true ? false : undefined);
}

/** `--test-for`: for how long a test lasts that is switched on with it (DECISIONS.md "A test ends"). */
export function testForFlag(): Option {
  const lasts = 'puts it in test for so long, such as 1h, 1d or at most 7d, then it is live again; --test alone: a day';
  return new Option('--test-for <duration>', lasts).implies({ test: true }).conflicts('live');
}

/** Returns the seconds of `--test-for`; undefined if the flag is not given. Throws a usage fault. */
export function testForS(lasts: string | undefined): number | undefined {
  return lasts === undefined ? undefined : parseDuration(lasts, '--test-for');
}

/** Says of something in test until when it is. */
export function inTest(until: Timestamp | undefined): string {
  return until === undefined ? 'in test, not live yet' : `in test until ${time(timestampDate(until))}`;
}

/** A flag that may be repeated: its values in order. */
export function repeated(flags: string, means: string): Option {
  return new Option(flags, means).argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]);
}

/** `--name`, required to create. */
export function nameFlag(command: Command, use: 'create' | 'update'): Command {
  const option = new Option('--name <name>', 'display name, 1 to 100 characters');
  return command.addOption(option.makeOptionMandatory(use === 'create'));
}

/** `--key`: the owner's own stable name. */
export function keyFlag(): Option {
  const taken = 'lower-case letters, digits and hyphens; a new one is made from the name';
  return new Option('--key <key>', `its stable name in commands and files: ${taken}`);
}

/** Adds lines to paste to the help of a command. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  const title = lines.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText('after', `\n${title}:\n${lines.map(line => `  tocsin ${line}`).join('\n')}`);
}

/** How things are named on the command line. */
export function howNamed(what: string, example: string): string {
  return `${what}: its id of 32 characters, or its key such as ${example}`;
}

function attribute(flag: string): string {
  return new Option(flag).attributeName();
}
