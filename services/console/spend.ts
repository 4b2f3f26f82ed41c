import type { Connection } from '../store/statement.ts';
import { spendOfDays, spentToday } from '../store/statements/spend.ts';
import { invalidField, noSuch } from './errors.ts';

const DAYS = { most: 90, usual: 7 } as const;

/** What texts and calls of the last `days` cost an account; 0 means 7. Throws INVALID_ARGUMENT, NOT_FOUND. */
export async function spendView(on: Connection, accountId: string, days: number) {
  if (days < 0 || days > DAYS.most) {
    throw invalidField('days', `1 to ${DAYS.most}, or 0 for ${DAYS.usual}`, days);
  }
  const today = await spentToday(on, accountId);
  if (today === null) throw noSuch('account');
  const { capCents, ceilingCents } = today;
  return { days: await spendOfDays(on, accountId, days === 0 ? DAYS.usual : days), capCents, ceilingCents };
}
