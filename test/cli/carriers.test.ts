import { expect, test } from 'vitest';
import { LOGIN, mailServer, smtpUrl } from '../scenario/carriers-rig.ts';
import { newOwner } from '../support/console.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

test('carriers are listed, tried, set, tried by a message and removed; the password comes from standard input', async () => {
  const smtp = await mailServer();
  const world = await startWorld();
  const environment = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator };
  const operator = commandLine(environment);
  const typing = (text: string) => commandLine(environment, { stdin: text });
  expect((await operator.text('carriers', 'list')).out).toMatch(/^NAME +FOR +STATE[^\n]*\nmail +email +not set\b/);
  const wrong = await typing(`${smtpUrl(smtp, 'wrong')}\n`).text('carriers', 'set', 'mail', 'SMTP_URL=-');
  expect(wrong).toMatchObject({
    exit: 1,
    out: expect.stringContaining('535 5.7.8 Authentication credentials invalid'),
  });
  expect(wrong.out).toContain('Nothing was stored. With --store-anyway it is.');
  const tried = await typing(smtpUrl(smtp)).text('carriers', 'try', 'mail', 'SMTP_URL=-');
  expect(tried).toMatchObject({ exit: 0, out: 'It answers.\n' });
  expect((await operator.json('carriers', 'list')).json.items[0]).toMatchObject({ state: 'not_set', version: 0 });

  const set = await typing(smtpUrl(smtp)).text('carriers', 'set', 'mail', 'SMTP_URL=-', 'MAIL_FROM=alarm@example.com');
  expect(set).toMatchObject({ exit: 0, out: 'mail is set up.\n' });
  const [mail] = (await operator.json('carriers', 'list')).json.items;
  expect(mail).toMatchObject({ name: 'mail', state: 'works', setIn: 'console', version: 1 });
  expect(JSON.stringify(mail)).not.toContain(encodeURIComponent(LOGIN.password));
  const sent = await operator.text('carriers', 'try', 'mail', '--to', 'me@example.com');
  expect(sent).toMatchObject({ exit: 0, out: 'mail took it for me@example.com.\n' });
  expect(await smtp.next()).toMatchObject({
    envelope: { to: ['me@example.com'] },
    from: { address: 'alarm@example.com' },
  });

  expect(await operator.text('carriers', 'set', 'mail', 'secret-without-a-name')).toMatchObject({
    exit: 2,
    err: expect.not.stringContaining('secret-without'),
  });
  expect(await operator.text('carriers', 'set', 'pigeon', 'A=b')).toMatchObject({ exit: 3 });
  expect((await operator.text('carriers', 'set', 'ntfy', 'NTFY=x')).err).toContain('is not a setting of ntfy');
  const doctor = await operator.json('doctor');
  expect(doctor.json.checks).toContainEqual({
    ...{ name: 'carriers', verdict: 'ok', found: 'Set up: mail in the console.', fix: '' },
  });
  await world.rows("UPDATE deployment_setting SET sealed = 'v1.nobody00.a.b.c' WHERE part = 'mail'");
  await world.settle();
  expect((await operator.json('doctor')).json.checks).toContainEqual({
    name: 'carriers',
    verdict: 'fail',
    found:
      'What is stored for mail cannot be used, and is left out: what is stored cannot be opened with this DATA_KEY',
    fix: 'Set it up anew: tocsin carriers set mail, or tocsin carriers remove mail.',
  });
  const removed = await operator.text('carriers', 'remove', 'mail');
  expect(removed).toMatchObject({ exit: 0, out: 'mail is no longer set up here.\n' });
  const owner = commandLine({ ...environment, TOCSIN_TOKEN: (await newOwner(world)).token });
  expect(await owner.text('carriers', 'list')).toMatchObject({ exit: 4 });
});
