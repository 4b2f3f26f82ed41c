import type { Command } from 'commander';
import { askAtTerminal } from '../ask.ts';
import { CliFault, EXIT } from '../exit.ts';
import { examples } from '../flags.ts';
import type { Act } from '../session.ts';
import { setUp } from '../wizard.ts';

/** `tocsin setup`: asks for everything a first alarm needs, creates it and tries it. */
export function addSetup(program: Command, act: Act): void {
  const setup = program.command('setup');
  examples(setup, 'setup').action(
    act(async session => {
      const { stdin, stderr } = session.io;
      if (!stdin.isTerminal || !stderr.isTerminal || session.format === 'json') {
        throw new CliFault(EXIT.usage, `setup asks questions and needs a terminal. Without one: ${COMMANDS}.`);
      }
      await setUp(session, await askAtTerminal(session.io.signal));
    }),
  );
}

const COMMANDS = [
  'tocsin locations create',
  'tocsin contacts create',
  'tocsin policies create',
  'tocsin alarms create',
  'tocsin keys create',
  'tocsin rehearse (each with --help), or tocsin config apply with a file',
].join(', ');
