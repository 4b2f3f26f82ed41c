import { timestampMs } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { inTransaction } from '../../../services/store/statement.ts';
import { addSpend } from '../../../services/store/statements/spend.ts';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { codeIn, verified, wrongCode } from '../../support/verified.ts';
import { aMailServer, anna, now } from './verification-rig.ts';

test('a code goes out over the channel of alerts, and entering it verifies the channel', async () => {
  const smtp = await aMailServer();
  const { world, owner, send, tell, verified, contactId } = await anna({ smtpUrl: smtp.url });
  expect(await verified()).toEqual(['webhook']);
  const sent = await send();
  expect(sent).toMatchObject({ outcome: 'sent', keptMessage: '' });
  expect(sent.detail).toMatch(/^250 /);
  expect(timestampMs(sent.expiresAt!) - (await now(world))).toBe(600_000);
  const [mail] = smtp.mails;
  expect(mail!.envelope.to).toEqual(['anna@example.com']);
  expect(mail!.text).toContain('The Elms');
  const code = codeIn(mail!.subject!);

  await world.advance(60);
  const { contact } = await tell(`${code.slice(0, 3)} ${code.slice(3)}`);
  expect(contact!.channels.map(({ channel, verifiedAt }) => [channel, verifiedAt === undefined])).toEqual([
    ['email', false],
    ['text', true],
    ['webhook', false],
  ]);
  expect(timestampMs(contact!.channels[0]!.verifiedAt!)).toBe(await now(world));
  expect(contact!.version).toBe(1);

  // Said once more, whatever is said: it is verified, and nothing is sent to whom it was.
  expect((await tell(wrongCode(code))).contact).toEqual(contact);
  expect(await send()).toMatchObject({ outcome: 'already_verified', detail: '' });
  expect(smtp.mails.length).toBe(1);
  const { changes } = await owner.console.audit.listChanges({ thingId: contactId });
  expect(changes.map(({ action, actor }) => `${action} ${actor}`)).toEqual(['update Owner', 'create Owner']);
  const email = { channel: 'email', address: 'anna@example.com', disabledReason: '' };
  expect([changes[0]!.before, changes[0]!.after].map(doc => (doc!.channels as unknown[])[0])).toEqual([
    { ...email, verification: 'not_verified' },
    { ...email, verification: 'verified' },
  ]);
});

test('only what is verified is told of a live incident: the rest fails as not_verified, and a channel without a carrier takes nobody’s place', async () => {
  const smtp = await aMailServer();
  const { world, owner, contactId, send, tell } = await anna({ smtpUrl: smtp.url });
  const { contacts, locations, policies, alarms, apiKeys, incidents, readiness } = owner.console;
  const channels = [
    { channel: 'email', address: 'anna@example.com' },
    { channel: 'text', address: '+12025550111' },
  ];
  await contacts.updateContact({
    contact: { id: contactId, version: 1, channels },
    updateMask: { paths: ['channels'] },
  });
  const { location } = await locations.createLocation({ location: { name: 'Home', address: '1 Elm Street' } });
  const steps = [{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }];
  const { policy } = await policies.createPolicy({ policy: { name: 'Family', steps } });
  const modes = [{ id: 'away', policyId: policy!.id }];
  const { alarm, findings } = await alarms.createAlarm({
    alarm: { name: 'House', locationId: location!.id, modes, test: false },
  });
  expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toContain('warns not_verified');
  const finding = findings.find(({ code }) => code === 'not_verified')!;
  expect(finding.fix).toBe('Send a code there and enter it: tocsin contacts verify anna email.');
  const previewed = async () =>
    (await readiness.preview({ sourceId: alarm!.id })).deliveries.map(one => `${one.channel} ${one.outcome}`);
  expect(await previewed()).toEqual(['email not_verified']);
  expect(findings.map(({ severity, code }) => `${severity} ${code}`)).toContain('blocks no_reachable_contact');
  expect((await readiness.getReadiness({})).ready).toBe(0);

  const { secret } = await apiKeys.createApiKey({ apiKey: { label: 'Key' } });
  const fire = async () => {
    expect((await world.get(`/v1/alarm/${alarm!.id}/trigger`, secret)).status).toBe(202);
    await world.settle();
    const { incidents: open } = await incidents.listIncidents({ pageSize: 1 });
    const { timeline } = await incidents.getIncident({ incidentId: open[0]!.id });
    expect((await world.get(`/v1/alarm/${alarm!.id}/clear`, secret)).status).toBe(202);
    await world.advance(1);
    return timeline.flatMap(({ entry }) =>
      entry.case === 'delivery' ? [`${entry.value.channel} ${entry.value.status} ${entry.value.reason}`.trim()] : [],
    );
  };
  expect(await fire()).toEqual(['email failed not_verified']);
  await verified(world, { accountId: owner.accountId, contactId, channels: ['text'] });
  // Text has no carrier here, so it takes nobody's place.
  expect(await previewed()).toEqual(['email not_verified']);
  expect(await fire()).toEqual(['email failed not_verified']);
  expect(smtp.mails).toEqual([]);

  await send();
  await tell(codeIn(smtp.mails[0]!.subject!));
  expect(await previewed()).toEqual(['email sent']);
  expect((await readiness.getReadiness({})).ready).toBe(1);
  expect(await fire()).toEqual(['email sent']);
  expect(smtp.mails.length).toBe(2);
});

