import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { createOrm } from '../../services/store/orm.ts';
import { session } from '../../services/store/session.ts';
import { findUnjudged } from '../../services/store/statements/unreached.ts';
import { oldAccount } from './upgrade/old-account.ts';
import { OLD_LEASE } from './upgrade/old-lease.ts';
import { startOldVersion } from './upgrade/old-version.ts';
import { endOnce, type OldDatabase, patientPool, versionBefore } from './upgrade/rig.ts';

/* DECISIONS.md "Delivery": `no_carrier` was `outbox` and `acknowledged` was `taken`, in a database that has both versions at work. */

const before = versionBefore();

let database: OldDatabase;
let accountId: string;
let incidentId: string;
/** A session of the version before, which says nothing of words. */
let old: Pool;

beforeEach(async () => {
  database = await before.database();
  const owner = await oldAccount(database, 'Owner');
  const alarmId = await owner.alarm('House');
  accountId = owner.id;
  old = startOldVersion(database.url).pool;
  await startOldVersion(database.url).accept({ digest: owner.key.digest, sourceId: alarmId, verb: 'trigger' });
  await startOldVersion(database.url).applyAll();
  const [incident] = await database.rows<{ id: string }>('SELECT id FROM incident');
  incidentId = incident!.id;
});

/** Writes a message as the version before does. */
async function write(kind: string, status: string): Promise<string> {
  const id = newId();
  await old.query(
    `INSERT INTO delivery (account_id, id, incident_id, kind, round, step, contact_id, channel, status, due_at)
     VALUES ($1, $2, $3, $4, 0, 0, $5, 'email', $6, tocsin_now() - interval '1 minute')`,
    [accountId, id, incidentId, kind, randomUUID(), status],
  );
  return id;
}

async function migrate(): Promise<void> {
  const orm = await createOrm(database.url, pino({ level: 'silent' }));
  await orm.migrator.up();
  await orm.close(true);
}

const stands = async (id: string) => (await database.rows('SELECT kind, status FROM delivery WHERE id = $1', [id]))[0];

/** What the version before leases: it reads the words in what comes back. */
async function leasedByOld(): Promise<{ id: string; kind: string }[]> {
  const { rows } = await old.query(OLD_LEASE, ['email', 10, 10, 45, 5, 3600]);
  return rows.map(({ id, kind }) => ({ id, kind }));
}

/** Sessions of this version. */
function thisVersion(): Pool {
  const pool = patientPool(database.url, session(5_000));
  onTestFinished(() => endOnce(pool));
  return pool;
}

/** What a session of this version is given when it leases a message. */
async function leasedByNew(id: string): Promise<unknown> {
  const { rows } = await thisVersion().query("UPDATE delivery SET status = 'sending' WHERE id = $1 RETURNING kind", [
    id,
  ]);
  return rows[0]?.kind;
}

test('what the version before left is said in the new words, and nothing else of it is changed', async () => {
  const left = {
    kept: await write('alert', 'outbox'),
    told: await write('taken', 'sent'),
    both: await write('taken', 'outbox'),
    waiting: await write('taken', 'scheduled'),
    alert: await write('alert', 'failed'),
  };
  await old.query(
    `INSERT INTO notice (account_id, id, kind, once, at, due_at, status)
     VALUES ($1, 'n', 'nobody_to_alert', 'once', tocsin_now(), tocsin_now(), 'outbox')`,
    [accountId],
  );
  await migrate();
  expect(await stands(left.kept)).toEqual({ kind: 'alert', status: 'no_carrier' });
  expect(await stands(left.told)).toEqual({ kind: 'acknowledged', status: 'sent' });
  expect(await stands(left.both)).toEqual({ kind: 'acknowledged', status: 'no_carrier' });
  expect(await stands(left.waiting)).toEqual({ kind: 'acknowledged', status: 'scheduled' });
  expect(await stands(left.alert)).toEqual({ kind: 'alert', status: 'failed' });
  expect(await database.rows('SELECT status FROM notice')).toEqual([{ status: 'no_carrier' }]);
});

test('what the version before writes beside this one is kept in the new words', async () => {
  await migrate();
  expect(await stands(await write('taken', 'scheduled'))).toEqual({ kind: 'acknowledged', status: 'scheduled' });
  const alert = await write('alert', 'sending');
  await old.query("UPDATE delivery SET status = 'outbox' WHERE id = $1", [alert]);
  expect(await stands(alert)).toEqual({ kind: 'alert', status: 'no_carrier' });
  await old.query(
    `INSERT INTO notice (account_id, id, kind, once, at, due_at, status)
     VALUES ($1, 'n', 'nobody_to_alert', 'once', tocsin_now(), tocsin_now(), 'scheduled')`,
    [accountId],
  );
  await old.query("UPDATE notice SET status = 'outbox'");
  expect(await database.rows('SELECT status FROM notice')).toEqual([{ status: 'no_carrier' }]);
});

test('that nobody was reached is found by this version, as the version before does not know the word', async () => {
  await migrate();
  await old.query("UPDATE delivery SET status = 'outbox' WHERE kind = 'alert' AND status = 'scheduled'");
  await write('alert', 'outbox');
  const { incidents } = await findUnjudged(thisVersion(), { at: '-infinity', id: '' });
  expect(incidents).toEqual([{ accountId, id: incidentId }]);
});

test('the version before is told what it sends in its own words, and this one in the new', async () => {
  const sending = await write('taken', 'sending');
  await migrate();
  const id = await write('taken', 'scheduled');
  expect(await leasedByOld()).toEqual([{ id, kind: 'taken' }]);
  await old.query("UPDATE delivery SET status = 'sent' WHERE id = ANY ($1)", [[id, sending]]);
  expect([await stands(id), await stands(sending)]).toEqual([
    { kind: 'acknowledged', status: 'sent' },
    { kind: 'acknowledged', status: 'sent' },
  ]);

  const another = await write('taken', 'scheduled');
  expect(await leasedByNew(another)).toBe('acknowledged');
});

test('what a worker of the version before leaves behind is sent by this one', async () => {
  await migrate();
  const id = await write('taken', 'scheduled');
  expect(await leasedByOld()).toEqual([{ id, kind: 'taken' }]);
  expect(await leasedByNew(id)).toBe('acknowledged');
  expect(await stands(id)).toEqual({ kind: 'acknowledged', status: 'sending' });
});
