import { type ClientBase, escapeIdentifier } from 'pg';
import type { Connection } from './statement.ts';

/*
 * Who may do what in the database (DECISIONS.md "Database roles"). One role owns the schema and migrates; the product
 * may run as another that only reads and writes rows. The few other things it needs are functions of the owner
 * (schema/of-owner.ts).
 */

const ROWS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

type Right = (typeof ROWS)[number];

/** Tables on which the product has fewer rights than on the others. */
const FEWER: Readonly<Record<string, readonly Right[]>> = {
  // Deletion goes through a function of the owner, which leaves a row behind (schema/audit.ts).
  account: ['SELECT', 'INSERT', 'UPDATE'],
  audit: ['SELECT', 'INSERT'],
  deleted_account: ['SELECT', 'UPDATE'],
  secret_proof: ['SELECT', 'INSERT', 'UPDATE'],
  migration: ['SELECT'],
};

/** A table (`r`, partitioned `p`), view (`v`) or sequence (`S`) of the owner. */
interface Relation {
  name: string;
  /** The name as SQL writes it. */
  written: string;
  kind: 'r' | 'p' | 'v' | 'S';
}

function rightsOn({ name, kind }: Pick<Relation, 'name' | 'kind'>): readonly Right[] {
  return kind === 'v' ? ['SELECT'] : (FEWER[name] ?? ROWS);
}

const relationsSql = `
SELECT c.relname AS name, c.oid::regclass::text AS written, c.relkind AS kind FROM pg_class c
WHERE c.relowner = current_user::regrole AND c.relkind IN ('r', 'p', 'v', 'S')
  AND c.relnamespace::regnamespace::text = ANY (SELECT quote_ident(s) FROM unnest(current_schemas(false)) s)
ORDER BY 1`;

const functionsSql = `
SELECT p.oid::regprocedure::text AS written FROM pg_proc p
WHERE p.proowner = current_user::regrole AND p.prosecdef
  AND p.pronamespace::regnamespace::text = ANY (SELECT quote_ident(s) FROM unnest(current_schemas(false)) s)`;

/**
 * Grants the product's role what it needs and revokes everything beyond that. Call it after the migrations, under their
 * lock, on a connection of the owner. Does nothing if both are the same role. Throws if the tables do not belong to
 * this connection's role, and database errors.
 */
export async function grantRights(client: Pick<ClientBase, 'query'>, role: string): Promise<void> {
  const { rows } = await client.query<{ owner: string; schema: string }>(
    'SELECT current_user AS owner, quote_ident(current_schema()) AS schema',
  );
  const { owner, schema } = rows[0]!;
  if (owner === role) return;
  const relations = (await client.query<Relation>(relationsSql)).rows;
  if (!relations.some(({ name }) => name === 'migration')) {
    throw new Error(
      `the user "${owner}" of MIGRATE_DATABASE_URL does not own the tables of Tocsin: name the user that made them there, and "${role}" or another one in DATABASE_URL`,
    );
  }
  const functions = (await client.query<Pick<Relation, 'written'>>(functionsSql)).rows;
  const to = escapeIdentifier(role);
  const list = (things: readonly Pick<Relation, 'written'>[]) => things.map(({ written }) => written).join(', ');
  const sequences = relations.filter(({ kind }) => kind === 'S');
  const tables = relations.filter(({ kind }) => kind !== 'S');
  const byRights = Object.groupBy(tables, table => rightsOn(table).join(', '));
  // One query, so one transaction: processes running as this role keep what they need throughout.
  const statements = [
    `GRANT USAGE ON SCHEMA ${schema} TO ${to}`,
    `REVOKE ALL ON TABLE ${list(tables)} FROM ${to}`,
    ...Object.entries(byRights).map(([rights, named = []]) => `GRANT ${rights} ON TABLE ${list(named)} TO ${to}`),
    `GRANT USAGE, SELECT ON SEQUENCE ${list(sequences)} TO ${to}`,
    `GRANT EXECUTE ON FUNCTION ${list(functions)} TO ${to}`,
    // Objects that the next version creates are usable at once.
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT ${ROWS.join(', ')} ON TABLES TO ${to}`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${schema} GRANT USAGE, SELECT ON SEQUENCES TO ${to}`,
  ];
  await client.query(statements.join(';\n'));
}

const grantedSql = `
WITH made AS (SELECT relowner AS owner, relnamespace AS schema FROM pg_class WHERE oid = to_regclass('migration'))
SELECT c.relname AS name, c.relkind AS kind, ARRAY(
  SELECT r FROM unnest($1::text[]) r WHERE has_table_privilege(c.oid, r)) AS rights
FROM made m JOIN pg_class c ON c.relowner = m.owner AND c.relnamespace = m.schema
WHERE c.relkind IN ('r', 'p', 'v')
UNION ALL
SELECT p.proname, 'f', CASE WHEN has_function_privilege(p.oid, 'EXECUTE') THEN ARRAY['EXECUTE'] ELSE '{}' END
FROM made m JOIN pg_proc p ON p.proowner = m.owner AND p.pronamespace = m.schema WHERE p.prosecdef
ORDER BY 1`;

/** A database object and the rights this role has on it. */
interface Granted {
  name: string;
  kind: Relation['kind'] | 'f';
  rights: string[];
}

/** A right that the product lacks, and on what. */
export interface MissingRight {
  right: string;
  on: string;
}

/**
 * Returns the first right that the product needs but the connection's role lacks; `all` if it does not even find the
 * tables.
 */
export async function missingRight(on: Connection): Promise<MissingRight | 'all' | null> {
  const { rows } = await on.query<Granted>(grantedSql, [[...ROWS]]);
  if (rows.length === 0) return 'all';
  for (const { name, kind, rights } of rows) {
    const needed = kind === 'f' ? ['EXECUTE'] : rightsOn({ name, kind });
    const missing = needed.find(right => !rights.includes(right));
    if (missing !== undefined) return { right: missing, on: name };
  }
  return null;
}

/**
 * The power of the product's role: it may read and write rows, or owns the tables too, or may do anything on the
 * server.
 */
export type DatabaseRole = 'rows_only' | 'owner' | 'superuser';

/** Returns the power of a connection's role. */
export async function readRole(on: Connection): Promise<DatabaseRole> {
  const { rows } = await on.query<{ role: DatabaseRole }>(`
SELECT CASE WHEN r.rolsuper THEN 'superuser' WHEN pg_has_role(m.relowner, 'USAGE') THEN 'owner' ELSE 'rows_only' END AS role
FROM pg_class m, pg_roles r WHERE m.oid = to_regclass('migration') AND r.rolname = current_user`);
  return rows[0]!.role;
}
