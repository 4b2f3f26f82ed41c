import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  CreateTokenResponseSchema,
  RevokeTokenResponseSchema,
  type Token,
  TokenSchema,
} from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import { examples } from '../flags.ts';
import type { Act } from '../session.ts';
import { clean, time } from '../text.ts';

/** `tocsin tokens`: what opens the console services of an account (DECISIONS.md "Who opens what"). */
export function addTokens(program: Command, act: Act): void {
  const tokens = program.command('tokens').description('console tokens: what this command line logs in with');

  const create = tokens.command('create').description('makes a console token and shows it this once');
  create.requiredOption(
    '--label <label>',
    'who or what it is for; it stands as the actor in the audit and in timelines',
  );
  examples(create, 'tokens create --label "Anna\'s laptop"').action(
    act(async (session, { label }: { label: string }) => {
      const answer = await session.rpc.accounts.createToken({ label });
      session.answer(CreateTokenResponseSchema, answer, () => [
        session.paint('green', `Made the console token ${clean(answer.token!.label)} (${answer.token!.id}).`),
        '',
        `export TOCSIN_TOKEN=${answer.secret}`,
        '',
        'It is shown only now.',
      ]);
    }),
  );

  examples(tokens.command('list').description('lists the console tokens, revoked ones too'), 'tokens list').action(
    act(async session => {
      const { tokens: items } = await session.rpc.accounts.listTokens({});
      session.list(TokenSchema, { items, nextPageToken: '' }, COLUMNS, 'This account has no console tokens.');
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
  ['made', ({ createdAt }: Token) => (createdAt === undefined ? '' : time(timestampDate(createdAt)))],
  ['revoked', ({ revokedAt }: Token) => (revokedAt === undefined ? '' : time(timestampDate(revokedAt)))],
] as const;
