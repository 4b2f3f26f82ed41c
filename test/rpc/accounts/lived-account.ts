import { consoleOf, newOwner } from '../../support/console.ts';
import type { World } from '../../support/world.ts';

/** Words that stand nowhere but in what belongs to such an account. */
const NAMES = [
  'Quenby',
  'Zelda',
  'Umber Lodge',
  'Xanthe Alarm',
  'Xanthe Button',
  'Yarrow Camera',
  'Wexford Policy',
  'Tamarind Duty',
];

/**
 * An account with something in every table that can hold anything of an account: two contacts (one has a code under way), a
 * duty, a policy, an alarm with a window, a panic button, keys and tokens; calls accepted, refused, called off and folded, incidents
 * open and closed, messages, notices, and what days cost. An incident is still open.
 */
export async function livedAccount(world: World) {
  const { accountId, token, console: own } = await newOwner(world, NAMES[0]);
  const operator = consoleOf(world, world.operator, accountId);
  await own.accounts.updateAccount({ account: { name: NAMES[0]!, ownerEmail: 'quenby@example.com', version: 1 } });
  await world.rows('UPDATE member SET confirmed_at = tocsin_now() WHERE account_id = $1', [accountId]);
  await operator.accounts.createToken({ label: 'Second' });
  await own.locations.createLocation({ location: { name: NAMES[2]! } });
  const channels = [{ channel: 'email', address: 'zelda@example.com' }];
  await operator.contacts.createContact({ contact: { name: NAMES[1]!, key: 'zelda', channels } });
  const unknown = [{ channel: 'email', address: 'stranger@example.com' }];
  await own.contacts.createContact({ contact: { name: 'A stranger', key: 'stranger', channels: unknown } });
  await own.contacts.sendVerificationCode({ contactId: 'stranger', channel: 'email' });
  const steps = [{ delayS: 0, contacts: [{ contactId: 'zelda', channels: ['email'] }] }];
  await own.duties.createDuty({ duty: { name: NAMES[7]!, timeZone: 'UTC', otherwise: { contactIds: ['zelda'] } } });
  await own.policies.createPolicy({ policy: { name: NAMES[6]!, key: 'family', steps } });
  const modes = [
    { id: 'away', policyId: 'family' },
    { id: 'night', policyId: 'family', windowS: 60 },
  ];
  const { alarm } = await own.alarms.createAlarm({
    alarm: { name: NAMES[3]!, locationId: 'umber-lodge', test: false, modes },
  });
  const { panicButton } = await own.panicButtons.createPanicButton({
    panicButton: { name: NAMES[4]!, locationId: 'umber-lodge', test: false, responseKind: 'fire' },
  });
  const { secret: key } = await own.apiKeys.createApiKey({ apiKey: { label: NAMES[5]! } });
  const call = (path: string) => world.get(`/v1/alarm/${alarm!.id}/${path}`, key);

  for (const path of ['arm/night', 'trigger', 'trigger', 'disarm', 'trigger/garden']) await call(path);
  await world.advance(1);
  await call('trigger/away');
  await world.advance(1);
  const [first] = (await own.incidents.listIncidents({})).incidents;
  await own.incidents.acknowledge({ incidentId: first!.id });
  await world.settle();
  await call('clear');
  await world.advance(1);
  await world.get(`/v1/panic/${panicButton!.id}/trigger`, key);
  await call('trigger/night');
  await world.advance(61);
  await world.settle();
  for (const sql of COSTS) await world.rows(sql, [accountId]);

  const [{ seq }] = (await world.rows<{ seq: string }>('SELECT seq FROM account WHERE id = $1', [accountId])) as [
    { seq: string },
  ];
  const sources = await world.rows<{ seq: string }>('SELECT seq FROM source WHERE account_id = $1', [accountId]);
  const ids = [accountId, alarm!.id, panicButton!.id, first!.id, ...NAMES, 'quenby@', 'zelda@', 'stranger@'];
  /** How many rows of each table that has any are this account's, by any of its ids, names and numbers. */
  const rows = () => rowsOf(world, { words: ids, account: seq, sources: sources.map(one => one.seq) });
  return { accountId, token, own, operator, key, alarmId: alarm!.id, incidentId: first!.id, call, rows };
}

