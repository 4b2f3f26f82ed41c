import { expect, test } from 'vitest';
import { consoleOf } from '../support/console.ts';
import type { Owner } from '../support/owner.ts';
import { type Mail, type Smtp, startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';

const OWNER = 'owner@example.com';

/** What the owner was sent. */
function told(smtp: Smtp): Mail[] {
  return smtp.mails.filter(({ envelope }) => envelope.to.includes(OWNER));
}

/** What is stored about notices, oldest first. */
function listed(world: World) {
  return world.rows<{ kind: string; status: string; reason: string | null; tries: number }>(
    `SELECT n.kind, coalesce(d.status, 'none') AS status, d.reason, coalesce(d.tries, 0) AS tries
     FROM notice n LEFT JOIN notice_delivery d ON d.notice_id = n.id ORDER BY n.seq, d.seq`,
  );
}

/** An alarm that tells Anna at once and again after 60 s. */
async function familyAlarm(owner: Owner, alarm = {}): Promise<string> {
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const contacts = [{ contactId, channels: ['email' as const] }];
  const policyId = await owner.policy([
    { delayS: 0, contacts },
    { delayS: 60, contacts },
  ]);
  return owner.alarm({ name: 'Shop', modes: { away: { policyId } }, ...alarm });
}

async function aWorld() {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account({ ownerEmail: OWNER });
  const key = await owner.key();
  return {
    smtp,
    world,
    owner,
    fire: async (id: string) => {
      await world.get(`/v1/alarm/${id}/trigger`, key);
      await world.settle();
    },
    act: async (id: string, verb: string) => {
      await world.get(`/v1/alarm/${id}/${verb}`, key);
      await world.settle();
    },
  };
}

test('nobody to alert: the owner is told by email at once, once an incident', async () => {
  const { smtp, world, owner, fire, act } = await aWorld();
  const id = await owner.alarm({ name: 'Shop' });
  await fire(id);
  await fire(id);
  expect(told(smtp).map(({ subject }) => subject)).toEqual([expect.stringMatching(/NOBODY WAS ALERTED.*Shop/)]);
  const [mail] = told(smtp);
  expect(mail!.text).toContain('there was nobody to alert');
  expect(await listed(world)).toEqual([{ kind: 'nobody_to_alert', status: 'sent', reason: null, tries: 1 }]);
  const [{ id: noticeId }] = (await world.rows<{ id: string }>('SELECT id FROM notice_delivery')) as [{ id: string }];
  expect(mail!.messageId).toContain(noticeId);

  await act(id, 'clear');
  await world.advance(1);
  await fire(id);
  expect(told(smtp)).toHaveLength(2);
  await smtp.stop();
});

test('a source that fires all day without a policy: twenty mails an hour, the last says so, and the rest is listed as held_back', async () => {
  const { smtp, world, owner, fire, act } = await aWorld();
  const id = await owner.alarm({ name: 'Shop' });
  const again = async () => {
    await fire(id);
    await act(id, 'clear');
    await world.advance(1);
  };
  for (let nth = 0; nth < 22; nth++) await again();
  expect(told(smtp)).toHaveLength(20);
  expect(told(smtp)[18]!.text).not.toContain('within an hour');
  expect(told(smtp)[19]!.text).toContain('You have been sent 20 mails like this within an hour');
  const sent = { kind: 'nobody_to_alert', status: 'sent', reason: null, tries: 1 };
  const heldBack = { ...sent, status: 'failed', reason: 'held_back', tries: 0 };
  expect(await listed(world)).toEqual([...Array(20).fill(sent), heldBack, heldBack]);

  // Neither what else there is to say, nor another account's owner, waits for that.
  await fire(await familyAlarm(owner));
  await world.advance(60);
  await world.advance(300);
  expect(told(smtp).at(-1)!.subject).toMatch(/NOBODY ACKNOWLEDGED/);
  const other = await world.account({ ownerEmail: 'other@example.com' });
  await world.get(`/v1/alarm/${await other.alarm({ name: 'Barn' })}/trigger`, await other.key());
  await world.settle();
  expect(smtp.mails.at(-1)!.envelope.to).toEqual(['other@example.com']);

  await world.advance(3600);
  await again();
  expect(told(smtp).at(-1)!.subject).toMatch(/NOBODY WAS ALERTED.*Shop/);
  await smtp.stop();
});

test('an owner is told in their own language and zone, another in English and UTC', async () => {
  const { smtp, world, owner, fire } = await aWorld();
  const accounts = consoleOf(world, world.operator, owner.accountId).accounts;
  const { account } = await accounts.getAccount({});
  expect([account!.ownerLocale, account!.ownerTimeZone]).toEqual(['en', 'UTC']);
  const german = { ...account!, ownerLocale: 'de-AT', ownerTimeZone: 'Asia/Tokyo' };
  await accounts.updateAccount({ account: german, updateMask: { paths: ['owner_locale', 'owner_time_zone'] } });
  await fire(await owner.alarm({ name: 'Shop' }));
  const [mail] = told(smtp);
  expect(mail!.subject).toBe('NIEMAND WURDE VERSTÄNDIGT: Shop');
  expect(mail!.text).toMatch(/^Was: „Shop“ wurde ausgelöst am \d\d\.\d\d\.\d{4} um \d\d:\d\d \(Asia\/Tokyo\)/m);
  expect(mail!.text).toMatch(/^Wann: .*\(Asia\/Tokyo\)$/m);
  expect(mail!.text).toMatch(/^Konto: /m);
  expect(mail!.text).not.toMatch(/nobody|Account|What/);

  const other = await world.account({ ownerEmail: 'other@example.com' });
  await world.get(`/v1/alarm/${await other.alarm({ name: 'Barn' })}/trigger`, await other.key());
  await world.settle();
  expect(smtp.mails.at(-1)!.text).toMatch(/^What: "Barn" was triggered on [\d-]+ at [\d:]+ UTC/m);

  for (const wrong of [{ ownerLocale: 'German!' }, { ownerTimeZone: 'Vienna' }]) {
    const { account: now } = await accounts.getAccount({});
    await expect(accounts.updateAccount({ account: { ...now!, ...wrong } })).rejects.toThrow(/takes an? .* got/);
  }
  await smtp.stop();
});

test('exhausted: the owner is told five minutes after the last step, once, and the incident stays open', async () => {
  const { smtp, world, owner, fire } = await aWorld();
  await fire(await familyAlarm(owner));
  await world.advance(60);
  await world.advance(299);
  expect(told(smtp)).toEqual([]);
  await world.advance(1);
  expect(told(smtp).map(({ subject }) => subject)).toEqual([expect.stringMatching(/NOBODY ACKNOWLEDGED.*Shop/)]);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ status: 'open', outcome: 'exhausted' });
  const changes = incident!.timeline.flatMap(({ entry }) => (entry.case === 'change' ? [entry.value.kind] : []));
  expect(changes).toEqual(['opened', 'step', 'step', 'exhausted']);
  await world.advance(3600);
  expect(told(smtp)).toHaveLength(1);
  await smtp.stop();
});

