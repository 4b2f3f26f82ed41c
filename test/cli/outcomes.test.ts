import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';
import { type CommandLine, commandLine, startCommand } from './command-line.ts';

/** What a proxy must hand on for a Connect call. */
const PASSED = /^(authorization|content-type|connect-.*|x-tocsin-account)$/;

async function newOwner(world: World): Promise<{ owner: CommandLine; environment: Record<string, string> }> {
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json } = await operator.json('accounts', 'create', '--name', 'An owner');
  const environment = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: json.token };
  return { owner: commandLine(environment), environment };
}

test('every kind of end has its exit code, a sentence on stderr and with --json one value on stdout', async () => {
  const world = await startWorld();
  const { owner, environment } = await newOwner(world);

  // 2: wrong usage, and what the services do not accept, told by the flag that was typed.
  expect(await owner.text('alarm')).toMatchObject({
    exit: 2,
    out: '',
    err: expect.stringContaining('Did you mean alarms?'),
  });
  expect(await owner.text('alarms', 'create')).toMatchObject({
    exit: 2,
    err: expect.stringContaining("'--name <name>'"),
  });
  expect((await owner.json('alarms', 'create')).json).toMatchObject({ error: { code: 'usage' } });
  expect(await owner.text('locations', 'update', 'home')).toMatchObject({ exit: 3 });
  const wrong = await owner.text(
    'contacts',
    'create',
    '--name',
    'Anna',
    '--key',
    'An na',
    '--email',
    'nowhere',
    '--call',
    '1',
  );
  expect(wrong).toMatchObject({ exit: 2, out: '' });
  expect(wrong.err).toMatch(/^ {2}--key /m);
  expect(wrong.err).toMatch(/^ {2}--email /m);
  expect(wrong.err).toMatch(/^ {2}--call /m);
  const both = await owner.text('locations', 'create', '--name', 'Home', '--test', '--live');
  expect(both).toMatchObject({ exit: 2, err: expect.stringContaining('cannot be used with') });

  // 3, 4, 5.
  const missing = await owner.json('alarms', 'show', 'nowhere');
  expect(missing).toMatchObject({ exit: 3, json: { error: { code: 'not_found', problems: [] } } });
  const stranger = commandLine({ TOCSIN_RPC_URL: world.rpcUrl });
  expect(await stranger.text('alarms', 'list')).toMatchObject({
    exit: 4,
    err: expect.stringContaining('Set TOCSIN_TOKEN'),
  });
  expect(await owner.text('accounts', 'list')).toMatchObject({
    exit: 4,
    err: expect.stringContaining("operator's token"),
  });
  await owner.text('locations', 'create', '--name', 'Home');
  const taken = await owner.json('locations', 'create', '--name', 'Other', '--key', 'home');
  expect(taken).toMatchObject({ exit: 5, json: { error: { code: 'already_exists' } } });
  await owner.text('alarms', 'create', '--name', 'House', '--location', 'home');
  const inUse = await owner.text('locations', 'delete', 'home');
  expect(inUse).toMatchObject({ exit: 5, err: expect.stringMatching(/^ {2}alarm House \(house\)$/m) });

  // 6: nobody there, and somebody else there.
  const nobody = await commandLine({ TOCSIN_RPC_URL: 'http://127.0.0.1:1' }).text('alarms', 'list');
  expect(nobody).toMatchObject({
    exit: 6,
    err: expect.stringMatching(/^Tocsin cannot be reached at .* \(ECONNREFUSED\)\./),
  });
  const other = await commandLine({ ...environment, TOCSIN_RPC_URL: world.url }).text('alarms', 'list');
  expect(other.err).toContain('Is it the RPC port');

  // Never the token, whatever is wrong with it.
  const secret = await commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: 'tcn_top secret' }).text(
    'alarms',
    'list',
  );
  expect(secret).toMatchObject({ exit: 2, err: expect.not.stringContaining('top') });
});

