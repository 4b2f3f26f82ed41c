import { expect, test } from 'vitest';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';

test('a bodyless GET becomes a real email that says who, what, when, where, and that it is live', async () => {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account({ address: '12 Example Street\n1010 Vienna' });
  const contactId = await owner.contact('Anna Example', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const id = await owner.alarm({ name: 'Shop', modes: { away: { policyId } } });

  const { status, body } = await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  expect(status).toBe(202);
  expect(body).toMatchObject({
    error: false,
    message: null,
    links: {},
    data: { environment: 'live', location: { id: owner.locationId, name: 'Home' } },
  });
  const mail = await smtp.next();
  await world.settle();

  expect(mail.envelope.to).toEqual(['anna@example.com']);
  expect(mail.subject).toContain('Shop');
  for (const fact of ['Shop', 'Away', 'Home', '12 Example Street', '1010 Vienna', 'Anna Example', 'LIVE', '2026']) {
    expect(mail.text?.toLowerCase(), fact).toContain(fact.toLowerCase());
  }
  const [incident] = await owner.incidents();
  expect(incident!.deliveries).toMatchObject([{ status: 'sent', channel: 'email', attempts: 1 }]);
  expect(mail.messageId).toContain(incident!.deliveries[0]!.id);
  await smtp.stop();
});

test.each([
  'medical',
  'fire',
  'intruder',
  'duress',
] as const)('a panic button says its response kind: %s', async kind => {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const id = await owner.panicButton({ name: 'Bedside', responseKind: kind, policyId });
  await world.get(`/v1/panic/${id}/trigger`, await owner.key());
  const mail = await smtp.next();
  expect(mail.subject?.toLowerCase()).toContain(kind);
  expect(mail.text?.toLowerCase()).toContain(kind);
  await world.settle();
  await smtp.stop();
});

test('a panic button has no window and no gate; clear ends it, and it can be rehearsed in test', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const id = await owner.panicButton();
  const rehearsed = await owner.panicButton({ test: true });
  const key = await owner.key();
  expect((await world.get(`/v1/panic/${id}/trigger`, key)).body.data.environment).toBe('live');
  expect((await world.get(`/v1/panic/${rehearsed}/trigger`, key)).body.data.environment).toBe('test');
  await world.settle();
  expect(new Set((await owner.incidents()).map(one => `${one.sourceId} ${one.status} ${one.mode}`))).toEqual(
    new Set([`${id} open `, `${rehearsed} open `]),
  );
  expect((await world.get(`/v1/panic/${id}/clear`, key)).status).toBe(202);
  await world.settle();
  const closed = (await owner.incidents()).find(one => one.sourceId === id);
  expect(closed).toMatchObject({ status: 'closed', closeReason: 'clear' });
  for (const verb of ['arm', 'disarm', 'trigger/away']) {
    expect((await world.get(`/v1/panic/${id}/${verb}`, key)).status).toBe(404);
  }
});
