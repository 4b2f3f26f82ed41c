import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { LOCKS } from '../../../services/store/lock.ts';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { emptied } from '../../support/emptied.ts';
import { startWorld } from '../../support/world.ts';
import { responderOf, tokenOf } from '../responder/responder-rig.ts';
import { contentsOf, livedAccount, tablesOfAccounts } from './lived-account.ts';

const PUBLIC = { publicUrl: 'https://alarm.test' };

/** An account in which much happened, deleted, and one beside it in which as much did. */
async function deletedAccount() {
  const world = await startWorld({ roles: 'two', ...PUBLIC });
  const gone = await livedAccount(world);
  const beside = await newOwner(world, 'Beside');
  await emptied(gone.own);
  const { accountId, operator } = gone;
  await operator.accounts.deleteAccount({ accountId });
  const erase = () => operator.accounts.eraseAccount({ accountId });
  return { world, gone, beside, erase };
}

test('an account is deleted once nothing of it is live, whatever happened in it; its keys and links open nothing (DECISIONS.md "Deleting an account")', async () => {
  const world = await startWorld({ roles: 'two', ...PUBLIC });
  const { accountId, own, operator, key, alarmId, call } = await livedAccount(world);
  const beside = await newOwner(world);
  const deleting = () => operator.accounts.deleteAccount({ accountId });
  expect((await refusal(deleting())).users).toEqual(['alarm xanthe-alarm', 'panic_button xanthe-button']);
  const { incidents } = await own.incidents.listIncidents({});
  expect(incidents.filter(({ status }) => status === 'open')).toHaveLength(2);
  const [message] = (await own.incidents.getIncident({ incidentId: incidents.at(-1)!.id })).timeline.flatMap(
    ({ entry }) => (entry.case === 'delivery' ? [entry.value] : []),
  );
  const page = () => responderOf(world).getPage({ token: tokenOf(message!) });
  expect((await page()).page).toBeDefined();

  await emptied(own);
  // The last two deletions still close their incidents.
  await deleting();
  expect(await refusal(own.locations.listLocations({}))).toMatchObject({ code: 'Unauthenticated' });
  expect((await call('trigger')).status).toBe(401);
  expect(await refusal(page())).toMatchObject({ code: 'NotFound' });
  expect((await world.get(`/v1/alarm/${alarmId}/trigger`, key)).status).toBe(401);
  const listed = (await consoleOf(world, world.operator).accounts.listAccounts({})).accounts;
  expect(listed.map(({ id }) => id)).toEqual([beside.accountId]);
});

test('with its contents an account goes although it is live: nothing of it opens or alerts any more; of others nothing is missing', async () => {
  const world = await startWorld({ roles: 'two', ...PUBLIC });
  const gone = await livedAccount(world);
  const { accountId, operator, key, alarmId } = gone;
  const beside = await newOwner(world, 'Beside');
  await beside.console.locations.createLocation({ location: { name: 'Home' } });
  const byHand = world.rows('SELECT tocsin_delete_account($1)', [accountId]);
  await expect(byHand).rejects.toMatchObject({ code: '23503' });
  const wrong = consoleOf(world, beside.token).accounts.deleteAccount({ accountId, withContents: true });
  expect(await refusal(wrong)).toMatchObject({ code: 'PermissionDenied' });
  await operator.accounts.deleteAccount({ accountId, withContents: true });
  expect((await world.get(`/v1/alarm/${alarmId}/trigger`, key)).status).toBe(401);
  for (;;) if ((await operator.accounts.eraseAccount({ accountId })).account!.erasedAt !== undefined) break;
  expect(Object.keys(await gone.rows())).toEqual(['deleted_account']);
  expect((await beside.console.locations.listLocations({})).locations).toHaveLength(1);
});

test('what is still going on is waited for; if it does not end the account stays as it was', async () => {
  const world = await startWorld();
  const { accountId, own, operator, incidentId } = await livedAccount(world);
  await emptied(own);
  await world.settle();
  await world.rows("UPDATE delivery SET status = 'sending' WHERE incident_id = $1", [incidentId]);
  expect(await refusal(operator.accounts.deleteAccount({ accountId }))).toEqual({
    code: 'Unavailable',
    message: 'The account cannot be deleted yet: a message of it is on its way. Try again in a minute.',
    fields: {},
    users: [],
  });
  expect((await own.accounts.getAccount({})).account).toMatchObject({ id: accountId });
});

/** Of which an account that lived has no row: they stand for others of their kind, or only for a moment. */
const EMPTY = ['deleted_account', 'queued_action'];

