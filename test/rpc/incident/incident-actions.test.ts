import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { createLocalBus } from '../../../services/changes/local.ts';
import { applyOwnAction } from '../../../services/incident/own-action.ts';
import { inTransaction } from '../../../services/store/statement.ts';
import { enqueueOwnActions, type OwnAction } from '../../../services/store/statements/queue.ts';
import { holdApplying } from '../../support/waiting.ts';
import { aHouse, bearer, fault } from './incident-rig.ts';

const NO_SUCH = 'There is no such incident in this account.';

describe('Acknowledge (DECISIONS.md "Acknowledge")', () => {
  test('answers when it is applied: the escalation stops, the incident stays open, the first counts', async () => {
    const { world, owner, client, asOwner, fire } = await aHouse();
    const incidentId = await fire();
    const first = await client.acknowledge({ incidentId }, asOwner);
    expect(first).toMatchObject({
      outcome: 'acknowledged',
      incident: { id: incidentId, status: 'open', acknowledgedBy: 'Anna’s laptop' },
    });
    const second = await client.acknowledge({ incidentId, by: 'Ben' }, asOwner);
    expect(second).toMatchObject({ outcome: 'already_acknowledged', incident: { acknowledgedBy: 'Anna’s laptop' } });
    await world.advance(3600);
    const [incident] = await owner.incidents();
    expect(incident!.deliveries.map(({ status, reason }) => [status, reason])).toEqual([
      ['no_carrier', expect.stringContaining('SMTP_URL')],
      ['cancelled', 'acknowledged'],
    ]);
    const { call } = await client.findCall({ traceId: first.traceId }, asOwner);
    expect(call).toMatchObject({ verb: 'acknowledge', outcome: 'acknowledged', actor: 'Anna’s laptop', keyId: '' });
  });

  test('takes a name, refuses what is none, and on a closed incident it is a quiet no-op', async () => {
    const { client, asOwner, fire } = await aHouse();
    const incidentId = await fire();
    for (const by of ['x'.repeat(101), 'two\nlines']) {
      const refused = await fault(client.acknowledge({ incidentId, by }, asOwner));
      expect([refused.code, refused.rawMessage]).toEqual([
        Code.InvalidArgument,
        expect.stringMatching(/^by takes a name .*, got "/),
      ]);
    }
    const acknowledged = await client.acknowledge({ incidentId, by: ' Ben ' }, asOwner);
    expect(acknowledged.incident?.acknowledgedBy).toBe('Ben');
    await client.close({ incidentId }, asOwner);
    const late = await client.acknowledge({ incidentId, by: 'Carla' }, asOwner);
    expect(late).toMatchObject({ outcome: 'already_closed', incident: { status: 'closed', acknowledgedBy: 'Ben' } });
  });
});

test('Close ends the incident and what is not sent; closing it again changes nothing (DECISIONS.md "Close or acknowledge")', async () => {
  const { world, owner, client, asOwner, fire } = await aHouse();
  const incidentId = await fire();
  const closed = await client.close({ incidentId }, asOwner);
  expect(closed).toMatchObject({ outcome: 'closed', incident: { status: 'closed', closeReason: 'console' } });
  expect(await client.close({ incidentId }, asOwner)).toMatchObject({ outcome: 'already_closed' });
  await world.advance(3600);
  const [incident] = await owner.incidents();
  expect(incident!.deliveries.map(({ status, reason }) => [status, reason])[1]).toEqual(['cancelled', 'console']);
});

test('an outsider hears the same words about an incident that is not theirs as about one that is not there', async () => {
  const { world, client, asOwner, asOutsider, fire } = await aHouse();
  const incidentId = await fire();
  const calls = [
    (id: string) => client.acknowledge({ incidentId: id }, asOutsider),
    (id: string) => client.close({ incidentId: id }, asOutsider),
    (id: string) => client.getIncident({ incidentId: id }, asOutsider),
  ];
  for (const call of calls) {
    for (const id of [incidentId, 'a'.repeat(32), '', 'é']) {
      const refused = await fault(call(id));
      expect([refused.code, refused.rawMessage]).toEqual([Code.NotFound, NO_SUCH]);
    }
  }
  await world.settle();
  const { incident } = await client.getIncident({ incidentId }, asOwner);
  expect(incident).toMatchObject({ status: 'open', acknowledgedBy: '' });
  expect(await world.rows("SELECT 1 FROM call_log WHERE verb <> 'trigger'")).toEqual([]);
});

test('an API key acknowledges and closes nothing', async () => {
  const { owner, client, fire } = await aHouse();
  const incidentId = await fire();
  const key = await owner.key();
  for (const as of [bearer(key), { headers: { 'x-api-key': key } }]) {
    expect((await fault(client.acknowledge({ incidentId }, as))).code).toBe(Code.Unauthenticated);
    expect((await fault(client.close({ incidentId }, as))).code).toBe(Code.Unauthenticated);
  }
  expect((await owner.incidents())[0]).toMatchObject({ status: 'open', acknowledgedBy: '' });
});

describe('an action of a person', () => {
  test('that is not applied in time is stored, says so with its trace id, and is applied later', async () => {
    const { world, owner, alarmId, client, asOwner, fire } = await aHouse();
    const incidentId = await fire();
    const bus = createLocalBus();
    const letGo = await holdApplying(world.databaseUrl);
    const action = own({ accountId: owner.accountId, sourceId: alarmId, incidentId });
    const on = { pool: world.store.pool, bus, nudge() {} };
    const late = await fault(applyOwnAction(on, action, { signal: new AbortController().signal, withinMs: 1 }));
    expect(late.code).toBe(Code.DeadlineExceeded);
    expect(late.rawMessage).toContain(`stored and will be applied`);
    expect(late.rawMessage).toContain(action.traceId);
    expect((await client.findCall({ traceId: action.traceId }, asOwner)).call).toMatchObject({
      outcome: 'accepted',
      verb: 'close',
      actor: 'Anna',
      explanation: expect.stringContaining('waiting to be applied'),
    });
    await letGo();
    await world.settle();
    expect((await client.findCall({ traceId: action.traceId }, asOwner)).call).toMatchObject({ outcome: 'closed' });
    await bus.close();
  });

  test('is stored with the transaction that it belongs to, or not at all, in the order given', async () => {
    const { world, owner, alarmId, fire } = await aHouse();
    const incidentId = await fire();
    const to = { accountId: owner.accountId, sourceId: alarmId, incidentId };
    const undone = inTransaction(world.store.pool, async client => {
      await enqueueOwnActions(client, [own(to)]);
      throw new Error('something else failed');
    });
    await expect(undone).rejects.toThrow('something else failed');
    await world.settle();
    expect((await owner.incidents())[0]!.status).toBe('open');

    await enqueueOwnActions(world.store.pool, []);
    await enqueueOwnActions(world.store.pool, [own({ ...to, verb: 'acknowledge' }), own(to)]);
    await world.settle();
    const logged = await world.rows("SELECT verb, outcome, environment FROM call_log WHERE actor = 'Anna' ORDER BY id");
    expect(logged).toEqual([
      { verb: 'acknowledge', outcome: 'acknowledged', environment: 'live' },
      { verb: 'close', outcome: 'closed', environment: 'live' },
    ]);
  });

  test('a rehearsal opens a test incident of a live alarm, and the call names who rehearsed', async () => {
    const { world, owner, alarmId, client, asOwner } = await aHouse();
    const rehearsal = own({
      accountId: owner.accountId,
      sourceId: alarmId,
      verb: 'trigger',
      mode: 'away',
      environment: 'test',
    });
    await enqueueOwnActions(world.store.pool, [rehearsal]);
    await world.settle();
    const [incident] = await owner.incidents();
    expect(incident).toMatchObject({ environment: 'test', mode: 'away', status: 'open' });
    expect(incident!.deliveries.map(({ status }) => status)).toEqual(['suppressed', 'suppressed']);
    const { call } = await client.findCall({ traceId: rehearsal.traceId }, asOwner);
    expect(call).toMatchObject({ actor: 'Anna', explanation: expect.stringContaining('rehearsal') });
  });
});

function own(but: Pick<OwnAction, 'accountId' | 'sourceId'> & Partial<OwnAction>): OwnAction {
  return { verb: 'close', traceId: crypto.randomUUID(), incidentId: null, actor: 'Anna', ...but };
}
