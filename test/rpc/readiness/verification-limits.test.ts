import { expect, test } from 'vitest';
import { newOwner, refusal } from '../../support/console.ts';
import { codeIn } from '../../support/verified.ts';
import { aMailServer, anna } from './verification-rig.ts';

test('one code a minute and five an hour for an address, two at once are one, and the others have their own', async () => {
  const smtp = await aMailServer();
  const { world, send } = await anna({ smtpUrl: smtp.url });
  const both = await Promise.allSettled([send(), send()]);
  expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(smtp.mails.length).toBe(1);
  const early = await refusal(send());
  expect(early).toMatchObject({ code: 'ResourceExhausted' });
  expect(early.message).toBe('Too many codes: an address takes at most 1 per minute. Ask for another code in 60 s.');
  expect((await send('text')).outcome).toBe('no_carrier');

  for (let sent = 1; sent < 5; sent++) {
    await world.advance(60);
    expect((await send()).outcome).toBe('sent');
  }
  await world.advance(60);
  expect((await refusal(send())).message).toBe(
    'Too many codes: an address takes at most 5 per hour. Ask for another code in 55 minutes.',
  );
  await world.advance(3300);
  expect((await send()).outcome).toBe('sent');
  expect(new Set(smtp.mails.map(({ subject }) => codeIn(subject!))).size).toBeGreaterThan(4);
});

test('a contact that is deleted and made anew, in whatever letters, gives its address no more codes: ten a day', async () => {
  const { world, owner, contacts } = await anna();
  const codeFor = async (console: Pick<typeof owner.console, 'contacts'>, address: string) => {
    const { contact } = await console.contacts.createContact({
      contact: { name: 'Somebody', channels: [{ channel: 'email', address }] },
    });
    const asked = { contactId: contact!.id, channel: 'email' };
    const sent = await console.contacts.sendVerificationCode(asked).catch(error => String(error));
    await console.contacts.deleteContact({ contactId: contact!.id });
    return typeof sent === 'string' ? sent : sent.outcome;
  };
  const again = (address = 'somebody@example.com') => codeFor(owner.console, address);
  expect(await again()).toBe('no_carrier');
  expect(await again('SomeBody@example.com')).toContain('at most 1 per minute');
  expect(await again('another@example.com')).toBe('no_carrier');
  for (let sent = 1; sent < 10; sent++) {
    await world.advance(720);
    expect(await again()).toBe('no_carrier');
  }
  await world.advance(3600);
  expect(await again()).toContain('at most 10 per day. Ask for another code in 22 hours.');
  // Another account has its own count, and learns nothing of this one's.
  expect(await codeFor((await newOwner(world)).console, 'somebody@example.com')).toBe('no_carrier');
  await world.advance(86_400);
  expect(await again()).toBe('no_carrier');
  const kept = await world.rows('SELECT FROM verification_sent WHERE account_id = $1', [owner.accountId]);
  expect(kept).toHaveLength(1);
  expect(await contacts.listContacts({})).toMatchObject({ contacts: [{ name: 'Anna' }] });
});

test('an account sends ten codes a minute, however many contacts it makes for them', async () => {
  const { world, owner, contacts } = await anna();
  const codes = async (to = 'somebody') => {
    const { contact } = await contacts.createContact({
      contact: { name: 'Somebody', channels: [{ channel: 'email', address: `${to}@example.com` }] },
    });
    return contacts.sendVerificationCode({ contactId: contact!.id, channel: 'email' });
  };
  for (let sent = 0; sent < 10; sent++) await codes(`person${sent}`);
  const refused = await refusal(codes());
  expect(refused).toMatchObject({ code: 'ResourceExhausted' });
  expect(refused.message).toContain('at most 10 per minute');
  const other = await newOwner(world);
  expect(other.accountId).not.toBe(owner.accountId);
  const { contact } = await other.console.contacts.createContact({
    contact: { name: 'Ben', channels: [{ channel: 'email', address: 'ben@example.com' }] },
  });
  expect(
    (await other.console.contacts.sendVerificationCode({ contactId: contact!.id, channel: 'email' })).outcome,
  ).toBe('no_carrier');
});