const COSTS = [
  `INSERT INTO spend (account_id, day, text_parts, cents) VALUES ($1, '2026-01-14', 3, 6)`,
  `INSERT INTO source_spend (account_id, source_id, day, cents) SELECT $1, id, '2026-01-15', 6 FROM source WHERE account_id = $1`,
  `INSERT INTO proof (account_id, id, at, kind, occasion, incident_id, contact_id, contact_name, channel, asked_at, digest)
     VALUES ($1, 1, tocsin_now(), 'answered', 'drill', 'i', 'c', 'Zelda', 'email', tocsin_now(), '')`,
  `INSERT INTO source_told (account_id, day, source_id, contact_id, channel) VALUES ($1, '2026-01-15', 's', 'c', 'text')`,
  `INSERT INTO unverified_sent (day, address_digest, accounts) VALUES ('2026-01-15', left($1, 8)::bytea, ARRAY[$1, 'another', $1])`,
  `INSERT INTO chat_link (account_id, contact_id, digest, expires_at)
     SELECT account_id, id, id::bytea, tocsin_now() FROM contact WHERE account_id = $1`,
  `INSERT INTO device_link (account_id, contact_id, digest, expires_at)
     SELECT account_id, id, id::bytea, tocsin_now() FROM contact WHERE account_id = $1`,
  `INSERT INTO contact_channel (account_id, contact_id, channel, position, address)
     SELECT account_id, contact_id, 'push', 9, address FROM contact_channel WHERE account_id = $1 ON CONFLICT DO NOTHING`,
  `INSERT INTO web_push_device (account_id, id, contact_id, name, subscription, endpoint_digest)
     SELECT account_id, contact_id, contact_id, 'Phone', 'sealed', contact_id::bytea FROM contact_channel WHERE account_id = $1 AND channel = 'push'`,
  `INSERT INTO sign_in_link (digest, account_id, member_id, expires_at)
     SELECT id::bytea, account_id, id, tocsin_now() FROM member WHERE account_id = $1`,
];

/** Tables of accounts, by what in them names one. A table that is made later is among them by itself. */
export async function tablesOfAccounts(world: World): Promise<string[]> {
  const found = await world.rows<{ table: string }>(
    `SELECT DISTINCT c.table_name AS table FROM information_schema.columns c
     JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE'
       AND (c.column_name IN ('account_id', 'accounts', 'account_seq', 'source_seq') OR c.table_name = 'account')
     ORDER BY 1`,
  );
  return found.map(({ table }) => table);
}

async function rowsOf(world: World, marks: { words: string[]; account: string; sources: string[] }) {
  const tables = await world.rows<{ table: string; columns: string[] }>(
    `SELECT t.table_name AS table, array_agg(c.column_name::text) AS columns
     FROM information_schema.tables t JOIN information_schema.columns c USING (table_schema, table_name)
     WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' GROUP BY 1 ORDER BY 1`,
  );
  const left: Record<string, number> = {};
  for (const { table, columns } of tables) {
    const named = ['x::text LIKE ANY ($1)'];
    if (columns.includes('account_seq')) named.push('x.account_seq = $2::bigint');
    if (columns.includes('source_seq')) named.push('x.source_seq = ANY ($3::bigint[])');
    const values = [marks.words.map(word => `%${word}%`), marks.account, marks.sources];
    const used = 'SELECT $2::bigint, $3::bigint[]';
    const sql = `SELECT count(*)::int AS rows FROM "${table}" x, (${used}) v WHERE ${named.join(' OR ')}`;
    const [found] = await world.rows<{ rows: number }>(sql, values);
    if (found!.rows > 0) left[table] = found!.rows;
  }
  return left;
}

/** What all rows of an account hold, table by table. */
export async function contentsOf(world: World, accountId: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const table of await tablesOfAccounts(world)) {
    const sql = `SELECT coalesce(string_agg(x::text, E'\\n' ORDER BY x::text), '') AS text FROM "${table}" x WHERE x::text LIKE $1`;
    contents[table] = (await world.rows<{ text: string }>(sql, [`%${accountId}%`]))[0]!.text;
  }
  return contents;
}
