import { expect, onTestFinished, test } from 'vitest';
import { consoleOf, refusal } from '../support/console.ts';
import { ANNAS_ID, BENS_ID, BOT_NAME, startTelegram } from '../support/telegram.ts';
import { startWorld } from '../support/world.ts';

/** An account with Anna, who has an email address. */
async function family() {
  const telegram = await startTelegram();
  onTestFinished(() => telegram.stop());
  const world = await startWorld({ carriers: { telegram: telegram.settings } });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const { contacts, audit } = consoleOf(world, world.operator, owner.accountId);
  const link = async () => {
    const { url, expiresAt } = await contacts.createChatLink({ contactId: anna });
    return { url, expiresAt, code: url.split('=').at(-1)! };
  };
  /** Somebody opens a link and presses Start; returns what the bot says. */
  const start = async (who: number, code: string) => {
    const before = telegram.chats.length;
    telegram.write(who, `/start ${code}`);
    await telegram.confirmed();
    return telegram.chats[before]?.text;
  };
  const channels = async () => {
    const { contact } = await contacts.getContact({ contactId: anna });
    return contact!.channels.map(({ channel, address, verifiedAt, reach }) => {
      return { channel, address, verified: verifiedAt !== undefined, reach };
    });
  };
  return { telegram, world, owner, anna, contacts, audit, link, start, channels };
}

const EMAIL = { channel: 'email', address: 'anna@example.com' };
const CHAT = { channel: 'chat', address: `telegram:${ANNAS_ID}`, verified: true, reach: 'goes' };

test('whoever opens the link and presses Start is the verified address of that contact, and alerted there', async () => {
  const { telegram, world, owner, anna, audit, link, start, channels } = await family();
  const { url, code } = await link();
  expect(url).toMatch(new RegExp(`^https://t\\.me/${BOT_NAME}\\?start=[A-Za-z0-9_-]{32}$`));
  expect(await start(ANNAS_ID, code)).toBe(
    'Connected: "An account" alerts you here. To end that, block this bot and tell them.',
  );
  const [email, chat] = await channels();
  expect([email!.channel, chat]).toEqual(['email', CHAT]);
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['chat'] }] }]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  const message = await telegram.next(({ buttons }) => buttons.length > 0);
  await telegram.answered(telegram.press(message));
  expect((await owner.incidents())[0]).toMatchObject({ acknowledgedBy: 'Anna', acknowledgedVia: 'chat' });
  const { changes } = await audit.listChanges({});
  expect(changes.filter(({ actor }) => actor === 'Anna').map(({ action, name }) => [action, name])).toEqual([
    ['update', 'Anna'],
    ['update', 'Anna'],
  ]);
  // And who made the link.
  expect(changes.filter(({ actor, name }) => actor === 'Operator' && name === 'Anna')[0]).toMatchObject({
    action: 'update',
    after: { chatLink: 'made' },
  });
});

test('a link is good once: the same person is told again that they are connected, and nobody else is', async () => {
  const { link, start, channels } = await family();
  const { code } = await link();
  expect(await start(ANNAS_ID, code)).toContain('Connected');
  expect(await start(BENS_ID, code)).toContain('was used already, or has run out');
  expect(await start(ANNAS_ID, code)).toContain('Connected');
  expect((await channels())[1]).toEqual(CHAT);
});

test('whoever a link takes the place of is told so, and its repeats are answered a few times', async () => {
  const { telegram, link, start } = await family();
  await start(ANNAS_ID, (await link()).code);
  const { code } = await link();
  for (let nth = 0; nth < 9; nth++) await start(BENS_ID, code);
  const said = await telegram.next(({ chatId, text }) => chatId === ANNAS_ID && text.includes('no longer'));
  expect(said.text).toBe('"An account" no longer alerts you here: a link connected another chat in its place.');
  const annas = () => telegram.chats.filter(({ chatId }) => chatId === ANNAS_ID);
  expect(annas()).toHaveLength(2);
  expect(telegram.chats.filter(({ chatId }) => chatId === BENS_ID)).toHaveLength(5);
});

