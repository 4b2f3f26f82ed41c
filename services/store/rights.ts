import { type ClientBase, escapeIdentifier } from 'pg';
import type { Connection } from './statement.ts';

/*
 * Who may do what in the database (DECISIONS.md "Database roles"). One role owns what is in it and migrates; the product may be
 * another one, which reads and writes rows and no more. What it may not do but needs stands in functions of the owner
 * (migrations/20261122-roles.ts).
 */

const ROWS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

type Right = (typeof ROWS)[number];

/** Tables of which the product may do less than with the others. */
const FEWER: Readonly<Record<string, readonly Right[]>> = {
  // Deleting one leaves a line of its own (migrations/20261122-audit.ts), by a function of the owner's.
  account: ['SELECT', 'INSERT', 'UPDATE'],
  audit: ['SELECT', 'INSERT'],
  deleted_account: ['SELECT', 'UPDATE'],
  secret_proof: ['SELECT', 'INSERT'],
  migration: ['SELECT'],
};

/** A table (`r`, partitioned `p`), view (`v`) or sequence (`S`) of the owner's. */
interface Relation {
  name: string;
  /** As SQL writes it. */
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
 * Grants the product's role what it needs of all that the owner has made, and takes from it what it had beyond that. Belongs
 * after the migrations, under their lock, on a connection of the owner's. Does nothing where both are the same role. Throws where
 * the tables are not those of this connection's role, or the database does.
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
  // In one breath, so in one transaction: who runs as this role meanwhile always has what it needs.
  const statements = [
    `GRANT USAGE ON SCHEMA ${schema} TO ${to}`,
    `REVOKE ALL ON TABLE ${list(tables)} FROM ${to}`,
    ...Object.entries(byRights).map(([rights, named = []]) => `GRANT ${rights} ON TABLE ${list(named)} TO ${to}`),
    `GRANT USAGE, SELECT ON SEQUENCE ${list(sequences)} TO ${to}`,
    `GRANT EXECUTE ON FUNCTION ${list(functions)} TO ${to}`,
    // What the next version makes can be used the moment it is there.
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

/** Something in the database, and what of it this role may do. */
interface Granted {
  name: string;
  kind: Relation['kind'] | 'f';
  rights: string[];
}

/** A right that the product needs, and on what of the owner's. */
export interface MissingRight {
  right: string;
  on: string;
}

/** The first right that the product needs and the role of a connection has not; `all`: it does not even find the tables. */
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

/** What the product's role is: it may read and write rows, or owns the tables too, or may do anything on the server. */
export type Role = 'rows_only' | 'owner' | 'superuser';

/** What the role of a connection is. */
export async function readRole(on: Connection): Promise<Role> {
  const { rows } = await on.query<{ role: Role }>(`
SELECT CASE WHEN r.rolsuper THEN 'superuser' WHEN pg_has_role(m.relowner, 'USAGE') THEN 'owner' ELSE 'rows_only' END AS role
FROM pg_class m, pg_roles r WHERE m.oid = to_regclass('migration') AND r.rolname = current_user`);
  return rows[0]!.role;
}
