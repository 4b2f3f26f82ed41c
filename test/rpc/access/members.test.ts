import { expect, onTestFinished, test } from 'vitest';
import { consoleOf, refusal } from '../../support/console.ts';
import { codeFor, nobody, signedIn, twoHouses } from '../../support/members.ts';
import { startSmtp } from '../../support/smtp.ts';
import { aHouse, tokenOf } from '../incident/incident-rig.ts';

const NO_MEMBER = { code: 'NotFound', message: 'There is no such member in this account.', fields: {}, users: [] };

test('an invitation is written to, in their language or the account’s, and they sign in with their address', async () => {
  const { world, smtp, elms, signIn } = await twoHouses();
  const anna = consoleOf(world, await signIn('anna@example.com'));
  const { member, outcome } = await anna.members.inviteMember({
    email: ' Bert@Example.com ',
    role: 'responder',
    locale: 'de-AT',
  });
  expect(outcome).toBe('sent');
  expect(member).toMatchObject({
    email: 'bert@example.com',
    name: 'Bert',
    role: 'responder',
    state: 'invited',
    version: 1,
  });
  const mail = await smtp.next(({ envelope }) => envelope.to.includes('bert@example.com'));
  expect(mail.subject).toBe('Sie sind eingeladen, sich um ein Konto bei Tocsin zu kümmern');
  expect(mail.text).toContain('Anna hat Sie zum Mitglied von „Elms“ gemacht (Rolle: Helfer).');
  expect(mail.text).toContain('https://alarm.example.com/sign-in');
  expect(mail.html).toContain('https://alarm.example.com/sign-in');

  const { account } = await elms.console.accounts.getAccount({});
  await elms.console.accounts.updateAccount({ account: { ...account!, ownerLocale: 'de' } });
  await anna.members.inviteMember({ email: 'cleo@example.com', role: 'viewer', name: 'Cleo <b>' });
  const cleos = await smtp.next(({ envelope }) => envelope.to.includes('cleo@example.com'));
  expect(cleos.subject).toBe(mail.subject);
  expect(cleos.html).not.toContain('<b>');

  const bert = consoleOf(world, await signIn('bert@example.com'));
  await bert.incidents.listIncidents({});
  const listed = (await bert.members.listMembers({})).members;
  expect(listed.map(({ name, role, state }) => `${name} ${role} ${state}`)).toEqual([
    'Anna owner active',
    'Bert responder active',
    'Cleo <b> viewer invited',
  ]);
  const { changes } = await anna.audit.listChanges({ thingId: member!.id });
  expect(changes).toMatchObject([
    {
      kind: 'member',
      action: 'create',
      actor: 'Anna',
      name: 'Bert',
      after: { email: 'bert@example.com', role: 'responder' },
    },
  ]);
  expect(JSON.stringify(await world.rows('SELECT before, after FROM audit'))).not.toContain('bert@example.com');
  expect(JSON.stringify(await world.rows('SELECT * FROM member'))).not.toContain('bert@example.com');
});

test('fields that are none are each told, an address is a member once, and strangers are written to so often', async () => {
  const { elms, outsider } = await twoHouses();
  const { members } = elms.console;
  expect(
    (await refusal(members.inviteMember({ email: 'nobody', role: 'boss', locale: 'no language' }))).fields,
  ).toEqual({
    email: 'takes an email address such as someone@example.com, got "nobody".',
    role: 'takes one of owner, editor, responder, viewer, got "boss".',
    locale: expect.stringContaining('takes'),
  });
  expect(await refusal(members.inviteMember({ email: 'ANNA@example.com', role: 'viewer' }))).toMatchObject({
    code: 'AlreadyExists',
    message: '"anna@example.com" is a member of this account already.',
  });
  // That somebody is a member elsewhere is not to be found out.
  await members.inviteMember({ email: 'otto@example.org', role: 'viewer' });
  expect((await outsider.console.members.listMembers({})).members.map(({ role }) => role)).toEqual(['owner']);
  let invited = 0;
  const again = async () => {
    const { member } = await members.inviteMember({ email: 'again@example.com', role: 'viewer' });
    await members.removeMember({ memberId: member!.id });
    invited++;
  };
  const refused = await refusal(
    (async () => {
      for (;;) await again();
    })(),
  );
  expect(refused).toMatchObject({
    code: 'ResourceExhausted',
    message: expect.stringMatching(/^Too many invitations: an account sends at most 10 a minute/),
  });
  expect(invited).toBeLessThan(10);
  await outsider.console.members.inviteMember({ email: 'again@example.com', role: 'viewer' });
});

