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
  drills?: string;
  dailySpendCapCents?: number;
  dailySpendCeilingCents?: number;
}

/** The flags, for a sentence. */
export const ACCOUNT_FLAGS =
  '--name, --plan, --owner-email, --owner-locale, --owner-time-zone, --still-happening, --drills, --daily-spend-cap-cents, --daily-spend-ceiling-cents';

/** Adds the flags for the fields of an account, except --name. */
export function accountFlags(command: Command, plan: string): Command {
  return command
    .option('--plan <plan>', plan)
    .option(
      '--owner-email <address>',
      'an owner, who is asked to confirm it and then told of problems with alerts; "" for none',
    )
    .option('--owner-locale <tag>', 'language of messages to its owner, such as en or de-AT (en)')
    .option('--owner-time-zone <zone>', 'time zone in which its owner reads times, such as Europe/Vienna (UTC)')
    .option(
      '--still-happening <duration>',
      'notifies those alerted again when a trigger joins an open incident after this pause, 1m to 24h; 0 for never',
    )
    .option('--drills <off|monthly>', 'whether everybody a policy names is asked to answer a drill every 30 days (off)')
    .option(
      '--daily-spend-cap-cents <cents>',
      "estimated daily cost from which drills and codes by text and call are refused; 0 for no cap (raising it needs the operator's token)",
      cents,
    )
    .option(
      '--daily-spend-ceiling-cents <cents>',
      "estimated daily cost from which live alerts use channels other than text and call; 0 for no ceiling (needs the operator's token)",
      cents,
    );
}

/** Returns the fields that the flags name. Throws a usage fault for an invalid duration. */
export function accountGiven({ stillHappening, ...given }: AccountOptions) {
  const stillHappeningS = stillHappening === undefined ? undefined : parseDuration(stillHappening, '--still-happening');
  const { name, plan, ownerEmail, ownerLocale, ownerTimeZone, drills, dailySpendCapCents, dailySpendCeilingCents } =
    given;
  return {
    name,
    plan,
    ownerEmail,
    ownerLocale,
    ownerTimeZone,
    stillHappeningS,
    drills,
    dailySpendCapCents,
    dailySpendCeilingCents,
  };
}

function cents(text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new InvalidArgumentError('It takes whole cents of a US dollar, such as 2000.');
  return Number(text);
}
