import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { secretDigest } from '../../../services/store/secret.ts';
import type { CalledAlarm } from '../seed.ts';

/**
 * The tables of the hand-written server: as the product's where its one statement reads; the calls with two indexes, as
 * many as the product's INSERT has to keep.
 */
const SCHEMA = `
  CREATE TABLE location (
    account_id text NOT NULL, id text NOT NULL, name text NOT NULL, test boolean NOT NULL DEFAULT false,
    PRIMARY KEY (account_id, id)
  );
  CREATE TABLE source (
    account_id text NOT NULL, id text NOT NULL, location_id text NOT NULL, name text NOT NULL,
    test boolean NOT NULL DEFAULT false, disabled boolean NOT NULL DEFAULT false,
    PRIMARY KEY (account_id, id), FOREIGN KEY (account_id, location_id) REFERENCES location (account_id, id)
  );
  CREATE TABLE api_key (
    digest bytea PRIMARY KEY, account_id text NOT NULL, id text NOT NULL, alarm_id text,
    expires_at timestamptz, revoked_at timestamptz
  );
  CREATE TABLE action (
    account_id text NOT NULL, id bigint GENERATED ALWAYS AS IDENTITY, source_id text NOT NULL, verb text NOT NULL,
    mode text, environment text NOT NULL, trace_id uuid NOT NULL, key_id text NOT NULL,
    accepted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (account_id, id)
  );
  CREATE INDEX action_trace ON action (account_id, trace_id);`;

/** Makes the tables in an empty database and fills them with so many alarms. */
export async function seedHandwritten(databaseUrl: string, pepper: string, alarms: number): Promise<CalledAlarm[]> {
  const [account, location] = [newId(), newId()];
  const alarmIds = Array.from({ length: alarms }, newId);
  const apiKey = `toc_${newId()}${'0'.repeat(4)}`;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(SCHEMA);
    await client.query('INSERT INTO location (account_id, id, name) VALUES ($1, $2, $3)', [account, location, 'Home']);
    await client.query(
      "INSERT INTO source (account_id, id, location_id, name) SELECT $1, id, $2, 'House' FROM unnest($3::text[]) id",
      [account, location, alarmIds],
    );
    await client.query('INSERT INTO api_key (digest, account_id, id) VALUES ($1, $2, $3)', [
      secretDigest(pepper, apiKey),
      account,
      newId(),
    ]);
    await client.query('ANALYZE');
  } finally {
    await client.end();
  }
  return alarmIds.map(id => ({ id, apiKey }));
}

function newId(): string {
  return randomBytes(16).toString('hex');
}
