import { expect, onTestFinished, test } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { consoleOf } from '../support/console.ts';
import { startNtfy } from '../support/ntfy.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio, type TwilioServer } from '../support/twilio.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

const ANNA = '+12025550111';
const BEN = '+12025550122';

/** A live alarm that tells Anna by text at once and Ben by call a minute later, with every carrier there. */
async function family(options: { anna?: ChannelKind[]; repeat?: { times: number; delayS: number } } = {}) {
  const [twilio, smtp, ntfy] = await Promise.all([startTwilio(), startSmtp(), startNtfy()]);
  const carriers = { twilio: twilio.settings, ntfy: { url: ntfy.url, token: null } };
  const world = await startWorld({ smtpUrl: smtp.url, carriers, publicUrl: 'of the facade' });
  onTestFinished(async () => void (await Promise.all([twilio.stop(), smtp.stop(), ntfy.stop()])));
  const owner = await world.account();
  const anna = await owner.contact('Anna', { text: ANNA, email: 'anna@example.com', push: 'anna-topic' });
  const ben = await owner.contact('Ben', { call: BEN, email: 'ben@example.com' });
  const steps = [
    { delayS: 0, contacts: [{ contactId: anna, channels: options.anna ?? ['text'] }] },
    { delayS: 60, contacts: [{ contactId: ben, channels: ['call' as const] }] },
  ];
  const policyId = await owner.policy(steps, options.repeat);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  const act = async (action: string) => {
    await world.get(`/v1/alarm/${id}/${action}`, key);
    await world.settle();
  };
  /** `text sent`, `call cancelled: acknowledged` …, in the order of the timeline. */
  const told = async () =>
    (await owner.incidents())[0]!.deliveries.map(({ kind, channel, status, reason }) =>
      [kind === 'alert' ? [] : kind, channel, status + (reason === '' ? '' : `: ${reason}`)].flat().join(' '),
    );
  return { twilio, smtp, ntfy, world, owner, id, key, act, told };
}

const textsTo = (twilio: TwilioServer, number: string) => twilio.messages.filter(({ fields }) => fields.To === number);

test('a text is sent when the carrier took it and delivered only when the carrier says so', async () => {
  const { twilio, world, act, told } = await family();
  await act('trigger');
  expect(await told()).toEqual(['text sent', 'call scheduled']);
  const { sid, fields } = await twilio.nextMessage();
  expect(fields.Body).toContain(world.url);
  await twilio.tell(sid, 'delivered');
  expect(await told()).toEqual(['text delivered', 'call scheduled']);
  await twilio.tell(sid, 'sent');
  await twilio.tell(sid, 'failed', { errorCode: 30003 });
  expect(await told()).toEqual(['text delivered', 'call scheduled']);
});

test('a temporary fault is tried again after 5, 15 and 45 s and then ever more slowly; from the second on the next channel goes beside it', async () => {
  const { twilio, world, act, told } = await family();
  twilio.behave('busy');
  await act('trigger');
  for (const wait of [5, 15, 45, 90, 180]) {
    expect(await told()).toContain('text scheduled: the carrier is busy');
    expect((await told()).includes('email sent')).toBe(wait > 5);
    await world.advance(wait - 0.001);
    const requests = twilio.requests('create');
    await world.advance(0.001);
    expect(twilio.requests('create')).toBe(requests + 1);
  }
  expect(await told()).toContain('text scheduled: the carrier is busy');
  twilio.behave('ok');
  await world.advance(360);
  expect(await told()).toContain('text sent');
});

test('a fault for good moves to the contact’s next channel in the same moment', async () => {
  const { twilio, smtp, act, told } = await family();
  twilio.failNext({ status: 400, code: 21211 });
  await act('trigger');
  expect(await told()).toEqual(['text failed: invalid number', 'email sent', 'call scheduled']);
  expect(smtp.mails).toHaveLength(1);
});

test('what a carrier reports later counts as well: an unknown number goes over to email', async () => {
  const { twilio, world, act, told } = await family();
  await act('trigger');
  const { sid } = await twilio.nextMessage();
  await twilio.tell(sid, 'undelivered', { errorCode: 30005 });
  await world.settle();
  expect(await told()).toEqual(['text failed: unknown number', 'email sent', 'call scheduled']);
});

test('a mail server that hangs delays no text, and a carrier that hangs no mail', async () => {
  const { twilio, smtp, world, key, id } = await family({ anna: ['email', 'text'] });
  smtp.behave('hang');
  await world.get(`/v1/alarm/${id}/trigger`, key);
  await twilio.nextMessage();
  expect(smtp.mails).toEqual([]);
  smtp.behave('ok');
  smtp.cut();
});

test('nothing is sent for an incident that is over: retries, later steps and other channels stay away', async () => {
  const { twilio, smtp, world, act, told } = await family();
  twilio.behave('busy');
  await act('trigger');
  await act('clear');
  twilio.behave('ok');
  await world.advance(3_600);
  expect(await told()).toEqual(['text cancelled: clear', 'call cancelled: clear']);
  expect([twilio.messages, twilio.calls, smtp.mails]).toEqual([[], [], []]);
});

