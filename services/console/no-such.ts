import type { ConnectError } from '@connectrpc/connect';
import { suggestion } from '../process/suggest.ts';
import { type Connection, run } from '../store/statement.ts';
import { noSuch } from './errors.ts';
import { keyFrom } from './fields.ts';
import type { ResourceKind } from './resource.ts';

/** What may be named by its key. `source`: an alarm or a panic button. */
type Named = ResourceKind | 'source';

/** The keys of the living things of account $1, the newest first. */
const KEYS: Record<Named, string> = {
  location: 'SELECT key FROM location WHERE account_id = $1 AND deleted_at IS NULL ORDER BY seq DESC',
  contact: 'SELECT key FROM contact WHERE account_id = $1 ORDER BY seq DESC',
  policy: 'SELECT key FROM policy WHERE account_id = $1 ORDER BY seq DESC',
  source: 'SELECT key FROM source WHERE account_id = $1 AND deleted_at IS NULL ORDER BY seq DESC',
  alarm: "SELECT key FROM source WHERE account_id = $1 AND kind = 'alarm' AND deleted_at IS NULL ORDER BY seq DESC",
  panic_button:
    "SELECT key FROM source WHERE account_id = $1 AND kind = 'panic' AND deleted_at IS NULL ORDER BY seq DESC",
  api_key: 'SELECT key FROM api_key WHERE account_id = $1 ORDER BY seq DESC',
};

/** Among how many things what was meant is looked for. */
const LOOKED_AT = 2_000;

/** The key of the account's own that was probably meant; empty: nothing comes near. */
export async function nearKey(on: Connection, accountId: string, kind: Named, named: string): Promise<string> {
  const statement = { name: `console_keys_${kind}`, text: `${KEYS[kind]} LIMIT ${LOOKED_AT}` };
  const rows = await run<{ key: string }>(on, statement, [accountId]);
  const keys = new Set(rows.map(({ key }) => key));
  // A name in the place of the key, such as "The Elms".
  const asKey = keyFrom(named.slice(0, 100));
  return keys.has(asKey) ? asKey : suggestion(asKey, keys);
}

/** NOT_FOUND for what was named, with what was probably meant. The same words for what is somebody else's. */
export async function noSuchThing(
  on: Connection,
  accountId: string,
  { kind, word }: { kind: Named; word: string },
  named: string,
): Promise<ConnectError> {
  return noSuch(word, await nearKey(on, accountId, kind, named));
}

/** An alarm or a panic button, where either will do. */
export const SOURCE = { kind: 'source', word: 'alarm or panic button' } as const;
