import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  type GetPlanResponse,
  GetPlanResponseSchema,
  GetWebhookSecretResponseSchema,
} from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import {
  type GetSpendResponse,
  GetSpendResponseSchema,
  type SpendDay,
} from '../../../gen/tocsin/console/v1/spend_pb.ts';
import { dollars } from '../../../services/process/text.ts';
import { examples } from '../flags.ts';
import { wholeNumber } from '../pages.ts';
import type { Act } from '../session.ts';
import { facts, table } from '../table.ts';
import { count, time } from '../text.ts';

/** `tocsin accounts plan`, `spend` and `webhook-secret`: what an account may do, what it costs, and how its webhooks are signed. */
export function addAccountLimits(accounts: Command, act: Act): void {
  examples(accounts.command('plan').description('shows what the plan allows now'), 'accounts plan').action(
    act(async session => {
      const answer = await session.rpc.accounts.getPlan({});
      session.answer(GetPlanResponseSchema, answer, () => planLines(answer));
    }),
  );

  const spend = accounts
    .command('spend')
    .description('shows what texts and calls cost over the last days, by estimate');
  spend.option('--days <number>', 'how many days (UTC), today included, 1 to 90 (7)', wholeNumber);
  examples(spend, 'accounts spend --days 30').action(
    act(async (session, { days = 0 }: { days?: number }) => {
      const answer = await session.rpc.accounts.getSpend({ days });
      session.answer(GetSpendResponseSchema, answer, () => spendLines(answer));
    }),
  );

  const secret = accounts
    .command('webhook-secret')
    .description('shows the secret that signs the webhooks of the account');
  examples(secret, 'accounts webhook-secret').action(
    act(async session => {
      const answer = await session.rpc.accounts.getWebhookSecret({});
      session.answer(GetWebhookSecretResponseSchema, answer, () => [answer.secret]);
    }),
  );
}

function planLines(answer: GetPlanResponse): string[] {
  const { plan, trialEndsAt, channels, channelsUntilTrialEnds, sourcesDeactivated } = answer;
  return facts([
    ['Plan', plan],
    ['Channels', channels.join(', ')],
    ['Alarms and buttons', `${answer.sourcesActive} active, ${most(answer.sourcesMost)}`],
    [
      'Switched off',
      sourcesDeactivated === 0 ? '' : `${sourcesDeactivated} by the plan: those in test first, then the newest`,
    ],
    ['First days', trialEndsAt === undefined ? '' : `end ${time(timestampDate(trialEndsAt))}`],
    ['Then ends', channelsUntilTrialEnds.join(', ')],
    ['Then covered', answer.sourcesMostAfterTrial === answer.sourcesMost ? '' : most(answer.sourcesMostAfterTrial)],
  ]);
}

function most(sources: number): string {
  return sources === 0 ? 'any number' : `${sources} at most`;
}

function spendLines({ days, capCents, ceilingCents }: GetSpendResponse): string[] {
  const cap =
    capCents === 0 ? 'There is no cap.' : `The daily cap is ${dollars(capCents)}; it never holds back live incidents.`;
  const ceiling =
    ceilingCents === 0
      ? 'There is no ceiling.'
      : `The daily ceiling is ${dollars(ceilingCents)}, a fifth of it for each source; over it live incidents take other channels.`;
  return [...(days.length === 0 ? ['No text and no call went out.'] : table(COLUMNS, days)), cap, ceiling];
}

const COLUMNS = [
  ['day', ({ day }: SpendDay) => day],
  ['texts', ({ textParts }: SpendDay) => count(textParts, 'part')],
  ['calls', ({ calls }: SpendDay) => String(calls)],
  ['cost', ({ cents }: SpendDay) => dollars(cents)],
] as const;
