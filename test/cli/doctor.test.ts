import { expect, onTestFinished, test } from 'vitest';
import { LOCKS } from '../../services/store/lock.ts';
import { NO_CARRIERS } from '../support/carriers.ts';
import { connection } from '../support/connection.ts';
import { advanceClock } from '../support/database.ts';
import { startNtfy } from '../support/ntfy.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';
import { commandLine } from './command-line.ts';

interface Found {
  name: string;
  verdict: string;
  found: string;
  fix: string;
}

/** What doctor says of one thing, asked with a token. */
async function checked(world: World, name: string, token = world.operator, account = ''): Promise<Found> {
  const as = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token, TOCSIN_ACCOUNT: account };
  const { json } = await commandLine(as).json('doctor');
  return (json.checks as Found[]).find(check => check.name === name)!;
}

test('doctor really asks the carriers, says how the last message went, and fails for those that do not work', async () => {
  const [smtp, twilio, ntfy] = [await startSmtp(), await startTwilio(), await startNtfy({ token: 'right' })];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), twilio.stop(), ntfy.stop()])));
  const settings = { twilio: twilio.settings, ntfy: { url: ntfy.url, token: 'right' } };
  const well = await startWorld({ smtpUrl: smtp.url, carriers: settings });
  for (const channel of ['text', 'call', 'email', 'push']) {
    expect(await checked(well, channel)).toEqual({
      name: channel,
      verdict: 'ok',
      found: 'The carrier answers.',
      fix: '',
    });
  }
  expect([smtp.mails, twilio.messages, twilio.calls, ntfy.pushes]).toEqual([[], [], [], []]);
  expect((await checked(well, 'webhook')).verdict).toBe('ok');

  const refused = { ...twilio.settings, authToken: 'f'.repeat(32) };
  const ill = await startWorld({
    smtpUrl: 'smtp://127.0.0.1:9',
    carriers: { twilio: refused, ntfy: { url: ntfy.url, token: 'wrong' } },
  });
  for (const [channel, problem] of [
    ['email', 'the mail server could not be reached'],
    ['text', 'the carrier refused the login'],
    ['push', 'the push server refused the login'],
  ] as const) {
    expect(await checked(ill, channel)).toMatchObject({ verdict: 'fail', found: expect.stringContaining(problem) });
  }

  const [owner, other] = [await ill.account(), await ill.account()];
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  await ill.get(`/v1/panic/${await owner.panicButton({ policyId })}/trigger`, await owner.key());
  await ill.settle();
  const said = async (accountId: string) => (await checked(ill, 'email', ill.operator, accountId)).found;
  expect(await said(owner.accountId)).toMatch(
    / The last message, .*: scheduled \(the mail server could not be reached/,
  );
  expect(await said(other.accountId)).not.toContain('last message');
});

test('doctor warns of a carrier that does not work while another one stands by', async () => {
  const [smtp, smtp2] = [await startSmtp(), await startSmtp()];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), smtp2.stop()])));
  const mail2 = { ...NO_CARRIERS.mail, smtpUrl: smtp2.url };
  const world = await startWorld({ smtpUrl: smtp.url, carriers: { mail2, order: { email: ['mail', 'mail2'] } } });
  await smtp.stop();
  expect(await checked(world, 'email')).toMatchObject({
    verdict: 'warn',
    found: expect.stringMatching(
      /^mail does not work: the mail server could not be reached.*Another carrier stands by\.$/,
    ),
    fix: expect.stringContaining('SMTP_URL'),
  });
});

test('links that open on this machine alone fail doctor, which proposes another address', async () => {
  const world = await startWorld({ publicUrl: 'http://localhost:8080' });
  const { verdict, found, fix } = await checked(world, 'links');
  expect([verdict, found]).toEqual([
    'fail',
    'Links in messages lead to http://localhost:8080, which opens only on the machine that runs Tocsin.',
  ]);
  expect(fix).toMatch(
    /^Set PUBLIC_URL where Tocsin runs, or call tocsin public-url set(, .* http:\/\/\d+\.\d+\.\d+\.\d+:8080)?\.$/,
  );
  const outside = await startWorld({ publicUrl: 'https://alarm.example.com' });
  expect(await checked(outside, 'links')).toMatchObject({ verdict: 'ok' });
});

