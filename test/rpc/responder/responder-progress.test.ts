import { expect, test } from 'vitest';
import { aPhoneHome } from './responder-carrier-rig.ts';
import { tokenOf } from './responder-rig.ts';

/* What a carrier tells of a message afterwards (DECISIONS.md "Delivery"), from its own signed requests on. */

test('a text is sent until the carrier says that it arrived: the two are never merged', async () => {
  const { world, owner, twilio, act, became } = await aPhoneHome();
  await act('trigger');
  const { sid } = await twilio.nextMessage();
  expect(await became()).toEqual(['text sent', 'text scheduled']);
  expect((await twilio.tell(sid, 'sent'))?.status).toBe(200);
  expect(await became()).toEqual(['text sent', 'text scheduled']);
  await world.advance(7);
  expect((await twilio.tell(sid, 'delivered'))?.status).toBe(200);
  expect(await became()).toEqual(['text delivered', 'text scheduled']);
  const [row] = await world.rows<{ later: number; last: string }>(
    `SELECT extract(epoch FROM d.delivered_at - d.sent_at)::int AS later, (c.last_delivered_at = d.delivered_at)::text AS last
     FROM delivery d JOIN contact_channel c USING (account_id, contact_id, channel) WHERE d.account_id = $1 AND d.status = 'delivered'`,
    [owner.accountId],
  );
  expect(row).toEqual({ later: 7, last: 'true' });
});

test('reports that come late, twice or in the wrong order move nothing back', async () => {
  const { twilio, act, became } = await aPhoneHome();
  await act('trigger');
  const { sid } = await twilio.nextMessage();
  await twilio.tell(sid, 'delivered');
  for (const [status, errorCode] of [
    ['delivered'],
    ['sent'],
    ['queued'],
    ['undelivered', 30003],
    ['failed', 30007],
  ] as const) {
    expect((await twilio.tell(sid, status, errorCode === undefined ? {} : { errorCode }))?.status).toBe(200);
    expect(await became()).toEqual(['text delivered', 'text scheduled']);
  }
});

test('a permanent fault goes over to the next channel at once, once, however often it is told', async () => {
  const { world, twilio, act, became } = await aPhoneHome();
  await act('trigger');
  const { sid } = await twilio.nextMessage();
  await Promise.all(Array.from({ length: 20 }, () => twilio.tell(sid, 'undelivered', { errorCode: 30006 })));
  await world.settle();
  expect(twilio.calls).toHaveLength(1);
  const [first, ...others] = await became();
  expect(first).toMatch(/^text failed: \w+/);
  expect(others.sort()).toEqual(['call sent', 'text scheduled']);
});

test('a busy telephone is called again after 5, 15 and 45 s and so on, and from the second time on another channel goes beside it', async () => {
  const { world, owner, twilio, act, became, responder } = await aPhoneHome(['call']);
  await act('trigger');
  const token = tokenOf((await owner.incidents())[0]!.deliveries[0]!);
  const told = async () => (await responder.getPage({ token })).page!.told.map(line => line.replaceAll('\u00a0', ' '));
  for (const [at, waitS] of [5, 15, 45].entries()) {
    await twilio.tell(twilio.calls[at]!.sid, 'busy');
    expect(await became()).toContain('call scheduled: busy');
    expect(await told()).toContainEqual(
      expect.stringMatching(/^Anna, call: not reached \(busy\), next try at 8:0[01] PM$/),
    );
    await world.advance(waitS - 1);
    expect(twilio.calls).toHaveLength(at + 1);
    await world.advance(1);
    expect(twilio.calls).toHaveLength(at + 2);
  }
  // What is told of an attempt that another one has followed is about nothing any more.
  await twilio.tell(twilio.calls[0]!.sid, 'completed');
  expect(await became()).toContain('call sent');
  await twilio.tell(twilio.calls[3]!.sid, 'busy');
  await world.settle();
  expect(await became()).toContain('call scheduled: busy');
  expect(twilio.messages).toHaveLength(1);
});

test('a busy telephone is not called again once somebody else has acknowledged', async () => {
  const { world, twilio, owner, act, became, responder } = await aPhoneHome(['call']);
  await act('trigger');
  const { id } = (await owner.incidents())[0]!.deliveries[0]!;
  await responder.acknowledgeByLink({ token: tokenOf({ id }) });
  await twilio.tell(twilio.calls[0]!.sid, 'busy');
  await world.advance(60);
  expect(twilio.calls).toHaveLength(1);
  expect((await became())[0]).toBe('call cancelled: acknowledged');
});

test('news that comes before our own record of the send counts, and the record does not undo it', async () => {
  const { world, twilio, act, became } = await aPhoneHome();
  twilio.behave(1_000);
  const triggered = act('trigger');
  const { sid } = await twilio.nextMessage();
  await twilio.tell(sid, 'delivered');
  expect((await became())[0]).toBe('text delivered');
  await triggered;
  await world.settle();
  expect((await became())[0]).toBe('text delivered');
  expect(twilio.messages).toHaveLength(1);
});

test('what is not signed by the carrier, or was signed for another place, changes nothing', async () => {
  const { twilio, act, became } = await aPhoneHome();
  await act('trigger');
  const { sid } = await twilio.nextMessage();
  for (const signs of ['wrong', 'missing', 'of_another_url'] as const) {
    expect(await twilio.tell(sid, 'delivered', { signs })).toMatchObject({
      status: 403,
      body: '{"message":"The signature is missing or wrong."}',
    });
  }
  expect(await became()).toEqual(['text sent', 'text scheduled']);
});

test('a signed report about a message that is not ours is accepted and changes nothing', async () => {
  const { world, twilio, act, became } = await aPhoneHome();
  await act('trigger');
  const { sid, fields } = await twilio.nextMessage();
  const form = new URLSearchParams({ MessageSid: sid, MessageStatus: 'delivered' });
  const ours = fields.StatusCallback!;
  const others = [
    ours.replace(/.\/1$/, match => `${match.startsWith('a') ? 'b' : 'a'}/1`),
    ours.replace(/1$/, '2'),
    ours.replace(/1$/, '0'),
    `${world.url}/carrier/twilio/status/nonsense`,
    `${world.url}/carrier/twilio/status`,
  ];
  for (const url of others) expect((await twilio.post(url, form)).status, url).toBe(200);
  expect(await became()).toEqual(['text sent', 'text scheduled']);
  expect((await twilio.post(`${world.url}/carrier/nobody/status/x/1`, form)).status).toBe(404);
  expect((await twilio.post(ours, new URLSearchParams({ MessageSid: 'nonsense' }))).status).toBe(400);
  expect((await twilio.post(ours, 'a'.repeat(70_000))).status).toBe(413);
});
