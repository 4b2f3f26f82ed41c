import type { Duty } from '../../domain/duty.ts';
import type { PolicyNow, ToldDuty } from '../../domain/duty-told.ts';
import type { ContactCopy } from '../../domain/escalation.ts';
import type { ModeId } from '../../domain/mode.ts';
import { createLru } from '../../process/lru.ts';
import type { PolicyContact, PolicyStep } from '../entities/policy.ts';
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
  policy: PolicyNow | null;
  /** Why it cannot be read. */
  fault?: unknown;
}

/** A policy with the people and the duties it names, and the people whom those name. */
export interface PolicyRow {
  name: string;
  steps: PolicyStep[];
  repeat: number;
  repeatDelayS: number;
  askAgainAfterS: number;
  contacts: Omit<ContactCopy, 'channels'>[] | null;
  /** `said`: a Duty as JSON text. */
  duties: (Pick<ToldDuty, 'id' | 'key' | 'name'> & { said: string })[] | null;
}

type Row = Omit<FoundPolicy, 'policy' | 'fault'> & PolicyRow & { id: string | null };

/** The columns of the policy `p` as PolicyRow. */
export const POLICY =
  'p.id, p.name, p.steps, p.repeat, p.repeat_delay_s AS "repeatDelayS", p.ask_again_after_s AS "askAgainAfterS", people.contacts, named.duties';

/** The contact `c` as an incident copies it, without the channels that its step names: its usable addresses, and what is switched off. */
export const CONTACT = `json_build_object(
  'id', c.id, 'key', c.key, 'name', c.name, 'locale', c.locale, 'timeZone', c.time_zone, 'voice', c.voice,
  'addresses', (
    SELECT coalesce(json_agg(json_build_object('channel', cc.channel, 'slot', cc.slot, 'via', cc.via, 'address', cc.address, 'verification',
        CASE WHEN cc.verified_at IS NULL THEN 'not_verified' ELSE 'verified' END) ORDER BY cc.position), '[]')
    FROM contact_channel cc
    WHERE cc.account_id = c.account_id AND cc.contact_id = c.id AND cc.disabled_reason IS NULL
  ),
  'disabled', (
    SELECT coalesce(json_agg(cc.channel ORDER BY cc.position), '[]') FROM contact_channel cc
    WHERE cc.account_id = c.account_id AND cc.contact_id = c.id AND cc.disabled_reason IS NOT NULL
  )
  )`;

/** The people that the policy `p` names, itself or by a duty, with their usable addresses and the channels that are switched off. */
export const PEOPLE = `
LEFT JOIN LATERAL (
  SELECT json_agg(json_build_object('id', d.id, 'key', d.key, 'name', d.name, 'said', json_build_object(
      'timeZone', d.time_zone, 'hours', d.hours, 'otherwise', d.otherwise, 'except', d.exceptions)::text)) AS duties,
    string_to_array(string_agg(array_to_string(d.contact_ids, ','), ','), ',') AS contact_ids
  FROM duty d WHERE d.account_id = p.account_id AND d.id = ANY (ARRAY(
    SELECT named #>> '{}' FROM jsonb_path_query(p.steps, '$[*].contacts[*].dutyId ? (@ != "")') AS named))
) named ON true
LEFT JOIN LATERAL (
  SELECT json_agg(${CONTACT}) AS contacts
  FROM contact c
  WHERE c.account_id = p.account_id AND c.id IN (
    SELECT told ->> 'contactId' FROM jsonb_path_query(p.steps, '$[*].contacts[*]') AS told
    UNION ALL SELECT unnest(named.contact_ids)
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

/**
 * Duties by what they say, as many as are asked for at a time. By their text and by no version: a database that went back gives a
 * version away twice.
 */
const readDuties = createLru<string, Duty>(500);

/** The same text gives the same object, for which who is on duty when is worked out once (domain/on-duty.ts). */
function dutyOf(said: string): Duty {
  const made = readDuties.get(said) ?? (JSON.parse(said) as Duty);
  readDuties.set(said, made);
  return made;
}

/** Returns the policy as it stands. */
export function copyOf(row: PolicyRow, id: string): PolicyNow {
  const people = new Map((row.contacts ?? []).map(contact => [contact.id, contact]));
  const duties = new Map((row.duties ?? []).map(duty => [duty.id, duty]));
  const told = ({ contactId, dutyId, channels }: PolicyContact): (ContactCopy | ToldDuty)[] => {
    const contact = people.get(contactId ?? '');
    if (contact !== undefined) return [{ ...contact, channels }];
    const duty = duties.get(dutyId ?? '');
    // What was deleted since is left out; the console refuses to delete what a policy names.
    if (duty === undefined) return [];
    const { id, key, name, said } = duty;
    return [{ id, key, name, duty: dutyOf(said), channels, people }];
  };
  return {
    id,
    name: row.name,
    repeat: row.repeat,
    repeatDelayS: row.repeatDelayS,
    ...(row.askAgainAfterS > 0 && { askAgainAfterS: row.askAgainAfterS }),
    steps: row.steps.map(step => ({
      delayS: step.delayS,
      contacts: step.contacts.flatMap(told),
    })),
  };
}
