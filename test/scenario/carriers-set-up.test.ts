import { expect, onTestFinished, test } from 'vitest';
import { consoleOf, newOwner, refusal } from '../support/console.ts';
import { twoHouses } from '../support/members.ts';
import { startNtfy } from '../support/ntfy.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';
import { aButton, allRows, carriersOf, mailServer, smtpUrl } from './carriers-rig.ts';

/* DECISIONS.md "Carriers set up in the console": the operator types what the provider gave them, and it counts. */

test('a wrong password is told in the words of the mail server and stored nowhere; the right one counts without a restart', async () => {
  const smtp = await mailServer();
  const logLines: string[] = [];
  const world = await startWorld({ logLines });
  const carriers = carriersOf(world);
  const button = await aButton(world, 'email', 'anna@example.com');
  expect(await carriers.get('mail')).toMatchObject({ state: 'not_set', setIn: '', version: 0 });

  const wrong = await carriers.set('mail', { SMTP_URL: smtpUrl(smtp, 'the wrong one') });
  expect(wrong).toMatchObject({ outcome: 'not_accepted', asked: 'fails' });
  expect(await carriers.get('mail')).toMatchObject({ state: 'not_set', version: 0 });
  expect(wrong.problem).toBe(
    'the mail server refused the login of SMTP_URL: 535 5.7.8 Authentication credentials invalid',
  );
  expect(await world.rows('SELECT * FROM deployment_setting')).toEqual([]);

  const set = await carriers.set('mail', { SMTP_URL: smtpUrl(smtp), MAIL_FROM: 'Alarms <alarm@example.com>' });
  expect(set).toMatchObject({ outcome: 'stored', asked: 'answers', problem: '' });
  expect(set.carrier).toMatchObject({ state: 'works', setIn: 'console', version: 1 });
  await button.press();
  const mail = await smtp.next();
  expect(mail).toMatchObject({ envelope: { to: ['anna@example.com'] }, from: { name: 'Alarms' } });
  await world.settle();
  const [incident] = await button.owner.incidents();
  expect(incident!.deliveries).toMatchObject([{ status: 'sent', channel: 'email' }]);

  // What is secret is given back by nobody: neither the right one nor the one that was tried.
  const told = JSON.stringify(set.carrier, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
  for (const everything of [told, await allRows(world), logLines.join('\n')]) {
    expect(everything).not.toMatch(/the right|the(%20| )wrong|right(%20| )%2F/);
  }
  expect(set.carrier!.settings.find(({ name }) => name === 'SMTP_URL')).toMatchObject({
    isSet: true,
    value: smtp.url.replace('//', '//alarm%40example.com@'),
  });
  expect(set.carrier!.changes).toMatchObject([{ version: 1, by: 'Operator', names: ['SMTP_URL', 'MAIL_FROM'] }]);
  expect(logLines.join('\n')).toContain('a carrier was set up in the console');
});

test('what the environment would refuse is refused in the same words, at its field', async () => {
  const carriers = carriersOf(await startWorld());
  expect(await refusal(carriers.set('mail', { SMTP_URL: 'mail.example.com' }))).toMatchObject({
    code: 'InvalidArgument',
    fields: { SMTP_URL: expect.stringMatching(/^takes a URL such as smtp:.*, got 16 characters\.$/) },
  });
  expect(await refusal(carriers.set('twilio', { TWILIO_FROM: '+12025550100' }))).toMatchObject({
    code: 'InvalidArgument',
    fields: { TWILIO_ACCOUNT_SID: 'is missing.' },
  });
  expect(await refusal(carriers.set('ntfy', { NTFY_URL_FILE: '/etc/passwd' }))).toMatchObject({
    code: 'InvalidArgument',
    fields: { NTFY_URL_FILE: 'is not a setting of ntfy, which takes NTFY_URL, NTFY_TOKEN.' },
  });
  expect(await refusal(carriers.set('mail2', { SMTP_URL_2: 'smtp://mail.example.com' }))).toMatchObject({
    code: 'InvalidArgument',
    fields: { SMTP_URL_2: 'is set, and CARRIERS_EMAIL does not name mail2: name it, or unset it.' },
  });
  expect(await refusal(carriers.set('pigeon', {}))).toMatchObject({
    code: 'NotFound',
    message: expect.stringContaining(
      'name one of mail, mail2, ntfy, pushover, web-push, telegram, signal, apprise, twilio, gateway, telnyx, whatsapp',
    ),
  });
});

test('a carrier that is down for now is stored where the operator says so, and carries what comes once it is back', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  smtp.behave('away');
  const world = await startWorld();
  const carriers = carriersOf(world);
  const settings = { SMTP_URL: smtp.url };
  expect(await carriers.set('mail', settings)).toMatchObject({ outcome: 'not_accepted', asked: 'fails' });
  expect(await carriers.set('mail', settings, 0, true)).toMatchObject({
    outcome: 'stored',
    asked: 'fails',
    carrier: { state: 'fails', setIn: 'console', version: 1 },
  });
  smtp.behave('ok');
  const button = await aButton(world, 'email', 'anna@example.com');
  await button.press();
  expect((await smtp.next()).envelope.to).toEqual(['anna@example.com']);
});