test('an acknowledgement stops the escalation for everybody, and the others who were alerted hear who it was', async () => {
  const { twilio, world, owner, act, told } = await family({ anna: ['text', 'push'] });
  await act('trigger');
  await world.advance(60);
  expect(twilio.calls).toHaveLength(1);
  const [incident] = await owner.incidents();
  const console = consoleOf(world, world.operator, owner.accountId);
  await console.incidents.acknowledge({ incidentId: incident!.id, by: 'Cleo' });
  await world.settle();
  // Ben was reached by call alone, so he is called; Anna hears it by text and push.
  expect((await told()).filter(one => one.startsWith('acknowledged')).sort()).toEqual([
    'acknowledged call sent',
    'acknowledged push sent',
    'acknowledged text sent',
  ]);
  expect(textsTo(twilio, ANNA).at(-1)!.fields.Body).toContain('Cleo');
});

test('a reply with the code acknowledges in the name of its sender; the same code from another telephone acknowledges nothing', async () => {
  const { twilio, world, owner, act, told } = await family();
  await act('trigger');
  await world.advance(60);
  const [, replyCode = ''] = /Reply (\w{4}) to acknowledge/.exec(textsTo(twilio, ANNA)[0]!.fields.Body!) ?? [];
  const inbound = `${world.url}/carrier/twilio/text`;
  await twilio.replyTo('+12025550999', replyCode, inbound);
  expect((await owner.incidents())[0]).toMatchObject({ acknowledgedBy: '' });
  expect(await twilio.replyTo(ANNA, ` ok ${replyCode.toLowerCase()}. `, inbound)).toBeTruthy();
  await world.settle();
  expect((await owner.incidents())[0]).toMatchObject({
    acknowledgedBy: 'Anna',
    acknowledgedVia: 'reply',
    status: 'open',
  });
  expect((await told()).filter(one => one.startsWith('acknowledged'))).toEqual(['acknowledged call sent']);
});

test('a trigger that comes after a pause is told to those alerted, where their account wants it', async () => {
  const { twilio, world, owner, act } = await family();
  const console = consoleOf(world, world.operator, owner.accountId);
  const { account } = await console.accounts.getAccount({});
  await console.accounts.updateAccount({
    account: { ...account!, stillHappeningS: 600 },
    updateMask: { paths: ['still_happening_s'] },
  });
  await act('trigger');
  await world.advance(599);
  await act('trigger');
  expect(textsTo(twilio, ANNA)).toHaveLength(1);
  await world.advance(600);
  await act('trigger');
  expect(textsTo(twilio, ANNA)).toHaveLength(2);
  await act('trigger');
  expect(textsTo(twilio, ANNA)).toHaveLength(2);
});

test('repeats to one person wait when there were too many; the first message of another incident does not', async () => {
  const { twilio, world, owner, key, act, told } = await family({ repeat: { times: 5, delayS: 60 } });
  await act('trigger');
  for (let round = 0; round < 5; round++) await world.advance(120);
  expect(textsTo(twilio, ANNA)).toHaveLength(5);
  expect(await told()).toContain('text scheduled: throttled');

  const anna = await owner.contact('Anna again', { text: ANNA });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: ['text'] }] }]);
  const other = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${other}/trigger`, key);
  await world.settle();
  expect(textsTo(twilio, ANNA)).toHaveLength(6);
  // The first of the five leaves the window of 15 minutes.
  await world.advance(300);
  expect(textsTo(twilio, ANNA)).toHaveLength(7);
});

test('a worker that died between sending and recording sends nothing twice where the carrier can be asked', async () => {
  const { twilio, world, owner, act, told } = await family();
  await act('trigger');
  await world.rows(
    `UPDATE delivery SET status = 'sending', provider_ref = NULL, sent_at = NULL, lease_until = tocsin_now()
     WHERE account_id = $1 AND channel = 'text'`,
    [owner.accountId],
  );
  await world.settle();
  expect((await told())[0]).toBe('text sent');
  expect(twilio.messages).toHaveLength(1);
  expect((await owner.incidents())[0]!.deliveries[0]!.providerRef).toBe(twilio.messages[0]!.sid);
});

test('an answer that comes after another worker took over changes nothing', async () => {
  const { twilio, world, owner, id, key, told } = await family();
  twilio.behave(300);
  await world.get(`/v1/alarm/${id}/trigger`, key);
  await eventually(() => twilio.requests('create') === 1, { what: 'the first attempt' });
  await world.rows(
    `UPDATE delivery SET attempt = attempt + 1, status = 'failed', reason = 'of the other worker'
     WHERE account_id = $1 AND channel = 'text'`,
    [owner.accountId],
  );
  await world.settle();
  expect((await told())[0]).toBe('text failed: of the other worker');
});

test('a contact says when a message last arrived over each channel, and of those that only went out says nothing', async () => {
  const { twilio, world, owner, act } = await family({ anna: ['text', 'push'] });
  const { contacts } = consoleOf(world, world.operator, owner.accountId);
  const arrived = async () => {
    const [anna] = (await contacts.listContacts({})).contacts;
    return Object.fromEntries(anna!.channels.map(one => [one.channel, one.lastDeliveredAt?.seconds]));
  };
  await act('trigger');
  const { sid } = await twilio.nextMessage();
  expect(await arrived()).toEqual({ text: undefined, email: undefined, push: undefined });
  await world.advance(7);
  await twilio.tell(sid, 'delivered');
  await world.settle();
  const { openedAt } = (await owner.incidents())[0]!;
  expect(await arrived()).toEqual({ text: openedAt!.seconds + 7n, email: undefined, push: undefined });
});
