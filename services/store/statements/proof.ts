import { createHash } from 'node:crypto';
import type { ChannelKind } from '../../domain/delivery.ts';
import { chained, FIRST_DIGEST, type ProofKind, type ProofRow } from '../../domain/proof-chain.ts';
import { ms } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** An address of a contact over which somebody answered, or did not, and the incident that it was about. */
export interface ProvenAddress {
  accountId: string;
  contactId: string;
  channel: ChannelKind;
  incidentId: string;
}

const addressStatement: Statement<{ address: string }> = {
  name: 'addresses_to_prove',
  text: `
SELECT address FROM contact_channel WHERE account_id = $1 AND contact_id = $2 AND channel = $3`,
};

/** The address is compared again: it may have been changed since it was read. How it rang was said of one incident. */
const proveStatement: Statement<{ proven: true }> = {
  name: 'prove_address',
  text: `
UPDATE contact_channel SET proven_at = tocsin_now(), proven_in = $5, ring = CASE WHEN proven_in = $5 THEN ring END
WHERE account_id = $1 AND contact_id = $2 AND channel = $3 AND address = $4
RETURNING true AS proven`,
};

const ringStatement: Statement<{ told: true }> = {
  name: 'tell_ring',
  text: `
UPDATE contact_channel SET ring = $5 WHERE account_id = $1 AND contact_id = $2 AND channel = $3 AND proven_in = $4
RETURNING true AS told`,
};

/** One account's rows are added one after the other, whatever process adds them. */
const turnStatement: Statement<never> = {
  name: 'proof_turn',
  text: `SELECT pg_advisory_xact_lock(hashtextextended('proof ' || $1, 0))`,
};

interface Next {
  id: number;
  before: string | null;
  now: number;
  askedAt: number;
  occasion: ProofRow['occasion'];
  known: boolean;
}

/** Times are whole milliseconds: the digest is over what is shown. */
const nextStatement: Statement<Next> = {
  name: 'proof_next',
  text: `
SELECT coalesce(l.id, 0)::float8 + 1 AS id, l.digest AS before, floor(${ms('t.now')})::float8 AS now,
  floor(${ms(`coalesce((SELECT min(d.first_attempt_at) FROM delivery d WHERE d.account_id = $1 AND d.incident_id = $2
    AND d.contact_id = $3 AND d.channel = $4), i.opened_at)`)})::float8 AS "askedAt",
  CASE i.environment WHEN 'drill' THEN 'drill' ELSE 'alarm' END AS occasion,
  EXISTS (SELECT FROM proof p WHERE p.account_id = $1 AND p.incident_id = $2 AND p.contact_id = $3 AND p.channel = $4
    AND p.kind = $5) AS known
FROM incident i CROSS JOIN (SELECT tocsin_now() AS now) t
LEFT JOIN LATERAL (SELECT id, digest FROM proof WHERE account_id = $1 ORDER BY id DESC LIMIT 1) l ON true
WHERE i.account_id = $1 AND i.id = $2`,
};

const addStatement: Statement<never> = {
  name: 'add_proof',
  text: `
INSERT INTO proof (account_id, id, at, kind, occasion, incident_id, contact_id, contact_name, channel, asked_at, digest)
VALUES ($1, $2, to_timestamp($3::float8 / 1000), $4, $5, $6, $7, $8, $9, to_timestamp($10::float8 / 1000), $11)`,
};

/** A row of the report with its digest. */
export interface StoredProof extends ProofRow {
  digest: string;
}

const reportStatement: Statement<StoredProof> = {
  name: 'report_of_proofs',
  text: `
SELECT id::float8 AS id, ${ms('at')} AS at, kind, occasion, incident_id AS "incidentId", contact_id AS "contactId",
  contact_name AS "contactName", channel, ${ms('asked_at')} AS "askedAt", digest
FROM proof WHERE account_id = $1 AND at >= $2 AND at < $3 ORDER BY id LIMIT $4`,
};

const digestStatement: Statement<{ digest: string }> = {
  name: 'digest_of_proof',
  text: 'SELECT digest FROM proof WHERE account_id = $1 AND id = $2',
};

/** Returns the sealed addresses that a contact has for a channel now. */
export async function readAddresses(
  db: Connection,
  { accountId, contactId, channel }: Omit<ProvenAddress, 'incidentId'>,
): Promise<string[]> {
  return (await run(db, addressStatement, [accountId, contactId, channel])).map(({ address }) => address);
}

/** Records that a person answered now over an address. `address`: as readAddresses returned it. */
export async function proveAddress(
  db: Connection,
  { accountId, contactId, channel, incidentId }: ProvenAddress,
  address: string,
): Promise<'proven' | 'other_address'> {
  const rows = await run(db, proveStatement, [accountId, contactId, channel, address, incidentId]);
  return rows.length > 0 ? 'proven' : 'other_address';
}

/** Records how it rang, with the proof of that incident. `no_proof`: it is not the last one of that address. */
export async function tellRing(
  db: Connection,
  { accountId, contactId, channel, incidentId }: ProvenAddress,
  ring: 'aloud' | 'silent',
): Promise<'told' | 'no_proof'> {
  const rows = await run(db, ringStatement, [accountId, contactId, channel, incidentId, ring]);
  return rows.length > 0 ? 'told' : 'no_proof';
}

/**
 * Adds a row to the report of an account, chained to the one before; nothing if it is there already. Call it inside a
 * transaction, in which further rows of the account wait until it ends.
 */
export async function addProof(
  db: Connection,
  { accountId, contactId, channel, incidentId }: ProvenAddress,
  { kind, contactName }: { kind: ProofKind; contactName: string },
): Promise<void> {
  await run(db, turnStatement, [accountId]);
  const [next] = await run(db, nextStatement, [accountId, incidentId, contactId, channel, kind]);
  if (next === undefined || next.known) return;
  const { id, now: at, askedAt, occasion } = next;
  const row: ProofRow = { id, at, kind, occasion, incidentId, contactId, contactName, channel, askedAt };
  const digest = digestOf(next.before ?? FIRST_DIGEST, row);
  const said = [incidentId, contactId, contactName, channel, askedAt, digest];
  await run(db, addStatement, [accountId, id, at, kind, occasion, ...said]);
}

/** Returns the digest of a row that follows the one with the digest `before`, in hex. */
export function digestOf(before: string, row: ProofRow): string {
  return createHash('sha256').update(chained(before, row)).digest('hex');
}

/** Returns the rows of an account from `from` on and before `to`, oldest first, at most `most`. */
export function readReport(db: Connection, accountId: string, from: Date, to: Date, most: number) {
  return run(db, reportStatement, [accountId, from, to, most]);
}

/** Returns the digest of a row; that before the first one is FIRST_DIGEST, of one that is missing null. */
export async function readDigest(db: Connection, accountId: string, id: number): Promise<string | null> {
  if (id === 0) return FIRST_DIGEST;
  const [row] = await run(db, digestStatement, [accountId, id]);
  return row?.digest ?? null;
}
