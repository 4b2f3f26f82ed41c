import { newId } from '../id.ts';
import { type Connection, inTransaction, run, type Statement } from '../statement.ts';

/** What is set together in the console, as it is now. */
export interface StoredSettings {
  /** The name of a carrier, or one of those below. */
  part: string;
  version: number;
  /** The settings by name as JSON, sealed. */
  sealed: string;
}

/** Who set what, and when. */
export interface SettingChange {
  part: string;
  version: number;
  /** The names of the settings; empty: all were removed. */
  names: string[];
  by: string;
  /** Milliseconds since 1970. */
  at: number;
}

/** What is set for no carrier: where links lead, and backups by schedule. */
export const PUBLIC_URL_PART = 'public_url';
export const BACKUPS_PART = 'backups';

const OF_NO_CARRIER = `('${PUBLIC_URL_PART}', '${BACKUPS_PART}')`;

const readStatement: Statement<StoredSettings> = {
  name: 'read_settings',
  text: `SELECT part, version, sealed FROM deployment_setting WHERE sealed IS NOT NULL AND part NOT IN ${OF_NO_CARRIER} ORDER BY part`,
};

/** Returns what is set for carriers, by part. */
export function readSettings(db: Connection): Promise<StoredSettings[]> {
  return run(db, readStatement, []);
}

const changesStatement: Statement<SettingChange> = {
  name: 'setting_changes',
  text: `
SELECT part, version, names, set_by AS by, (extract(epoch FROM set_at) * 1000)::float8 AS at FROM (
  SELECT *, row_number() OVER (PARTITION BY part ORDER BY version DESC) AS nth FROM deployment_setting
  WHERE part NOT IN ${OF_NO_CARRIER}
) s WHERE nth <= $1::int ORDER BY part, version DESC`,
};

/** Returns the latest changes of each carrier, as many as `most`, the newest first. */
export function settingChanges(db: Connection, most: number): Promise<SettingChange[]> {
  return run(db, changesStatement, [most]);
}

/** The latest change of one part. */
export type LastSetting = SettingChange & { sealed: string | null };

const lastStatement: Statement<LastSetting> = {
  name: 'read_last_setting',
  text: `
SELECT part, version, names, set_by AS by, (extract(epoch FROM set_at) * 1000)::float8 AS at, sealed
FROM deployment_setting WHERE part = $1 ORDER BY version DESC LIMIT 1`,
};

/** Returns the latest change of what is set for no carrier; `sealed` is null where it was taken away. Null: there was none. */
export async function readLastSetting(
  db: Connection,
  part: typeof PUBLIC_URL_PART | typeof BACKUPS_PART,
): Promise<LastSetting | null> {
  return (await run(db, lastStatement, [part]))[0] ?? null;
}

const forgetStatement: Statement<never> = {
  name: 'forget_settings',
  text: 'UPDATE deployment_setting SET sealed = NULL WHERE part = $1 AND version = $2::int AND sealed IS NOT NULL',
};

const addStatement: Statement<{ version: number }> = {
  name: 'add_settings',
  text: `
INSERT INTO deployment_setting (id, part, version, names, sealed, set_by, set_by_token_id)
SELECT $1, $2, $3::int + 1, $4::text[], $5, $6, $7
WHERE $3::int = (SELECT coalesce(max(version), 0) FROM deployment_setting WHERE part = $2)
ON CONFLICT (part, version) DO NOTHING RETURNING version`,
};

/** A change of what is set together. */
export interface NewSettings {
  part: string;
  /** The version that it follows; 0: there was none. */
  after: number;
  names: readonly string[];
  /** Null: it is removed. */
  sealed: string | null;
  by: { name: string; tokenId: string | null };
}

/** Stores a change; of two that follow the same version the first one is stored. */
export function storeSettings(db: Connection, change: NewSettings): Promise<'stored' | 'changed_meanwhile'> {
  const { part, after, names, sealed, by } = change;
  return inTransaction(db, async client => {
    await run(client, forgetStatement, [part, after]);
    const [added] = await run(client, addStatement, [newId(), part, after, [...names], sealed, by.name, by.tokenId]);
    return added === undefined ? 'changed_meanwhile' : 'stored';
  });
}
