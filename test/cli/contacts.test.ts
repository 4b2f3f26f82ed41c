import { expect, onTestFinished, test } from 'vitest';
import { newOwner } from '../support/console.ts';
import { startNtfy } from '../support/ntfy.ts';
import { startSmtp } from '../support/smtp.ts';
import { ANNAS_ID, startTelegram } from '../support/telegram.ts';
import { codeIn } from '../support/verified.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

async function anOwner(carrier: 'mail' | 'none') {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld(carrier === 'mail' ? { smtpUrl: smtp.url } : {});
  const { token, accountId } = await newOwner(world);
  const at = { TOCSIN_RPC_URL: world.rpcUrl };
  const owner = commandLine({ ...at, TOCSIN_TOKEN: token });
  const operator = commandLine({ ...at, TOCSIN_TOKEN: world.operator, TOCSIN_ACCOUNT: accountId });
  return { smtp, world, owner, operator };
}

test('a contact has the time zone of the machine where nothing is said, and who makes it hears so', async () => {
  const world = await startWorld();
  const { token } = await newOwner(world);
  const at = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token };
  const inVienna = commandLine(at, { timeZone: 'Europe/Vienna' });
  const made = await inVienna.text('contacts', 'create', '--name', 'Anna', '--email', 'anna@example.com');
  expect(made.out).toContain('Their times are written for Europe/Vienna, as on this machine: --time-zone changes it.');
  const noah = ['contacts', 'create', '--name', 'Noah', '--email', 'noah@example.com'];
  const told = await inVienna.text(...noah, '--time-zone', 'Asia/Tokyo');
  expect(told.out).not.toContain('as on this machine');
  // A machine that does not know where it stands proposes nothing.
  const nowhere = await commandLine(at).json('contacts', 'create', '--name', 'Mia', '--email', 'mia@example.com');
  expect(nowhere.json.contact.timeZone).toBe('UTC');
  const zoneOf = async (key: string) => (await inVienna.json('contacts', 'show', key)).json.contact.timeZone;
  expect([await zoneOf('anna'), await zoneOf('noah')]).toEqual(['Europe/Vienna', 'Asia/Tokyo']);
});

