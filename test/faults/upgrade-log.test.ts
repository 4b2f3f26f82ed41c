import { Code } from '@connectrpc/connect';
import { expect, test, vi } from 'vitest';
import type { Call } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { newId } from '../../services/store/id.ts';
import { REFUSALS_KEPT } from '../../services/store/statements/log.ts';
import { explainCall } from '../../services/words/call.ts';
import { en } from '../../services/words/en.ts';
import { fault } from '../rpc/incident-rig.ts';
import { oldAccount } from './upgrade/old-account.ts';
import { everyOutcome, fillOldLog, type OldLogged, writeOldLog } from './upgrade/old-log.ts';
import { startOldVersion } from './upgrade/old-version.ts';
import { type OldDatabase, startNewVersion, versionBefore } from './upgrade/rig.ts';

/* The step to the journal: what the version before logged is told in the same words. */
vi.setConfig({ testTimeout: 120_000 });

const before = versionBefore();

/** An account with an alarm that has a closed incident and an open one, each opened, joined once and told of in a message. */
async function anAccount(database: OldDatabase, name: string) {
  const account = await oldAccount(database, name);
  const alarmId = await account.alarm('House', { windowS: 0 });
  const old = startOldVersion(database.url);
  const call = { digest: account.key.digest, sourceId: alarmId };
  const trigger = { ...call, verb: 'trigger' as const };
  await old.accept(trigger, trigger, { ...call, verb: 'clear' }, trigger, trigger);
  await old.applyAll();
  await old.stop();
  const found = await database.rows<{ id: string; status: string }>(
    'SELECT id, status FROM incident WHERE account_id = $1',
    [account.id],
  );
  const idOf = (status: string) => found.find(incident => incident.status === status)!.id;
  const incidents = { openIncident: idOf('open'), closedIncident: idOf('closed') };
  for (const incidentId of Object.values(incidents)) {
    await database.rows(
      `INSERT INTO delivery (account_id, id, incident_id, kind, round, step, contact_id, channel, status, due_at, planned_at, sent_at, tries,
         attempt, audited)
       SELECT $1, $2, $3, 'alert', 0, 0, $2, 'email', 'delivered', t.now, t.now, t.now, 1, 1, 'in_time' FROM (SELECT tocsin_now() AS now) t`,
      [account.id, newId(), incidentId],
    );
  }
  return { ...account, alarmId, ...incidents };
}

/** The log, in columns that both versions have; the number of a window is another one now. */
const LOG = `SELECT account_id, id, trace_id, at, key_id, actor, verb, source_id, mode, environment, outcome, applied_at, incident_id,
  pending_id IS NOT NULL AS in_window FROM call_log`;

/** How a row is told. */
function told(
  row: OldLogged,
  incident: { environment: 'live' | 'test'; outcome: 'nobody_to_alert' } | null,
): Partial<Call> {
  const { verb, outcome, source_id, pending_id, actor } = row;
  return {
    verb,
    outcome,
    sourceId: source_id,
    mode: row.mode ?? '',
    environment: row.environment ?? '',
    keyId: row.key_id ?? '',
    actor: actor ?? '',
    incidentId: row.incident_id ?? '',
    cancelledPending: verb !== 'trigger' && pending_id !== undefined,
    ...explainCall(en.owner, {
      verb: verb as 'arm',
      outcome: outcome as 'armed',
      times: 1,
      by: actor === undefined ? 'machine' : 'person',
      kind: 'alarm',
      answer: row.applied === undefined ? 'refused' : 'taken',
      pending: pending_id === undefined ? 'untouched' : 'touched',
      incident,
    }),
  };
}

test('every logged call is found and listed in the same words, by its account alone', async () => {
  const database = await before.database();
  const [owner, other] = [await anAccount(database, 'Owner'), await anAccount(database, 'Other')];
  const outsider = await oldAccount(database, 'Outsider');
  const logged = await Promise.all(
    [owner, other].map(async account => {
      const rows = everyOutcome(account, account);
      return { account, rows, traceIds: await writeOldLog(database, account.id, rows) };
    }),
  );
  await fillOldLog(database, owner, owner.alarmId, 48_000);
  await fillOldLog(database, other, other.alarmId, 2_000);
  await database.rows(`CREATE TABLE log_before AS ${LOG}`);
  const written = await database.rows<{ trace_id: string }>(
    'SELECT trace_id FROM call_log WHERE account_id = $1 ORDER BY id DESC',
    [other.id],
  );

  const { client, as } = await startNewVersion(database);
  const listed = async (filter: Parameters<typeof client.listCalls>[0], accountId: string) => {
    const calls: Call[] = [];
    for (let pageToken = ''; ; ) {
      const page = await client.listCalls({ ...filter, pageSize: 200, pageToken }, as(accountId));
      calls.push(...page.calls);
      pageToken = page.nextPageToken;
      if (pageToken === '') return calls;
    }
  };
  const [same] = await database.rows(`
SELECT (SELECT count(*)::int FROM log_before) AS calls, (SELECT count(*)::int FROM (${LOG}) now) AS now,
  (SELECT count(*)::int FROM (SELECT * FROM log_before EXCEPT ALL (${LOG})) lost) AS lost`);
  expect(same).toEqual({ calls: 50_066, now: 50_066, lost: 0 });
  for (const { account, rows, traceIds } of logged) {
    for (const [nth, row] of rows.entries()) {
      const traceId = traceIds[nth]!;
      const { call } = await client.findCall({ traceId }, as(account.id));
      const incident =
        row.incident_id === undefined ? null : ({ environment: 'live', outcome: 'nobody_to_alert' } as const);
      const sourceName = row.source_id === account.alarmId ? 'House' : '';
      expect(call).toMatchObject({ ...told(row, incident), traceId, sourceName });
      expect(call!.appliedAt === undefined).toBe(row.applied === undefined);
      const { code } = await fault(client.findCall({ traceId }, as(outsider.id)));
      expect(code).toBe(Code.NotFound);
    }
    expect(await listed({ outcome: 'acknowledged' }, account.id)).toMatchObject([
      { actor: 'Anna', incidentId: account.openIncident },
    ]);
  }
  expect((await client.listCalls({}, as(outsider.id))).calls).toEqual([]);
  const traceIds = (await listed({}, other.id)).map(({ traceId }) => traceId);
  expect(traceIds).toEqual(written.map(({ trace_id }) => trace_id));
  const ofKey = { keyId: owner.key.id, sourceId: owner.alarmId, pageSize: 200 };
  expect((await client.listCalls(ofKey, as(owner.id))).calls).toHaveLength(200);
  expect((await client.listCalls(ofKey, as(other.id))).calls).toEqual([]);
});