test('a file that names no chat leaves the one that a link connected', async () => {
  const { world, owner, anna, contacts, link, start, channels } = await family();
  const { configuration } = consoleOf(world, world.operator, owner.accountId);
  const { contact } = await contacts.getContact({ contactId: anna });
  const file = [
    'version: 1',
    'contacts:',
    `  - key: ${contact!.key}`,
    '    name: Anna',
    '    channels:',
    '      - { channel: email, address: anna@example.com }',
    '',
  ].join('\n');
  const apply = async () => {
    for await (const { event } of configuration.apply({ text: file })) {
      if (event.case === 'result') expect(event.value.problems).toEqual([]);
    }
  };
  await start(ANNAS_ID, (await link()).code);
  await apply();
  expect((await channels()).find(({ channel }) => channel === 'chat')).toEqual(CHAT);
  // One that was typed goes, as anything that a file leaves out.
  const { contact: now } = await contacts.getContact({ contactId: anna });
  const typed = { channel: 'chat', address: `telegram:${BENS_ID}` };
  await contacts.updateContact({
    contact: { id: anna, version: now!.version, channels: [EMAIL, typed] },
    updateMask: { paths: ['channels'] },
  });
  await apply();
  expect((await channels()).map(({ channel }) => channel)).toEqual(['email']);
});

test('a file puts the chat that a link connected back where it stood, as often as it is applied', async () => {
  const { world, owner, anna, contacts, link, start, channels } = await family();
  const { configuration } = consoleOf(world, world.operator, owner.accountId);
  await start(ANNAS_ID, (await link()).code);
  const { contact } = await contacts.getContact({ contactId: anna });
  const key = { channel: 'chat', address: 'apprise:anna' };
  await contacts.updateContact({
    contact: {
      id: anna,
      version: contact!.version,
      channels: [{ channel: 'chat', address: CHAT.address }, key, EMAIL],
    },
    updateMask: { paths: ['channels'] },
  });
  const apply = async (addresses: { channel: string; address: string }[]) => {
    const lines = addresses.map(({ channel, address }) => `      - { channel: ${channel}, address: "${address}" }`);
    const head = ['version: 1', 'contacts:', `  - key: ${contact!.key}`, '    name: Anna', '    channels:'];
    for await (const { event } of configuration.apply({ text: [...head, ...lines, ''].join('\n') })) {
      if (event.case === 'result') expect(event.value.problems).toEqual([]);
    }
    return (await channels()).map(({ address }) => address);
  };
  const inOrder = [CHAT.address, key.address, EMAIL.address];
  expect(await apply([key, EMAIL])).toEqual(inOrder);
  expect(await apply([key, EMAIL])).toEqual(inOrder);
  expect(await apply([EMAIL, key])).toEqual([EMAIL.address, CHAT.address, key.address]);
  expect(await apply([EMAIL])).toEqual([EMAIL.address, CHAT.address]);
  expect(await apply([key, EMAIL])).toEqual([key.address, EMAIL.address, CHAT.address]);
});

test('a link runs out after ten minutes, and ends with the next one', async () => {
  const { world, link, start, channels } = await family();
  const first = await link();
  const second = await link();
  expect(await start(ANNAS_ID, first.code)).toContain('was used already, or has run out');
  await world.advance(599);
  const third = await link();
  await world.advance(600);
  expect(await start(ANNAS_ID, third.code)).toContain('has run out');
  expect(await start(ANNAS_ID, second.code)).toContain('has run out');
  expect(await channels()).toHaveLength(1);
});

test('a link takes the place of an address that was typed, and of one that is not used', async () => {
  const { anna, contacts, link, start, channels } = await family();
  const { contact } = await contacts.getContact({ contactId: anna });
  const typed = { channel: 'chat', address: `telegram:${BENS_ID}`, disabledReason: 'not for now' };
  await contacts.updateContact({
    contact: { id: anna, version: contact!.version, channels: [typed, EMAIL] },
    updateMask: { paths: ['channels'] },
  });
  expect((await channels())[0]).toMatchObject({ address: `telegram:${BENS_ID}`, verified: false, reach: 'disabled' });
  expect(await start(ANNAS_ID, (await link()).code)).toContain('Connected');
  expect((await channels())[0]).toEqual(CHAT);
});

