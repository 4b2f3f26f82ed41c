import { type Connection, run, type Statement } from './statement.ts';

/** A table as the console writes it: its columns with their types, the key first. */
interface Table {
  key: readonly string[];
  columns: Readonly<Record<string, string>>;
  /** What a row says besides its columns, and what columns are made from that with it; later writes leave them alone. */
  once?: { says: Readonly<Record<string, string>>; makes: Readonly<Record<string, string>> };
  /** Whether each write counts up `version`. */
  versioned: boolean;
}

const OWNED = { account_id: 'text', id: 'text' };

const TABLES = {
  location: {
    key: ['account_id', 'id'],
    columns: { ...OWNED, key: 'text', name: 'text', address: 'text', test: 'boolean' },
    versioned: true,
  },
  contact: {
    key: ['account_id', 'id'],
    columns: { ...OWNED, key: 'text', name: 'text', locale: 'text', time_zone: 'text', voice: 'text' },
    versioned: true,
  },
  contact_channel: {
    key: ['account_id', 'contact_id', 'channel'],
    columns: {
      account_id: 'text',
      contact_id: 'text',
      channel: 'text',
      position: 'int',
      address: 'text',
      disabled_reason: 'text',
    },
    once: {
      says: { verification: 'text' },
      makes: { verified_at: "CASE verification WHEN 'verified' THEN (SELECT tocsin_now()) END" },
    },
    versioned: false,
  },
  policy: {
    key: ['account_id', 'id'],
    columns: { ...OWNED, key: 'text', name: 'text', steps: 'jsonb', repeat: 'int', repeat_delay_s: 'int' },
    versioned: true,
  },
  source: {
    key: ['account_id', 'id'],
    columns: {
      ...OWNED,
      kind: 'text',
      key: 'text',
      location_id: 'text',
      name: 'text',
      test: 'boolean',
      disabled: 'boolean',
      only_when_armed: 'boolean',
      clear_on_disarm: 'boolean',
      response_kind: 'text',
      response_text: 'text',
      policy_id: 'text',
    },
    versioned: true,
  },
  mode: {
    key: ['account_id', 'source_id', 'id'],
    columns: {
      account_id: 'text',
      source_id: 'text',
      id: 'text',
      name: 'text',
      policy_id: 'text',
      window_s: 'int',
    },
    versioned: false,
  },
  source_state: {
    key: ['account_id', 'source_id', 'version'],
    columns: { account_id: 'text', source_id: 'text' },
    versioned: false,
  },
  api_key: {
    key: ['account_id', 'id'],
    columns: { ...OWNED, key: 'text', label: 'text', alarm_id: 'text', expires_at: 'timestamptz' },
    versioned: true,
  },
} satisfies Record<string, Table>;

export type TableName = keyof typeof TABLES;

type Row = Record<string, unknown>;

/** What one thing writes: first the parts that go, then what is there. Each list by table. */
export interface RowsOf {
  /** By the whole key of the table, or by its beginning: `{account_id, contact_id}` takes all channels of a contact. */
  removed?: Partial<Record<TableName, Row[]>>;
  saved?: Partial<Record<TableName, Row[]>>;
  /** Sources and locations that become tombstones. */
  buried?: Partial<Record<'source' | 'location', Row[]>>;
}

/** Bounds the size of one statement. */
const CHUNK = 1_000;

/**
 * Writes the rows of many things, each table in few statements. Tables in the order of TABLES, so that two writers never
 * wait for each other in a ring. Belongs inside a transaction that holds the account's lock.
 */
export async function saveRows(on: Connection, things: readonly RowsOf[]): Promise<void> {
  for (const name of Object.keys(TABLES) as TableName[]) {
    const removed = things.flatMap(rows => rows.removed?.[name] ?? []);
    for (const [by, rows] of Map.groupBy(removed, row => Object.keys(row).sort().join())) {
      await inChunks(on, removeStatement(name, by.split(',')), rows);
    }
    const saved = things.flatMap(rows => rows.saved?.[name] ?? []);
    if (saved.length > 0) await inChunks(on, saveStatement(name), saved);
  }
  for (const name of ['source', 'location'] as const) {
    const buried = things.flatMap(rows => rows.buried?.[name] ?? []);
    if (buried.length > 0) await inChunks(on, buryStatement(name), buried);
  }
}

async function inChunks(on: Connection, statement: Statement<never>, rows: readonly Row[]): Promise<void> {
  for (let at = 0; at < rows.length; at += CHUNK) {
    await run(on, statement, [JSON.stringify(rows.slice(at, at + CHUNK))]);
  }
}

function saveStatement(name: TableName): Statement<never> {
  const { key, columns, once, versioned }: Table = TABLES[name];
  const names = Object.keys(columns);
  const said = { ...columns, ...once?.says };
  const made = { ...Object.fromEntries(names.map(column => [column, column])), ...once?.makes };
  const changes = names.filter(column => !key.includes(column)).map(column => `${column} = EXCLUDED.${column}`);
  if (versioned) changes.push('version = t.version + 1');
  const onConflict = changes.length === 0 ? 'NOTHING' : `UPDATE SET ${changes.join(', ')}`;
  return {
    name: `save_${name}`,
    text: `
INSERT INTO ${name} AS t (${Object.keys(made).join(', ')})
SELECT ${Object.values(made).join(', ')} FROM json_to_recordset($1::json) AS r (${definitions(said, Object.keys(said))})
ON CONFLICT (${key.join(', ')}) DO ${onConflict}`,
  };
}

function removeStatement(name: TableName, by: readonly string[]): Statement<never> {
  const { columns }: Table = TABLES[name];
  return {
    name: `remove_${name}_by_${by.length}`,
    text: `
DELETE FROM ${name} t USING json_to_recordset($1::json) AS r (${definitions(columns, by)})
WHERE ${by.map(column => `t.${column} = r.${column}`).join(' AND ')}`,
  };
}

function buryStatement(name: 'source' | 'location'): Statement<never> {
  const alsoSet = name === 'source' ? ', disabled = true, policy_id = NULL' : '';
  return {
    name: `bury_${name}`,
    text: `
UPDATE ${name} t SET deleted_at = tocsin_now(), version = t.version + 1${alsoSet}
FROM json_to_recordset($1::json) AS r (account_id text, id text)
WHERE t.account_id = r.account_id AND t.id = r.id`,
  };
}

function definitions(columns: Readonly<Record<string, string>>, names: readonly string[]): string {
  return names.map(name => `${name} ${columns[name]}`).join(', ');
}
