import { timestampMs } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { codeFor, nobody, twoHouses } from '../../support/members.ts';
import { wrongCode } from '../../support/verified.ts';
import { startWorld } from '../../support/world.ts';
import { consoleToken, emailCode, link } from './sign-in-rig.ts';

const NO_CODE = {
  code: 'Unauthenticated',
  message: 'This code is not valid. Check the newest mail, or ask for a new code.',
  fields: {},
  users: [],
};

describe('by email', () => {
  test('a code signs in once, and the session opens the accounts of that person and no other', async () => {
    const { world, smtp, elms, outsider } = await twoHouses();
    const code = await codeFor(world, smtp, 'Anna@Example.com');
    const sessions = nobody(world).sessions;
    const { secret, session, expiresAt } = await sessions.signIn(
      emailCode('ANNA@example.com ', `${code.slice(0, 3)} ${code.slice(3)}`),
    );
    expect(secret).toMatch(/^tcs_[0-9A-Za-z]{36}$/);
    expect(session).toMatchObject({ current: true, address: '127.0.0.1' });
    expect(timestampMs(expiresAt!) - timestampMs(session!.createdAt!)).toBe(30 * 86_400_000);
    expect(await refusal(sessions.signIn(emailCode('anna@example.com', code)))).toEqual(NO_CODE);

    const anna = consoleOf(world, secret);
    expect(await anna.sessions.getSession({})).toMatchObject({
      kind: 'member',
      session: { id: session!.id, current: true },
      member: { name: 'Anna', email: 'anna@example.com', role: 'owner' },
      accounts: [{ id: elms.accountId, name: 'Elms', role: 'owner' }],
    });
    await anna.locations.createLocation({ location: { name: 'Attic' } });
    const { changes } = await elms.console.audit.listChanges({});
    const { members } = await elms.console.members.listMembers({});
    expect(changes[0]).toMatchObject({
      name: 'Attic',
      actor: 'Anna',
      actorKind: 'member',
      actorTokenId: '',
      actorMemberId: members[0]!.id,
    });
    expect(members).toMatchObject([{ name: 'Anna', state: 'active' }]);

    // Of another account it is as if there were none, in the words for one that is nowhere.
    const foreign = consoleOf(world, secret, outsider.accountId);
    const made = consoleOf(world, secret, 'a'.repeat(32));
    expect(await refusal(foreign.locations.listLocations({}))).toEqual(await refusal(made.locations.listLocations({})));
    expect((await foreign.sessions.getSession({})).member).toBeUndefined();
    expect((await outsider.console.locations.listLocations({})).locations).toEqual([]);
    // An API key's place is elsewhere: a session opens nothing under /v1.
    expect((await world.get('/v1/integration/describe', secret)).status).toBe(401);
  });

  test('an address that is nobody’s gets the same answer and no mail; and no row says that it was asked for', async () => {
    const { world, smtp } = await twoHouses();
    await world.settle();
    const before = smtp.mails.length;
    const { sessions } = nobody(world);
    expect(await sessions.startSignIn({ email: 'stranger@example.net' })).toEqual(
      await sessions.startSignIn({ email: 'anna@example.com' }),
    );
    await world.settle();
    expect(smtp.mails.slice(before).map(({ envelope }) => envelope.to)).toEqual([['anna@example.com']]);
    const persons = 'SELECT count(DISTINCT person)::int AS n FROM sign_in_asker';
    expect(await world.rows(persons)).toEqual([{ n: 1 }]);
    for (const code of ['000000', '12', '']) {
      expect(await refusal(sessions.signIn(emailCode('stranger@example.net', code)))).toEqual(NO_CODE);
    }
    expect((await refusal(sessions.startSignIn({ email: 'no address' }))).fields).toEqual({
      email: 'takes an email address such as someone@example.com, got "no address".',
    });
  });

  test('five wrong guesses void a code, and so do ten minutes and the next code', async () => {
    const { world, smtp } = await twoHouses();
    const { sessions } = nobody(world);
    const tell = (code: string) => sessions.signIn(emailCode('anna@example.com', code));
    const first = await codeFor(world, smtp, 'anna@example.com');
    for (let guess = 0; guess < 5; guess++) expect(await refusal(tell(wrongCode(first)))).toEqual(NO_CODE);
    expect(await refusal(tell(first))).toEqual(NO_CODE);

    await world.advance(60);
    const second = await codeFor(world, smtp, 'anna@example.com');
    await world.advance(600);
    expect(await refusal(tell(second))).toEqual(NO_CODE);

    const third = await codeFor(world, smtp, 'anna@example.com');
    await world.advance(60);
    const fourth = await codeFor(world, smtp, 'anna@example.com');
    if (third !== fourth) expect(await refusal(tell(third))).toEqual(NO_CODE);
    // Somebody else's address with this code, which is hers, opens nothing.
    expect(await refusal(sessions.signIn(emailCode('otto@example.org', fourth)))).toEqual(NO_CODE);
    await tell(fourth);
  });

  test('many guesses at once are no more than five', async () => {
    const { world, smtp } = await twoHouses();
    const code = await codeFor(world, smtp, 'anna@example.com');
    const { sessions } = nobody(world);
    const guesses = Array.from({ length: 20 }, () =>
      refusal(sessions.signIn(emailCode('anna@example.com', wrongCode(code)))),
    );
    expect(new Set((await Promise.all(guesses)).map(({ message }) => message))).toEqual(new Set([NO_CODE.message]));
    expect(await world.rows('SELECT max(guesses) AS guesses FROM sign_in_asker')).toEqual([{ guesses: 5 }]);
    expect(await refusal(sessions.signIn(emailCode('anna@example.com', code)))).toEqual(NO_CODE);
  });

  test('a person gets one code a minute, and nobody who asks is told; others get theirs', async () => {
    const { world, smtp } = await twoHouses();
    await codeFor(world, smtp, 'anna@example.com');
    const before = smtp.mails.length;
    await nobody(world).sessions.startSignIn({ email: 'anna@example.com' });
    await codeFor(world, smtp, 'otto@example.org');
    await world.settle();
    expect(smtp.mails.length).toBe(before + 1);
    for (let asked = 0; asked < 7; asked++) await nobody(world).sessions.startSignIn({ email: 'who@example.net' });
    expect(await refusal(nobody(world).sessions.startSignIn({ email: 'who@example.net' }))).toMatchObject({
      code: 'ResourceExhausted',
      message: expect.stringMatching(/^Too many codes were requested from your address: at most 10 a minute\./),
    });
  });
});

