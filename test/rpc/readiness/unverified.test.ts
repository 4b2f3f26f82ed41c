import { expect, onTestFinished, test } from 'vitest';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { startTwilio } from '../../support/twilio.ts';
import { startWorld, type World } from '../../support/world.ts';

const STRANGER = '+4366012345678';
const FRIEND = '+4366087654321';

/** A world whose texts and calls go to a carrier. */
async function aWorld() {
  const twilio = await startTwilio();
  onTestFinished(() => twilio.stop());
  const world = await startWorld({ carriers: { twilio: twilio.settings } });
  const reached = (number: string) =>
    [...twilio.messages, ...twilio.calls].filter(({ fields }) => fields.To === number).length;
  return { world, reached };
}

/** An account with a contact whose text and call lead to this number; nobody has shown that it is theirs. */
async function withNumber(world: World, number: string) {
  const owner = await newOwner(world);
  const channels = ['text', 'call'].map(channel => ({ channel, address: number }));
  const { contact } = await owner.console.contacts.createContact({ contact: { name: 'Anna', channels } });
  const contactId = contact!.id;
  return {
    ...owner,
    contactId,
    drill: (channel = 'text') => owner.console.drills.drill({ contactId, channel }),
    code: (channel = 'text') => owner.console.contacts.sendVerificationCode({ contactId, channel }),
    /** Drills until it is refused, and gives how many went out and the refusal. */
    async drillOn() {
      for (let sent = 0; ; sent++) {
        if (sent % 10 === 9) await world.advance(60);
        const outcome = await owner.console.drills
          .drill({ contactId, channel: 'text' })
          .catch((error: unknown) => error);
        if (outcome instanceof Error) return { sent, refused: await refusal(Promise.reject(outcome)) };
        if (sent > 30) throw new Error('never refused');
      }
    },
  };
}

test('however many accounts aim at it, a number that nobody has shown to be theirs takes 20 messages a day (DECISIONS.md "Unverified addresses")', async () => {
  const { world, reached } = await aWorld();
  const [one, other, third] = [
    await withNumber(world, STRANGER),
    await withNumber(world, STRANGER),
    await withNumber(world, STRANGER),
  ];
  const beside = await withNumber(world, FRIEND);

  const { sent, refused } = await one.drillOn();
  expect(sent).toBe(10);
  expect(refused).toMatchObject({ code: 'ResourceExhausted' });
  expect(refused.message).toBe(
    'address_limit: the text of Anna is not verified, and an unverified address takes 20 drills and codes per ' +
      'day, 10 of them from one account. The limit resets at 2026-01-16 00:00 UTC. Enter a code that arrived ' +
      '(tocsin contacts verify anna text).',
  );
  // Calls and codes ring the same telephone.
  expect((await refusal(one.drill('call'))).message).toMatch(/^address_limit: the call of Anna /);
  expect((await refusal(one.code())).message).toMatch(/^address_limit: /);

  // One account alone uses up nothing of the others'.
  expect((await other.code()).outcome).toBe('sent');
  expect((await other.code('call')).outcome).toBe('sent');
  expect((await other.drillOn()).sent).toBe(8);
  expect(reached(STRANGER)).toBe(20);
  expect((await refusal(third.code())).message).toMatch(/^address_limit: /);
  expect((await refusal(third.drill())).message).toMatch(/^address_limit: /);
  expect(reached(STRANGER)).toBe(20);

  // Nobody else notices: neither who writes to another number, but the operator’s typing helps nobody.
  expect((await beside.code()).outcome).toBe('sent');
  expect((await beside.drill()).outcome).toBe('sent');
  const operator = consoleOf(world, world.operator, third.accountId);
  await operator.contacts.createContact({
    contact: { key: 'typed', name: 'Anna', channels: [{ channel: 'text', address: STRANGER }] },
  });
  const typed = third.console.drills.drill({ contactId: 'typed', channel: 'text' });
  expect((await refusal(typed)).message).toMatch(/^address_limit: /);

  await world.advance(4 * 3600);
  expect((await one.drill()).outcome).toBe('sent');
});

test('of many that ask at once, by whatever account, no more go than the day has room for', async () => {
  const { world, reached } = await aWorld();
  const accounts = [
    await withNumber(world, STRANGER),
    await withNumber(world, STRANGER),
    await withNumber(world, STRANGER),
  ];
  const drills = accounts.flatMap(({ drill }) => Array.from({ length: 10 }, () => drill()));
  const answers = await Promise.allSettled(drills);
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  expect(reached(STRANGER)).toBe(20);
});

test('a mailbox is one, in whatever case and with whatever behind a plus sign; no address stands in the database', async () => {
  const { world } = await aWorld();
  const owner = await newOwner(world);
  const drill = async (address: string) => {
    const { contact } = await owner.console.contacts.createContact({
      contact: { name: 'Somebody', channels: [{ channel: 'email', address }] },
    });
    const asked = { contactId: contact!.id, channel: 'email' };
    const answer = await owner.console.drills.drill(asked).then(
      ({ outcome }) => outcome,
      (error: Error) => error.message,
    );
    await owner.console.contacts.deleteContact({ contactId: contact!.id });
    await world.advance(10);
    return answer;
  };
  for (let nth = 0; nth < 10; nth++) expect(await drill(`Some.Body+${nth}@Example.com`)).toBe('no_carrier');
  expect(await drill('some.body@example.com')).toContain('address_limit: ');
  expect(await drill('somebody@example.com')).toBe('no_carrier');

  const rows = await world.rows<{ text: string; length: number }>(
    'SELECT u::text AS text, length(address_digest) AS length FROM unverified_sent u',
  );
  expect(rows.map(({ length }) => length)).toEqual([32, 32]);
  for (const { text } of rows) {
    expect(Buffer.from(/\\x([0-9a-f]+)/.exec(text)![1]!, 'hex').toString('latin1')).not.toContain('body');
    expect(text).not.toContain('body');
  }
  await world.advance(2 * 86_400);
  await world.sweep();
  expect(await world.rows('SELECT FROM unverified_sent')).toEqual([]);
});
