import { expect, onTestFinished, test } from 'vitest';
import type { Ask } from '../../facade/cli/ask.ts';
import { readConnection } from '../../facade/cli/config.ts';
import { CliFault, EXIT } from '../../facade/cli/exit.ts';
import { connect } from '../../facade/cli/rpc.ts';
import { openSession, type Session } from '../../facade/cli/session.ts';
import { setUp } from '../../facade/cli/wizard.ts';
import { consoleOf, newOwner } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { codeIn } from '../support/verified.ts';
import { startWorld, type World } from '../support/world.ts';
import { commandLine } from './command-line.ts';

/** A person with their answers ready, in order; `null` is Ctrl-C, a function an answer that is found only then. */
function person(answers: (string | null | (() => string))[]): { ask: Ask; told: string[] } {
  const told: string[] = [];
  const next = (question: string): string => {
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`asked more than was expected: ${question}`);
    if (answer === null) throw new CliFault(EXIT.interrupted, 'Interrupted.');
    return typeof answer === 'string' ? answer : answer();
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

function session(world: World, token = world.operator): { given: Session; said: { out: string; err: string } } {
  const said = { out: '', err: '' };
  const io = {
    environment: { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token },
    stdout: { isTerminal: false, write: (text: string) => void Object.assign(said, { out: said.out + text }) },
    stderr: { isTerminal: false, write: (text: string) => void Object.assign(said, { err: said.err + text }) },
    stdin: { isTerminal: true, readAll: async () => '' },
    timeZone: 'Europe/Vienna',
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
    'Europe/Vienna',
    'Anna',
    'email',
    'anna@example.com',
    'Europe/Vienna',
    'no',
    'House',
    'Front door',
  ]);
  await setUp(given, ask);
  expect(told).toEqual([expect.stringContaining('E.164')]);
  expect(said.out).toMatch(/Created the alarm House\.\nIt is in test, fires only when armed/);
  expect(said.out).toMatch(/Rehearsed:\n(.+\n)+Nobody was alerted\. The incident \w{32} is closed again\./);
  expect(said.out).toContain('tocsin alarms update house --live');

  // What it says opens what it made.
  const token = /export TOCSIN_TOKEN=(\S+)/.exec(said.out)![1]!;
  const key = /export TOCSIN_KEY=(\S+)/.exec(said.out)![1]!;
  const owner = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token });
  const { json } = await owner.json('alarms', 'show', 'house');
  expect(json.alarm).toMatchObject({ test: true, onlyWhenArmed: true, clearOnDisarm: true });
  expect(json.alarm.modes.map(({ windowS }: { windowS: number }) => windowS)).toEqual([0, 30, 0, 0]);
  expect((await owner.json('contacts', 'show', 'anna')).json.contact.timeZone).toBe('Europe/Vienna');
  expect((await world.get('/v1/integration/describe', key)).status).toBe(200);
  // A key for each device: what it is called is what messages say tripped.
  expect((await owner.json('keys', 'show', 'front-door')).json.apiKey).toMatchObject({ label: 'Front door' });
  expect(said.out).toMatch(/tocsin keys create --alarm house --label .* a key for each further device/);
  expect((await owner.json('incidents', 'list', '--status', 'open')).json.items).toEqual([]);
});

test('who leaves setup hears what exists, and finds it offered the next time', async () => {
  const world = await startWorld();
  const first = session(world);
  const leaving = person(['The Elms', 'Home', '', null]);
  await expect(setUp(first.given, leaving.ask)).rejects.toMatchObject({ exit: EXIT.interrupted });
  expect(first.said.err).toMatch(/^Created so far, and kept: account The Elms \(\w{32}\), location Home \(home\)\./);

  const second = session(world);
  const back = person(['The Elms', 'Home', 'Anna', 'email', 'anna@example.com', 'UTC', 'no', null]);
  await expect(setUp(second.given, back.ask)).rejects.toMatchObject({ exit: EXIT.interrupted });
  expect(second.said.err).toContain('contact Anna (anna), policy Anna first (anna-first)');
});

test('with a token of the account, setup offers the code: a wrong one is asked again, and the right one verifies', async () => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld({ smtpUrl: smtp.url });
  const { token } = await newOwner(world);
  const { given, said } = session(world, token);
  const code = () => codeIn(smtp.mails[0]!.subject!);
  const wrong = () => String(1_111_111 - Number(code())).slice(-6);
  const { ask, told } = person([
    ...['Home', '', 'Anna', 'email', 'anna@example.com', 'UTC', 'yes', 'six digits'],
    wrong,
    code,
    'House',
    'Front door',
  ]);
  await setUp(given, ask);
  expect(told).toEqual([expect.stringContaining('takes the six digits'), expect.stringMatching(/^wrong: .* 4 of 5/)]);
  expect(said.out).toMatch(/A code for the email of Anna: sent/);
  expect(said.out).not.toContain('contacts verify');
  const { contacts } = consoleOf(world, token);
  const { contact } = await contacts.getContact({ contactId: 'anna' });
  expect(contact!.channels[0]!.verifiedAt).toBeDefined();
});

test('who has no code yet goes on without: what verifies it stands in what is next', async () => {
  const world = await startWorld();
  const { token } = await newOwner(world);
  const home = ['Home', '', 'Anna', 'email', 'anna@example.com', 'UTC'];
  // Nobody can read what no carrier took.
  const first = session(world, token);
  const uncarried = person([...home, 'yes', 'House', 'Front door']);
  await setUp(first.given, uncarried.ask);
  expect(first.said.out).toContain('A code for the email of Anna: no carrier');
  expect(first.said.out).toMatch(/Next:\n {2}tocsin contacts verify anna email +until then no live alert goes there\n/);
  // Within the minute there is no second one, and setup goes on all the same.
  const second = session(world, token);
  const again = person(['Home', 'Anna', 'yes', 'Barn', 'Barn door']);
  await setUp(second.given, again.ask);
  expect(again.told).toEqual([expect.stringContaining('Ask for another code in 60 s.')]);
  const third = session(world, token);
  await setUp(third.given, person(['Home', 'Anna', 'no', 'Shed', 'Shed door']).ask);
  expect(third.said.out).toContain('tocsin contacts verify anna email');
});

test('setup without a terminal names the commands instead', async () => {
  const refused = await commandLine({}).text('setup');
  expect(refused).toMatchObject({ exit: 2, out: '' });
  expect(refused.err).toContain('tocsin alarms create');
});
