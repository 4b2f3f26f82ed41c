import { expect, onTestFinished, test } from 'vitest';
import type { Contact } from '../../../gen/tocsin/console/v1/contacts_pb.ts';
import { newOwner, refusal } from '../../support/console.ts';
import { startNtfy } from '../../support/ntfy.ts';
import { ANNAS_KEY, startPushover } from '../../support/pushover.ts';
import { codeIn } from '../../support/verified.ts';
import { startWorld } from '../../support/world.ts';

/* DECISIONS.md "Several addresses", as owners set them up. */

const PUSHOVER = `pushover:${ANNAS_KEY}`;
const push = (...addresses: string[]) => addresses.map(address => ({ channel: 'push', address }));
const EMAIL = { channel: 'email', address: 'anna@example.com' };

/** An owner, for whom nobody vouches, with Anna, who has a topic and a user key. */
async function house() {
  const [pushover, ntfy] = await Promise.all([startPushover(), startNtfy()]);
  onTestFinished(async () => void (await Promise.all([pushover.stop(), ntfy.stop()])));
  const carriers = { pushover: pushover.settings, ntfy: { url: ntfy.url, token: null } };
  const world = await startWorld({ carriers });
  const owner = await newOwner(world, 'The Elms');
  const { contacts } = owner.console;
  const channels = [...push('annas-topic', PUSHOVER), EMAIL];
  const { contact } = await contacts.createContact({ contact: { name: 'Anna', channels } });
  const contactId = contact!.id;
  const read = async () => (await contacts.getContact({ contactId })).contact!;
  const change = async (
    changes: Partial<Pick<Contact, 'name'>> & {
      channels?: { channel: string; address: string; disabledReason?: string }[];
    },
  ) => {
    const { version } = await read();
    const paths = Object.keys(changes);
    await contacts.updateContact({ contact: { id: contactId, version, ...changes }, updateMask: { paths } });
  };
  /** Each address with whether alerts go there. */
  const ways = async () => (await read()).channels.map(({ address, reach }) => `${address} ${reach}`);
  return { pushover, ntfy, world, owner, contacts, contactId, read, change, ways };
}

const goes = (address: string) => `${address} goes`;
const not = (address: string) => `${address} not_verified`;

test('each address is verified by its own code, and whoever enters one need not say of which', async () => {
  const { pushover, ntfy, contacts, contactId, ways, world } = await house();
  expect(await ways()).toEqual([not('annas-topic'), not(PUSHOVER), 'anna@example.com not_verified']);
  const named = { contactId, channel: 'push' };
  expect(await contacts.sendVerificationCode({ ...named, address: PUSHOVER })).toMatchObject({ outcome: 'sent' });
  const code = codeIn(pushover.rung[0]!.title);
  await contacts.verifyChannel({ ...named, code });
  expect(await ways()).toEqual([not('annas-topic'), goes(PUSHOVER), 'anna@example.com not_verified']);
  // Whoever names only the channel means the one that still needs it.
  expect(await contacts.sendVerificationCode(named)).toMatchObject({ outcome: 'sent' });
  await contacts.verifyChannel({ ...named, code: codeIn(ntfy.pushes[0]!.title) });
  expect(await ways()).toEqual([goes('annas-topic'), goes(PUSHOVER), 'anna@example.com not_verified']);
  expect(await contacts.sendVerificationCode(named)).toMatchObject({ outcome: 'already_verified' });
  await world.advance(60);
  const wrong = await refusal(contacts.sendVerificationCode({ ...named, address: 'bens-topic' }));
  expect(wrong.code).toBe('InvalidArgument');
  expect(wrong.message).toContain('an address that Anna has for push');
  expect(wrong.message).not.toContain('annas-topic');
});

test('who names no address means one that a code verifies: no devices, and none that is switched off', async () => {
  const { ntfy, contacts, contactId, change, ways } = await house();
  const off = { channel: 'push', address: PUSHOVER, disabledReason: 'not for now' };
  await change({ channels: [...push('web:devices'), off, ...push('annas-topic')] });
  const named = { contactId, channel: 'push' };
  expect(await contacts.sendVerificationCode(named)).toMatchObject({ outcome: 'sent' });
  await contacts.verifyChannel({ ...named, code: codeIn(ntfy.pushes[0]!.title) });
  expect(await ways()).toEqual([not('web:devices'), `${PUSHOVER} disabled`, goes('annas-topic')]);
  expect(await contacts.sendVerificationCode(named)).toMatchObject({ outcome: 'already_verified' });
  // No code is under way: nothing of the channel needs one any more.
  await contacts.verifyChannel({ ...named, code: '123456' });
});