test('an update writes what is given on the version just read, and says who was faster', async () => {
  const world = await startWorld();
  const { owner, environment } = await newOwner(world);
  await owner.text('locations', 'create', '--name', 'Home', '--address', '1 Elm Street');
  const renamed = await owner.json('locations', 'update', 'home', '--name', 'The house');
  expect(renamed.json.location).toMatchObject({ name: 'The house', key: 'home', address: '1 Elm Street', version: 2 });
  expect((await owner.text('locations', 'update', 'home', '--name', 'The house')).out).toContain('No changes.');
  expect(await owner.text('locations', 'update', 'home')).toMatchObject({
    exit: 2,
    err: expect.stringMatching(/^Nothing to change/),
  });

  // Somebody changes it between the read and the write of another.
  const slow = createServer(async (request, response) => {
    const chunks = await request.toArray();
    if (request.url?.endsWith('/UpdateLocation')) await owner.text('locations', 'update', 'home', '--address', '');
    const answer = await fetch(world.rpcUrl + request.url, {
      method: 'POST',
      headers: Object.entries(request.headers).filter(([name]) => PASSED.test(name)) as [string, string][],
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>(resolve => slow.listen(0, '127.0.0.1', resolve));
  const { port } = slow.address() as AddressInfo;
  const late = commandLine({ ...environment, TOCSIN_RPC_URL: `http://127.0.0.1:${port}` });
  const beaten = await late.text('locations', 'update', 'home', '--name', 'Mine');
  slow.close();
  expect(beaten).toMatchObject({ exit: 5, out: '' });
  expect(beaten.err).toMatch(/UTC\) changed the location home since version 2 was read\. Nothing was written/);
});

test('a list is whole by default, and goes on from where --limit cut it', async () => {
  const world = await startWorld();
  const { owner } = await newOwner(world);
  for (let number = 1; number <= 7; number++) await owner.text('locations', 'create', '--name', `Place ${number}`);
  const keys = async (...argv: string[]) => {
    const { json } = await owner.json('locations', 'list', ...argv);
    return { keys: json.items.map(({ key }: { key: string }) => key), next: json.nextPageToken };
  };
  expect(await keys()).toEqual({ keys: [1, 2, 3, 4, 5, 6, 7].map(number => `place-${number}`), next: '' });
  const first = await keys('--limit', '3');
  expect(first.keys).toEqual(['place-1', 'place-2', 'place-3']);
  expect((await keys('--limit', '3', '--page-token', first.next)).keys).toEqual(['place-4', 'place-5', 'place-6']);
  expect(await owner.text('locations', 'list', '--limit', '0')).toMatchObject({ exit: 2 });
});

test('names cannot repaint a terminal or show themselves as others, in words and in JSON', async () => {
  const world = await startWorld();
  const account = await world.account();
  const trick = 'An\u202ena\u009b31m';
  // As if it had come into the database before names were checked.
  await account.contact(trick, { email: 'anna@example.com' });
  const owner = commandLine({
    TOCSIN_RPC_URL: world.rpcUrl,
    TOCSIN_TOKEN: world.operator,
    TOCSIN_ACCOUNT: account.accountId,
  });
  const listed = await owner.text('contacts', 'list');
  expect(listed.out).toContain('Anna 31m');
  expect(listed.out).not.toMatch(/[\u202e\u009b]/);
  const json = await owner.json('contacts', 'list');
  expect(json.out).not.toMatch(/[\u202e\u009b]/);
  expect(json.json.items[0].name).toBe(trick);
});

test('an alarm changes mode by mode; keys are rotated, expire and are revoked', async () => {
  const world = await startWorld();
  const { owner } = await newOwner(world);
  await owner.text('locations', 'create', '--name', 'Home');
  await owner.text('contacts', 'create', '--name', 'Anna', '--email', 'anna@example.com');
  await owner.text('policies', 'create', '--name', 'Family', '--step', '0s anna:email');
  await owner.text('alarms', 'create', '--name', 'House', '--location', 'home');
  const bound = await owner.json(
    'alarms',
    'update',
    'house',
    '--mode',
    'night:policy=family',
    '--remove-mode',
    'vacation',
  );
  const summary = bound.json.alarm.modes.map((mode: Record<string, unknown>) => [
    mode.id,
    mode.policyId !== '',
    mode.windowS,
  ]);
  expect(summary).toEqual([
    ['home', false, 0],
    ['away', false, 30],
    ['night', true, 0],
  ]);
  const shown = await owner.text('alarms', 'show', 'house');
  expect(shown.out).toMatch(/^ {2}night: policy Family \(family\)$/m);
  const unknown = await owner.text('alarms', 'update', 'house', '--mode', 'away:policy=nobody');
  expect(unknown).toMatchObject({ exit: 2, err: expect.stringMatching(/^ {2}--mode away:policy /m) });
  const long = await owner.text('alarms', 'update', 'house', '--mode', 'away:window=5m');
  expect(long).toMatchObject({ exit: 2, err: expect.stringMatching(/^ {2}--mode away:window /m) });

  await owner.text('keys', 'create', '--label', 'Camera', '--expires', '30d');
  const rotated = await owner.json('keys', 'rotate', 'camera', '--overlap', '0');
  expect(rotated.json.secret).toMatch(/^toc_\w{36}$/);
  const forever = await owner.json('keys', 'update', 'camera', '--no-expires');
  expect(forever.json.apiKey.expiresAt).toBeUndefined();
  const thing = await owner.text('audit', 'list', '--thing', 'camera');
  expect(thing).toMatchObject({ exit: 2, err: expect.stringMatching(/^ {2}--thing takes an id/m) });
  for (const end of ['soon', '0000-01-01', '9999999d']) {
    const refused = await owner.text('keys', 'update', 'camera', '--expires', end);
    expect(refused).toMatchObject({ exit: 2, err: expect.stringMatching(/^--expires takes a (time|duration)/) });
  }
  await owner.text('keys', 'revoke', 'camera');
  expect((await world.get('/v1/integration/describe', rotated.json.secret)).status).toBe(401);
  expect((await owner.text('keys', 'list')).out).toMatch(/camera +Camera +revoked/);

  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json: shownAccount } = await owner.json('accounts', 'show');
  const named = ['--account', shownAccount.account.id];
  const token = await operator.json('tokens', 'create', '--label', 'A laptop', ...named);
  await owner.text('tokens', 'revoke', token.json.token.id);
  const revoked = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token.json.secret });
  expect(await revoked.text('accounts', 'show')).toMatchObject({ exit: 4 });
});

