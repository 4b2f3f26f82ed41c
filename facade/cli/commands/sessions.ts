import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  CreateSignInLinkResponseSchema,
  EndAllSessionsResponseSchema,
  EndSessionResponseSchema,
  type Session as SessionMessage,
  SessionSchema,
} from '../../../gen/tocsin/console/v1/sessions_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { usageFault } from '../exit.ts';
import { examples } from '../flags.ts';
import type { Act } from '../session.ts';
import { time } from '../text.ts';

/** Adds `tocsin sessions` and `tocsin sign-in-link`: how people sign in to the console (DECISIONS.md "Sign-in", "Sessions"). */
export function addSessions(program: Command, act: Act): void {
  const sessions = program.command('sessions');

  const list = sessions.command('list').description('lists your own sessions, or those created with your token');
  examples(list, 'sessions list').action(
    act(async session => {
      const answer = await session.rpc.sessions.listSessions({});
      session.list(SessionSchema, { items: answer.sessions, nextPageToken: '' }, COLUMNS, 'There are no sessions.');
    }),
  );

  const end = sessions
    .command('end')
    .description('ends one of these sessions, or all of them, at once')
    .argument('[id]', 'its id (sessions list)')
    .option('--all', 'all of them, also the one of this call');
  examples(end, 'sessions end <id>', 'sessions end --all').action(
    act(async (session, { all }: { all?: true }, sessionId: string | undefined) => {
      if ((all === undefined) === (sessionId === undefined)) throw usageFault('Name one session, or pass --all.');
      if (sessionId === undefined) {
        const answer = await session.rpc.sessions.endAllSessions({});
        session.answer(EndAllSessionsResponseSchema, answer, () => [`Ended ${answer.ended} sessions.`]);
      } else {
        const answer = await session.rpc.sessions.endSession({ sessionId });
        session.answer(EndSessionResponseSchema, answer, () => ['Ended the session.']);
      }
    }),
  );

  const link = program.command('sign-in-link');
  examples(link, 'sign-in-link').action(
    act(async session => {
      const answer = await session.rpc.sessions.createSignInLink({});
      session.answer(CreateSignInLinkResponseSchema, answer, () => [
        answer.url,
        '',
        `It signs in once, as the token of this call, until ${time(timestampDate(answer.expiresAt!))}.`,
      ]);
    }),
  );
}

const COLUMNS = [
  ['id', ({ id }: SessionMessage) => id],
  ['last used', ({ lastSeenAt }: SessionMessage) => time(timestampDate(lastSeenAt!))],
  ['from', ({ address }: SessionMessage) => address],
  ['with', ({ agent }: SessionMessage) => clean(agent, 60)],
  ['ends', ({ expiresAt }: SessionMessage) => time(timestampDate(expiresAt!))],
  ['this one', ({ current }: SessionMessage) => (current ? 'yes' : '')],
] as const;