test('of two operators at once the second is told what changed, and can go on from there', async () => {
  const ntfy = await startNtfy();
  onTestFinished(ntfy.stop);
  const world = await startWorld();
  const carriers = carriersOf(world);
  const both = await Promise.allSettled([
    carriers.set('ntfy', { NTFY_URL: ntfy.url, NTFY_TOKEN: 'tk_one' }),
    carriers.set('ntfy', { NTFY_URL: ntfy.url, NTFY_TOKEN: 'tk_two' }),
  ]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  const late = carriers.set('ntfy', { NTFY_TOKEN: '' }, 0);
  expect(await refusal(late)).toMatchObject({
    code: 'Aborted',
    message: expect.stringMatching(/^Meanwhile, at 2.*Z, Operator stored NTFY_URL, NTFY_TOKEN: look at that/),
  });
  const { version } = await carriers.get('ntfy');
  expect(version).toBe(1);
  const { carrier } = await carriers.set('ntfy', { NTFY_TOKEN: '' }, version);
  expect(carrier!.settings.map(({ name, isSet }) => [name, isSet])).toEqual([
    ['NTFY_URL', true],
    ['NTFY_TOKEN', false],
  ]);
  await carriers.rpc.removeCarrier({ name: 'ntfy', version: 2 });
  // What was removed and set anew has a version of its own: nobody takes it for what they read before.
  expect(await refusal(carriers.set('ntfy', { NTFY_URL: ntfy.url }, 2))).toMatchObject({
    code: 'Aborted',
    message: expect.stringContaining('removed what was stored'),
  });
  expect((await carriers.set('ntfy', { NTFY_URL: ntfy.url }, 3)).carrier).toMatchObject({ version: 4 });
  expect(await refusal(carriers.set('ntfy', { NTFY_URL: ntfy.url }, 9))).toMatchObject({ code: 'Aborted' });
});

test('a secret is not sent elsewhere by somebody who does not know it', async () => {
  const [ntfy, thief] = [await startNtfy({ token: 'tk_secret' }), await startNtfy()];
  onTestFinished(async () => void (await Promise.all([ntfy.stop(), thief.stop()])));
  const world = await startWorld();
  const carriers = carriersOf(world);
  await carriers.set('ntfy', { NTFY_URL: ntfy.url, NTFY_TOKEN: 'tk_secret' });
  const elsewhere = { NTFY_URL: thief.url };
  const refused = {
    code: 'InvalidArgument',
    fields: { NTFY_TOKEN: 'has to be typed again, because NTFY_URL now leads elsewhere.' },
  };
  expect(await refusal(carriers.set('ntfy', elsewhere, 1))).toMatchObject(refused);
  expect(await refusal(carriers.rpc.tryCarrier({ name: 'ntfy', settings: elsewhere }))).toMatchObject(refused);
  expect(thief.heard).toEqual([]);
  expect(await carriers.set('ntfy', { ...elsewhere, NTFY_TOKEN: '' }, 1)).toMatchObject({ outcome: 'stored' });
  expect(thief.heard.every(({ headers }) => headers.authorization === undefined)).toBe(true);
});

test('what stands in the environment counts alone, and is changed there', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url, carrierEnv: { SMTP_URL: smtp.url } });
  const carriers = carriersOf(world);
  expect(await carriers.get('mail')).toMatchObject({ setIn: 'environment', state: 'works' });
  const refused = {
    code: 'FailedPrecondition',
    message: 'Mail server is set up in the environment (SMTP_URL): change it there, or take that out and start anew.',
  };
  const settings = { SMTP_URL: 'smtp://elsewhere.example.com' };
  expect(await refusal(carriers.set('mail', settings))).toMatchObject(refused);
  expect(await refusal(carriers.rpc.tryCarrier({ name: 'mail', settings }))).toMatchObject(refused);
  expect(await refusal(carriers.rpc.removeCarrier({ name: 'mail', version: 0 }))).toMatchObject(refused);
  expect(await carriers.rpc.tryCarrier({ name: 'mail' })).toMatchObject({ asked: 'answers' });
  // One of them is enough, and of what is stored nothing is mixed in.
  const half = carriersOf(await startWorld({ carrierEnv: { MAIL_FROM_FILE: '/run/secrets/from' } }));
  expect(await refusal(half.set('mail', settings))).toMatchObject({ message: expect.stringContaining('(MAIL_FROM)') });
  expect(await half.get('mail')).toMatchObject({ setIn: 'environment', state: 'not_set' });
});

