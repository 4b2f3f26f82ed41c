import type { Pool } from 'pg';
import type { ChannelKind } from '../../../domain/delivery.ts';
import {
  channelsToContact,
  LAST_LINE,
  type NoticeKind,
  OVER_EVERY_CHANNEL,
  recipientsOf,
} from '../../../domain/notice.ts';
import type { Plan } from '../../../domain/plan.ts';
import { type CopiedAddress, channelsOf, meansOf, wouldReach } from '../../../domain/reach.ts';
import { type Columns, namesOf, rowsOf } from '../../../store/columns.ts';
import { newId } from '../../../store/id.ts';
import type { Seal } from '../../../store/seal.ts';
import { type Connection, inTransaction, run, type Statement } from '../../../store/statement.ts';

/** How many notices one transaction plans, those of the last line first. */
const BATCH = 100;

/** A notice of which it was decided to whom it goes. */
export interface PlannedNotice {
  accountId: string;
  id: string;
  kind: NoticeKind;
  /** The contact to whom it goes; null: to the owners. */
  contactId: string | null;
  /** How many deliveries it has; 0: nobody listens. */
  deliveries: number;
}

const anyStatement: Statement<{ kind: NoticeKind }> = {
  name: 'any_unplanned_notice',
  text: 'SELECT kind FROM notice WHERE planned_at IS NULL LIMIT 1',
};

const takeStatement: Statement<Omit<PlannedNotice, 'deliveries'>> = {
  name: 'take_unplanned_notices',
  text: `
WITH taken AS (
  UPDATE notice n SET planned_at = tocsin_now() FROM (
    SELECT account_id, id FROM notice WHERE planned_at IS NULL ORDER BY kind = ANY ($1::text[]) DESC, seq LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
  ) u WHERE n.account_id = u.account_id AND n.id = u.id
  RETURNING n.*
)
SELECT account_id AS "accountId", id, kind, contact_id AS "contactId" FROM taken ORDER BY seq`,
};

/** `email` is sealed. */
const ownersStatement: Statement<{ accountId: string; memberId: string; email: string }> = {
  name: 'listening_owners',
  text: `
SELECT account_id AS "accountId", id AS "memberId", email FROM member
WHERE account_id = ANY ($1::text[]) AND role = 'owner' AND confirmed_at IS NOT NULL ORDER BY seq`,
};

/** A contact with a verified email and another verified channel. Addresses are sealed. */
interface ContactRow {
  now: Date;
  accountId: string;
  contactId: string;
  plan: Plan;
  createdAt: Date;
  email: string;
  addresses: CopiedAddress[];
}

const contactsStatement: Statement<ContactRow> = {
  name: 'listening_contacts',
  text: `
SELECT tocsin_now() AS now, a.id AS "accountId", c.id AS "contactId", a.plan, a.created_at AS "createdAt", e.address AS email,
  json_agg(json_build_object('channel', o.channel, 'via', o.via, 'address', o.address) ORDER BY o.position) AS addresses
FROM account a
JOIN contact c ON c.account_id = a.id
JOIN contact_channel e ON e.account_id = c.account_id AND e.contact_id = c.id AND e.channel = 'email' AND e.verified_at IS NOT NULL
JOIN contact_channel o ON o.account_id = c.account_id AND o.contact_id = c.id AND o.channel <> 'email'
  AND o.verified_at IS NOT NULL AND o.disabled_reason IS NULL
WHERE a.id = ANY ($1::text[])
GROUP BY a.id, c.account_id, c.id, e.address ORDER BY c.seq`,
};

interface DeliveryRow {
  accountId: string;
  id: string;
  noticeId: string;
  kind: NoticeKind;
  memberId: string | null;
  contactId: string | null;
  channel: ChannelKind;
}

const DELIVERY: Columns<DeliveryRow> = {
  accountId: 'text',
  id: 'text',
  noticeId: 'text',
  kind: 'text',
  memberId: 'text',
  contactId: 'text',
  channel: 'text',
};

const writeStatement: Statement<never> = {
  name: 'write_notice_deliveries',
  text: `INSERT INTO notice_delivery (${namesOf(DELIVERY)}) SELECT ${namesOf(DELIVERY)} FROM ${rowsOf(DELIVERY)}`,
};

/**
 * Decides to whom new notices go (domain/notice.ts `recipientsOf`): to the owners as they are now, or to the contact that they name. Each notice is planned
 * once, by whichever process looks first. Returns those planned; `left`: whether there may be more.
 */
