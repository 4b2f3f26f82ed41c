import { stripVTControlCharacters } from 'node:util';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { terminalLines } from '../services/process/terminal-log.ts';
import { progressTo } from '../services/store/progress.ts';

/** A logger for a terminal, and what it wrote. */
function atTerminal(colours: 'colours' | 'none' = 'none') {
  const written: string[] = [];
  return {
    written,
    log: pino(
      { level: 'debug' },
      terminalLines(text => written.push(text), colours),
    ),
  };
}

test('a person at a terminal reads a line: time, how bad it is, what happened, with what; of an error where it came from', () => {
  const { written, log } = atTerminal();
  log.info('Tocsin has stopped.');
  log.warn({ port: 5432, folder: '/srv/a b' }, 'PostgreSQL is away');
  log.warn({ err: new Error('no route') }, 'NATS is away');
  log.error({ err: new Error('no route') }, 'a call failed');
  expect(written.map(text => text.replace(/^\[\d\d:\d\d:\d\d\]/, 'TIME'))).toEqual([
    'TIME INFO: Tocsin has stopped.\n',
    'TIME WARN: PostgreSQL is away {"port":5432,"folder":"/srv/a b"}\n',
    'TIME WARN: NATS is away {"reason":"no route"}\n',
    expect.stringMatching(/^TIME ERROR: a call failed \n {4}err: \{\n[\s\S]*"message": "no route",\n[\s\S]* at /),
  ]);
});

test('colours are only where the terminal has them, and say nothing that the words do not', () => {
  const [plain, coloured] = [atTerminal(), atTerminal('colours')];
  for (const { log } of [plain, coloured]) log.warn({ port: 5432 }, 'PostgreSQL is away');
  const shown = ({ written: [line = ''] }: typeof plain) => line.slice(line.indexOf(']'));
  expect(coloured.written[0]).not.toBe(plain.written[0]);
  expect(stripVTControlCharacters(shown(coloured))).toBe(shown(plain));
});

test('a terminal shows nothing of the migrations of a start, unless one goes wrong', () => {
  const { written, log } = atTerminal();
  log.info({ part: 'schema' }, "Processing '20261130-first'");
  expect(written).toEqual([]);
  log.error({ part: 'schema' }, 'it failed');
  expect(written).toHaveLength(1);
});

test('how far a migration is is told in words at a terminal', () => {
  const written: string[] = [];
  const write = (text: string) => written.push(text) > 0;
  const progress = progressTo(pino({ level: 'silent' }), { isTTY: true, write });
  progress.info({ migration: '29990101-next', seconds: 20_000, of: null }, 'the database is being migrated');
  expect(written).toEqual(['the database is being migrated (migration 29990101-next, seconds 20,000)\n']);
});