test.each([
  'acknowledge',
  'close',
] as const)('exhausted: nobody is told of an incident that a person has ended: %s', async how => {
  const { smtp, world, owner, fire } = await aWorld();
  await fire(await familyAlarm(owner));
  await world.advance(60);
  await world.advance(200);
  const { incidents } = consoleOf(world, world.operator, owner.accountId);
  await incidents[how]({ incidentId: (await owner.incidents())[0]!.id });
  await world.advance(3600);
  expect((await owner.incidents())[0]!.outcome).toBe('alerting');
  expect(told(smtp)).toEqual([]);
  await smtp.stop();
});

test('test incidents tell no owner anything', async () => {
  const { smtp, world, owner, fire } = await aWorld();
  await fire(await familyAlarm(owner, { test: true }));
  await fire(await owner.alarm({ name: 'Shed', test: true }));
  await world.advance(3600);
  expect((await owner.incidents()).map(({ outcome }) => outcome).sort()).toEqual(['alerting', 'nobody_to_alert']);
  expect([told(smtp), await listed(world)]).toEqual([[], []]);
  await smtp.stop();
});

test('a late step reaches the owner too', async () => {
  const { smtp, world, owner, fire } = await aWorld();
  await fire(await familyAlarm(owner));
  await world.advance(72);
  expect(told(smtp).map(({ subject }) => subject)).toEqual([expect.stringMatching(/LATE.*Shop/)]);
  expect(told(smtp)[0]!.text).toMatch(/Step 2 .* 12 s late/s);
  await smtp.stop();
});