test('nobody is written to whose place was not at Telegram, though their key reads like an id there', async () => {
  const { telegram, world, anna, contacts, link, start, channels } = await family();
  const { contact } = await contacts.getContact({ contactId: anna });
  const keys = ['kitchen', 'office', 'phone', `k${BENS_ID}`].map(key => ({
    channel: 'chat',
    address: `apprise:${key}`,
  }));
  await contacts.updateContact({
    contact: { id: anna, version: contact!.version, channels: [...keys, EMAIL] },
    updateMask: { paths: ['channels'] },
  });
  await world.rows("UPDATE contact_channel SET verified_at = tocsin_now() WHERE channel = 'chat'");
  expect(await start(ANNAS_ID, (await link()).code)).toContain('Connected');
  expect((await channels())[3]).toEqual(CHAT);
  // Whatever is said to him comes before the answer to what he writes.
  telegram.write(BENS_ID, 'Hello');
  const first = await telegram.next(({ chatId }) => chatId === BENS_ID);
  expect(first.text).toContain(`telegram:${BENS_ID}`);
});

test('an id that was typed is verified by a code, as any other address', async () => {
  const { telegram, anna, contacts, channels } = await family();
  const { contact } = await contacts.getContact({ contactId: anna });
  const typed = { channel: 'chat', address: `telegram:${ANNAS_ID}` };
  await contacts.updateContact({
    contact: { id: anna, version: contact!.version, channels: [EMAIL, typed] },
    updateMask: { paths: ['channels'] },
  });
  expect((await channels())[1]).toEqual({ ...CHAT, verified: false, reach: 'not_verified' });
  const way = { contactId: anna, channel: 'chat' };
  expect(await contacts.sendVerificationCode(way)).toMatchObject({ outcome: 'sent' });
  const [code] = /\d{6}/.exec(telegram.chats[0]!.text)!;
  await contacts.verifyChannel({ ...way, code });
  expect((await channels())[1]).toEqual(CHAT);
});

test('a code is of one contact alone; a contact that is gone takes its link along', async () => {
  const { world, owner, contacts, anna, link, start } = await family();
  const { code } = await link();
  const other = await world.account();
  const otto = await other.contact('Otto', {});
  await contacts.deleteContact({ contactId: anna });
  expect(await start(ANNAS_ID, code)).toContain('has run out');
  const his = consoleOf(world, world.operator, other.accountId).contacts;
  expect((await his.getContact({ contactId: otto })).contact!.channels).toEqual([]);
  expect((await refusal(contacts.createChatLink({ contactId: otto }))).code).toBe('NotFound');
  expect(owner.accountId).not.toBe(other.accountId);
});

test('without a bot there is no link, and it is said what to set', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const anna = await owner.contact('Anna', {});
  const { contacts } = consoleOf(world, world.operator, owner.accountId);
  expect(await refusal(contacts.createChatLink({ contactId: anna }))).toMatchObject({
    code: 'FailedPrecondition',
    message: expect.stringContaining('set TELEGRAM_TOKEN'),
  });
});

test('while Telegram does not answer there is no link, and the one before stays good', async () => {
  const { telegram, contacts, anna } = await family();
  telegram.behave({ status: 503 });
  expect(await refusal(contacts.createChatLink({ contactId: anna }))).toMatchObject({
    code: 'Unavailable',
    message: expect.stringContaining('Telegram'),
  });
});

test('only whoever may change people makes a link', async () => {
  const { world, owner, anna } = await family();
  const stranger = consoleOf(world, 'tcn_wrong', owner.accountId);
  expect((await refusal(stranger.contacts.createChatLink({ contactId: anna }))).code).toBe('Unauthenticated');
});