test('tail tells events as lines of JSON and ends with 130 on Ctrl-C, in a process of its own', async () => {
  const world = await startWorld();
  const account = await world.account();
  const alarm = await account.alarm();
  const key = await account.key();
  const tail = startCommand(
    { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator, TOCSIN_ACCOUNT: account.accountId },
    ['tail', '--json'],
  );
  const said = { out: '', err: '' };
  tail.child.stdout!.on('data', chunk => {
    said.out += chunk;
  });
  tail.child.stderr!.on('data', chunk => {
    said.err += chunk;
  });
  await eventually(() => said.err.includes('Watching'), { what: 'the watch' });
  await world.get(`/v1/alarm/${alarm}/trigger`, key);
  await world.settle();
  await eventually(() => said.out.includes('"opened"'), { what: 'the event' });
  tail.child.kill('SIGINT');
  const ended = await tail.ended;
  expect(ended).toMatchObject({ exit: 130, err: expect.stringContaining('Interrupted.') });
  expect(JSON.parse(ended.out.split('\n')[0]!)).toMatchObject({ kind: 'opened', incident: { sourceId: alarm } });
});

test('doctor tells what it found, and fails for a wrong token without asking further', async () => {
  const world = await startWorld();
  const { owner } = await newOwner(world);
  // The one clock of a test stands still, and here an hour ahead.
  await world.advance(3600);
  const { exit, json } = await owner.json('doctor');
  const verdicts = Object.fromEntries(
    json.checks.map(({ name, verdict }: { name: string; verdict: string }) => [name, verdict]),
  );
  expect(exit).toBe(0);
  expect(verdicts).toMatchObject({
    reach: 'ok',
    token: 'ok',
    account: 'ok',
    email: 'warn',
    bus: 'ok',
    clock: 'warn',
    readiness: 'warn',
  });
  const fixes = Object.fromEntries(json.checks.map(({ name, fix }: { name: string; fix: string }) => [name, fix]));
  expect(fixes).toMatchObject({
    text: expect.stringMatching(/^Set TWILIO_ACCOUNT_SID, .* or TELNYX_API_KEY, .* where Tocsin runs/),
    call: expect.stringMatching(/^Set TWILIO_ACCOUNT_SID, .* or TELNYX_API_KEY, .* where Tocsin runs/),
    email: expect.stringMatching(/^Set SMTP_URL where Tocsin runs/),
    push: expect.stringMatching(/^Set NTFY_URL, or PUSHOVER_TOKEN, or WEB_PUSH_CONTACT where Tocsin runs/),
  });
  const wrong = await commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: 'tcn_wrong' }).text('doctor');
  expect(wrong).toMatchObject({ exit: 1, out: expect.stringMatching(/^ok +reach .*\nfail +token /) });
  expect(wrong.out).not.toContain('tcn_wrong');
  const nobody = await commandLine({ TOCSIN_RPC_URL: 'http://127.0.0.1:1' }).text('doctor');
  expect(nobody).toMatchObject({ exit: 1, out: expect.stringMatching(/^fail +reach .*ECONNREFUSED/) });
});
