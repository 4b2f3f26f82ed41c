import { expect, onTestFinished, test } from 'vitest';
import { startSmtp } from '../support/smtp.ts';
import { codeIn } from '../support/verified.ts';
import { startWorld } from '../support/world.ts';
import { commandLine, startCommand } from './command-line.ts';

test('the whole way by command line: from nothing to an alarm that alerts, is acknowledged, cleared and looked up', async () => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld({ smtpUrl: smtp.url });
  const operator = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator };

  // The operator makes the account: the only step in a process of its own, started as a person starts it.
  const made = await startCommand(operator, ['accounts', 'create', '--name', 'The Elms', '--json']).ended;
  expect(made).toMatchObject({ exit: 0, err: '', json: { account: { name: 'The Elms', plan: 'paid' } } });
  const owner = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: made.json.token });
  const shown = await owner.text('accounts', 'show');
  expect(shown.out).toContain('The Elms');

  // Location, people, policy.
  const location = await owner.json('locations', 'create', '--name', 'Home', '--address', '1 Elm Street');
  expect(location.json.location).toMatchObject({ key: 'home', address: '1 Elm Street', test: false, version: 1 });
  const anna = await owner.json('contacts', 'create', '--name', 'Anna', '--email', 'anna@example.com');
  const noah = await owner.json(
    'contacts',
    'create',
    '--name',
    'Noah',
    '--email',
    'noah@example.com',
    '--locale',
    'de',
  );
  expect([anna.json.contact.key, noah.json.contact.key]).toEqual(['anna', 'noah']);
  // A code goes to each address and comes back: no live alert goes to one that nobody has shown to be theirs.
  for (const name of ['anna', 'noah']) {
    expect(await owner.text('contacts', 'verify', name, 'email')).toMatchObject({ exit: 0 });
    const { subject } = await smtp.next(({ envelope }) => envelope.to.includes(`${name}@example.com`));
    const told = await owner.text('contacts', 'verify', name, 'email', '--code', codeIn(subject!));
    expect(told).toMatchObject({ exit: 0, out: expect.stringMatching(/^Verified the email of (Anna|Noah): live/) });
  }
  expect(smtp.mails.length).toBe(2);
  const policy = await owner.json(
    ...['policies', 'create', '--name', 'Family', '--step', '0s anna:email', '--step', '5m noah:email'],
    ...['--repeat', '1', '--repeat-delay', '10m'],
  );
  expect(policy.json.policy).toMatchObject({
    key: 'family',
    repeat: 1,
    repeatDelayS: 600,
    steps: [{ delayS: 0 }, { delayS: 300 }],
  });

  // A test of a location has the end that was chosen, and goes with it.
  const inTest = await owner.json('locations', 'update', 'home', '--test-for', '2h');
  expect(inTest.json.location).toMatchObject({ test: true, testUntil: '2026-01-15T22:00:00Z' });
  expect((await owner.text('locations', 'show', 'home')).out).toContain('everything here in test until');
  expect(await owner.text('locations', 'update', 'home', '--test-for', '8d')).toMatchObject({ exit: 2 });
  expect(await owner.text('locations', 'update', 'home', '--test-for', '1h', '--live')).toMatchObject({ exit: 2 });
  expect((await owner.json('locations', 'update', 'home', '--live')).json.location).not.toHaveProperty('testUntil');

  // The alarm: what the command proposes is said (DECISIONS.md "Default of only-trigger-when-armed").
  const alarm = await owner.text(
    ...['alarms', 'create', '--name', 'House', '--location', 'home'],
    ...['--mode', 'away:policy=family,window=30s', '--mode', 'night:policy=family'],
  );
  expect(alarm).toMatchObject({ exit: 0 });
  expect(alarm.out).toContain('Proposed by this command: only when armed (--no-only-when-armed), clear on disarm');
  const { json: house } = await owner.json('alarms', 'show', 'house');
  expect(house.alarm).toMatchObject({
    onlyWhenArmed: true,
    clearOnDisarm: true,
    test: true,
    armedMode: 'disarmed',
    modes: [
      { id: 'away', policyId: policy.json.policy.id, windowS: 30 },
      { id: 'night', policyId: policy.json.policy.id, windowS: 0 },
    ],
  });

  // The key: its secret once, with a line to try it.
  const key = await owner.text('keys', 'create', '--label', 'Front camera', '--alarm', 'house');
  const secret = /export TOCSIN_KEY=(toc_\w{36})/.exec(key.out)![1]!;
  expect(key.out).toContain('shown only now');
  expect(key.out).toMatch(/curl -H "X-API-Key: \$TOCSIN_KEY" http.*\/v1\/integration\/describe/);
  expect((await owner.text('keys', 'show', 'front-camera')).out).not.toContain(secret);

  // Before it is needed: who would be told, and a rehearsal in test.
  const disarmed = await owner.json('preview', 'house');
  expect(disarmed.json).toMatchObject({
    verdict: 'held_by_gate',
    deliveries: [{ afterS: 30 }, { afterS: 330 }, { afterS: 930 }, { afterS: 1230 }],
  });
  const id: string = house.alarm.id;
  expect((await world.get(`/v1/alarm/${id}/arm/night`, secret)).status).toBe(202);
  await world.settle();
  const preview = await owner.text('preview', 'house');
  expect(preview.out).toMatch(/would fire in night as test, with the policy Family/);
  expect(preview.out).toMatch(/\+0s +Anna by email \(step 1\)/);
  expect(preview.out).toMatch(/\+5m +Noah by email \(step 2\)/);
  const rehearsed = await owner.text('rehearse', 'house', '--mode', 'night');
  expect(rehearsed).toMatchObject({ exit: 0 });
  expect(rehearsed.out).toContain('Nobody was alerted');
  await world.advance(1);
  const strict = await owner.text('readiness', 'house', '--strict');
  expect(strict.out).toContain('House (house), alarm');

  // Live, and the real thing by the public door.
  const live = await owner.json('alarms', 'update', 'house', '--live');
  expect(live.json.alarm).toMatchObject({ test: false, onlyWhenArmed: true, modes: [{ windowS: 30 }, { windowS: 0 }] });
  await world.settle();
  const trigger = await world.get(`/v1/alarm/${id}/trigger`, secret);
  expect(trigger).toMatchObject({ status: 202, body: { data: { environment: 'live' } } });
  await world.settle();
  const call = await owner.text('calls', 'find', trigger.body.traceId);
  expect(call.out).toMatch(/Outcome +opened/);
  expect(call.out).toMatch(/in order\.\n$/);
  const open = await owner.json('incidents', 'list', '--status', 'open');
  expect(open.json).toMatchObject({
    items: [{ sourceName: 'House', mode: 'night', environment: 'live' }],
    nextPageToken: '',
  });

  // Anna acknowledges: it stays open, and Noah is not told any more.
  const acknowledged = await owner.text('incidents', 'ack', 'house', '--by', 'Anna');
  expect(acknowledged.out).toMatch(/^Acknowledged by Anna, .* House, incident .* It stays open/);
  const again = await owner.json('incidents', 'ack', 'house', '--by', 'Noah');
  expect(again.json).toMatchObject({
    outcome: 'already_acknowledged',
    incident: { acknowledgedBy: 'Anna', status: 'open' },
  });

  // Cleared by the machine, told by the command line.
  expect((await world.get(`/v1/alarm/${id}/clear`, secret)).status).toBe(202);
  await world.settle();
  const told = await owner.text('incidents', 'show', 'house');
  expect(told.out).toMatch(/Status +closed, closed .* \(clear\)/);
  expect(told.out).toMatch(/Acknowledged +by Anna/);
  expect(told.out).toMatch(/email to Anna → sent/);
  expect(told.out).toMatch(/email to Noah → cancelled/);
  const nothing = await owner.text('incidents', 'close', 'house');
  expect(nothing).toMatchObject({ exit: 3, out: '', err: 'house has no open incident.\n' });
  const audit = await owner.json('audit', 'list');
  expect(audit.json.items.map(({ kind, action }: { kind: string; action: string }) => `${action} ${kind}`)).toContain(
    'update alarm',
  );
});
