import { expect, test } from 'vitest';
import type { Ask } from '../../facade/cli/ask.ts';
import { readConnection } from '../../facade/cli/config.ts';
import { CliFault, EXIT } from '../../facade/cli/exit.ts';
import { connect } from '../../facade/cli/rpc.ts';
import { openSession, type Session } from '../../facade/cli/session.ts';
import { setUp } from '../../facade/cli/wizard.ts';
import { startWorld, type World } from '../support/world.ts';
import { commandLine } from './command-line.ts';

/** A person with their answers ready, in order; `null` is Ctrl-C. */
function person(answers: (string | null)[]): { ask: Ask; told: string[] } {
  const told: string[] = [];
  const next = (question: string): string => {
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`asked more than was expected: ${question}`);
    if (answer === null) throw new CliFault(EXIT.interrupted, 'Interrupted.');
    return answer;
  };
  const ask: Ask = {
    text: async question => next(question),
    choose: async (question, choices) => {
      const answer = next(question);
      return choices.find(({ value, label }) => value === answer || label === answer)!.value;
    },
    confirm: async question => next(question) as 'yes' | 'no',
    tell: sentence => void told.push(sentence),
  };
  return { ask, told };
}

function session(world: World): { given: Session; said: { out: string; err: string } } {
  const said = { out: '', err: '' };
  const io = {
    environment: { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator },
    stdout: { isTerminal: false, write: (text: string) => void Object.assign(said, { out: said.out + text }) },
    stderr: { isTerminal: false, write: (text: string) => void Object.assign(said, { err: said.err + text }) },
    stdin: { isTerminal: true, readAll: async () => '' },
    signal: new AbortController().signal,
  };
  const connection = readConnection(io.environment, {});
  const rpc = connect(connection, io.signal);
  return { given: openSession({ rpc, rpcUrl: connection.rpcUrl, flags: {}, io, format: 'text' }), said };
}

test('setup makes all that a first alarm needs and ends in its rehearsal; a wrong answer is asked again', async () => {
  const world = await startWorld();
  const { given, said } = session(world);
  const { ask, told } = person([
    'The Elms',
    'Home',
    '1 Elm Street',
    'Anna',
    'text',
    '123',
    'Anna',
    'email',
    'anna@example.com',
    'House',
  ]);
  await setUp(given, ask);
  expect(told).toEqual([expect.stringContaining('E.164')]);
  expect(said.out).toMatch(/Made the alarm House\.\nIt is in test, fires only when armed/);
  expect(said.out).toMatch(/Rehearsed:\n(.+\n)+Nobody was alerted\. The incident \w{32} is closed again\./);
  expect(said.out).toContain('tocsin alarms update house --live');

  // What it says opens what it made.
  const token = /export TOCSIN_TOKEN=(\S+)/.exec(said.out)![1]!;
  const key = /export TOCSIN_KEY=(\S+)/.exec(said.out)![1]!;
  const owner = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token });
  const { json } = await owner.json('alarms', 'show', 'house');
  expect(json.alarm).toMatchObject({ test: true, onlyWhenArmed: true, clearOnDisarm: true });
  expect(json.alarm.modes.map(({ windowS }: { windowS: number }) => windowS)).toEqual([0, 30, 0, 0]);
  expect((await world.get('/v1/integration/describe', key)).status).toBe(200);
  expect((await owner.json('incidents', 'list', '--status', 'open')).json.items).toEqual([]);
});

test('who leaves setup hears what exists, and finds it offered the next time', async () => {
  const world = await startWorld();
  const first = session(world);
  const leaving = person(['The Elms', 'Home', '', null]);
  await expect(setUp(first.given, leaving.ask)).rejects.toMatchObject({ exit: EXIT.interrupted });
  expect(first.said.err).toMatch(
    /^Made so far, and still there: account The Elms \(\w{32}\), location Home \(home\)\./,
  );

  const second = session(world);
  const back = person(['The Elms', 'Home', 'Anna', 'email', 'anna@example.com', null]);
  await expect(setUp(second.given, back.ask)).rejects.toMatchObject({ exit: EXIT.interrupted });
  expect(second.said.err).toContain('contact Anna (anna), policy Anna first (anna-first)');
});

test('setup without a terminal names the commands instead', async () => {
  const refused = await commandLine({}).text('setup');
  expect(refused).toMatchObject({ exit: 2, out: '' });
  expect(refused.err).toContain('tocsin alarms create');
});
