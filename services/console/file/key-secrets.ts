import { isGuessableSecret, secretDigest } from '../../store/secret.ts';
import { type Connection, run, type Statement } from '../../store/statement.ts';
import type { Problem } from './problem.ts';
import type { FileThing } from './things.ts';

/** What becomes of the secret of an API key of the file. */
export type SecretChange = 'as_it_was' | 'minted' | 'first' | 'another';

const takenStatement: Statement<{ digest: string; key_id: string; state: 'living' | 'ended' }> = {
  name: 'taken_key_secrets',
  // A secret is one key's in the whole deployment, so this cannot be asked of one account alone; it tells of no other.
  text: `
SELECT encode(digest, 'hex') AS digest, CASE account_id WHEN $1 THEN key_id ELSE '' END AS key_id,
  CASE WHEN ends_at IS NULL OR ends_at > tocsin_now() THEN 'living' ELSE 'ended' END AS state
FROM api_key_secret WHERE digest = ANY ($2::bytea[])`,
};

/** What becomes of the secret of each API key, by the key's id, and which secrets cannot be taken. */
export async function secretChanges(
  on: Connection,
  pepper: string,
  accountId: string,
  keys: readonly { thing: FileThing; id: string; isNew: 'new' | 'known' }[],
): Promise<{ changes: Map<string, SecretChange>; problems: Problem[] }> {
  const digests = new Map(
    keys.flatMap(({ thing, id }) => (thing.secret ? [[id, secretDigest(pepper, thing.secret.secret)] as const] : [])),
  );
  const rows = digests.size === 0 ? [] : await run(on, takenStatement, [accountId, [...digests.values()]]);
  const taken = new Map(rows.map(row => [row.digest, row]));

  const changes = new Map<string, SecretChange>();
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const { thing, id, isNew } of keys) {
    const digest = digests.get(id)?.toString('hex');
    if (digest === undefined) {
      changes.set(id, isNew === 'new' ? 'minted' : 'as_it_was');
      continue;
    }
    const had = taken.get(digest);
    if (had?.key_id === id && had.state === 'living' && !seen.has(digest)) changes.set(id, 'as_it_was');
    else if (had !== undefined || seen.has(digest)) problems.push(alreadyHad(thing));
    // One that is stored goes on: cameras call with it.
    else if (isGuessableSecret(thing.secret!.secret)) problems.push(guessable(thing));
    else changes.set(id, isNew === 'new' ? 'first' : 'another');
    seen.add(digest);
  }
  return { changes, problems };
}

function alreadyHad(thing: FileThing): Problem {
  const { reference } = thing.secret!;
  return problemOf(thing, `takes a secret that no API key ever had, got one from ${reference} that one has or had.`);
}

function guessable(thing: FileThing): Problem {
  const { reference } = thing.secret!;
  const takes = 'takes an API key whose 30 characters after "toc_" are random, of letters in both cases and digits';
  const todo = 'Leave the secret out, and a random one is made and shown once.';
  return problemOf(thing, `${takes}, got one from ${reference} that can be guessed. ${todo}`);
}

function problemOf({ field, secret }: FileThing, problem: string): Problem {
  const { line, column } = secret!;
  return { line, column, field: `${field}.secret`, problem, didYouMean: '' };
}
