import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { z } from 'zod';
import type { Account as AccountMessage } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { PLANS, type Plan } from '../domain/plan.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';
import { faultsOf, invalidFields, noSuch } from './errors.ts';
import { name, takes } from './fields.ts';

export interface AccountRow {
  id: string;
  name: string;
  plan: Plan;
  createdAt: Date;
  version: number;
}

/** What an owner sets of an account. */
export interface AccountDoc {
  name: string;
  plan: Plan;
}

const schema = z.strictObject({ name, plan: z.enum(PLANS, takes(`one of ${PLANS.join(', ')}`)) });

/** A new account as asked. Throws INVALID_ARGUMENT. */
export function accountAsked(asked: Pick<AccountMessage, 'name' | 'plan'>, planDefault: Plan): AccountDoc {
  return checkedAccount({ name: asked.name, plan: asked.plan || planDefault });
}

/** An account as it shall be: what the mask names, or without one all that is given. Throws INVALID_ARGUMENT. */
export function accountFields(asked: AccountMessage, mask: readonly string[], before: AccountDoc): AccountDoc {
  const unknown = mask.filter(path => path !== 'name' && path !== 'plan');
  if (unknown.length > 0) {
    throw invalidFields(unknown.map(() => ({ field: 'updateMask', problem: 'takes name and plan, nothing else.' })));
  }
  const fields = mask.length > 0 ? mask : ['name', ...(asked.plan === '' ? [] : ['plan'])];
  return checkedAccount({
    name: fields.includes('name') ? asked.name : before.name,
    plan: fields.includes('plan') ? asked.plan : before.plan,
  });
}

function checkedAccount(input: { name: string; plan: string }): AccountDoc {
  const result = schema.safeParse(input);
  if (!result.success) throw invalidFields(faultsOf(result.error));
  return result.data;
}

const readStatement: Statement<AccountRow> = {
  name: 'console_account',
  text: 'SELECT id, name, plan, created_at AS "createdAt", version FROM account WHERE id = $1',
};

export async function readAccount(on: Connection, accountId: string): Promise<AccountRow> {
  const [row] = await run(on, readStatement, [accountId]);
  if (row === undefined) throw noSuch('account');
  return row;
}

export function accountView({ id, name, plan, createdAt, version }: AccountRow) {
  return { id, name, plan, createdAt: timestampFromDate(createdAt), version };
}