describe('by link', () => {
  test('a link signs in once and within 30 minutes, as the token that made it, and ends with that token', async () => {
    const { world, elms, outsider } = await twoHouses();
    const { sessions } = nobody(world);
    const linkOf = async (token: string) => {
      const { url } = await consoleOf(world, token).sessions.createSignInLink({});
      expect(url).toMatch(/^https:\/\/alarm\.example\.com\/sign-in#tcl_[0-9A-Za-z]{36}$/);
      return url.split('#')[1]!;
    };
    const secret = await linkOf(elms.token);
    const signed = await sessions.signIn(link(secret));
    const refused = await refusal(sessions.signIn(link(secret)));
    expect(refused).toMatchObject({ code: 'Unauthenticated' });
    const old = await linkOf(elms.token);
    await world.advance(1_800);
    for (const other of [old, `tcl_${'a'.repeat(36)}`, elms.token, '']) {
      expect(await refusal(sessions.signIn(link(other)))).toEqual(refused);
    }
    const inSession = consoleOf(world, signed.secret);
    expect(await inSession.sessions.getSession({})).toMatchObject({
      kind: 'account',
      accounts: [{ id: elms.accountId, name: 'Elms', role: 'owner' }],
    });
    expect(
      await refusal(consoleOf(world, signed.secret, outsider.accountId).locations.listLocations({})),
    ).toMatchObject({ code: 'NotFound' });
    expect(await refusal(inSession.sessions.createSignInLink({}))).toMatchObject({ code: 'PermissionDenied' });

    const { tokens } = await elms.console.accounts.listTokens({});
    await elms.console.accounts.revokeToken({ tokenId: tokens[0]!.id });
    expect(await refusal(inSession.locations.listLocations({}))).toMatchObject({
      code: 'Unauthenticated',
      message: 'This session has ended or is not valid: sign in again.',
    });
    await outsider.console.locations.listLocations({});
  });

  test('the operator’s link opens every account, each by its name', async () => {
    const { world, elms } = await twoHouses();
    const { url } = await consoleOf(world, world.operator).sessions.createSignInLink({});
    const { secret } = await nobody(world).sessions.signIn(link(url.split('#')[1]!));
    const operator = consoleOf(world, secret);
    expect(await operator.sessions.getSession({})).toMatchObject({ kind: 'operator', accounts: [] });
    expect((await operator.accounts.listAccounts({})).accounts.length).toBe(2);
    expect((await consoleOf(world, secret, elms.accountId).accounts.getAccount({})).account!.name).toBe('Elms');
    // Another CONSOLE_TOKEN ends what the one before had opened.
    await world.rows("UPDATE console_token SET digest = sha256('another'::bytea) WHERE id = 'operator'");
    expect(await refusal(operator.accounts.listAccounts({}))).toMatchObject({ code: 'Unauthenticated' });
  });
});

test('by console token: a good one opens a session, any other is refused in the same words', async () => {
  const { world, elms } = await twoHouses();
  const { sessions } = nobody(world);
  const { secret } = await sessions.signIn(consoleToken(elms.token));
  expect((await consoleOf(world, secret).accounts.getAccount({})).account!.name).toBe('Elms');
  const { tokens } = await elms.console.accounts.listTokens({});
  await elms.console.accounts.revokeToken({ tokenId: tokens[0]!.id });
  for (const token of [elms.token, `tcn_${'a'.repeat(36)}`, secret, '']) {
    expect(await refusal(sessions.signIn(consoleToken(token)))).toMatchObject({
      code: 'Unauthenticated',
      message: 'This console token is not valid.',
    });
  }
  expect(await refusal(sessions.signIn({}))).toMatchObject({ code: 'Unauthenticated' });
});

test('signing in is for the parts of the deployment where these share a secret', async () => {
  const world = await startWorld({ serviceToken: 'a secret of the parts, long enough' });
  for (const ask of [
    () => nobody(world).sessions.startSignIn({ email: 'anna@example.com' }),
    () => nobody(world).sessions.signIn(consoleToken(world.operator)),
    () => consoleOf(world, world.operator).sessions.startSignIn({ email: 'anna@example.com' }),
  ]) {
    expect(await refusal(ask())).toMatchObject({
      code: 'Unauthenticated',
      message: 'This is for the parts of this deployment alone: they share SERVICE_TOKEN.',
    });
  }
});

describe('first owners', () => {
  test('the owner’s email of a new account, and of one that gets it later, signs in', async () => {
    const { world, signIn, outsider } = await twoHouses();
    const operator = consoleOf(world, world.operator);
    const { account } = await operator.accounts.createAccount({
      account: { name: 'Mill', ownerEmail: 'Mia@example.com' },
    });
    const mia = consoleOf(world, await signIn('mia@example.com'));
    expect((await mia.members.listMembers({})).members).toMatchObject([
      { name: 'mia', email: 'mia@example.com', role: 'owner', state: 'active' },
    ]);
    const later = await newOwner(world, 'Later');
    const { account: before } = await later.console.accounts.getAccount({});
    await later.console.accounts.updateAccount({ account: { ...before!, ownerEmail: 'mia@example.com' } });
    const { accounts } = await mia.sessions.getSession({});
    expect(accounts.map(({ id }) => id)).toEqual([account!.id, later.accountId]);
    // With two accounts every call names one.
    expect(await refusal(mia.locations.listLocations({}))).toMatchObject({ code: 'InvalidArgument' });
    // Somebody who has members keeps them, and gets another owner.
    const { account: theirs } = await outsider.console.accounts.getAccount({});
    await outsider.console.accounts.updateAccount({ account: { ...theirs!, ownerEmail: 'mia@example.com' } });
    expect((await outsider.console.members.listMembers({})).members.map(({ name }) => name)).toEqual(['Otto', 'mia']);
  });
});
