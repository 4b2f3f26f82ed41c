import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import pg from 'pg';
import { expect, test } from 'vitest';
import { ListIncidentsRequestSchema } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { createSearchTurns, listIncidents } from '../../../services/incident/lists.ts';
import { INCIDENTS_LOOKED_AT, searchIncidents } from '../../../services/incident/statements/search.ts';
import { WHOLE_MOST } from '../../../services/limits/table.ts';
import { aHouse, fault } from './incident-rig.ts';

/** A house beside which a barn alerts Anna at once and Ben ten minutes later; it is tripped by a camera and in the hall. */
async function aBarn() {
  const house = await aHouse();
  const { world, owner, client, asOwner } = house;
  const [row] = await world.rows<{ id: string }>("SELECT id FROM contact WHERE account_id = $1 AND name = 'Anna'", [
    owner.accountId,
  ]);
  const anna = row!.id;
  const ben = await owner.contact('Ben', { email: 'ben@example.com' });
  const told = (contactId: string) => [{ contactId, channels: ['email' as const] }];
  const policyId = await owner.policy([
    { delayS: 0, contacts: told(anna) },
    { delayS: 600, contacts: told(ben) },
  ]);
  const barn = await owner.alarm({ name: 'Barn', modes: { away: { policyId } } });
  const [camera, hall] = [await owner.keyWithId(), await owner.keyWithId()];
  const call = async (verb: string, { secret }: { secret: string }) => {
    expect((await world.get(`/v1/alarm/${barn}/${verb}`, secret)).status).toBe(202);
    await world.settle();
  };
  const ask = async (filter: Parameters<typeof client.listIncidents>[0], as = asOwner) =>
    (await client.listIncidents(filter, as)).incidents.map(({ id }) => id);
  return { ...house, anna, ben, barn, camera, hall, call, ask };
}

