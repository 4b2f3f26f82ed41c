import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../duration.ts';

/** The values of an account's flags; undefined if a flag is not given. */
export interface AccountOptions {
  name?: string;
  plan?: string;
  ownerEmail?: string;
  ownerLocale?: string;
  ownerTimeZone?: string;
  stillHappening?: string;
  dailySpendCapCents?: number;
  dailySpendCeilingCents?: number;
}

/** The flags, for a sentence. */
export const ACCOUNT_FLAGS =
  '--name, --plan, --owner-email, --owner-locale, --owner-time-zone, --still-happening, --daily-spend-cap-cents, --daily-spend-ceiling-cents';

/** Adds the flags for the fields of an account, except --name. */
export function accountFlags(command: Command, plan: string): Command {
  return command
    .option('--plan <plan>', plan)
    .option('--owner-email <address>', 'where its owner is told what went wrong with an alert; "" for nowhere')
    .option('--owner-locale <tag>', 'language in which its owner is told, such as en or de-AT (en)')
    .option('--owner-time-zone <zone>', 'time zone in which its owner reads times, such as Europe/Vienna (UTC)')
    .option(
      '--still-happening <duration>',
      'tells those alerted when a trigger joins an open incident after this pause, 1m to 24h; 0 for never',
    )
    .option(
      '--daily-spend-cap-cents <cents>',
      "at which cost of a day, by estimate, drills and codes by text and call end; 0 for no cap (raising: operator's token)",
      cents,
    )
    .option(
      '--daily-spend-ceiling-cents <cents>',
      "at which cost of a day live alerts take other channels than text and call; 0 for no ceiling (operator's token)",
      cents,
    );
}

/** Returns the fields that the flags name. Throws a usage fault for an invalid duration. */
export function accountGiven({ stillHappening, ...given }: AccountOptions) {
  const stillHappeningS = stillHappening === undefined ? undefined : parseDuration(stillHappening, '--still-happening');
  const { name, plan, ownerEmail, ownerLocale, ownerTimeZone, dailySpendCapCents, dailySpendCeilingCents } = given;
  return {
    name,
    plan,
    ownerEmail,
    ownerLocale,
    ownerTimeZone,
    stillHappeningS,
    dailySpendCapCents,
    dailySpendCeilingCents,
  };
}

function cents(text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new InvalidArgumentError('It takes whole cents of a US dollar, such as 2000.');
  return Number(text);
}
