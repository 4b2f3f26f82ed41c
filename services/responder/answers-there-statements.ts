import type { AnswersThere } from '../channels/channel.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';

/** A message whose carrier is to be asked about it. */
export interface Answerable {
  accountId: string;
  id: string;
  /** Null: nothing came back of any of its tries there. */
  providerRef: string | null;
  /**
   * `last_answer`: a later message took over, or it no longer rings: it is asked for once more, and quieted. `quiet`: nobody has to answer it any
   * more, and it may still ring.
   */
  wanted: 'answer' | 'last_answer' | 'quiet';
}

/** How many messages one look claims: they are asked one after the other. */
export const CLAIMED_MOST = 20;

/**
 * Claims messages for one question each: another process finds them again only $2 seconds later. Whichever was not asked for longest comes first,
 * so that none waits behind those of others forever. One that is older than $3 seconds no longer rings. $4: AnswersThere `asks`.
 */
const claimStatement: Statement<Answerable> = {
  name: 'claim_answerable',
  text: `
WITH t AS (SELECT tocsin_now() AS now), found AS (
  SELECT d.account_id, d.id FROM delivery d, t
  WHERE d.asked_at < 'infinity' AND d.asked_at <= t.now - make_interval(secs => $2) AND d.asked_of = $1
    AND CASE WHEN $4 = 'while_open' THEN true ELSE (SELECT i.status <> 'open' OR i.acknowledged_at IS NOT NULL
      FROM incident i WHERE i.account_id = d.account_id AND i.id = d.incident_id) END
  ORDER BY d.asked_at LIMIT ${CLAIMED_MOST}
  FOR UPDATE OF d SKIP LOCKED
), claimed AS (
  UPDATE delivery d SET asked_at = t.now FROM found f, t WHERE d.account_id = f.account_id AND d.id = f.id
  RETURNING d.account_id, d.id, CASE WHEN d.carrier = $1 THEN d.provider_ref END AS provider_ref, d.incident_id, d.contact_id, d.channel, d.seq, d.sent_at,
    CASE WHEN coalesce(d.sent_at, d.first_attempt_at) < t.now - make_interval(secs => $3) THEN 'over' ELSE 'rings' END AS stands
)
SELECT c.account_id AS "accountId", c.id, c.provider_ref AS "providerRef",
  CASE WHEN i.status <> 'open' OR i.acknowledged_at IS NOT NULL THEN 'quiet'
    WHEN c.stands = 'over' OR EXISTS (
      SELECT FROM delivery o WHERE o.account_id = c.account_id AND o.incident_id = c.incident_id AND o.contact_id = c.contact_id
        AND o.channel = c.channel AND o.kind = 'alert' AND o.asked_at IS NOT NULL AND o.id <> c.id
        AND (o.sent_at, o.seq) > (c.sent_at, c.seq)
    ) THEN 'last_answer' ELSE 'answer' END AS wanted
FROM claimed c JOIN incident i ON i.account_id = c.account_id AND i.id = c.incident_id
ORDER BY c.sent_at DESC`,
};

/** Nothing more comes of a message. */
const settleStatement: Statement<never> = {
  name: 'settle_answerable',
  text: "UPDATE delivery SET asked_at = 'infinity' WHERE account_id = $1 AND id = $2 AND asked_at IS NOT NULL",
};

/** Claims messages of a carrier for one question each. */
export function claimAnswerable(
  db: Connection,
  carrier: string,
  { everyS, forS, asks }: Pick<AnswersThere, 'everyS' | 'forS' | 'asks'>,
): Promise<Answerable[]> {
  return run(db, claimStatement, [carrier, everyS, forS, asks]);
}

export async function settleAnswerable(db: Connection, { accountId, id }: Answerable): Promise<void> {
  await run(db, settleStatement, [accountId, id]);
}
