import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type { Account as AccountMessage } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { DRILLS, type Drills } from '../domain/drill.ts';
import { PLANS, type Plan } from '../domain/plan.ts';
import { plainText } from '../process/addresses.ts';
import { email } from '../process/vocabulary.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { Account } from '../store/entities/account.ts';
import type { Seal } from '../store/seal.ts';
import { faultsOf, invalidFields, mismatchOf, noSuch } from './errors.ts';
import { locale, name, takes, timeZone, whole } from './fields.ts';

/** What can be set about an account, by proto JSON names. */
export interface AccountDoc {
  name: string;
  plan: Plan;
  /** In plain text; empty for none. */
  ownerEmail: string;
  /** The language (BCP 47) and time zone (IANA) in which the owner is notified. */
  ownerLocale: string;
  ownerTimeZone: string;
  stillHappeningS: number;
  /** Whether people are drilled by themselves. */
  drills: Drills;
  dailySpendCapCents: number;
  dailySpendCeilingCents: number;
}

type AccountRow = InferEntity<typeof Account>;

/** An account as it is, its owner's email in plain text. */
export interface StoredAccount extends AccountDoc {
  id: string;
  purpose: AccountRow['purpose'];
  createdAt: Date;
  version: number;
}

/**
 * The limits of the pause before `still_happening`: long enough not to match the gap between two messages of one alarm.
 */
const PAUSE = { least: 60, most: 86_400 } as const;

const aPause = takes(accepts => accepts.pause(PAUSE.least, PAUSE.most));

const schema = z.strictObject({
  name,
  plan: z.enum(
    PLANS,
    takes(accepts => accepts.oneOf(PLANS)),
  ),
  ownerEmail: z
    .string()
    .overwrite(plainText)
    .refine(
      text => text === '' || email.fits(text),
      takes(accepts => accepts.emailOrNone),
    ),
  ownerLocale: locale,
  ownerTimeZone: timeZone,
  stillHappeningS: z
    .int(aPause)
    .min(0, aPause)
    .max(PAUSE.most, aPause)
    .refine(s => s === 0 || s >= PAUSE.least, aPause),
  drills: z.enum(
    DRILLS,
    takes(accepts => accepts.oneOf(DRILLS)),
  ),
  dailySpendCapCents: whole(0, 1_000_000, 'cents'),
  dailySpendCeilingCents: whole(0, 10_000_000, 'cents'),
});

/**
 * What a configuration file may set about its account (DECISIONS.md "The account in a file"): the rest is the
 * operator's.
 */
export const settingsInFile = schema
  .pick({ name: true, ownerEmail: true, ownerLocale: true, ownerTimeZone: true, stillHappeningS: true, drills: true })
  .partial();

/** The defaults of a new account; its plan is the deployment's PLAN_DEFAULT. */
const DEFAULTS = {
  ownerEmail: '',
  ownerLocale: 'en',
  ownerTimeZone: 'UTC',
  stillHappeningS: 0,
  drills: 'off',
  dailySpendCapCents: 1_000,
  dailySpendCeilingCents: 25_000,
} as const;

/** Returns a new account as requested. Throws INVALID_ARGUMENT. */
export function accountAsked(asked: AccountMessage, planDefault: Plan): AccountDoc {
  return checkedAccount({ plan: planDefault, ...DEFAULTS, ...givenOf(asked), name: asked.name });
}

/** The fields that an update may name, by their names in a mask. */
const FIELDS: Readonly<Record<string, keyof AccountDoc>> = {
  name: 'name',
  plan: 'plan',
  owner_email: 'ownerEmail',
  owner_locale: 'ownerLocale',
  owner_time_zone: 'ownerTimeZone',
  still_happening_s: 'stillHappeningS',
  drills: 'drills',
  daily_spend_cap_cents: 'dailySpendCapCents',
  daily_spend_ceiling_cents: 'dailySpendCeilingCents',
};