test('a notice that the mail server does not take is tried on, ever more slowly, and why stands in the list', async () => {
  const { smtp, world, owner, fire } = await aWorld();
  for (let refusal = 0; refusal < 5; refusal++) smtp.failNext(451, { message: 'busy' });
  const id = await owner.alarm({ name: 'Shop' });
  await fire(id);
  const tries: number[] = [];
  for (const afterS of [5, 15, 45, 90]) {
    await world.advance(afterS - 1);
    tries.push((await listed(world))[0]!.tries);
    await world.advance(1);
  }
  expect(tries).toEqual([1, 2, 3, 4]);
  expect(await listed(world)).toEqual([
    { kind: 'nobody_to_alert', status: 'scheduled', reason: expect.stringContaining('busy'), tries: 5 },
  ]);
  await world.advance(180);
  expect(await listed(world)).toEqual([{ kind: 'nobody_to_alert', status: 'sent', reason: null, tries: 6 }]);
  expect(told(smtp)).toHaveLength(1);
  await smtp.stop();
});

test('a notice that the mail server does not take for a day has failed', async () => {
  const { smtp, world, owner, fire } = await aWorld();
  smtp.behave('greylist');
  await fire(await owner.alarm({ name: 'Shop' }));
  for (const afterS of [5, 15, 45]) await world.advance(afterS);
  await world.rows("UPDATE notice_delivery SET first_attempt_at = first_attempt_at - interval '24 hours'");
  await world.advance(90);
  expect(await listed(world)).toEqual([
    { kind: 'nobody_to_alert', status: 'failed', reason: expect.stringContaining('come back later'), tries: 5 },
  ]);
  await smtp.stop();
});

test('without an owner it goes to nobody and stays listed; without a mail server it is kept', async () => {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  await world.get(`/v1/alarm/${await owner.alarm()}/trigger`, await owner.key());
  await world.settle();
  expect(await listed(world)).toEqual([{ kind: 'nobody_to_alert', status: 'none', reason: null, tries: 0 }]);
  const { notices } = await consoleOf(world, world.operator, owner.accountId).accounts.listNotices({});
  expect(notices).toMatchObject([{ status: 'failed', reason: 'no_listener', deliveries: [] }]);
  expect(smtp.mails).toEqual([]);
  await smtp.stop();

  const quiet = await startWorld();
  const other = await quiet.account({ ownerEmail: OWNER });
  await quiet.get(`/v1/alarm/${await other.alarm()}/trigger`, await other.key());
  await quiet.settle();
  expect(await listed(quiet)).toEqual([
    { kind: 'nobody_to_alert', status: 'no_carrier', reason: expect.stringContaining('SMTP_URL'), tries: 1 },
  ]);
});

test('a notice that a worker took with it is sent again once its lease has run out', async () => {
  const { smtp, world, owner, fire } = await aWorld();
  smtp.behave('hang');
  const id = await owner.alarm({ name: 'Shop' });
  void fire(id);
  await smtp.next();
  await world.rows("UPDATE notice_delivery SET attempt = attempt + 1 WHERE status = 'sending'");
  smtp.behave('ok');
  smtp.cut();
  await world.advance(44);
  expect(await listed(world)).toMatchObject([{ status: 'sending' }]);
  await world.advance(1);
  expect(await listed(world)).toMatchObject([{ status: 'sent', tries: 2 }]);
  const ids = told(smtp).map(({ messageId }) => messageId);
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  await smtp.stop();
});

test('owners who cannot be told delay nobody who is alerted', async () => {
  const { smtp, world, owner, fire } = await aWorld();
  smtp.behave('hang');
  const unbound = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(number => owner.alarm({ name: `Shop ${number}` })));
  for (const id of unbound) void fire(id);
  await eventually(() => smtp.mails.length >= 4, { what: 'four notices to hang' });
  smtp.behave('ok');
  void fire(await familyAlarm(owner));
  const alert = await smtp.next(({ envelope }) => envelope.to.includes('anna@example.com'));
  expect(alert.subject).toContain('Shop');
  // Of six places for notices one account leaves some to others: one or two, depending on which it saw together.
  const sending = (await listed(world)).filter(({ status }) => status === 'sending').length;
  expect([4, 5]).toContain(sending);
  smtp.cut();
  await smtp.stop();
});
