import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../../services/domain/delivery.ts';
import { consoleOf, refusal } from '../../support/console.ts';
import { type Smtp, startSmtp } from '../../support/smtp.ts';
import { startWorld, type World } from '../../support/world.ts';
import { tokenOf } from '../incident/incident-rig.ts';

/** An owner with a contact, Anna, who has email and text; email has a carrier where a mail server is given. */
async function anna(options: { smtp?: Smtp; plan?: 'free' | 'paid'; email?: string } = {}) {
  const { smtp, plan = 'paid', email = 'anna@example.com' } = options;
  const world = await startWorld(smtp === undefined ? {} : { smtpUrl: smtp.url });
  const owner = await world.account({ plan });
  const contactId = await owner.contact('Anna', { email, text: '+12025550100' });
  const { drills } = consoleOf(world, await tokenOf(world, owner, 'Anna’s laptop'));
  const drill = (channel: string) => drills.drill({ contactId, channel });
  return { world, owner, contactId, drills, drill };
}

const deliveredAt = (world: World) => world.rows('SELECT last_delivered_at FROM contact_channel ORDER BY channel');

test('a drill goes out at once over the channel of alerts, says that it is a test, and gives the provider’s answer', async () => {
  const smtp = await startSmtp();
  const { world, drill } = await anna({ smtp });
  const before = await deliveredAt(world);
  const answer = await drill('email');
  expect(answer).toMatchObject({ outcome: 'sent', keptMessage: '', fix: '' });
  expect(answer.detail).toMatch(/^250 /);
  expect(answer.tookMs).toBeGreaterThan(0);
  const [mail] = smtp.mails;
  expect(mail!.envelope.to).toEqual(['anna@example.com']);
  expect(mail!.subject).toBe('[TEST] Test message, no action needed');
  expect(mail!.text).toContain('No action needed');
  expect(mail!.raw).not.toContain('X-Tocsin-Incident');
  // "Last delivered" is for real alerts.
  expect(await deliveredAt(world)).toEqual(before);
  expect((await world.rows('SELECT FROM delivery')).length).toBe(0);
  await smtp.stop();
});

describe('the provider’s own words, and what to do', () => {
  test.each([
    [451, 'temporary_fault', 'mailbox busy', 'Try again in a minute.'],
    [550, 'permanent_fault', 'no such mailbox', 'Check the address of Anna for email'],
  ])('%i', async (code, outcome, words, fix) => {
    const smtp = await startSmtp();
    const { drill } = await anna({ smtp });
    smtp.failNext(code, { message: words });
    const answer = await drill('email');
    expect(answer.outcome).toBe(outcome);
    expect(answer.detail).toContain(words);
    expect(answer.fix).toContain(fix);
    expect((await drill('email')).outcome).toBe('sent');
    await smtp.stop();
  });
});

test('without a carrier it says so and shows the text; nobody is reached', async () => {
  const { drill } = await anna();
  const answer = await drill('text');
  expect(answer.outcome).toBe('no_carrier');
  expect(answer.detail).toContain('no carrier is configured for text');
  expect(answer.keptMessage).toContain('For: Anna');
  expect(answer.fix).toContain('Set up a carrier for text');
});

test('a placeholder address is not sent to, and what helps is a real one', async () => {
  const smtp = await startSmtp();
  const { drill } = await anna({ smtp, email: 'anna@example.invalid' });
  expect(await drill('email')).toMatchObject({
    outcome: 'no_carrier',
    fix: 'Give Anna a real address for email, then try again.',
  });
  expect(smtp.mails).toEqual([]);
  await smtp.stop();
});

test('text needs the paid plan after the first 14 days, in a drill too (SPEC.md 8)', async () => {
  const { world, drill } = await anna({ plan: 'free' });
  expect((await drill('text')).outcome).toBe('no_carrier');
  await world.advance(14 * 24 * 3600);
  expect(await drill('text')).toMatchObject({
    outcome: 'permanent_fault',
    detail: 'plan_required',
    keptMessage: '',
    fix: 'Change to the paid plan, or let policies alert Anna by email.',
  });
  expect((await drill('email')).outcome).toBe('no_carrier');
});

test('a channel that is switched off can be tried, and the answer says that alerts leave it out', async () => {
  const smtp = await startSmtp();
  const { world, drill } = await anna({ smtp });
  await world.rows("UPDATE contact_channel SET disabled_reason = 'bounced'");
  const answer = await drill('email');
  expect([answer.outcome, answer.fix]).toEqual(['sent', expect.stringContaining('disabled (bounced)')]);
  await smtp.stop();
});

test('a channel that the contact does not have is refused by name, with those that it has', async () => {
  const { drill } = await anna();
  for (const channel of CHANNELS.filter(kind => kind !== 'email' && kind !== 'text').concat('pigeon' as 'push')) {
    expect(await refusal(drill(channel))).toMatchObject({
      code: 'InvalidArgument',
      fields: { channel: `takes one that Anna has (text, email), got "${channel}".` },
    });
  }
});

test('an account has 10 drills within any minute, and its neighbours have theirs', async () => {
  const { world, drill } = await anna();
  for (let nth = 0; nth < 9; nth++) await drill('text');
  await world.advance(30);
  await drill('text');
  const refused = { code: 'ResourceExhausted', message: expect.stringContaining('Try again in 30 s') };
  expect(await refusal(drill('text'))).toMatchObject(refused);
  const neighbour = await world.account();
  const contactId = await neighbour.contact('Ben', { text: '+12025550101' });
  const theirs = consoleOf(world, await tokenOf(world, neighbour, 'Ben')).drills;
  expect((await theirs.drill({ contactId, channel: 'text' })).outcome).toBe('no_carrier');
  await world.advance(29.999);
  expect((await refusal(drill('text'))).code).toBe('ResourceExhausted');
  await world.advance(0.001);
  for (let nth = 0; nth < 9; nth++) await drill('text');
  expect((await refusal(drill('text'))).message).toContain('Try again in 30 s');
});

test('an outsider cannot make anybody’s phone ring, and hears the same words as about nobody', async () => {
  const smtp = await startSmtp();
  const { world, owner, contactId } = await anna({ smtp });
  await world.rows("UPDATE contact SET key = 'anna'");
  const outsider = await world.account();
  const theirs = consoleOf(world, await tokenOf(world, outsider, 'Somebody else')).drills;
  for (const named of [contactId, 'anna', 'a'.repeat(32), '']) {
    expect(await refusal(theirs.drill({ contactId: named, channel: 'email' }))).toMatchObject({
      code: 'NotFound',
      message: 'There is no such contact in this account.',
    });
  }
  for (const token of ['', await owner.key()]) {
    const nobody = consoleOf(world, token).drills;
    expect(await refusal(nobody.drill({ contactId, channel: 'email' }))).toMatchObject({ code: 'Unauthenticated' });
  }
  expect(smtp.mails).toEqual([]);
  const own = consoleOf(world, await tokenOf(world, owner, 'Anna’s laptop')).drills;
  expect((await own.drill({ contactId: 'anna', channel: 'email' })).outcome).toBe('sent');
  await smtp.stop();
});
