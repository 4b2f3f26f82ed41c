import { type Pepper, underEach } from '../secret.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** A contact of an account. */
interface OfContact {
  accountId: string;
  contactId: string;
}

/** A browser that rings for a contact, as it is stored. Times in milliseconds since 1970. */
export interface StoredDevice {
  id: string;
  name: string;
  /** Sealed. */
  subscription: string;
  createdAt: Date;
  lastSentAt: Date | null;
  lastFault: string | null;
}

const readStatement: Statement<StoredDevice> = {
  name: 'devices_of_contact',
  text: `
SELECT id, name, subscription, created_at AS "createdAt", last_sent_at AS "lastSentAt", last_fault AS "lastFault"
FROM web_push_device WHERE account_id = $1 AND contact_id = $2 ORDER BY created_at, id`,
};

/** Returns the devices of a contact, the oldest first. */
export function readDevices(db: Connection, { accountId, contactId }: OfContact): Promise<StoredDevice[]> {
  return run(db, readStatement, [accountId, contactId]);
}

/** Returns what is stored of an endpoint to know it again, under each pepper, the one to store first. */
function endpointDigests(pepper: Pepper, endpoint: string): Buffer[] {
  return underEach(pepper, `endpoint ${endpoint}`);
}

const addStatement: Statement<{ is: 'new' | 'known'; id: string }> = {
  name: 'add_device',
  text: `
WITH known AS (
  UPDATE web_push_device SET name = $4, subscription = $5, last_fault = NULL, endpoint_digest = ($6::bytea[])[1]
  WHERE account_id = $1 AND contact_id = $2 AND (endpoint_digest = ANY ($6) OR id = $7) RETURNING id
), added AS (
  INSERT INTO web_push_device (account_id, contact_id, id, name, subscription, endpoint_digest, slot)
  SELECT $1, $2, $3, $4, $5, ($6::bytea[])[1], $8 WHERE NOT EXISTS (SELECT FROM known)
)
SELECT CASE WHEN EXISTS (SELECT FROM known) THEN 'known' ELSE 'new' END AS is, coalesce((SELECT id FROM known), $3) AS id`,
};

/**
 * Adds a device to a contact, and returns its id. `known`: it was one already. `same`: the id of the one that has this endpoint, as far as somebody
 * opened them; the digest does not tell once the pepper was changed. `slot`: of their address `web:devices`. Call it under the account's lock.
 */
export async function addDevice(
  db: Connection,
  pepper: Pepper,
  { accountId, contactId }: OfContact,
  device: { id: string; name: string; subscription: string; endpoint: string; same: string; slot: number },
): Promise<{ is: 'new' | 'known'; id: string }> {
  const { id, name, subscription, endpoint, same, slot } = device;
  const digests = endpointDigests(pepper, endpoint);
  const [row] = await run(db, addStatement, [accountId, contactId, id, name, subscription, digests, same, slot]);
  return row!;
}

const removeStatement: Statement<{ name: string; left: number }> = {
  name: 'remove_device',
  text: `
WITH gone AS (
  DELETE FROM web_push_device WHERE account_id = $1 AND contact_id = $2 AND id = $3 RETURNING name, slot
), others AS (
  SELECT count(*)::int AS n FROM web_push_device WHERE account_id = $1 AND contact_id = $2 AND id <> $3
), ended AS (
  -- Without any nobody is reached there.
  UPDATE contact_channel SET verified_at = NULL FROM gone, others
  WHERE account_id = $1 AND contact_id = $2 AND channel = 'push' AND contact_channel.slot = gone.slot AND n = 0
)
SELECT name, n AS left FROM gone, others`,
};

/** Two that go at once would each see the other one left. */
const lockStatement: Statement<never> = {
  name: 'lock_push_channel',
  text: "SELECT FROM contact_channel WHERE account_id = $1 AND contact_id = $2 AND channel = 'push' FOR UPDATE",
};

/** Removes a device; with the last one the address is no longer verified. Returns its name, and how many are left; null: there is none. Call it in a transaction. */
export async function removeDevice(
  db: Connection,
  { accountId, contactId }: OfContact,
  id: string,
): Promise<{ name: string; left: number } | null> {
  await run(db, lockStatement, [accountId, contactId]);
  return (await run(db, removeStatement, [accountId, contactId, id]))[0] ?? null;
}

const sentStatement: Statement<never> = {
  name: 'device_told',
  text: `
UPDATE web_push_device d SET last_sent_at = CASE WHEN r.fault = '' THEN tocsin_now() ELSE d.last_sent_at END, last_fault = nullif(r.fault, '')
FROM unnest($3::text[], $4::text[]) AS r (id, fault)
WHERE d.account_id = $1 AND d.contact_id = $2 AND d.id = r.id`,
};