test('the code of one address verifies no other one, and goes with its address', async () => {
  const { pushover, contacts, contactId, change, ways } = await house();
  const named = { contactId, channel: 'push' };
  await contacts.sendVerificationCode({ ...named, address: PUSHOVER });
  const code = codeIn(pushover.rung[0]!.title);
  await change({ channels: push('annas-topic', 'another-topic') });
  expect((await refusal(contacts.verifyChannel({ ...named, code }))).message).toContain('none_sent');
  expect(await ways()).toEqual([not('annas-topic'), not('another-topic')]);
});

test('what is known of an address stays with it, wherever it is moved and whatever else changes', async () => {
  const { pushover, contacts, contactId, change, ways, read } = await house();
  const named = { contactId, channel: 'push' };
  await contacts.sendVerificationCode({ ...named, address: PUSHOVER });
  await contacts.verifyChannel({ ...named, code: codeIn(pushover.rung[0]!.title) });
  await change({ channels: [EMAIL, ...push(PUSHOVER, 'annas-topic')] });
  expect(await ways()).toEqual([not('anna@example.com'), goes(PUSHOVER), not('annas-topic')]);
  await change({ name: 'Anna B.' });
  expect([(await read()).name, await ways()]).toEqual([
    'Anna B.',
    [not('anna@example.com'), goes(PUSHOVER), not('annas-topic')],
  ]);
  await change({ channels: push('new-topic', 'third-topic', PUSHOVER, 'fourth-topic') });
  expect(await ways()).toEqual([not('new-topic'), not('third-topic'), goes(PUSHOVER), not('fourth-topic')]);
  await change({ channels: push('annas-topic', 'new-topic') });
  await change({ channels: push(PUSHOVER) });
  expect(await ways()).toEqual([not(PUSHOVER)]);
});

test.each<[string, { channel: string; address: string }[], string]>([
  [
    'a fifth',
    push('a', 'b', 'c', 'd', 'e'),
    'channels[4] takes at most 4 addresses of push for one person, got one more.',
  ],
  ['the same twice', push('a', 'b', 'a'), 'channels[2] takes each of them once, got "push" a second time.'],
  [
    'two of text',
    ['+12025550111', '+12025550112'].map(address => ({ channel: 'text', address })),
    'channels[1] takes each of them once, got "text" a second time.',
  ],
])('%s is refused with a sentence', async (_, channels, sentence) => {
  const { contacts } = await house();
  const refused = await refusal(contacts.createContact({ contact: { name: 'Ben', channels } }));
  expect([refused.code, refused.message]).toEqual(['InvalidArgument', expect.stringContaining(sentence)]);
});

test('a test message goes to the address that is named, or to the first', async () => {
  const { pushover, ntfy, owner, contactId } = await house();
  const { drills } = owner.console;
  expect(await drills.drill({ contactId, channel: 'push', address: PUSHOVER })).toMatchObject({ outcome: 'sent' });
  expect([pushover.rung.length, ntfy.pushes.length]).toEqual([1, 0]);
  await drills.drill({ contactId, channel: 'push' });
  expect([pushover.rung.length, ntfy.pushes.length]).toEqual([1, 1]);
});

test('a file has them in their order, and applied again changes nothing', async () => {
  const { owner, change, ways, read } = await house();
  await change({ channels: [...push(PUSHOVER, 'annas-topic'), EMAIL, { channel: 'chat', address: 'telegram:5' }] });
  const { text } = await owner.console.configuration.export({});
  expect(text.split('\n').filter(line => line.includes('channel: push'))).toHaveLength(2);
  const { version } = await read();
  const apply = async (file: string) => {
    for await (const { event } of owner.console.configuration.apply({ text: file })) {
      if (event.case === 'result') expect(event.value.problems).toEqual([]);
    }
  };
  await apply(text);
  expect((await read()).version).toBe(version);
  await apply(text.replace(/^ +- \{ channel: push, address: annas-topic \}\n/m, ''));
  expect(await ways()).toEqual([not(PUSHOVER), not('anna@example.com'), 'telegram:5 not_verified']);
});

test('the key of another account sees, verifies and tries none of them', async () => {
  const { world, contacts, contactId, pushover } = await house();
  const stranger = await newOwner(world, 'Somebody else');
  const named = { contactId, channel: 'push', address: PUSHOVER };
  const { contacts: theirs, drills } = stranger.console;
  await contacts.sendVerificationCode(named);
  const code = codeIn(pushover.rung[0]!.title);
  for (const asked of [
    () => theirs.getContact({ contactId }),
    () => theirs.sendVerificationCode(named),
    () => theirs.verifyChannel({ ...named, code }),
    () => drills.drill(named),
  ]) {
    expect((await refusal(asked())).code).toBe('NotFound');
  }
  expect(pushover.rung).toHaveLength(1);
});
