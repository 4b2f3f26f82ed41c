import { expect, test } from 'vitest';
import { qrCodeOf } from '../../../services/process/qr-code.ts';
import { type Console, consoleOf, refusal } from '../../support/console.ts';
import { nobody, twoHouses } from '../../support/members.ts';
import { consoleToken, link } from './sign-in-rig.ts';

const phone = (secret: string) => ({ way: { case: 'phoneLink' as const, value: { secret } } });

const AT = { consoleUrl: 'https://alarm.example.com/some/path' };

const NOT_VALID = {
  code: 'Unauthenticated',
  message:
    'This code is not valid any more: it signs in once, within two minutes, while the device that shows it stays signed in. Show a new one there.',
};

async function secretOf(desk: Console): Promise<string> {
  return (await desk.sessions.createPhoneLink(AT)).url.split('#')[1]!;
}

/** Anna at her desk, and what strangers may ask. */
async function atDesk() {
  const houses = await twoHouses();
  const { world, elms, signIn } = houses;
  const desk = consoleOf(world, await signIn('anna@example.com'), elms.accountId);
  const { sessions } = nobody(world);
  const refused = async (secret: string) => {
    expect(await refusal(sessions.getPhoneLink({ secret }))).toMatchObject(NOT_VALID);
    expect(await refusal(sessions.signIn(phone(secret)))).toMatchObject(NOT_VALID);
  };
  return { ...houses, desk, sessions, refused };
}

