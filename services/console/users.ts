import { type Connection, run, type Statement } from '../store/statement.ts';
import type { ThingUser } from './errors.ts';
import type { ResourceKind } from './resource.ts';

/** Who still names one of the things $2 of account $1, once all of a change is written. */
const USERS: Partial<Record<ResourceKind, string>> = {
  location: `
SELECT CASE kind WHEN 'panic' THEN 'panic_button' ELSE 'alarm' END AS kind, id, key, name FROM source
WHERE account_id = $1 AND location_id = ANY ($2::text[]) AND deleted_at IS NULL ORDER BY seq`,
  policy: `
SELECT 'alarm' AS kind, s.id, s.key, s.name FROM source s
WHERE s.account_id = $1 AND s.id IN (
  SELECT m.source_id FROM mode m WHERE m.account_id = $1 AND m.policy_id = ANY ($2::text[]))
UNION ALL
SELECT 'panic_button', s.id, s.key, s.name FROM source s
WHERE s.account_id = $1 AND s.policy_id = ANY ($2::text[]) AND s.deleted_at IS NULL`,
  contact: `
SELECT 'policy' AS kind, p.id, p.key, p.name FROM policy p
WHERE p.account_id = $1 AND EXISTS (
  SELECT FROM jsonb_path_query(p.steps, '$[*].contacts[*].contactId') AS told WHERE told #>> '{}' = ANY ($2::text[]))
ORDER BY p.seq`,
  alarm: `
SELECT 'api_key' AS kind, k.id, k.key, k.label AS name FROM api_key k
WHERE k.account_id = $1 AND k.alarm_id = ANY ($2::text[]) AND k.revoked_at IS NULL ORDER BY k.seq`,
};

/** What still uses things that were deleted; empty where nothing does. */
export async function usersOf(
  on: Connection,
  accountId: string,
  kind: ResourceKind,
  ids: readonly string[],
): Promise<ThingUser[]> {
  const text = USERS[kind];
  if (text === undefined || ids.length === 0) return [];
  const statement: Statement<ThingUser> = { name: `console_users_of_${kind}`, text };
  return run(on, statement, [accountId, ids]);
}