test('only the operator sees and sets up carriers', async () => {
  const { world, as, outsider } = await twoHouses();
  const owner = await newOwner(world);
  const callers = [owner.console, outsider.console, await as('owner', 'Olga'), await as('viewer', 'Vera')];
  const asked = (console: typeof owner.console) => [
    () => console.carriers.listCarriers({}),
    () => console.carriers.setCarrier({ name: 'ntfy', settings: { NTFY_URL: 'https://ntfy.example.com' } }),
    () => console.carriers.tryCarrier({ name: 'mail' }),
    () => console.carriers.removeCarrier({ name: 'mail' }),
    () => console.carriers.sendTestMessage({ name: 'mail', to: 'anna@example.com' }),
  ];
  for (const caller of callers) {
    for (const call of asked(caller)) {
      expect(await refusal(call())).toMatchObject({
        code: 'PermissionDenied',
        message: "Setting up carriers takes the operator's token, got an account's own.",
      });
    }
    expect((await caller.deployment.getDeployment({})).setUpCarriers).toEqual([]);
  }
  for (const call of asked(consoleOf(world, 'tcn_nobody'))) {
    expect(await refusal(call())).toMatchObject({ code: 'Unauthenticated' });
  }
  expect(await world.rows('SELECT * FROM deployment_setting')).toEqual([]);
});

test('a test message goes to the address that the operator names, in their language', async () => {
  const smtp = await mailServer();
  const carriers = carriersOf(await startWorld(), 'de');
  expect(await refusal(carriers.rpc.sendTestMessage({ name: 'mail', to: 'me@example.com' }))).toMatchObject({
    code: 'FailedPrecondition',
    message: 'Mailserver ist nicht eingerichtet: Richten Sie das zuerst ein.',
  });
  await carriers.set('mail', { SMTP_URL: smtpUrl(smtp) });
  expect(await carriers.rpc.sendTestMessage({ name: 'mail', to: 'me@example.com' })).toMatchObject({ outcome: 'sent' });
  const mail = await smtp.next();
  expect(mail.envelope.to).toEqual(['me@example.com']);
  expect(mail.subject).toContain('Testnachricht');
  smtp.refuse('me@example.com', 550);
  expect(await carriers.rpc.sendTestMessage({ name: 'mail', to: 'me@example.com' })).toMatchObject({
    outcome: 'failed',
    problem: expect.stringContaining('550'),
  });
});

test('an address of a mail server says how to talk to it, and nothing else: it runs no program, and keeps no mail to itself', async () => {
  const carriers = carriersOf(await startWorld());
  for (const options of [
    'pool=false&sendmail=true&path=/bin/sh&args=-c&args=id',
    'sendmail=true',
    'jsonTransport=true',
    'streamTransport=true',
    'proxy=http://127.0.0.1:1',
    'disableFileAccess=false',
    'maxConnections=5&%73endmail=true',
  ]) {
    const settings = { SMTP_URL: `smtp://localhost?${options}` };
    const wrong = { code: 'InvalidArgument', fields: { SMTP_URL: expect.stringContaining('maxConnections') } };
    expect(await refusal(carriers.set('mail', settings, 0, true)), options).toMatchObject(wrong);
    expect(await refusal(carriers.rpc.tryCarrier({ name: 'mail', settings })), options).toMatchObject(wrong);
  }
  expect((await carriers.get('mail')).state).toBe('not_set');
  for (const url of ['smtp://a%FF:b@localhost', 'smtp://a%C3:b@localhost']) {
    const refused = await refusal(carriers.set('mail', { SMTP_URL: url }, 0, true));
    expect(refused).toMatchObject({ code: 'InvalidArgument', fields: { SMTP_URL: expect.any(String) } });
  }
});

test('a token that is user and password at once is shown as neither', async () => {
  const smtp = await mailServer({ user: 'one-token-for-both', password: 'one-token-for-both' });
  const carriers = carriersOf(await startWorld());
  const url = smtp.url.replace('//', '//one-token-for-both:one-token-for-both@');
  const set = await carriers.set('mail', { SMTP_URL: url });
  expect(set.outcome).toBe('stored');
  const shown = JSON.stringify([set, await carriers.get('mail')], (_, value) =>
    typeof value === 'bigint' ? `${value}` : value,
  );
  expect(shown).not.toContain('one-token');
  expect(await carriers.set('mail', { MAIL_FROM: 'alarm@example.com' }, 1)).toMatchObject({ outcome: 'stored' });
  expect(await carriers.rpc.sendTestMessage({ name: 'mail', to: 'me@example.com' })).toMatchObject({ outcome: 'sent' });
});

test('ten test messages go out in ten minutes, each with a line in the log that says who asked', async () => {
  const [smtp, logLines] = [await mailServer(null), [] as string[]];
  const carriers = carriersOf(await startWorld({ logLines }));
  await carriers.set('mail', { SMTP_URL: smtp.url });
  const send = () => carriers.rpc.sendTestMessage({ name: 'mail', to: 'me@example.com' });
  for (let nth = 0; nth < 10; nth++) expect((await send()).outcome).toBe('sent');
  expect(await refusal(send())).toMatchObject({
    code: 'ResourceExhausted',
    message: expect.stringContaining('At most 10 test messages'),
  });
  const told = logLines.filter(line => line.includes('a test message goes out'));
  expect(told).toHaveLength(10);
  expect(told[0]).toContain('Operator');
  expect(told.join()).not.toContain('me@example.com');
});