test('a change states its version and counts from the next call on; another account’s member is as if there were none', async () => {
  const { world, elms, outsider, as } = await twoHouses();
  const bert = await as('viewer', 'Bert');
  const { members } = elms.console;
  const [, member] = (await members.listMembers({})).members;
  expect(await refusal(bert.locations.createLocation({ location: { name: 'Shed' } }))).toMatchObject({
    code: 'PermissionDenied',
  });
  const changed = await members.updateMember({
    member: { ...member!, role: 'editor' },
    updateMask: { paths: ['role'] },
  });
  expect(changed.member).toMatchObject({ version: 2, role: 'editor', name: 'Bert' });
  await bert.locations.createLocation({ location: { name: 'Shed' } });
  expect(await refusal(members.updateMember({ member: { ...member!, name: 'Bertram' } }))).toMatchObject({
    code: 'Aborted',
  });
  expect(
    (await refusal(members.updateMember({ member: changed.member!, updateMask: { paths: ['email'] } }))).fields,
  ).toEqual({
    updateMask: 'takes name and role, got "email".',
  });
  const foreign = consoleOf(world, outsider.token).members;
  expect(await refusal(foreign.updateMember({ member: changed.member! }))).toEqual(NO_MEMBER);
  expect(await refusal(foreign.removeMember({ memberId: member!.id }))).toEqual(NO_MEMBER);
  expect(await refusal(members.removeMember({ memberId: 'a'.repeat(32) }))).toEqual(NO_MEMBER);
  await bert.locations.listLocations({});
});

test('whoever is removed is out with the next call, sessions and codes included, and stays so when invited again', async () => {
  const { world, smtp, elms, outsider, as } = await twoHouses();
  const bert = await as('editor', 'Bert');
  await outsider.console.members.inviteMember({ email: 'anna@example.com', role: 'viewer' });
  const anna = consoleOf(world, await signedIn(world, smtp, 'anna@example.com'), elms.accountId);
  const { members } = await elms.console.members.listMembers({});
  await world.advance(60);
  const code = await codeFor(world, smtp, 'bert@example.com');
  await elms.console.members.removeMember({ memberId: members[1]!.id });
  const way = { case: 'emailCode' as const, value: { email: 'bert@example.com', code } };
  expect(await refusal(nobody(world).sessions.signIn({ way }))).toMatchObject({ code: 'Unauthenticated' });
  expect(await refusal(bert.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
  await elms.console.members.inviteMember({ email: 'bert@example.com', role: 'owner' });
  expect(await refusal(bert.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
  // Who is a member elsewhere stays signed in there.
  await elms.console.members.removeMember({ memberId: members[0]!.id });
  expect(await refusal(anna.locations.listLocations({}))).toMatchObject({ code: 'NotFound' });
  expect((await anna.sessions.getSession({})).accounts).toMatchObject([{ id: outsider.accountId, role: 'viewer' }]);
});

test('the last owner cannot go, by no way, and not where two go at once', async () => {
  const { elms, as } = await twoHouses();
  const bert = await as('owner', 'Bert');
  const { members } = elms.console;
  const [anna, second] = (await members.listMembers({})).members;
  const both = await Promise.allSettled([
    members.removeMember({ memberId: anna!.id }),
    bert.members.removeMember({ memberId: second!.id }),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const [left] = (await members.listMembers({})).members;
  const LAST = {
    code: 'FailedPrecondition',
    message: 'This is the last owner of the account: make another member an owner first.',
  };
  expect(await refusal(members.removeMember({ memberId: left!.id }))).toMatchObject(LAST);
  expect(await refusal(members.updateMember({ member: { ...left!, role: 'editor' } }))).toMatchObject(LAST);
  await members.inviteMember({ email: 'cleo@example.com', role: 'owner' });
  await members.removeMember({ memberId: left!.id });
});

test('who acknowledges is told by the member’s name, whatever the call says, and nobody can be called as the product is', async () => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const { world, owner, fire } = await aHouse({}, { smtpUrl: smtp.url });
  const { members } = consoleOf(world, await tokenOf(world, owner, 'Owner'));
  await members.inviteMember({ email: 'anna@example.com', role: 'responder', name: 'Anna Berg' });
  await members.inviteMember({ email: 'eve@example.com', role: 'responder', name: 'operator' });
  const anna = consoleOf(world, await signedIn(world, smtp, 'anna@example.com'));
  const incidentId = await fire();
  const { incident } = await anna.incidents.acknowledge({ incidentId, by: 'Somebody else' });
  expect(incident!.acknowledgedBy).toBe('Anna Berg');
  const eve = consoleOf(world, await signedIn(world, smtp, 'eve@example.com'));
  const { traceId } = await eve.incidents.close({ incidentId });
  expect((await eve.incidents.findCall({ traceId })).call!.actor).toBe('Member "operator"');
});
