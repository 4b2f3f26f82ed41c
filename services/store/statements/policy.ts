import type { ChannelKind } from '../../domain/delivery.ts';
import type { ContactCopy, PolicyCopy } from '../../domain/escalation.ts';
import type { ModeId } from '../../domain/mode.ts';
import type { PolicyStep } from '../entities/policy.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** Which policy to read: that of a mode, or with null that of a panic button. */
export interface WantedPolicy {
  accountId: string;
  sourceId: string;
  mode: ModeId | null;
}

/** What an incident copies, as it is now: the policy, the mode's display name, and where its source is. */
export interface FoundPolicy extends WantedPolicy {
  modeName: string | null;
  locationName: string;
  locationAddress: string;
  /** Null if none is bound, or the stored one cannot be read. */
  policy: PolicyCopy | null;
  /** Why it cannot be read. */
  fault?: unknown;
}

/** A policy with the people it names. */
export interface PolicyRow {
  name: string;
  steps: PolicyStep[];
  repeat: number;
  repeatDelayS: number;
  contacts: Omit<ContactCopy, 'channels'>[] | null;
}

type Row = Omit<FoundPolicy, 'policy' | 'fault'> & PolicyRow & { id: string | null };

/** The columns of the policy `p` as PolicyRow. */
export const POLICY = 'p.id, p.name, p.steps, p.repeat, p.repeat_delay_s AS "repeatDelayS", people.contacts';

/** The people that the policy `p` names, with their usable addresses and the channels that are switched off. */
export const PEOPLE = `
LEFT JOIN LATERAL (
  SELECT json_agg(json_build_object(
    'id', c.id, 'key', c.key, 'name', c.name, 'locale', c.locale, 'timeZone', c.time_zone, 'voice', c.voice,
    'addresses', (
      SELECT coalesce(json_agg(json_build_object('channel', cc.channel, 'address', cc.address, 'verification',
          CASE WHEN cc.verified_at IS NULL THEN 'not_verified' ELSE 'verified' END) ORDER BY cc.position), '[]')
      FROM contact_channel cc
      WHERE cc.account_id = c.account_id AND cc.contact_id = c.id AND cc.disabled_reason IS NULL
    ),
    'disabled', (
      SELECT coalesce(json_agg(cc.channel ORDER BY cc.position), '[]') FROM contact_channel cc
      WHERE cc.account_id = c.account_id AND cc.contact_id = c.id AND cc.disabled_reason IS NOT NULL
    )
  )) AS contacts
  FROM contact c
  WHERE c.account_id = p.account_id AND c.id IN (
    SELECT told ->> 'contactId' FROM jsonb_path_query(p.steps, '$[*].contacts[*]') AS told
  )
) people ON true`;

const readPoliciesStatement: Statement<Row> = {
  name: 'read_policies',
  text: `
SELECT wanted.account_id AS "accountId", wanted.source_id AS "sourceId", wanted.mode, m.name AS "modeName",
  l.name AS "locationName", l.address AS "locationAddress", ${POLICY}
FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (account_id, source_id, mode)
JOIN source s ON s.account_id = wanted.account_id AND s.id = wanted.source_id
JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
LEFT JOIN mode m ON m.account_id = s.account_id AND m.source_id = s.id AND m.id = wanted.mode
LEFT JOIN policy p ON p.account_id = s.account_id
  AND p.id = CASE s.kind WHEN 'alarm' THEN m.policy_id ELSE s.policy_id END${PEOPLE}`,
};

/** Reads policies with the people they name. `policy` is null if the mode is gone or has none bound. */
export async function readPolicies(db: Connection, wanted: readonly WantedPolicy[]): Promise<FoundPolicy[]> {
  const rows = await run(db, readPoliciesStatement, [
    wanted.map(policy => policy.accountId),
    wanted.map(policy => policy.sourceId),
    wanted.map(policy => policy.mode),
  ]);
  return rows.map(({ accountId, sourceId, mode, modeName, locationName, locationAddress, ...policy }) => {
    return { accountId, sourceId, mode, modeName, locationName, locationAddress, ...readable(policy) };
  });
}

/** A policy that cannot be read is a problem of its source only, not of everything read along with it. */
function readable(row: PolicyRow & Pick<Row, 'id'>): Pick<FoundPolicy, 'policy' | 'fault'> {
  try {
    return { policy: row.id === null ? null : copyOf(row, row.id) };
  } catch (fault) {
    return { policy: null, fault };
  }
}

/** Returns the policy as an incident keeps it. */
export function copyOf(row: PolicyRow, id: string): PolicyCopy {
  const people = new Map((row.contacts ?? []).map(contact => [contact.id, contact]));
  const told = (contactId: string, channels: ChannelKind[]): ContactCopy[] => {
    const contact = people.get(contactId);
    // A contact deleted since is left out; the console refuses to delete one that a policy names.
    return contact === undefined ? [] : [{ ...contact, channels }];
  };
  return {
    id,
    name: row.name,
    repeat: row.repeat,
    repeatDelayS: row.repeatDelayS,
    steps: row.steps.map(step => ({
      delayS: step.delayS,
      contacts: step.contacts.flatMap(contact => told(contact.contactId, contact.channels)),
    })),
  };
}