test('incidents of a key are those that it opened or joined; those of a person, what they were alerted to or acknowledged', async () => {
  const { world, owner, outsider, alarmId, anna, ben, barn, camera, hall, call, ask, act, ...house } = await aBarn();
  await act('trigger');
  await world.advance(60);
  await call('trigger', camera);
  await call('trigger', hall);
  await world.advance(60);
  // Before it was Ben's turn.
  await call('clear', camera);
  await world.advance(60);
  await call('trigger', hall);
  await world.advance(600);
  const [second, first, beside] = await ask({});

  expect(await ask({ keyId: camera.id })).toEqual([first]);
  expect(await ask({ keyId: hall.id })).toEqual([second, first]);
  expect(await ask({ contactId: anna })).toEqual([second, first, beside]);
  expect(await ask({ contactId: ben })).toEqual([second]);
  expect(await ask({ keyId: camera.id, contactId: ben })).toEqual([]);
  expect(await ask({ keyId: hall.id, status: 'closed', environment: 'live', sourceId: barn })).toEqual([first]);
  expect(await ask({ contactId: anna, sourceId: alarmId, locationId: owner.locationId })).toEqual([beside]);
  expect(await ask({ contactId: anna, environment: 'test' })).toEqual([]);
  const [opened] = (await house.client.listIncidents({ keyId: hall.id }, house.asOwner)).incidents;
  expect(await ask({ keyId: hall.id, openedAfter: opened!.openedAt! })).toEqual([second]);
  expect(await ask({ keyId: hall.id, openedBefore: opened!.openedAt! })).toEqual([first]);
  const later = timestampFromDate(new Date(Number(opened!.openedAt!.seconds) * 1_000 + 1));
  expect(await ask({ contactId: anna, openedAfter: later })).toEqual([]);

  // Whoever acknowledges without having been alerted, as by a code that they were told, had to do with it.
  await world.rows('UPDATE incident SET acknowledged_contact_id = $1 WHERE id = $2', [ben, beside]);
  expect(await ask({ contactId: ben })).toEqual([second, beside]);

  const pages: string[][] = [];
  let pageToken = '';
  do {
    const page = await house.client.listIncidents({ contactId: anna, pageSize: 2, pageToken }, house.asOwner);
    pages.push(page.incidents.map(({ id }) => id));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(pages).toEqual([[second, first], [beside]]);

  // An account finds nothing by what is another's, and others nothing of it.
  for (const filter of [{ keyId: camera.id }, { contactId: anna }]) {
    expect(await ask(filter, house.asOutsider)).toEqual([]);
  }
  expect(await ask({ keyId: (await outsider.keyWithId()).id })).toEqual([]);
  expect(await ask({ contactId: await outsider.contact('Otto', { email: 'otto@example.com' }) })).toEqual([]);
  for (const field of ['keyId', 'contactId'] as const) {
    const refused = await fault(house.client.listIncidents({ [field]: 'camera' }, house.asOwner));
    expect([refused.code, refused.rawMessage]).toEqual([
      Code.InvalidArgument,
      `${field} takes an id of 32 lower-case letters and digits, got "camera".`,
    ]);
  }
});

test('a row that is gone by the time it is read ends no list', async () => {
  const { world, owner, client, asOwner, barn, camera, call } = await aBarn();
  for (let nth = 0; nth < 3; nth++) {
    await call('trigger', camera);
    await world.advance(60);
    await call('clear', camera);
    await world.advance(700);
  }
  const all = (await client.listIncidents({ sourceId: barn }, asOwner)).incidents.map(({ id }) => id);
  expect(all).toHaveLength(3);
  const { pool } = world.store;
  const forgetful = {
    query: async (asked: pg.QueryConfig) => {
      const answer = await pool.query(asked);
      if (asked.name?.startsWith('search_incidents')) {
        for (const table of ['delivery', 'incident_entry']) {
          await world.rows(`DELETE FROM ${table} WHERE incident_id = $1`, [all[1]]);
        }
        await world.rows('DELETE FROM incident WHERE id = $1', [all[1]]);
      }
      return answer;
    },
  };
  const deps = { store: { ...world.store, pool: forgetful as never }, turns: createSearchTurns() };
  const request = create(ListIncidentsRequestSchema, { keyId: camera.id, pageSize: 2 });
  const page = await listIncidents(deps, owner.accountId, request, new AbortController().signal);
  expect(page.incidents.map(({ id }) => id)).toEqual([all[0]]);
  const rest = await client.listIncidents({ keyId: camera.id, pageToken: page.nextPageToken }, asOwner);
  expect(rest.incidents.map(({ id }) => id)).toEqual([all[2]]);
});

test('a page token that was made up, of a year that no database reads, is refused', async () => {
  const { client, asOwner, camera } = await aBarn();
  for (const ms of ['999999999999999', '-999999999999999']) {
    const pageToken = Buffer.from(`${ms}/${'a'.repeat(32)}`).toString('base64url');
    for (const filter of [{}, { keyId: camera.id }]) {
      expect((await fault(client.listIncidents({ ...filter, pageToken }, asOwner))).code).toBe(Code.InvalidArgument);
    }
  }
});

test('an account searches once at a time, however often it asks; one beside it does not notice', async () => {
  const { world, outsider, client, asOwner, asOutsider, camera, call } = await aBarn();
  await call('trigger', camera);
  const stranger = await outsider.contact('Otto', { email: 'otto@example.com' });
  const holder = new pg.Client({ connectionString: world.databaseUrl });
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE');
  const { atOnce, waiting } = WHOLE_MOST.read;
  const asked = Array.from({ length: atOnce + waiting + 1 }, () => client.listIncidents({ keyId: camera.id }, asOwner));
  const refused = await fault(Promise.race(asked));
  expect([refused.code, refused.metadata.get('retry-after')]).toEqual([Code.ResourceExhausted, '1']);
  const [held] = await world.rows<{ searches: number }>(
    `SELECT count(*)::int AS searches FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM incident i%'`,
  );
  expect(held!.searches).toBe(1);
  expect((await client.listIncidents({ contactId: stranger }, asOutsider)).incidents).toEqual([]);
  // What an index finds waits for none.
  expect((await client.listIncidents({}, asOwner)).incidents).toHaveLength(1);
  await holder.query('ROLLBACK');
  await holder.end();
  const answered = (await Promise.allSettled(asked)).filter(({ status }) => status === 'fulfilled');
  expect(answered).toHaveLength(atOnce + waiting);
}, 60_000);

test('in test a person has those that would have alerted them; a drill is nobody’s incident', async () => {
  const { world, owner, anna, ben, ask } = await aBarn();
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: ben, channels: ['email'] }] }]);
  const shed = await owner.alarm({ name: 'Shed', test: true, modes: { away: { policyId } } });
  const key = await owner.keyWithId();
  await world.get(`/v1/alarm/${shed}/trigger/away`, key.secret);
  await world.settle();
  const [only] = await ask({});
  expect(await ask({ contactId: ben })).toEqual([only]);

  const policy = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['email'] }] },
    { delayS: 600, contacts: [{ contactId: ben, channels: ['email'] }] },
  ]);
  const attic = await owner.alarm({ name: 'Attic', test: true, modes: { away: { policyId: policy } } });
  const attics = (contactId: string) => ask({ contactId, sourceId: attic });
  const trigger = async (verb: string) => {
    await world.get(`/v1/alarm/${attic}/${verb}`, key.secret);
    await world.settle();
  };
  await trigger('trigger/away');
  const [ended] = await ask({ sourceId: attic });
  expect([await attics(anna), await attics(ben)]).toEqual([[ended], []]);
  await world.advance(60);
  await trigger('clear');
  await world.advance(700);
  expect([await attics(anna), await attics(ben)]).toEqual([[ended], []]);
  await trigger('trigger/away');
  await world.advance(590);
  expect(await attics(ben)).toEqual([]);
  await world.advance(20);
  expect(await attics(ben)).toHaveLength(1);

  await world.rows("UPDATE incident SET environment = 'drill' WHERE id = $1", [only]);
  expect(await ask({ contactId: ben, sourceId: shed })).toEqual([]);
  expect(await ask({ keyId: key.id, sourceId: shed })).toEqual([]);
});

/** How many incidents are made by one statement. */
const PART = 10_000;

