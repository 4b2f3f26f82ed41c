import { timestampMs } from '@bufbuild/protobuf/wkt';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readToApply } from '../../services/console/file/apply.ts';
import { CONFIG_FILE } from '../../services/domain/actor.ts';
import { createSeal } from '../../services/store/seal.ts';
import { inTransaction } from '../../services/store/statement.ts';
import { addSpend } from '../../services/store/statements/spend.ts';
import { consoleOf, newOwner, refusal } from '../support/console.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';
import { codeIn, verified } from '../support/verified.ts';
import { PEPPER, startWorld, type World, type WorldOptions } from '../support/world.ts';

async function aMailServer(): Promise<Smtp> {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  return smtp;
}

/** An owner with a contact, Anna, made by the owner's own token: nobody vouches for her addresses. */
async function anna(options: WorldOptions = {}) {
  const world = await startWorld(options);
  const owner = await newOwner(world, 'The Elms');
  const channels = [
    { channel: 'email', address: 'anna@example.com' },
    { channel: 'text', address: '+12025550111' },
    { channel: 'webhook', address: 'https://example.com/hook' },
  ];
  const { contact } = await owner.console.contacts.createContact({ contact: { name: 'Anna', channels } });
  const contactId = contact!.id;
  const { contacts } = owner.console;
  return {
    world,
    owner,
    contact: contact!,
    contactId,
    contacts,
    operator: consoleOf(world, world.operator, owner.accountId),
    send: (channel = 'email') => contacts.sendVerificationCode({ contactId, channel }),
    tell: (code: string, channel = 'email') => contacts.verifyChannel({ contactId, channel, code }),
    /** Which channels are verified now. */
    async verified() {
      const { contact } = await contacts.getContact({ contactId });
      return contact!.channels.filter(one => one.verifiedAt !== undefined).map(({ channel }) => channel);
    },
  };
}

/** Any code but this one. */
function wrong(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, '0');
}

async function now(world: World): Promise<number> {
  const [row] = await world.rows<{ ms: string }>('SELECT floor(extract(epoch FROM tocsin_now()) * 1000) AS ms');
  return Number(row!.ms);
}