describe('what became of sending it', () => {
  test.each([
    [451, 'temporary_fault', 'mailbox busy'],
    [550, 'permanent_fault', 'no such mailbox'],
  ])('the mail server answers %i', async (answer, outcome, words) => {
    const smtp = await aMailServer();
    const { send } = await anna({ smtpUrl: smtp.url });
    smtp.failNext(answer, { message: words });
    const sent = await send();
    expect(sent).toMatchObject({ outcome, keptMessage: '' });
    expect(sent.detail).toContain(words);
    expect(sent.expiresAt).toBeUndefined();
  });

  test('a code whose sending failed may have arrived all the same, and is good', async () => {
    const smtp = await aMailServer();
    const { send, tell, verified } = await anna({ smtpUrl: smtp.url });
    smtp.behave('reset');
    expect((await send()).outcome).toBe('temporary_fault');
    await tell(codeIn(smtp.mails[0]!.subject!));
    expect(await verified()).toContain('email');
  });

  test('without a carrier it is kept: the operator may read it, an account’s own token may not', async () => {
    const { world, operator, contactId, send, tell, verified } = await anna();
    const own = await send();
    expect(own).toMatchObject({ outcome: 'no_carrier', keptMessage: '' });
    expect(own.expiresAt).toBeDefined();
    await world.advance(60);
    const asked = await operator.contacts.sendVerificationCode({ contactId, channel: 'email' });
    expect(asked.outcome).toBe('no_carrier');
    await tell(codeIn(asked.keptMessage));
    expect(await verified()).toEqual(['email', 'webhook']);
  });

  test('text needs the paid plan after the first 14 days (SPEC.md 8): no code is made', async () => {
    const { world, owner, send } = await anna();
    const operator = consoleOf(world, world.operator, owner.accountId);
    const { account } = await operator.accounts.getAccount({});
    const free = { id: owner.accountId, version: account!.version, plan: 'free' };
    await operator.accounts.updateAccount({ account: free, updateMask: { paths: ['plan'] } });
    await world.advance(14 * 24 * 3600);
    expect(await send('text')).toMatchObject({ outcome: 'permanent_fault', detail: 'plan_required' });
    expect(await world.rows('SELECT FROM verification')).toEqual([]);
    expect((await send('email')).outcome).toBe('no_carrier');
  });
});

test('over the cap of a day no code goes out by text or call: none is made (proto Account.daily_spend_cap_cents)', async () => {
  const { world, owner, send } = await anna();
  await world.rows('UPDATE account SET daily_spend_cap_cents = 5 WHERE id = $1', [owner.accountId]);
  const spent = { accountId: owner.accountId, about: null, channel: 'text', units: 1 } as const;
  await inTransaction(world.store.pool, client => addSpend(client, spent));
  expect(await refusal(send('text'))).toMatchObject({
    code: 'ResourceExhausted',
    message: expect.stringMatching(/^spend_capped: /),
  });
  expect(await world.rows('SELECT FROM verification')).toEqual([]);
  expect((await send('email')).outcome).toBe('no_carrier');
});

test('no code is readable in the database', async () => {
  const smtp = await aMailServer();
  const { world, send } = await anna({ smtpUrl: smtp.url });
  await send();
  const code = codeIn(smtp.mails[0]!.subject!);
  const [row] = await world.rows<{ text: string }>('SELECT v::text AS text FROM verification v');
  expect(row!.text).not.toContain(code);
  const audit = await world.rows<{ text: string }>('SELECT a::text AS text FROM audit a');
  for (const { text } of audit) expect(text).not.toContain(code);
});

test('another account’s contact is not there, for both calls', async () => {
  const { world, contactId, send } = await anna();
  await send();
  const outsider = (await newOwner(world, 'Somebody else')).console.contacts;
  for (const named of [contactId, 'anna']) {
    const refused = [
      await refusal(outsider.sendVerificationCode({ contactId: named, channel: 'email' })),
      await refusal(outsider.verifyChannel({ contactId: named, channel: 'email', code: '123456' })),
    ];
    for (const one of refused) {
      expect(one).toMatchObject({ code: 'NotFound', message: 'There is no such contact in this account.' });
    }
  }
  expect(await world.rows('SELECT guesses FROM verification')).toEqual([{ guesses: 0 }]);
  const nobody = consoleOf(world, 'tcn_nobody').contacts;
  expect((await refusal(nobody.sendVerificationCode({ contactId, channel: 'email' }))).code).toBe('Unauthenticated');
  expect((await refusal(nobody.verifyChannel({ contactId, channel: 'email', code: '123456' }))).code).toBe(
    'Unauthenticated',
  );
});