/** Keeps of devices whether their last message went there; `fault` empty: it did. */
export async function noteTold(
  db: Connection,
  { accountId, contactId }: OfContact,
  told: readonly { id: string; fault: string }[],
): Promise<void> {
  await run(db, sentStatement, [accountId, contactId, told.map(({ id }) => id), told.map(({ fault }) => fault)]);
}

const keyStatement: Statement<{ sealed: string }> = {
  name: 'read_web_push_key',
  text: 'SELECT sealed FROM web_push_key',
};

const keepKeyStatement: Statement<never> = {
  name: 'keep_web_push_key',
  text: 'INSERT INTO web_push_key (sealed) VALUES ($1) ON CONFLICT (id) DO NOTHING',
};

/** Returns the key of web push, sealed; if there is none, it keeps the one given. */
export async function webPushKey(db: Connection, make: () => string): Promise<string> {
  const [kept] = await run(db, keyStatement, []);
  if (kept !== undefined) return kept.sealed;
  await run(db, keepKeyStatement, [make()]);
  return (await run(db, keyStatement, []))[0]!.sealed;
}

/** A link that makes a phone one of a contact's devices, as it is now. */
export interface DeviceLink extends OfContact {
  state: 'good' | 'taken' | 'expired';
  /** Display name of the account. */
  accountName: string;
}

function linkDigests(pepper: Pepper, code: string): Buffer[] {
  return underEach(pepper, `device link ${code}`);
}

const keepLinkStatement: Statement<{ expiresAt: Date }> = {
  name: 'keep_device_link',
  text: `
INSERT INTO device_link (account_id, contact_id, digest, expires_at)
VALUES ($1, $2, $3, tocsin_now() + make_interval(secs => $4))
ON CONFLICT (account_id, contact_id) DO UPDATE SET digest = EXCLUDED.digest, expires_at = EXCLUDED.expires_at, taken_at = NULL
RETURNING expires_at AS "expiresAt"`,
};

/** Keeps the code of a new link in place of the one before. Returns until when it is good. */
export async function keepDeviceLink(
  db: Connection,
  pepper: Pepper,
  { accountId, contactId }: OfContact,
  { code, goodS }: { code: string; goodS: number },
): Promise<Date> {
  const [kept] = await run(db, keepLinkStatement, [accountId, contactId, linkDigests(pepper, code)[0]!, goodS]);
  return kept!.expiresAt;
}

const findLinkStatement: Statement<DeviceLink> = {
  name: 'find_device_link',
  text: `
SELECT l.account_id AS "accountId", l.contact_id AS "contactId", a.name AS "accountName",
  CASE WHEN l.taken_at IS NOT NULL THEN 'taken' WHEN l.expires_at <= t.now THEN 'expired' ELSE 'good' END AS state
FROM device_link l JOIN account a ON a.id = l.account_id CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE l.digest = ANY ($1)`,
};

/** Returns the link of a code; null: there is none, or a newer one took its place. A statement without an account: whoever opens it names none. */
export async function findDeviceLink(db: Connection, pepper: Pepper, code: string): Promise<DeviceLink | null> {
  return (await run(db, findLinkStatement, [linkDigests(pepper, code)]))[0] ?? null;
}

const takeLinkStatement: Statement<never> = {
  name: 'take_device_link',
  text: 'UPDATE device_link SET taken_at = tocsin_now() WHERE account_id = $1 AND contact_id = $2',
};

/** Ends a link: it was used. Call it under the account's lock, after finding it there. */
export async function takeDeviceLink(db: Connection, { accountId, contactId }: OfContact): Promise<void> {
  await run(db, takeLinkStatement, [accountId, contactId]);
}

const connectedStatement: Statement<never> = {
  name: 'push_connected',
  text: "UPDATE contact_channel SET connected_at = tocsin_now() WHERE account_id = $1 AND contact_id = $2 AND channel = 'push' AND slot = $3",
};

/** Keeps that a device gave a contact their address: a file that names none leaves it (configuration/resources/contact.ts). */
export async function markPushConnected(
  db: Connection,
  { accountId, contactId }: OfContact,
  slot: number,
): Promise<void> {
  await run(db, connectedStatement, [accountId, contactId, slot]);
}

const nowStatement: Statement<{ now: Date }> = { name: 'now_of_devices', text: 'SELECT tocsin_now() AS now' };

/** Returns the deployment's time. */
export async function readNow(db: Connection): Promise<Date> {
  return (await run(db, nowStatement, []))[0]!.now;
}
