import type { Command } from 'commander';
import { runChecks } from '../checks.ts';
import { EXIT } from '../exit.ts';
import { examples } from '../flags.ts';
import type { Act } from '../session.ts';

const COLOURS = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** `tocsin doctor`: is everything there, reachable and in time? */
export function addDoctor(program: Command, act: Act): void {
  const doctor = program.command('doctor');
  examples(doctor, 'doctor').action(
    act(async session => {
      const checks = await runChecks(session);
      session.value({ checks: checks.map(check => ({ ...check })) }, () =>
        checks.flatMap(({ name, verdict, found, fix }) => [
          `${session.paint(COLOURS[verdict], verdict.padEnd(4))}  ${name.padEnd(9)}  ${found}`,
          ...(fix === '' ? [] : [`${' '.repeat(17)}${fix}`]),
        ]),
      );
      return checks.some(({ verdict }) => verdict === 'fail') ? EXIT.refused : EXIT.ok;
    }),
  );
}
