import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { type Timestamp, TimestampSchema, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code } from '@connectrpc/connect';
import { describe, expect, test } from 'vitest';
import { enqueueOwnActions } from '../../../services/store/statements/queue.ts';
import { holdApplying } from '../../support/waiting.ts';
import { aHouse, bearer, fault } from './incident-rig.ts';

describe('ListIncidents', () => {
  test('filters by source, location, status, environment and time of opening, all at once', async () => {
    const { world, owner, alarmId, client, asOwner, act } = await aHouse();
    const button = await owner.panicButton({ test: true });
    await act('trigger');
    await world.advance(60);
    await act('clear');
    await world.advance(60);
    await world.get(`/v1/panic/${button}/trigger`, await owner.key());
    await world.settle();
    const [second, first] = (await client.listIncidents({}, asOwner)).incidents;
    expect([second, first]).toMatchObject([
      { sourceKind: 'panic_button', responseKind: 'fire', environment: 'test', status: 'open' },
      { sourceKind: 'alarm', sourceId: alarmId, environment: 'live', status: 'closed' },
    ]);

    const ask = async (filter: Parameters<typeof client.listIncidents>[0]) => {
      const { incidents } = await client.listIncidents(filter, asOwner);
      return incidents.map(({ id }) => (id === first!.id ? 'first' : id === second!.id ? 'second' : id));
    };
    const opened = second!.openedAt!;
    const sooner = timestampFromDate(new Date(Number(opened.seconds) * 1000 - 1));
    expect(await ask({ sourceId: button })).toEqual(['second']);
    expect(await ask({ locationId: owner.locationId })).toEqual(['second', 'first']);
    expect(await ask({ locationId: alarmId })).toEqual([]);
    expect(await ask({ status: 'closed' })).toEqual(['first']);
    expect(await ask({ environment: 'test' })).toEqual(['second']);
    expect(await ask({ openedAfter: opened })).toEqual(['second']);
    expect(await ask({ openedBefore: opened })).toEqual(['first']);
    expect(await ask({ openedAfter: sooner, openedBefore: opened })).toEqual([]);
    expect(await ask({ openedAfter: sooner, environment: 'test', status: 'open', pageSize: 1 })).toEqual(['second']);
  });

  test('pages with a filter, and says of each wrong field what it takes', async () => {
    const { world, client, asOwner, act } = await aHouse();
    for (let round = 0; round < 3; round++) {
      await act('trigger');
      await act('clear');
      await world.advance(1);
    }
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page = await client.listIncidents({ environment: 'live', pageSize: 2, pageToken }, asOwner);
      seen.push(...page.incidents.map(({ id }) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect([seen.length, new Set(seen).size]).toEqual([3, 3]);

    const far: Timestamp = create(TimestampSchema, { seconds: 10n ** 15n });
    for (const [wrong, message] of [
      [{ environment: 'prod' }, 'environment takes "live", "test" or nothing, got "prod".'],
      [{ locationId: '1' }, 'locationId takes an id of 32 lower-case letters and digits, got "1".'],
      [{ openedAfter: far }, 'openedAfter takes a time of the years 1 to 9999, got "1000000000000000 s".'],
      [{ pageToken: 'AAAA' }, 'pageToken takes the nextPageToken of the page before, got "AAAA".'],
    ] as const) {
      const refused = await fault(client.listIncidents(wrong, asOwner));
      expect([refused.code, refused.rawMessage]).toEqual([Code.InvalidArgument, message]);
    }
  });
});

describe('ListCalls', () => {
  test('newest first, in pages, filtered by source, outcome and key', async () => {
    const { world, owner, alarmId, client, asOwner, act } = await aHouse();
    const other = await owner.keyWithId();
    await act('arm');
    await act('trigger');
    await act('trigger');
    await world.get(`/v1/alarm/${alarmId}/trigger/nonsense`, other.secret);
    await world.settle();
    await act('clear');
    await world.settle();

    const all: string[] = [];
    let pageToken = '';
    do {
      const page = await client.listCalls({ pageSize: 2, pageToken }, asOwner);
      all.push(...page.calls.map(({ outcome }) => outcome));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(all).toEqual(['closed', 'unknown_mode', 'folded', 'opened', 'armed']);

    const ask = async (filter: Parameters<typeof client.listCalls>[0]) =>
      (await client.listCalls(filter, asOwner)).calls.map(({ outcome }) => outcome);
    expect(await ask({ sourceId: alarmId })).toHaveLength(5);
    expect(await ask({ sourceId: await owner.alarm() })).toEqual([]);
    expect(await ask({ keyId: other.id })).toEqual(['unknown_mode']);
    expect(await ask({ outcome: 'folded' })).toEqual(['folded']);
    expect(await ask({ outcome: 'folded', keyId: other.id })).toEqual([]);
  });

  test('a rare outcome in a long log is looked for a part at a time, and found by whoever goes on', async () => {
    const { world, owner, client, asOwner, asOutsider, act } = await aHouse();
    await act('clear');
    await world.settle();
    await world.rows(
      `INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, verb, outcome)
       SELECT a.seq, 1000000 + n, tocsin_now(), tocsin_now(), gen_random_uuid(), 'arm', 'armed'
       FROM account a, generate_series(1, 45000) n WHERE a.id = $1`,
      [owner.accountId],
    );
    const sizes: number[] = [];
    let pageToken = '';
    do {
      const page = await client.listCalls({ outcome: 'nothing_open', pageToken }, asOwner);
      sizes.push(page.calls.length);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(sizes).toEqual([0, 0, 1]);
    expect(await client.listCalls({ outcome: 'nothing_open' }, asOutsider)).toMatchObject({
      calls: [],
      nextPageToken: '',
    });
  });

  test('what waits comes first and goes over into the log, never in both', async () => {
    const { world, owner, alarmId, client, asOwner, asOutsider, act } = await aHouse();
    await act('arm');
    await world.settle();
    const letGo = await holdApplying(world.databaseUrl);
    // Both kinds of what waits: calls of machines, and what a person does in between.
    const waiting = [(await act('trigger')).body.traceId];
    const rehearsed = { verb: 'trigger', traceId: randomUUID(), incidentId: null, actor: 'Anna' } as const;
    await enqueueOwnActions(world.store.pool, [{ accountId: owner.accountId, sourceId: alarmId, ...rehearsed }]);
    waiting.push(rehearsed.traceId, (await act('clear')).body.traceId);
    const { calls } = await client.listCalls({}, asOwner);
    expect(calls.map(({ verb, outcome }) => [verb, outcome])).toEqual([
      ['clear', 'accepted'],
      ['trigger', 'accepted'],
      ['trigger', 'accepted'],
      ['arm', 'armed'],
    ]);
    const first = await client.listCalls({ pageSize: 1 }, asOwner);
    const rest = await client.listCalls({ pageSize: 3, pageToken: first.nextPageToken }, asOwner);
    expect([...first.calls, ...rest.calls].map(({ traceId }) => traceId)).toEqual(calls.map(({ traceId }) => traceId));
    const accepted = await client.listCalls({ outcome: 'accepted' }, asOwner);
    expect(accepted.calls.map(({ traceId }) => traceId)).toEqual([...waiting].reverse());
    expect((await client.listCalls({}, asOutsider)).calls).toEqual([]);
    for (const traceId of waiting) {
      expect((await client.findCall({ traceId }, asOwner)).call).toMatchObject({
        outcome: 'accepted',
        sourceId: alarmId,
      });
      expect((await fault(client.findCall({ traceId }, asOutsider))).code).toBe(Code.NotFound);
    }
    await letGo();
    await world.settle();
    const after = await client.listCalls({}, asOwner);
    expect(after.calls.map(({ outcome }) => outcome)).toEqual(['closed', 'folded', 'opened', 'armed']);
  });

  test('refuses a word that is no outcome and lists those that are', async () => {
    const { client, asOwner } = await aHouse();
    const refused = await fault(client.listCalls({ outcome: 'fired' }, asOwner));
    expect(refused.code).toBe(Code.InvalidArgument);
    expect(refused.rawMessage).toMatch(
      /^outcome takes "accepted", "armed", .*"held_by_gate".* or nothing, got "fired"\.$/,
    );
    for (const wrong of [{ keyId: 'x' }, { sourceId: 'x' }, { pageSize: 201 }, { pageToken: 'x' }]) {
      expect((await fault(client.listCalls(wrong, asOwner))).code).toBe(Code.InvalidArgument);
    }
  });
});

test('an outsider finds none of it, and an API key opens nothing', async () => {
  const { world, owner, alarmId, client, asOutsider, act } = await aHouse();
  const fired = await act('trigger');
  await world.settle();
  expect((await client.listIncidents({}, asOutsider)).incidents).toEqual([]);
  expect((await client.listIncidents({ sourceId: alarmId }, asOutsider)).incidents).toEqual([]);
  expect((await client.listCalls({}, asOutsider)).calls).toEqual([]);
  expect((await client.listCalls({ sourceId: alarmId }, asOutsider)).calls).toEqual([]);
  const unknown = await fault(client.findCall({ traceId: fired.body.traceId }, asOutsider));
  expect([unknown.code, unknown.rawMessage]).toEqual([
    Code.NotFound,
    'No call with this trace id is known in this account. Reads (describe, state) are not kept, and old calls are removed.',
  ]);
  const key = await owner.key();
  for (const as of [bearer(key), { headers: { 'x-api-key': key } }, {}]) {
    expect((await fault(client.listIncidents({}, as))).code).toBe(Code.Unauthenticated);
    expect((await fault(client.listCalls({}, as))).code).toBe(Code.Unauthenticated);
    expect((await fault(client.findCall({ traceId: fired.body.traceId }, as))).code).toBe(Code.Unauthenticated);
  }
});