test('a code goes out over the channel of alerts, and telling it back verifies the channel', async () => {
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
  expect((await tell(wrong(code))).contact).toEqual(contact);
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

test('only what is verified is told of a live incident: the rest fails as not_verified, and the next channel takes over', async () => {
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
  expect(await previewed()).toEqual(['email not_verified', 'text no_carrier']);
  expect((await fire()).toSorted()).toEqual([
    'email failed not_verified',
    expect.stringMatching(/^text no_carrier no carrier is configured for text/),
  ]);
  expect(smtp.mails).toEqual([]);

  await send();
  await tell(codeIn(smtp.mails[0]!.subject!));
  expect(await previewed()).toEqual(['email sent']);
  expect((await readiness.getReadiness({})).ready).toBe(1);
  expect(await fire()).toEqual(['email sent']);
  expect(smtp.mails.length).toBe(2);
});

describe('a code that is told back in vain', () => {
  test('a wrong one, five times: then the right one is worth nothing, until a new one came', async () => {
    const smtp = await aMailServer();
    const { world, send, tell, verified } = await anna({ smtpUrl: smtp.url });
    await send();
    const first = codeIn(smtp.mails[0]!.subject!);
    for (const left of [4, 3, 2, 1]) {
      const refused = await refusal(tell(wrong(first, left)));
      expect(refused.code).toBe('FailedPrecondition');
      expect(refused.message).toBe(
        `wrong: This is not the code that was sent to the email of Anna. ${left} of 5 attempts left: check the newest message.`,
      );
    }
    for (const code of [wrong(first), first]) {
      const refused = await refusal(tell(code));
      expect(refused).toMatchObject({ code: 'FailedPrecondition' });
      expect(refused.message).toMatch(/^too_many_guesses: .*: send a new one\.$/);
    }
    await world.advance(60);
    await send();
    const second = codeIn(smtp.mails[1]!.subject!);
    if (second !== first) expect((await refusal(tell(first))).message).toMatch(/^wrong: .* 4 of 5 /);
    await tell(second);
    expect(await verified()).toContain('email');
  });

  test('five at once are five guesses, and thirty no more', async () => {
    const smtp = await aMailServer();
    const { send, tell, verified } = await anna({ smtpUrl: smtp.url });
    await send();
    const code = codeIn(smtp.mails[0]!.subject!);
    const guesses = Array.from({ length: 30 }, (_, index) => refusal(tell(wrong(code, index + 1))));
    const words = (await Promise.all(guesses)).map(({ message }) => message.split(':')[0]!);
    expect(words.filter(word => word === 'wrong').length).toBe(4);
    expect(words.filter(word => word === 'too_many_guesses').length).toBe(26);
    expect((await refusal(tell(code))).message).toMatch(/^too_many_guesses/);
    expect(await verified()).not.toContain('email');
  });

  test('one that is ten minutes old', async () => {
    const smtp = await aMailServer();
    const { world, send, tell } = await anna({ smtpUrl: smtp.url });
    await send();
    const code = codeIn(smtp.mails[0]!.subject!);
    await world.advance(600);
    const refused = await refusal(tell(code));
    expect(refused).toMatchObject({ code: 'FailedPrecondition' });
    expect(refused.message).toMatch(/^expired: The code for the email of Anna expired after 10 minutes/);
  });

  test('where none was sent, and one of another channel', async () => {
    const smtp = await aMailServer();
    const { operator, send, tell, contactId } = await anna({ smtpUrl: smtp.url });
    expect((await refusal(tell('123456'))).message).toMatch(/^none_sent: No code has been sent to the email of Anna/);
    await send('email');
    await operator.contacts.sendVerificationCode({ contactId, channel: 'text' });
    const code = codeIn(smtp.mails[0]!.subject!);
    expect((await refusal(tell(code, 'text'))).message).toMatch(/^wrong: /);
  });

  test.each([
    ['letters', 'abcdef'],
    ['five digits', '12345'],
    ['nothing', ''],
    ['other digits', '１２３４５６'],
    ['a line feed', '123456\n'],
    ['10 KB', '1'.repeat(10_000)],
    ['SQL', "1' OR '1'='1"],
  ])('%s is no code, and no guess', async (_what, code) => {
    const { world, send, tell } = await anna();
    await send();
    const refused = await refusal(tell(code));
    expect(refused).toMatchObject({ code: 'InvalidArgument', fields: { code: expect.stringContaining('six digits') } });
    expect(refused.message.length).toBeLessThan(300);
    expect(await world.rows('SELECT guesses FROM verification')).toEqual([{ guesses: 0 }]);
  });
});

test('a channel that the contact does not have, one that is none, and a webhook', async () => {
  const { send, tell } = await anna();
  for (const channel of ['push', 'fax', '', 'x'.repeat(10_000)]) {
    for (const refused of [await refusal(send(channel)), await refusal(tell('123456', channel))]) {
      expect(refused).toMatchObject({ code: 'InvalidArgument' });
      expect(refused.fields.channel).toContain('takes one that Anna has (text, email, webhook)');
    }
  }
  for (const refused of [await refusal(send('webhook')), await refusal(tell('123456', 'webhook'))]) {
    expect(refused.fields.channel).toContain('a webhook needs no code');
  }
});

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

describe('an address that changes', () => {
  async function verifiedAnna() {
    const smtp = await aMailServer();
    const all = await anna({ smtpUrl: smtp.url });
    await all.send();
    const { contact } = await all.tell(codeIn(smtp.mails[0]!.subject!));
    const update = async (change: object, paths: string[]) => {
      const { contact: read } = await all.contacts.getContact({ contactId: all.contactId });
      const wanted = { ...change, id: all.contactId, version: read!.version };
      return (await all.contacts.updateContact({ contact: wanted, updateMask: { paths } })).contact!;
    };
    return { ...all, smtp, update, verifiedAt: contact!.channels[0]!.verifiedAt! };
  }
  const email = { channel: 'email', address: 'anna@example.com' };
  const text = { channel: 'text', address: '+12025550111' };

  test('is not verified any more, back at the old one either; the others stay', async () => {
    const { update, verified } = await verifiedAnna();
    const elsewhere = { ...email, address: 'anna@example.org' };
    await update({ channels: [elsewhere, text] }, ['channels']);
    expect(await verified()).toEqual([]);
    await update({ channels: [email, text] }, ['channels']);
    expect(await verified()).toEqual([]);
  });

  test('stays verified when it is renamed around, moved, switched off and on', async () => {
    const { update, verifiedAt } = await verifiedAnna();
    const changes: [object, string[]][] = [
      [{ name: 'Anna Elm', voice: 'Polly.Vicki' }, ['name', 'voice']],
      [{ channels: [text, email] }, ['channels']],
      [{ channels: [text, { ...email, disabledReason: 'on holiday' }] }, ['channels']],
      [{ channels: [email] }, ['channels']],
    ];
    for (const [change, paths] of changes) {
      const { channels } = await update(change, paths);
      expect(channels.find(({ channel }) => channel === 'email')!.verifiedAt).toEqual(verifiedAt);
    }
  });

  test('takes its code along: one for the old address says nothing of the new one', async () => {
    const { world, smtp, update, send, tell } = await verifiedAnna();
    await update({ channels: [{ ...email, address: 'a@example.com' }, text] }, ['channels']);
    await send();
    const code = codeIn(smtp.mails[1]!.subject!);
    await update({ channels: [{ ...email, address: 'b@example.com' }, text] }, ['channels']);
    expect((await refusal(tell(code))).message).toMatch(/^none_sent: /);
    expect(await world.rows('SELECT FROM verification')).toEqual([]);
  });

  test('and a contact that is deleted leaves no code', async () => {
    const { world, contacts, contactId, send } = await anna();
    await send();
    await contacts.deleteContact({ contactId });
    expect(await world.rows('SELECT FROM verification')).toEqual([]);
  });
});

test('a channel that is switched off can be verified: so its owner may switch it on', async () => {
  const smtp = await aMailServer();
  const { contacts, contactId, send, tell, verified } = await anna({ smtpUrl: smtp.url });
  const channels = [{ channel: 'email', address: 'anna@example.com', disabledReason: 'on holiday' }];
  await contacts.updateContact({
    contact: { id: contactId, version: 1, channels },
    updateMask: { paths: ['channels'] },
  });
  await send();
  await tell(codeIn(smtp.mails[0]!.subject!));
  expect(await verified()).toEqual(['email']);
});

describe('who vouches for an address', () => {
  const contact = {
    name: 'Ben',
    channels: [
      { channel: 'email', address: 'ben@example.com' },
      { channel: 'push', address: 'ben-phone' },
    ],
  };
  const file = `version: 1
contacts:
  - key: cleo
    name: Cleo
    voice: Polly.Vicki
    channels:
      - channel: text
        address: "+12025550199"
`;
  async function apply(console: Awaited<ReturnType<typeof anna>>['operator']) {
    for await (const { event } of console.configuration.apply({ text: file })) {
      if (event.case === 'result') expect(event.value.outcome).toBe('applied');
    }
    return (await console.contacts.getContact({ contactId: 'cleo' })).contact!;
  }

  test('with the operator’s token: verified when stored, by RPC and by file, and what was there before stays as it was', async () => {
    const { world, operator, verified } = await anna();
    const { contact: made } = await operator.contacts.createContact({ contact });
    for (const one of made!.channels) expect(timestampMs(one.verifiedAt!)).toBe(await now(world));
    const cleo = await apply(operator);
    expect(cleo.voice).toBe('Polly.Vicki');
    expect(cleo.channels[0]!.verifiedAt).toBeDefined();
    await operator.contacts.updateContact({
      contact: { id: 'anna', version: 1, name: 'Anna Elm' },
      updateMask: { paths: ['name'] },
    });
    expect(await verified()).toEqual(['webhook']);
  });

  test('what a start applies: whoever sets CONFIG_FILE, or has the demo made, runs the deployment', async () => {
    const world = await startWorld();
    const { accountId } = await newOwner(world);
    const seal = createSeal(Buffer.alloc(32));
    const { applyTo } = await readToApply({ orm: world.store.orm, seal, bus: world.bus, pepper: PEPPER }, file, {});
    await inTransaction(world.store.pool, client => applyTo(client, accountId, CONFIG_FILE));
    const [row] = await world.rows('SELECT channel, verified_at = tocsin_now() AS now FROM contact_channel');
    expect(row).toEqual({ channel: 'text', now: true });
  });

  test('with an account’s own token: not verified, by RPC and by file', async () => {
    const { owner } = await anna();
    const { contact: made } = await owner.console.contacts.createContact({ contact });
    expect(made!.channels.map(({ verifiedAt }) => verifiedAt)).toEqual([undefined, undefined]);
    expect((await apply(owner.console)).channels[0]!.verifiedAt).toBeUndefined();
  });

  test('CONTACT_VERIFICATION=trusted: verified when stored, whoever stores it', async () => {
    const { contacts, verified, send } = await anna({ contactVerification: 'trusted' });
    expect(await verified()).toEqual(['email', 'text', 'webhook']);
    const { contact: made } = await contacts.createContact({ contact });
    expect(made!.channels.every(({ verifiedAt }) => verifiedAt !== undefined)).toBe(true);
    expect((await send()).outcome).toBe('already_verified');
  });
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