test('after an erase no row of any table is the account’s but the line of who erased it when; of others nothing is missing', async () => {
  const world = await startWorld({ roles: 'two' });
  const gone = await livedAccount(world);
  const { accountId, own, operator } = gone;
  // Whoever makes a table says here what of it is an account's, by filling it in lived-account.ts.
  const filled = Object.keys(await gone.rows());
  for (const table of await tablesOfAccounts(world)) if (!EMPTY.includes(table)) expect(filled).toContain(table);

  const beside = await newOwner(world, 'Beside');
  await beside.console.locations.createLocation({ location: { name: 'Here' } });
  const before = await contentsOf(world, beside.accountId);
  await emptied(own);
  await operator.accounts.deleteAccount({ accountId });
  expect(Object.keys(await gone.rows())).toEqual(expect.arrayContaining(['source', 'api_key', 'incident', 'audit']));
  const { account, removed } = await operator.accounts.eraseAccount({ accountId });
  expect(account).toMatchObject({ id: accountId, name: '', erasedBy: 'Operator', erasedAt: {} });
  expect(removed).toBeGreaterThan(30);
  expect(await gone.rows()).toEqual({ deleted_account: 1 });
  expect(await contentsOf(world, beside.accountId)).toEqual(before);
  // What counts for others that write to the same stranger still does.
  expect(await world.rows("SELECT accounts FROM unverified_sent WHERE 'another' = ANY (accounts)")).toEqual([
    { accounts: ['', 'another', ''] },
  ]);
});

/** Says something to the database that the product's role may not say. */
async function asOwner(connectionString: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

test('a large account is erased in transactions of a thousand rows, while another one is alerted as ever', async () => {
  const { world, gone, beside, erase } = await deletedAccount();
  const many = 12_000;
  await world.rows(
    `INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, verb, outcome)
     SELECT d.seq, 1e15::bigint + n, tocsin_now(), tocsin_now(), gen_random_uuid(), 'trigger', 'folded'
     FROM deleted_account d, generate_series(1, ${many}) n`,
  );
  await asOwner(world.databaseUrl, [
    'CREATE TABLE test_removed (xid xid8, rows bigint)',
    'GRANT ALL ON test_removed TO PUBLIC',
    `CREATE FUNCTION test_removed() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO test_removed SELECT pg_current_xact_id(), count(*) FROM old_rows; RETURN NULL; END $$`,
    `CREATE TRIGGER test_removed AFTER DELETE ON logged_call REFERENCING OLD TABLE AS old_rows
       FOR EACH STATEMENT EXECUTE FUNCTION test_removed()`,
  ]);
  const { console: own } = beside;
  await own.locations.createLocation({ location: { name: 'Home' } });
  const { panicButton } = await own.panicButtons.createPanicButton({
    panicButton: { name: 'Bedside', locationId: 'home', test: false, responseKind: 'fire' },
  });
  const { secret: key } = await own.apiKeys.createApiKey({ apiKey: { label: 'Pendant' } });
  let under: 'way' | 'over' = 'way';
  const erased = (async () => {
    let removed = 0;
    for (;;) {
      const answer = await erase();
      removed += answer.removed;
      if (answer.account!.erasedAt !== undefined) break;
    }
    under = 'over';
    return removed;
  })();
  const statuses: number[] = [];
  do statuses.push((await world.get(`/v1/panic/${panicButton!.id}/trigger`, key)).status);
  while (under === 'way');
  expect(await erased).toBeGreaterThan(many);
  expect(new Set(statuses)).toEqual(new Set([202]));
  const [most] = await world.rows<{ rows: number; transactions: number }>(
    `SELECT max(rows)::int AS rows, count(*)::int AS transactions FROM (
       SELECT sum(rows) AS rows FROM test_removed GROUP BY xid HAVING sum(rows) > 0) t`,
  );
  expect(most).toEqual({ rows: 1_000, transactions: expect.any(Number) });
  expect(most!.transactions).toBeGreaterThanOrEqual(many / 1_000);
  await world.settle();
  expect((await own.incidents.listIncidents({})).incidents).toMatchObject([{ triggerCount: statuses.length }]);
  expect(await gone.rows()).toEqual({ deleted_account: 1 });
});

test('an erase that found no time says that there is more, and the next call goes on', async () => {
  const { world, gone, erase } = await deletedAccount();
  const client = await world.store.pool.connect();
  onTestFinished(() => client.release());
  // As another process does that removes what is too old.
  const asOther = () => client.query('SELECT pg_advisory_lock($1)', [LOCKS.retention]);
  const over = () => client.query('SELECT pg_advisory_unlock($1)', [LOCKS.retention]);
  await asOther();
  const first = await erase();
  await over();
  expect(first).toMatchObject({ account: { id: gone.accountId, name: 'Quenby', erasedBy: '' }, removed: 0 });
  expect(first.account!.erasedAt).toBeUndefined();
  const { account, removed } = await erase();
  expect(account!.erasedAt).toBeDefined();
  expect(removed).toBeGreaterThan(30);
  // Once more: nothing is left to do, and the line is that of the first time.
  await world.advance(60);
  expect(await erase()).toMatchObject({ account: { ...account }, removed: 0 });
  // Said to be erased by a version that knew of less: whoever finds no time for the rest does not say that it is done.
  await asOther();
  expect((await erase()).account!.erasedAt).toBeUndefined();
  await over();
});

test('history of a deleted account ages as every other (DECISIONS.md "Retention")', async () => {
  const world = await startWorld({ retention: { calls: 30, incidents: 30, audit: 30 } });
  const gone = await livedAccount(world);
  await emptied(gone.own);
  await gone.operator.accounts.deleteAccount({ accountId: gone.accountId });
  await world.advance(31 * 86_400);
  await world.sweep();
  const left = Object.keys(await gone.rows());
  for (const table of ['logged_call', 'incident', 'delivery', 'incident_entry', 'notice', 'audit']) {
    expect(left).not.toContain(table);
  }
});