export async function planNotices(
  pool: Pool,
  on: { seal: Seal; carriers: readonly ChannelKind[] },
): Promise<{ planned: PlannedNotice[]; left: 'some' | 'none' }> {
  if ((await run(pool, anyStatement, [])).length === 0) return { planned: [], left: 'none' };
  return inTransaction(pool, async client => {
    const notices = await run(client, takeStatement, [LAST_LINE]);
    const listeners = await readListeners(client, on, notices);
    const channelsOf = await readContacts(client, on.carriers, notices);
    const deliveries = notices.flatMap(({ accountId, id: noticeId, kind, contactId }): DeliveryRow[] => {
      if (contactId !== null) {
        const to = { accountId, noticeId, kind, memberId: null, contactId };
        return channelsOf({ accountId, contactId, kind }).map(channel => ({ ...to, id: newId(), channel }));
      }
      const { owners, contacts } = listeners(accountId);
      return recipientsOf(kind, owners, contacts).map(to => ({ accountId, id: newId(), noticeId, kind, ...to }));
    });
    if (deliveries.length > 0) await run(client, writeStatement, [JSON.stringify(deliveries)]);
    const counts = Map.groupBy(deliveries, ({ noticeId }) => noticeId);
    const planned = notices.map(notice => ({ ...notice, deliveries: counts.get(notice.id)?.length ?? 0 }));
    return { planned, left: notices.length === BATCH ? 'some' : 'none' };
  });
}

const toldStatement: Statement<{
  now: Date;
  accountId: string;
  contactId: string;
  plan: Plan;
  createdAt: Date;
  addresses: CopiedAddress[];
}> = {
  name: 'told_contacts',
  text: `
SELECT tocsin_now() AS now, a.id AS "accountId", cc.contact_id AS "contactId", a.plan, a.created_at AS "createdAt",
  json_agg(json_build_object('channel', cc.channel, 'via', cc.via, 'address', cc.address, 'verification',
    CASE WHEN cc.verified_at IS NULL THEN 'not_verified' ELSE 'verified' END) ORDER BY cc.position) AS addresses
FROM unnest($1::text[], $2::text[]) AS told (account_id, contact_id)
JOIN account a ON a.id = told.account_id
JOIN contact_channel cc ON cc.account_id = told.account_id AND cc.contact_id = told.contact_id AND cc.disabled_reason IS NULL
GROUP BY a.id, cc.contact_id`,
};

/** Returns over what the contacts of notices that go to contacts are told. */
async function readContacts(
  client: Connection,
  carriers: readonly ChannelKind[],
  notices: readonly Pick<PlannedNotice, 'accountId' | 'contactId'>[],
) {
  const named = new Map(
    notices.flatMap(({ accountId, contactId }) =>
      contactId === null ? [] : [[`${accountId}/${contactId}`, { accountId, contactId }]],
    ),
  );
  const told = [...named.values()];
  const values = [told.map(({ accountId }) => accountId), told.map(({ contactId }) => contactId)];
  const rows = told.length === 0 ? [] : await run(client, toldStatement, values);
  const channels = new Map(
    rows.map(({ accountId, contactId, addresses, plan, createdAt, now }) => {
      const means = meansOf({ plan, accountCreatedAt: createdAt.getTime() }, carriers);
      const over = (kind: NoticeKind) => channelsToContact(kind, { addresses }, means, now.getTime());
      return [`${accountId}/${contactId}`, over];
    }),
  );
  return ({ accountId, contactId, kind }: { accountId: string; contactId: string; kind: NoticeKind }) =>
    channels.get(`${accountId}/${contactId}`)?.(kind) ?? [];
}

/** Returns the owners who listen in each account, and where a notice goes further than by mail the contacts. */
async function readListeners(
  client: Connection,
  { seal, carriers }: { seal: Seal; carriers: readonly ChannelKind[] },
  notices: readonly { accountId: string; kind: NoticeKind }[],
) {
  const accounts = [...new Set(notices.map(({ accountId }) => accountId))];
  const owners = Map.groupBy(await run(client, ownersStatement, [accounts]), ({ accountId }) => accountId);
  const further = notices.filter(({ kind, accountId }) => OVER_EVERY_CHANNEL.includes(kind) && owners.has(accountId));
  const among = [...new Set(further.map(({ accountId }) => accountId))];
  const rows = among.length === 0 ? [] : await run(client, contactsStatement, [among]);
  const contacts = Map.groupBy(rows, ({ accountId }) => accountId);
  /** An address that cannot be opened keeps no other notice waiting: who it is for gets mail alone, or fails there. */
  const openedOr = (otherwise: string, sealed: string) => {
    try {
      return seal.open(sealed);
    } catch {
      return otherwise;
    }
  };
  return (accountId: string) => ({
    owners: (owners.get(accountId) ?? []).map(({ memberId, email }) => ({ memberId, email: openedOr('', email) })),
    contacts: (contacts.get(accountId) ?? []).map(({ contactId, email, addresses, plan, createdAt, now }) => {
      const means = meansOf({ plan, accountCreatedAt: createdAt.getTime() }, carriers);
      const works = (channel: ChannelKind) => wouldReach({ addresses }, channel, means, now.getTime()) === 'goes';
      return {
        contactId,
        email: openedOr('unknown', email),
        channels: channelsOf({ addresses }).filter(works),
      };
    }),
  });
}