/** The plan of a statement, as far as it says what was read. */
interface PlanNode {
  'Relation Name'?: string;
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

test('one of a hundred thousand incidents is looked for a part at a time, by index, and found by whoever goes on', async () => {
  const { world, owner, client, asOwner, barn, anna, ben, camera, hall, call } = await aBarn();
  await call('trigger', camera);
  await world.advance(660);
  await call('clear', camera);
  const [rare] = (await client.listIncidents({ keyId: camera.id }, asOwner)).incidents;
  const more = 100_000;
  // A part at a time: no statement may take longer than the product lets one.
  for (let from = 1; from < more; from += PART) {
    const part = [from, from + PART - 1];
    await world.rows(
      `INSERT INTO incident (account_id, id, source_id, location_id, mode, environment, status, outcome, opened_at, escalation_ends_at,
         auto_close_at, closed_at, close_reason, trigger_count, last_trigger_at, tripped_keys, tripped_labels, trace_id, copy)
       SELECT i.account_id, 'i' || lpad(n::text, 31, '0'), i.source_id, i.location_id, i.mode, 'live', 'closed', 'alerting', t.at, t.at,
         t.at, t.at, 'clear', 1, t.at, (SELECT jsonb_build_array(seq) FROM api_key WHERE id = $2), '{}', gen_random_uuid(), i.copy
       FROM incident i CROSS JOIN generate_series($3::int, $4::int) n
         CROSS JOIN LATERAL (SELECT i.opened_at + n * interval '1 minute' AS at) t
       WHERE i.id = $1`,
      [rare!.id, hall.id, ...part],
    );
    await world.rows(
      `INSERT INTO delivery (account_id, id, incident_id, kind, round, step, contact_id, channel, status, due_at, sent_at, first_attempt_at, tries)
       SELECT i.account_id, 'd' || substr(i.id, 2), i.id, 'alert', 0, 0, $2, 'email', 'sent', i.opened_at, i.opened_at, i.opened_at, 1
       FROM generate_series($3::int, $4::int) n JOIN incident i ON i.id = 'i' || lpad(n::text, 31, '0') WHERE i.source_id = $1`,
      [barn, anna, ...part],
    );
  }
  await world.rows('VACUUM ANALYZE incident, delivery, api_key');

  for (const filter of [{ keyId: camera.id }, { contactId: ben }]) {
    const sizes: number[] = [];
    let pageToken = '';
    do {
      const page = await client.listIncidents({ ...filter, pageToken }, asOwner);
      sizes.push(page.incidents.length);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(sizes).toEqual([0, 0, 0, 0, 0, 1]);
  }
  // Whoever is everywhere is found at once.
  expect((await client.listIncidents({ contactId: anna, pageSize: 2 }, asOwner)).incidents).toHaveLength(2);

  const connection = new pg.Client({ connectionString: world.databaseUrl });
  await connection.connect();
  // The product prepares them by name: after five runs Postgres may plan one once for all values.
  await connection.query('SET plan_cache_mode = force_generic_plan');
  const explained: { nodes: PlanNode[]; pages: number }[] = [];
  const explain = {
    query: async ({ name, text, values }: { name: string; text: string; values: (string | number)[] }) => {
      const given = values.map(value => pg.escapeLiteral(String(value))).join();
      await connection.query(`PREPARE ${name} AS ${text}`);
      for (const asked of [{ text, values }, { text: `EXECUTE ${name}(${given})` }]) {
        const { rows } = await connection.query({
          ...asked,
          text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${asked.text}`,
        });
        const [{ Plan: top }] = rows[0]['QUERY PLAN'];
        explained.push({ nodes: nodesOf(top), pages: top['Shared Hit Blocks'] + top['Shared Read Blocks'] });
      }
      await connection.query(`DEALLOCATE ${name}`);
      return connection.query({ text, values });
    },
  };
  const none = { keyId: null, contactId: null, sourceId: null, locationId: null, status: null, environment: null };
  const within = { below: { openedAt: 'infinity', id: '' }, from: { openedAt: '-infinity', id: '' } };
  for (const filter of [{ keyId: camera.id }, { contactId: ben }, { contactId: anna }]) {
    const { found } = await searchIncidents(explain as never, owner.accountId, { ...none, ...filter }, within, 51);
    expect(found).toHaveLength(filter.contactId === anna ? 51 : 0);
  }
  await connection.end();
  for (const { nodes, pages } of explained) {
    // The few keys of this database stand on one page, which may be read whole.
    const readWhole = nodes.filter(node => node['Node Type'] === 'Seq Scan').map(node => node['Relation Name']);
    expect(readWhole.filter(relation => relation !== 'api_key')).toEqual([]);
    for (const node of nodes.filter(one => one['Relation Name'] === 'incident')) {
      const looked = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
      expect(looked).toBeLessThanOrEqual(INCIDENTS_LOOKED_AT);
    }
    // Of each incident that is looked at no more than its row and a look at its messages.
    expect(pages).toBeLessThan(6 * INCIDENTS_LOOKED_AT);
  }
  // Who is everywhere costs what the page shows.
  for (const { pages } of explained.slice(-2)) expect(pages).toBeLessThan(1_000);
}, 120_000);