test('the timeline of an old incident shows its calls and its messages, and goes on when it is open', async () => {
  const database = await before.database();
  const [owner, outsider] = [await anAccount(database, 'Owner'), await oldAccount(database, 'Outsider')];
  // Before, between and after: what belongs to no incident, and to another one.
  await fillOldLog(database, owner, owner.alarmId, 500);
  // Nothing folds into an incident once another one is open.
  const possible = everyOutcome(owner, owner).filter(
    row => row.outcome !== 'folded' || row.incident_id === owner.openIncident,
  );
  await writeOldLog(database, owner.id, possible);
  await fillOldLog(database, owner, owner.alarmId, 500);
  const callsOf = (incidentId: string) =>
    database.rows<{ trace_id: string }>(
      "SELECT trace_id FROM call_log WHERE incident_id = $1 ORDER BY at, (verb <> 'trigger'), id",
      [incidentId],
    );
  const expected = [await callsOf(owner.openIncident), await callsOf(owner.closedIncident)];

  const { world, client, as } = await startNewVersion(database);
  const timelineOf = async (incidentId: string) => {
    const { timeline } = await client.getIncident({ incidentId }, as(owner.id));
    const lines = timeline.map(({ entry }) => entry);
    return {
      calls: lines.flatMap(entry => (entry.case === 'call' ? [entry.value.traceId] : [])),
      messages: lines.flatMap(entry => (entry.case === 'delivery' ? [entry.value.status] : [])),
    };
  };
  for (const [nth, incidentId] of [owner.openIncident, owner.closedIncident].entries()) {
    const shown = await timelineOf(incidentId);
    expect(shown.calls.toSorted()).toEqual(expected[nth]!.map(({ trace_id }) => trace_id).toSorted());
    expect(shown.messages).toEqual(['delivered']);
    expect((await fault(client.getIncident({ incidentId }, as(outsider.id)))).code).toBe(Code.NotFound);
  }
  const { body } = await world.get(`/v1/alarm/${owner.alarmId}/trigger`, owner.key.secret);
  await world.settle();
  const goesOn = await timelineOf(owner.openIncident);
  expect(goesOn.calls).toHaveLength(expected[0]!.length + 1);
  expect(goesOn.calls.at(-1)).toBe(body.traceId);
});

test('refused calls of both versions are bounded together: the oldest go, and nothing else does', async () => {
  const database = await before.database();
  const [owner, other] = [await anAccount(database, 'Owner'), await anAccount(database, 'Other')];
  const refused = (of: typeof owner): OldLogged => ({
    verb: 'arm',
    outcome: 'not_found',
    source_id: newId(),
    key_id: of.key.id,
  });
  const old = await writeOldLog(
    database,
    owner.id,
    Array.from({ length: REFUSALS_KEPT }, () => refused(owner)),
  );
  await writeOldLog(
    database,
    other.id,
    Array.from({ length: 10 }, () => refused(other)),
  );

  const { world } = await startNewVersion(database);
  const counts = () =>
    world.rows(`SELECT a.name, (count(*) FILTER (WHERE c.applied_at IS NULL))::int AS refused, (count(c.applied_at))::int AS applied
      FROM call_log c JOIN account a ON a.id = c.account_id GROUP BY a.name ORDER BY a.name`);
  const asBefore = [
    { name: 'Other', refused: 10, applied: 5 },
    { name: 'Owner', refused: REFUSALS_KEPT, applied: 5 },
  ];
  expect(await counts()).toEqual(asBefore);
  for (const _ of [1, 2, 3]) expect((await world.get(`/v1/alarm/${newId()}/arm`, owner.key.secret)).status).toBe(404);
  await world.settle();
  expect(await counts()).toEqual(asBefore);
  const left = await world.rows<{ trace_id: string }>(
    'SELECT trace_id FROM call_log WHERE trace_id = ANY ($1::uuid[])',
    [old.slice(0, 4)],
  );
  expect(left.map(({ trace_id }) => trace_id)).toEqual([old[3]]);
});
