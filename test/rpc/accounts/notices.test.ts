import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import { newId } from '../../../services/store/id.ts';
import { noWrites, writeAll } from '../../../services/store/statements/write.ts';
import { newOwner, refusal } from '../../support/console.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Something came up in an account, as the engine writes it. */
async function comesUp(world: World, accountId: string, once: string, sources: number) {
  const at = Date.parse((await world.rows<{ at: string }>('SELECT tocsin_now()::text AS at'))[0]!.at);
  const notice = { accountId, id: newId(), kind: 'sources_deactivated' as const, once };
  await writeAll(world.store.pool, {
    ...noWrites(),
    notices: [{ ...notice, incidentId: null, about: { sources }, at }],
  });
}

test('notices are listed newest first, page by page, each once, in words; another account sees none of them', async () => {
  const world = await startWorld();
  const { console: own, accountId } = await newOwner(world);
  const { console: outsider } = await newOwner(world);
  for (const once of ['a', 'b', 'c', 'b']) {
    await comesUp(world, accountId, once, 2);
    await world.advance(60);
  }
  const first = await own.accounts.listNotices({ pageSize: 2 });
  const second = await own.accounts.listNotices({ pageSize: 2, pageToken: first.nextPageToken });
  expect(first.notices.length).toBe(2);
  expect(second).toMatchObject({ nextPageToken: '', notices: [expect.anything()] });
  const all = [...first.notices, ...second.notices];
  const times = all.map(({ at }) => timestampDate(at!).toISOString().slice(11, 16));
  expect(times).toEqual(['20:02', '20:01', '20:00']);
  for (const notice of all) {
    // This account has no owner: that is why they are only listed.
    const told = { status: 'failed', reason: 'no_listener', deliveries: [] };
    expect(notice).toMatchObject({ kind: 'sources_deactivated', incidentId: '', ...told });
    expect(notice.id).toMatch(/^[a-z0-9]{32}$/);
    expect(notice.explanation).toMatch(/2.*\.$/);
  }
  expect((await own.accounts.listNotices({})).notices).toEqual(all);
  expect((await outsider.accounts.listNotices({})).notices).toEqual([]);
  for (const page of [{ pageSize: 201 }, { pageSize: -1 }, { pageToken: 'nonsense!' }]) {
    expect(await refusal(own.accounts.listNotices(page))).toMatchObject({ code: 'InvalidArgument' });
  }
});