/**
 * Returns an account as updated: the fields in the mask, or without one all that were given. Throws INVALID_ARGUMENT.
 */
export function accountFields(asked: AccountMessage, mask: readonly string[], before: AccountDoc): AccountDoc {
  const unknown = mask.filter(path => !(path in FIELDS));
  if (unknown.length > 0) {
    const accepted = say().accepts.fieldsOnly(Object.keys(FIELDS));
    throw invalidFields(unknown.map(path => ({ field: 'updateMask', problem: mismatchOf(accepted, path) })));
  }
  if (mask.length === 0) return checkedAccount({ ...before, ...givenOf(asked), name: asked.name });
  const named = mask.map(path => [FIELDS[path]!, asked[FIELDS[path]!]] as const);
  return checkedAccount({ ...before, ...Object.fromEntries(named) });
}

/** Returns the fields that are not empty; a cap or ceiling of 0 counts, because it has presence. */
function givenOf(asked: AccountMessage) {
  const { plan, ownerEmail, ownerLocale, ownerTimeZone, stillHappeningS, drills } = asked;
  const { dailySpendCapCents, dailySpendCeilingCents } = asked;
  return {
    ...(plan === '' ? {} : { plan }),
    ...(ownerEmail === '' ? {} : { ownerEmail }),
    ...(ownerLocale === '' ? {} : { ownerLocale }),
    ...(ownerTimeZone === '' ? {} : { ownerTimeZone }),
    ...(stillHappeningS === 0 ? {} : { stillHappeningS }),
    ...(drills === '' ? {} : { drills }),
    ...(dailySpendCapCents === undefined ? {} : { dailySpendCapCents }),
    ...(dailySpendCeilingCents === undefined ? {} : { dailySpendCeilingCents }),
  };
}

function checkedAccount(input: Record<keyof AccountDoc, unknown>): AccountDoc {
  const result = schema.safeParse(input);
  if (!result.success) throw invalidFields(faultsOf(result.error));
  return result.data;
}

/** Reads an account by its id. Throws NOT_FOUND. */
export async function readAccount(em: EntityManager, accountId: string, seal: Seal): Promise<StoredAccount> {
  const row = await em.findOne(Account, { id: accountId }, { disableIdentityMap: true });
  if (row === null) throw noSuch('account');
  return openedAccount(row, seal);
}

/** Returns what can be set about an account, as it is. Whatever else is known of it is written nowhere again. */
export function docOf({ id, purpose, createdAt, version, ...doc }: StoredAccount): AccountDoc {
  return doc;
}

/** Returns an account with its owner's email in plain text. */
export function openedAccount(row: AccountRow, seal: Seal): StoredAccount {
  const { id, name, plan, ownerLocale, ownerTimeZone, stillHappeningS, dailySpendCapCents } = row;
  const { dailySpendCeilingCents, drills, purpose, createdAt, version } = row;
  const ownerEmail = row.ownerEmail ? seal.open(row.ownerEmail) : '';
  return {
    id,
    name,
    plan,
    ownerEmail,
    ownerLocale,
    ownerTimeZone,
    stillHappeningS,
    drills,
    dailySpendCapCents,
    dailySpendCeilingCents,
    purpose,
    createdAt,
    version,
  };
}

/** Returns an account as the audit stores it: the owner's email is sealed there too. */
export function sealedAccount(doc: AccountDoc, seal: Seal): AccountDoc {
  const { ownerEmail } = doc;
  return { ...doc, ownerEmail: ownerEmail === '' ? '' : seal.seal(ownerEmail) };
}

/** Returns an account from the audit in plain text. */
export function openedInAudit(doc: Record<string, unknown>, seal: Seal): Record<string, unknown> {
  const { ownerEmail } = doc;
  return typeof ownerEmail === 'string' && ownerEmail !== '' ? { ...doc, ownerEmail: seal.open(ownerEmail) } : doc;
}

export function accountView({ createdAt, ...account }: StoredAccount) {
  return { ...account, createdAt: protoTime(createdAt) };
}