test('whoever makes a contact hears what verifies it, and does it: a code goes out, and comes back', async () => {
  const { smtp, world, owner } = await anOwner('mail');
  const made = await owner.text('contacts', 'create', '--name', 'Anna', '--email', 'anna@example.com');
  expect(made).toMatchObject({ exit: 0, err: '' });
  expect(made.out).toContain('  email anna@example.com (not verified)\n');
  expect(made.out).toMatch(/only go to verified addresses:\n {2}tocsin contacts verify anna email\n$/);

  const sent = await owner.text('contacts', 'verify', 'anna', 'email');
  expect(sent).toMatchObject({ exit: 0, out: expect.stringMatching(/^A code for the email of anna: sent \(250 /) });
  expect(sent.err).toBe('Enter it within 10 minutes: tocsin contacts verify anna email --code …\n');
  const code = codeIn(smtp.mails[0]!.subject!);
  expect(sent.out).not.toContain(code);

  const wrong = await owner.text(
    'contacts',
    'verify',
    'anna',
    'email',
    '--code',
    String(1_111_111 - Number(code)).slice(-6),
  );
  expect(wrong).toMatchObject({ exit: 5, out: '', err: expect.stringMatching(/^wrong: .* 4 of 5 attempts left/) });
  const letters = await owner.text('contacts', 'verify', 'anna', 'email', '--code', 'one two');
  expect(letters).toMatchObject({ exit: 2, err: expect.stringMatching(/^ {2}--code takes the six digits/m) });
  const early = await owner.text('contacts', 'verify', 'anna', 'email');
  expect(early).toMatchObject({ exit: 1, out: '', err: expect.stringContaining('Ask for another code in 60 s.') });

  const right = await owner.text(
    'contacts',
    'verify',
    'anna',
    'email',
    '--code',
    `${code.slice(0, 3)} ${code.slice(3)}`,
  );
  expect(right).toMatchObject({ exit: 0, err: '', out: 'Verified the email of Anna: live alerts go there.\n' });
  expect((await owner.text('contacts', 'show', 'anna')).out).toMatch(
    /email anna@example\.com \(verified 20.* UTC\)\n$/,
  );
  const again = await owner.text('contacts', 'verify', 'anna', 'email');
  expect(again).toMatchObject({ exit: 0, err: '', out: 'Verified already: the email of anna.\n' });

  // Another address is another matter.
  const moved = await owner.text('contacts', 'update', 'anna', '--email', 'anna@example.org');
  expect(moved.out).toContain('tocsin contacts verify anna email');
  await world.advance(60);
  const json = await owner.json('contacts', 'verify', 'anna', 'email');
  expect(json).toMatchObject({ exit: 0, err: '', json: { outcome: 'sent', keptMessage: '' } });
  const second = codeIn((await smtp.next(({ envelope }) => envelope.to.includes('anna@example.org'))).subject!);
  const told = await owner.json('contacts', 'verify', 'anna', 'email', '--code', second);
  expect(told.json.contact.channels).toMatchObject([{ channel: 'email', verifiedAt: expect.stringMatching(/^20/) }]);
});

test('without a carrier the code is for the operator to see; what the operator writes needs one too', async () => {
  const { owner, operator, world } = await anOwner('none');
  await owner.text('contacts', 'create', '--name', 'Anna', '--email', 'anna@example.com');
  const own = await owner.text('contacts', 'verify', 'anna', 'email');
  expect(own).toMatchObject({
    exit: 1,
    err: '',
    out: expect.stringMatching(/^A code for the email of anna: no carrier \(no c/),
  });
  expect(own.out).not.toMatch(/\d{6}/);
  await world.advance(60);
  const seen = await operator.text('contacts', 'verify', 'anna', 'email');
  expect(seen).toMatchObject({ exit: 1, err: expect.stringMatching(/^Enter it/) });
  const told = await operator.text(
    'contacts',
    'verify',
    'anna',
    'email',
    '--code',
    codeIn(/^ {2}\| .*/m.exec(seen.out)![0]),
  );
  expect(told.exit).toBe(0);

  const made = await operator.text('contacts', 'create', '--name', 'Ben', '--text', '+12025550111');
  expect(made.out).toMatch(/text \+12025550111 \(not verified/);
});

test('a contact has a voice, and none again', async () => {
  const { owner } = await anOwner('none');
  const made = await owner.text(
    ...[
      'contacts',
      'create',
      '--name',
      'Anna',
      '--call',
      '+12025550111',
      '--voice',
      'Polly.Vicki',
      '--locale',
      'de-AT',
    ],
  );
  expect(made.out).toMatch(/^Voice +Polly\.Vicki$/m);
  const other = await owner.json('contacts', 'update', 'anna', '--voice', 'Polly.Hannah-Neural');
  expect(other.json.contact).toMatchObject({ voice: 'Polly.Hannah-Neural', locale: 'de-AT' });
  expect((await owner.json('contacts', 'update', 'anna', '--voice', '')).json.contact.voice).toBe('');
  const wrong = await owner.text('contacts', 'update', 'anna', '--voice', 'Polly Vicki');
  expect(wrong).toMatchObject({ exit: 2, err: expect.stringMatching(/^ {2}--voice takes the name of a voice/m) });
});

test('readiness, preview and drill say what is not verified, and what does it', async () => {
  const { owner, smtp } = await anOwner('mail');
  await owner.text('locations', 'create', '--name', 'Home', '--address', '1 Elm Street');
  await owner.text('contacts', 'create', '--name', 'Anna', '--email', 'anna@example.com');
  await owner.text('policies', 'create', '--name', 'Family', '--step', '0s anna:email');
  const modes = ['--mode', 'away:policy=family', '--no-only-when-armed', '--live'];
  const made = await owner.text('alarms', 'create', '--name', 'House', '--location', 'home', ...modes);
  expect(made.out).toMatch(/Still to do:\nblocks .*Nobody can be reached in step 1/);
  const blocked = await owner.text('readiness', '--strict');
  expect(blocked).toMatchObject({ exit: 1 });
  expect(blocked.out).toMatch(/warns .*by email, where the address is not verified/);
  expect(blocked.out).toContain('Send a code there and enter it: tocsin contacts verify anna email.');
  expect((await owner.text('preview', 'house')).out).toContain('Anna by email (step 1): not verified');
  expect((await owner.text('drill', 'anna', 'email')).out).toContain(
    'The email of Anna is not verified, so live alerts skip it: tocsin contacts verify anna email.',
  );

  await owner.text('contacts', 'verify', 'anna', 'email');
  await owner.text('contacts', 'verify', 'anna', 'email', '--code', codeIn(smtp.mails.at(-1)!.subject!));
  expect(await owner.text('readiness', '--strict')).toMatchObject({ exit: 0 });
  expect((await owner.text('preview', 'house')).out).toContain('Anna by email (step 1): would be sent');
  expect((await owner.text('drill', 'anna', 'email')).out).not.toContain('verify');
});

test('several addresses of push are given in their order, and verified one after the other by the same command', async () => {
  const ntfy = await startNtfy();
  onTestFinished(() => ntfy.stop());
  const world = await startWorld({ carriers: { ntfy: { url: ntfy.url, token: null } } });
  const { token } = await newOwner(world);
  const owner = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token });
  const created = await owner.text('contacts', 'create', '--name', 'Anna', '--push', 'one', '--push', 'two');
  expect(created.out.match(/contacts verify anna push/g)).toHaveLength(1);
  for (const topic of ['one', 'two']) {
    await owner.text('contacts', 'verify', 'anna', 'push');
    const sent = ntfy.pushes.at(-1)!;
    expect(sent.topic).toBe(topic);
    await owner.text('contacts', 'verify', 'anna', 'push', '--code', codeIn(sent.title));
  }
  expect((await owner.text('contacts', 'show', 'anna')).out).toMatch(
    /push one \(verified [^\n]*\n {2}push two \(verified /,
  );
  const five = ['1', '2', '3', '4', '5'].flatMap(topic => ['--push', topic]);
  const refused = await owner.text('contacts', 'update', 'anna', ...five);
  expect(refused).toMatchObject({ exit: 2, err: expect.stringContaining('at most 4 addresses of push') });
});

test('a drill asks the public address too, by which its reader would answer', async () => {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const drilled = async (publicUrl: string) => {
    const world = await startWorld({ smtpUrl: smtp.url, publicUrl });
    const owner = await world.account();
    const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
    const as = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator, TOCSIN_ACCOUNT: owner.accountId };
    return commandLine(as).text('drill', contactId, 'email');
  };
  const away = await drilled('https://alarm.nowhere.invalid');
  expect(away).toMatchObject({ exit: 0, out: expect.stringMatching(/^sent in [0-9]+ ms/) });
  expect(away.out).toContain('Asked from here, https://alarm.nowhere.invalid does not answer');
  expect((await drilled('of the facade')).out).toMatch(/^sent in [0-9]+ ms[^\n]*\n$/);
});

test('the link that connects a chat is made with a command, which says how long it is good and for whom', async () => {
  const telegram = await startTelegram();
  onTestFinished(() => telegram.stop());
  const world = await startWorld({ carriers: { telegram: telegram.settings } });
  const { token } = await newOwner(world);
  const owner = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token });
  await owner.text('contacts', 'create', '--name', 'Anna', '--email', 'anna@example.com');
  const said = await owner.text('contacts', 'link', 'anna');
  expect(said).toMatchObject({ exit: 0, err: '' });
  expect(said.out).toMatch(/^https:\/\/t\.me\/\w+\?start=[\w-]{32}\nFor anna alone, .* until /);
  telegram.write(ANNAS_ID, `/start ${/start=(\S+)/.exec(said.out)![1]}`);
  await telegram.confirmed();
  expect((await owner.text('contacts', 'show', 'anna')).out).toContain(`chat telegram:${ANNAS_ID} (verified `);
  const none = await owner.text('contacts', 'update', 'anna', '--chat', '@anna');
  expect(none).toMatchObject({ exit: 2, err: expect.stringContaining('Telegram tells a bot no @name') });
  const { out } = await anOwner('none').then(({ owner }) => owner.text('contacts', 'link', 'nobody'));
  expect(out).toBe('');
});
