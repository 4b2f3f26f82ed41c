import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  CreateTokenResponseSchema,
  RevokeTokenResponseSchema,
  type Token,
  TokenSchema,
} from '../../../gen/tocsin/console/v1/tokens_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { EXPIRES, moment } from '../expires.ts';
import { examples } from '../flags.ts';
import { collect, type PageOptions, pageFlags } from '../pages.ts';
import type { Act } from '../session.ts';
import { time } from '../text.ts';

/** `tocsin tokens`: the tokens that give access to an account's console services (DECISIONS.md "Who opens what"). */
export function addTokens(program: Command, act: Act): void {
  const tokens = program.command('tokens');

  const create = tokens
    .command('create')
    .description("makes a console token (operator's token) and shows it this once");
  create.requiredOption('--label <label>', 'who or what it is for; shown as the actor in the audit and in timelines');
  create.option('--expires <when>', `${EXPIRES}; without it never`);
  examples(create, 'tokens create --label "Anna\'s laptop" --expires 90d').action(
    act(async (session, { label, expires }: { label: string; expires?: string }) => {
      const end = expires === undefined ? {} : { expiresAt: moment(expires) };
      const answer = await session.rpc.accounts.createToken({ label, ...end });
      session.answer(CreateTokenResponseSchema, answer, () => [
        session.paint('green', `Created the console token ${clean(answer.token!.label)} (${answer.token!.id}).`),
        '',
        `export TOCSIN_TOKEN=${answer.secret}`,
        '',
        'It is shown only now.',
      ]);
    }),
  );

  const list = pageFlags(
    tokens.command('list').description('lists the console tokens, expired and revoked ones too, oldest first'),
  );
  examples(list, 'tokens list').action(
    act(async (session, options: PageOptions) => {
      const page = await collect(options, async (pageSize, pageToken) => {
        const answer = await session.rpc.accounts.listTokens({ pageSize, pageToken });
        return { items: answer.tokens, nextPageToken: answer.nextPageToken };
      });
      session.list(TokenSchema, page, COLUMNS, 'This account has no console tokens.');
    }),
  );

  const revoke = tokens
    .command('revoke')
    .description('ends a console token at once')
    .argument('<id>', 'its id (tokens list)');
  examples(revoke, 'tokens revoke <id>').action(
    act(async (session, _options: object, tokenId: string) => {
      const answer = await session.rpc.accounts.revokeToken({ tokenId });
      session.answer(RevokeTokenResponseSchema, answer, () => [
        `Revoked the console token ${clean(answer.token!.label)}.`,
      ]);
    }),
  );
}

const COLUMNS = [
  ['id', ({ id }: Token) => id],
  ['label', ({ label }: Token) => label],
  ['kind', ({ kind }: Token) => kind],
  ['status', ({ status }: Token) => status],
  ['created', ({ createdAt }: Token) => moments(createdAt)],
  ['expires', ({ expiresAt }: Token) => moments(expiresAt)],
  ['revoked', ({ revokedAt }: Token) => moments(revokedAt)],
] as const;

function moments(at: Timestamp | undefined): string {
  return at === undefined ? '' : time(timestampDate(at));
}
