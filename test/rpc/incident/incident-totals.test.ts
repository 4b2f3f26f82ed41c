import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { startPeer } from '../../support/peer.ts';
import { startSmtp } from '../../support/smtp.ts';
import { aHouse, bearer, fault, type House } from './incident-rig.ts';

const DAY_S = 24 * 3600;

/** The tests' clock starts on 15 January 2026. One incident each: acknowledged after 60 s, after 120 s, by nobody, and in test. */
async function aMonth(house: House): Promise<void> {
  const { world, owner, client, asOwner, fire, act } = house;
  for (const afterS of [60, 120]) {
    const incidentId = await fire();
    await world.advance(afterS);
    await client.acknowledge({ incidentId }, asOwner);
    await act('clear');
    await world.advance(1);
  }
  await fire();
  await world.advance(600);
  await world.advance(300);
  await act('clear');
  const rehearsed = await owner.alarm({ name: 'Shed', test: true });
  const unbound = await owner.alarm({ name: 'Shop' });
  for (const id of [rehearsed, unbound]) await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
}

describe('GetMonthlyTotals', () => {
  test('counts what opened in each month, what became of it and how long it took, newest month first', async () => {
    const smtp = await startSmtp();
    const house = await aHouse({}, { smtpUrl: smtp.url });
    const { world, client, asOwner, fire } = house;
    await aMonth(house);
    await world.advance(31 * DAY_S);
    const late = await fire();
    smtp.failNext(550);
    await world.advance(610);
    await client.close({ incidentId: late }, asOwner);

    const { months } = await client.getMonthlyTotals({ months: 3 }, asOwner);
    expect(months.map(({ month }) => month)).toEqual(['2026-02', '2026-01', '2025-12']);
    const [february, january, december] = months;
    expect(january).toMatchObject({
      incidents: 4,
      testIncidents: 1,
      acknowledged: 2,
      exhausted: 1,
      nobodyToAlert: 1,
      lateSteps: 0,
      missedSteps: 0,
      // One alert of each that was acknowledged and two of the other; twice Anna was told that somebody has it.
      deliveries: [{ channel: 'email', sent: 6, delivered: 0, failed: 0 }],
      carriers: [{ carrier: 'mail', sent: 6, delivered: 0, failed: 0, passedOn: 0 }],
      toApplied: { count: 4, maxMs: 0 },
      toFirstAttempt: { count: 3, meanMs: 0, p50Ms: 0, p95Ms: 0, maxMs: 0 },
      toFirstDelivered: { count: 0 },
      toAcknowledged: { count: 2, meanMs: 90_000, p50Ms: 60_000, p95Ms: 120_000, maxMs: 120_000 },
    });
    expect(february).toMatchObject({
      incidents: 1,
      acknowledged: 0,
      lateSteps: 1,
      missedSteps: 0,
      deliveries: [{ channel: 'email', sent: 1, delivered: 0, failed: 1 }],
      carriers: [{ carrier: 'mail', sent: 1, delivered: 0, failed: 1, passedOn: 0 }],
    });
    expect(december).toMatchObject({ incidents: 0, deliveries: [], toApplied: { count: 0, meanMs: 0 } });
    await smtp.stop();
  });

  test('a step that was called missed and then ran is late and not missed; one that never ran is both', async () => {
    const house = await aHouse();
    const { world, owner, client, asOwner, fire } = house;
    const incidentId = await fire();
    const found = (kind: string, step: number) =>
      world.rows(
        `INSERT INTO incident_entry (account_id, incident_id, at, kind, round, step) VALUES ($1, $2, tocsin_now(), $3, 0, $4)`,
        [owner.accountId, incidentId, kind, step],
      );
    await found('step_missed', 0);
    await found('step_late', 0);
    await found('step_missed', 1);
    const { months } = await client.getMonthlyTotals({ months: 1 }, asOwner);
    expect(months).toMatchObject([{ lateSteps: 2, missedSteps: 1 }]);
  });

  test('what a receiver said to have arrived counts as sent and as delivered, and the first one for the time', async () => {
    const receiver = await startPeer((_heard, response) => response.writeHead(204).end());
    const { world, owner, client, asOwner } = await aHouse();
    const contactId = await owner.contact('Desk', { webhook: `${receiver.url}/alarms`, email: 'desk@example.com' });
    const told = (delayS: number) => ({
      delayS,
      contacts: [{ contactId, channels: ['email' as const, 'webhook' as const] }],
    });
    const policyId = await owner.policy([told(7), told(60)]);
    const id = await owner.alarm({ modes: { away: { policyId } } });
    await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
    await world.settle();
    for (const seconds of [7, 60]) await world.advance(seconds);
    const { months } = await client.getMonthlyTotals({ months: 1 }, asOwner);
    expect(months).toMatchObject([
      {
        deliveries: [
          { channel: 'email', sent: 0, delivered: 0, failed: 0 },
          { channel: 'webhook', sent: 2, delivered: 2, failed: 0 },
        ],
        toFirstDelivered: { count: 1, meanMs: 7_000, p50Ms: 7_000, p95Ms: 7_000, maxMs: 7_000 },
      },
    ]);
    await receiver.stop();
  });

  test('gives twelve months where nothing is asked, over the turn of a year, also of months to come', async () => {
    const { client, asOwner } = await aHouse();
    const usual = (await client.getMonthlyTotals({}, asOwner)).months.map(({ month }) => month);
    expect([usual.length, usual[0], usual.at(-1)]).toEqual([12, '2026-01', '2025-02']);
    const asked = await client.getMonthlyTotals({ lastMonth: '2030-02', months: 36 }, asOwner);
    expect([asked.months.length, asked.months[0]!.month, asked.months.at(-1)!.month]).toEqual([
      36,
      '2030-02',
      '2027-03',
    ]);
  });

  test.each([
    ['lastMonth', { lastMonth: '2026-13' }],
    ['lastMonth', { lastMonth: '2026-1' }],
    ['lastMonth', { lastMonth: '0000-01' }],
    ['lastMonth', { lastMonth: "2026-01'; --" }],
    ['months', { months: -1 }],
    ['months', { months: 37 }],
  ])('%s: %j is refused in words', async (field, request) => {
    const { client, asOwner } = await aHouse();
    const refused = await fault(client.getMonthlyTotals(request, asOwner));
    expect([refused.code, refused.rawMessage]).toEqual([
      Code.InvalidArgument,
      expect.stringMatching(new RegExp(`^${field} takes .*, got .*\\.$`)),
    ]);
  });

  test('counts nothing of another account, and is not opened without a token', async () => {
    const { client, asOutsider, fire } = await aHouse();
    await fire();
    const { months } = await client.getMonthlyTotals({ months: 1 }, asOutsider);
    expect(months).toMatchObject([{ incidents: 0, testIncidents: 0, deliveries: [], toApplied: { count: 0 } }]);
    for (const token of ['', 'tcn_wrong']) {
      expect((await fault(client.getMonthlyTotals({}, bearer(token)))).code).toBe(Code.Unauthenticated);
    }
  });
});
