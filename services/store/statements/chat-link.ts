import { type Pepper, underEach } from '../secret.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** A contact whose chat is to be connected. */
export interface Linked {
  accountId: string;
  contactId: string;
}

/** A link as it is, by the database's time. */
export interface ChatLink {
  state: 'good' | 'taken' | 'expired';
  /** Display name of the account. */
  accountName: string;
}

/** Returns what is stored instead of a code, under each pepper, the one to store first. */
function codeDigests(pepper: Pepper, code: string): Buffer[] {
  return underEach(pepper, `chat link ${code}`);
}

const keepStatement: Statement<{ expiresAt: Date }> = {
  name: 'keep_chat_link',
  text: `
INSERT INTO chat_link (account_id, contact_id, digest, expires_at)
VALUES ($1, $2, $3, tocsin_now() + make_interval(secs => $4))
ON CONFLICT (account_id, contact_id) DO UPDATE SET digest = EXCLUDED.digest, expires_at = EXCLUDED.expires_at, taken_at = NULL
RETURNING expires_at AS "expiresAt"`,
};

const findStatement: Statement<Linked> = {
  name: 'find_chat_link',
  text: 'SELECT account_id AS "accountId", contact_id AS "contactId" FROM chat_link WHERE digest = ANY ($1)',
};

const readStatement: Statement<ChatLink> = {
  name: 'read_chat_link',
  text: `
SELECT a.name AS "accountName", CASE WHEN l.taken_at IS NOT NULL THEN 'taken' WHEN l.expires_at <= t.now THEN 'expired' ELSE 'good' END AS state
FROM chat_link l JOIN account a ON a.id = l.account_id CROSS JOIN (SELECT tocsin_now() AS now) t
WHERE l.account_id = $1 AND l.contact_id = $2 AND l.digest = ANY ($3)`,
};

const takeStatement: Statement<never> = {
  name: 'take_chat_link',
  text: 'UPDATE chat_link SET taken_at = tocsin_now() WHERE account_id = $1 AND contact_id = $2',
};

const connectedStatement: Statement<never> = {
  name: 'chat_connected',
  text: "UPDATE contact_channel SET connected_at = tocsin_now() WHERE account_id = $1 AND contact_id = $2 AND channel = 'chat' AND slot = $3",
};

/** Keeps the code of a new link in place of the one before. Returns until when it is good. */
export async function keepChatLink(
  db: Connection,
  pepper: Pepper,
  { accountId, contactId }: Linked,
  { code, goodS }: { code: string; goodS: number },
): Promise<Date> {
  const [kept] = await run(db, keepStatement, [accountId, contactId, codeDigests(pepper, code)[0]!, goodS]);
  return kept!.expiresAt;
}

/** Returns whose chat a code connects, whether it is still good or not; null: nobody's. The one statement here without an account. */
export async function findChatLink(db: Connection, pepper: Pepper, code: string): Promise<Linked | null> {
  return (await run(db, findStatement, [codeDigests(pepper, code)]))[0] ?? null;
}

/** Reads the link with a code of a contact; null: a newer one took its place. Call it under the account's lock, like takeChatLink. */
export async function readChatLink(
  db: Connection,
  pepper: Pepper,
  { accountId, contactId }: Linked,
  code: string,
): Promise<ChatLink | null> {
  return (await run(db, readStatement, [accountId, contactId, codeDigests(pepper, code)]))[0] ?? null;
}

export async function takeChatLink(db: Connection, { accountId, contactId }: Linked): Promise<void> {
  await run(db, takeStatement, [accountId, contactId]);
}

/** Keeps with a contact's chat that a link connected it: a file that names none leaves it (configuration/resources/contact.ts). */
export async function markConnected(db: Connection, { accountId, contactId }: Linked, slot: number): Promise<void> {
  await run(db, connectedStatement, [accountId, contactId, slot]);
}
