import { type Command, InvalidArgumentError } from 'commander';
import { completionScript, SHELLS, type Shell } from '../completion.ts';
import { examples } from '../flags.ts';
import type { Io } from '../io.ts';
import type { Act } from '../session.ts';

/** `tocsin completion`: what a shell completes with the tab key. */
export function addCompletion(program: Command, _act: Act, io: Io, whole: () => Promise<Command>): void {
  const completion = program.command('completion').argument('<shell>', SHELLS.join(', '), shell);
  examples(completion, 'completion bash > ~/.local/share/bash-completion/completions/tocsin');
  completion.action(async (asked: Shell) => {
    io.stdout.write(completionScript(asked, await whole()));
  });
}

function shell(word: string): Shell {
  const found = SHELLS.find(one => one === word);
  if (found === undefined) throw new InvalidArgumentError(`It takes ${SHELLS.join(', ')}.`);
  return found;
}