test('a code signs in a second device as the same member, once; it asks first, and leaves a line in the audit', async () => {
  const { world, elms, outsider, desk, sessions, refused } = await atDesk();
  const made = await desk.sessions.createPhoneLink(AT);
  expect(made.url).toMatch(/^https:\/\/alarm\.example\.com\/some\/path\/sign-in#tcp_[0-9A-Za-z]{36}\.[a-z0-9]{32}$/);
  expect({ size: made.qrSize, path: made.qrPath }).toEqual(qrCodeOf(made.url));
  const secret = made.url.split('#')[1]!;
  // Whatever only looks, such as a camera that opens what it reads, uses nothing up.
  for (let looks = 0; looks < 3; looks++)
    expect(await sessions.getPhoneLink({ secret })).toMatchObject({
      kind: 'member',
      name: 'Anna',
      accountNames: ['Elms'],
    });
  expect((await desk.sessions.listSessions({})).sessions).toHaveLength(1);

  const from = { headers: { 'user-agent': 'A phone', 'x-tocsin-client': '192.0.2.7 A phone' } };
  const signed = await sessions.signIn(phone(secret), from);
  const there = consoleOf(world, signed.secret);
  expect(await there.sessions.getSession({})).toMatchObject({
    kind: 'member',
    member: { name: 'Anna', role: 'owner' },
  });
  await refused(secret);
  const listed = (await desk.sessions.listSessions({})).sessions;
  expect(listed.map(({ id }) => id)).toContain(signed.session!.id);
  const [line] = (await desk.audit.listChanges({})).changes;
  expect(line).toMatchObject({ kind: 'member', action: 'update', name: 'Anna', actor: 'Anna', actorKind: 'member' });
  expect(line!.after).toMatchObject({ email: 'anna@example.com', signedInOn: signed.session!.agent });
  expect(line!.before).not.toHaveProperty('signedInOn');
  const theirs = await consoleOf(world, outsider.token).audit.listChanges({});
  expect(JSON.stringify(theirs.changes.map(({ after }) => after))).not.toContain('signedInOn');
  // It is the member's session, and opens nothing else.
  const elsewhere = consoleOf(world, signed.secret, outsider.accountId);
  expect((await refusal(elsewhere.locations.listLocations({}))).code).toBe('NotFound');
  await there.locations.listLocations({}, { headers: { 'x-tocsin-account': elms.accountId } });

  await desk.sessions.endSession({ sessionId: signed.session!.id });
  expect((await refusal(there.locations.listLocations({}))).code).toBe('Unauthenticated');
});

test('of two devices that use one code at once one is signed in', async () => {
  const { desk, sessions } = await atDesk();
  const secret = await secretOf(desk);
  const tried = await Promise.all(
    [1, 2, 3].map(() =>
      sessions.signIn(phone(secret)).then(
        () => 'in',
        () => 'out',
      ),
    ),
  );
  expect(tried.sort()).toEqual(['in', 'out', 'out']);
  expect((await desk.sessions.listSessions({})).sessions).toHaveLength(2);
});

test('a code is good for two minutes, and no longer than the session that made it or the membership of who is in it', async () => {
  const { world, elms, invite, signIn, desk, sessions, refused } = await atDesk();
  const secret = await secretOf(desk);
  await world.advance(119.9);
  expect(await sessions.getPhoneLink({ secret })).toMatchObject({ name: 'Anna' });
  await world.advance(0.1);
  await refused(secret);

  await invite('rita@example.com', 'responder', 'Rita');
  const rita = consoleOf(world, await signIn('rita@example.com'));
  await world.advance(60);
  const second = consoleOf(world, await signIn('rita@example.com'));
  const ended = await secretOf(rita);
  const kept = await secretOf(second);
  const { sessions: own } = await rita.sessions.listSessions({});
  await rita.sessions.endSession({ sessionId: own.find(({ current }) => current)!.id });
  await refused(ended);
  expect(await sessions.getPhoneLink({ secret: kept })).toMatchObject({ name: 'Rita' });
  const { members } = await elms.console.members.listMembers({});
  await elms.console.members.removeMember({ memberId: members.find(({ name }) => name === 'Rita')!.id });
  await refused(kept);
  await world.sweep();
});

test('what nobody made opens nothing: another session’s name in it, other kinds of links, and the other way round', async () => {
  const { world, desk, sessions, refused, signIn } = await atDesk();
  const secret = await secretOf(desk);
  const [own, id] = secret.split('.');
  const otto = consoleOf(world, await signIn('otto@example.org'));
  const ottos = (await otto.sessions.listSessions({})).sessions[0]!.id;
  for (const made of [own!, `${own}.`, `${own}.${ottos}`, `${own}.${id}.${id}`, `tcp_${'a'.repeat(36)}.${id}`, '', id!])
    await refused(made);
  expect((await refusal(sessions.signIn(link(secret)))).code).toBe('Unauthenticated');
  expect((await refusal(sessions.signIn(link(own!)))).code).toBe('Unauthenticated');
  expect((await refusal(sessions.confirmAddress({ secret }))).code).toBe('Unauthenticated');
  // All of that used nothing up.
  expect(await sessions.getPhoneLink({ secret })).toMatchObject({ name: 'Anna' });
  expect(JSON.stringify(await world.rows('SELECT * FROM sign_in_link'))).not.toContain(own!.slice(4));
});

test('the session of a console token gives itself on, and ends with the token; the token itself makes a link instead', async () => {
  const { world, elms, sessions, refused } = await atDesk();
  const desk = consoleOf(world, (await sessions.signIn(consoleToken(elms.token))).secret);
  const secret = await secretOf(desk);
  expect(await sessions.getPhoneLink({ secret })).toMatchObject({ kind: 'account', accountNames: ['Elms'] });
  const there = consoleOf(world, (await sessions.signIn(phone(secret))).secret);
  const { kind, accounts } = await there.sessions.getSession({});
  expect([kind, accounts.map(({ name }) => name)]).toEqual(['account', ['Elms']]);
  expect((await desk.audit.listChanges({})).changes[0]).toMatchObject({ kind: 'token', actorKind: 'account' });

  const last = await secretOf(desk);
  const { tokens } = await elms.console.accounts.listTokens({});
  await elms.console.accounts.revokeToken({ tokenId: tokens[0]!.id });
  await refused(last);

  expect(await refusal(consoleOf(world, world.operator).sessions.createPhoneLink(AT))).toMatchObject({
    code: 'PermissionDenied',
  });
  const operator = consoleOf(world, (await sessions.signIn(consoleToken(world.operator))).secret);
  const theirs = await secretOf(operator);
  expect(await sessions.getPhoneLink({ secret: theirs })).toMatchObject({
    kind: 'operator',
    name: '',
    accountNames: [],
  });
  expect((await sessions.signIn(phone(theirs))).session).toBeDefined();
});

test('a code leads where the console is: PUBLIC_URL where nothing is said, and to no address that is none', async () => {
  const { desk } = await atDesk();
  expect((await desk.sessions.createPhoneLink({})).url).toMatch(/^https:\/\/alarm\.example\.com\/sign-in#tcp_/);
  expect((await desk.sessions.createPhoneLink({ consoleUrl: 'http://192.0.2.4:8080/' })).url).toMatch(
    /^http:\/\/192\.0\.2\.4:8080\/sign-in#tcp_/,
  );
  const long = `https://example.com/${'a'.repeat(500)}`;
  for (const consoleUrl of ['javascript:alert(1)', 'x', 'https://a:b@example.com', 'https://example.com/?q', long])
    expect((await refusal(desk.sessions.createPhoneLink({ consoleUrl }))).fields).toHaveProperty('consoleUrl');
});
