import { pino } from 'pino';
import { expect, test } from 'vitest';
import { terminalLines } from '../services/process/terminal-log.ts';

/** A logger for a terminal, and what it wrote. */
function atTerminal() {
  const written: string[] = [];
  return {
    written,
    log: pino(
      { level: 'debug' },
      terminalLines(text => written.push(text)),
    ),
  };
}

test('a person at a terminal reads words and no JSON: time, how bad it is, what happened, with what', () => {
  const { written, log } = atTerminal();
  log.info('Tocsin has stopped.');
  log.warn({ port: 5432, folder: '/srv/a b' }, 'PostgreSQL is away');
  log.error({ err: new Error('no route') }, 'a call failed');
  expect(written.map(text => text.replace(/^\d\d:\d\d:\d\d/, 'TIME'))).toEqual([
    'TIME Tocsin has stopped.\n',
    'TIME warning: PostgreSQL is away (port 5432, folder "/srv/a b")\n',
    expect.stringMatching(/^TIME error: a call failed\nError: no route\n {4}at /),
  ]);
});

test('a terminal shows nothing of the migrations of a start, unless one goes wrong', () => {
  const { written, log } = atTerminal();
  log.info({ part: 'schema' }, "Processing '20261121-first'");
  expect(written).toEqual([]);
  log.error({ part: 'schema' }, 'it failed');
  expect(written).toHaveLength(1);
});