test('doctor warns the operator of web push where links do not lead to https', async () => {
  const start = (publicUrl: string) =>
    startWorld({ publicUrl, carrierEnv: { WEB_PUSH_CONTACT: 'operator@example.com' } });
  const all = async ({ rpcUrl }: World, token: string) => {
    const { json } = await commandLine({ TOCSIN_RPC_URL: rpcUrl, TOCSIN_TOKEN: token }).json('doctor');
    return (json.checks as Found[]).filter(({ name }) => name === 'carriers');
  };
  const there = { name: 'carriers', verdict: 'ok', found: 'Set up: web-push in the environment.', fix: '' };
  const home = await start('http://tocsin.lan:8080');
  expect(await all(home, home.operator)).toEqual([
    there,
    {
      name: 'carriers',
      verdict: 'warn',
      found:
        'web-push is set up, but links lead to http://tocsin.lan:8080: browsers let themselves be rung only from addresses that begin with https://.',
      fix: 'Set PUBLIC_URL where Tocsin runs, or call tocsin public-url set, to an address that begins with https://.',
    },
  ]);
  const away = await start('https://tocsin.example.com');
  expect(await all(away, away.operator)).toEqual([there]);
});

test('doctor warns of a snapshot that is held for more than a minute: how long, who, and what to do; who it is only the operator', async () => {
  const world = await startWorld();
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json: made } = await operator.json('accounts', 'create', '--name', 'An owner');
  const holder = await connection(world.databaseUrl);
  const { rows } = await holder.query<{ pid: number; s: number }>(
    'SELECT pg_backend_pid() AS pid, extract(epoch FROM clock_timestamp() - tocsin_now())::float8 AS s',
  );
  const [{ pid, s }] = rows as [{ pid: number; s: number }];
  await advanceClock(world.store.pool, s);
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await holder.query('SELECT 1');
  await advanceClock(world.store.pool, 50);
  await world.services.measure();
  expect(await checked(world, 'snapshot')).toMatchObject({ verdict: 'ok', fix: '' });

  // How long Postgres has known of it is told by Postgres's own clock.
  await world.rows(
    "CREATE OR REPLACE FUNCTION tocsin_wall() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ SELECT clock_timestamp() + interval '630 s' $$",
  );
  await world.services.measure();
  expect(await checked(world, 'snapshot')).toEqual({
    name: 'snapshot',
    verdict: 'warn',
    found: expect.stringMatching(
      new RegExp(`^A transaction \\(process ${pid}\\) has kept Postgres from cleaning up for 10m (3|4|5)\\ds;`),
    ),
    fix: `End what runs it, such as a backup, or in Postgres: SELECT pg_terminate_backend(${pid}).`,
  });
  const owners = await checked(world, 'snapshot', made.token);
  expect(owners).toMatchObject({ verdict: 'warn', found: expect.stringMatching(/^A transaction has kept/) });
  expect(owners.fix).not.toContain(String(pid));

  await holder.query('COMMIT');
  const isOk = async () => {
    await world.services.measure();
    return (await checked(world, 'snapshot')).verdict === 'ok';
  };
  await eventually(isOk, { what: 'doctor to find no snapshot that is held' });
});

test('doctor warns when the oldest call has waited to be applied for more than half a minute', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const [alarm, key] = [await owner.alarm(), await owner.key()];
  const holder = await connection(world.databaseUrl);
  await holder.query('SELECT pg_advisory_lock($1)', [LOCKS.apply]);
  await world.get(`/v1/alarm/${alarm}/trigger`, key);
  await advanceClock(world.store.pool, 30);
  const early = { verdict: 'ok', found: '1 accepted call to be applied, the oldest for 30s.' };
  expect(await checked(world, 'waiting')).toMatchObject(early);
  await advanceClock(world.store.pool, 15);
  expect(await checked(world, 'waiting')).toMatchObject({
    verdict: 'warn',
    found: '1 accepted call to be applied, the oldest for 45s.',
    fix: 'Check that the engine is running (its log, /readyz).',
  });
  await holder.query('SELECT pg_advisory_unlock($1)', [LOCKS.apply]);
  await world.settle();
  expect(await checked(world, 'waiting')).toMatchObject({ verdict: 'ok', found: '0 accepted calls to be applied.' });
});
