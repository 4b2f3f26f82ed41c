import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import {
  InviteAgainResponseSchema,
  InviteMemberResponseSchema,
  type Member,
  MemberSchema,
  RemoveMemberResponseSchema,
  UpdateMemberResponseSchema,
} from '../../../gen/tocsin/console/v1/members_pb.ts';
import { clean } from '../../../services/process/text.ts';
import { usageFault } from '../exit.ts';
import { examples } from '../flags.ts';
import type { Act, Session } from '../session.ts';
import { time } from '../text.ts';

const ROLE = 'owner, editor, responder or viewer: each includes those after it';

/** Adds `tocsin members`: the people with access to an account (DECISIONS.md "Members and roles"). */
export function addMembers(program: Command, act: Act): void {
  const members = program.command('members');

  const list = members.command('list').description('lists the members, with their roles and when they were last seen');
  examples(list, 'members list').action(
    act(async session => {
      const { members } = await session.rpc.members.listMembers({});
      session.list(MemberSchema, { items: members, nextPageToken: '' }, COLUMNS, 'This account has no members.');
    }),
  );

  const invite = members
    .command('invite')
    .description('makes somebody a member and writes to them where to sign in')
    .argument('<email>', 'where they get their codes to sign in')
    .requiredOption('--role <role>', ROLE)
    .option('--name <name>', 'how audit and timelines name them; without it, the part before the @')
    .option('--locale <locale>', 'in which language they are written to, such as de-AT');
  examples(invite, 'members invite anna@example.com --role editor --name Anna').action(
    act(async (session, asked: { role: string; name?: string; locale?: string }, email: string) => {
      const answer = await session.rpc.members.inviteMember({ email, ...asked });
      session.answer(InviteMemberResponseSchema, answer, () => [
        session.paint('green', `${clean(answer.member!.name)} (${answer.member!.id}) is a member now.`),
        answer.outcome === 'sent'
          ? `A mail to ${answer.member!.email} says where to sign in.`
          : `${notSent(answer)} Tell them yourself where to sign in.`,
      ]);
    }),
  );

  const again = members
    .command('invite-again')
    .description('sends the mail of an invitation again, to a member who has not confirmed the address')
    .argument('<member>', 'their id or email (members list)');
  examples(again, 'members invite-again anna@example.com').action(
    act(async (session, _options: object, named: string) => {
      const { id, name } = await memberNamed(session, named);
      const answer = await session.rpc.members.inviteAgain({ memberId: id });
      session.answer(InviteAgainResponseSchema, answer, () => [
        answer.outcome === 'sent' ? `A mail to ${clean(name)} is on its way.` : notSent(answer),
      ]);
    }),
  );

  const update = members
    .command('update')
    .description("changes a member's role or name")
    .argument('<member>', 'their id or email (members list)')
    .option('--role <role>', ROLE)
    .option('--name <name>', 'how audit and timelines name them');
  examples(update, 'members update anna@example.com --role owner').action(
    act(async (session, asked: { role?: string; name?: string }, named: string) => {
      const paths = (['role', 'name'] as const).filter(field => asked[field] !== undefined);
      if (paths.length === 0) throw usageFault('Nothing to change was given: pass --role or --name.');
      const member = { ...(await memberNamed(session, named)), ...asked };
      const answer = await session.rpc.members.updateMember({ member, updateMask: { paths } });
      session.answer(UpdateMemberResponseSchema, answer, () => [
        `${clean(answer.member!.name)} is ${answer.member!.role} now.`,
      ]);
    }),
  );

  const remove = members
    .command('remove')
    .description('ends a membership, and with it what their sessions open')
    .argument('<member>', 'their id or email (members list)');
  examples(remove, 'members remove anna@example.com').action(
    act(async (session, _options: object, named: string) => {
      const { id, name } = await memberNamed(session, named);
      const answer = await session.rpc.members.removeMember({ memberId: id });
      session.answer(RemoveMemberResponseSchema, answer, () => [`${clean(name)} is no longer a member.`]);
    }),
  );
}

/** Says that a mail did not go out, and why. */
function notSent({ outcome, detail }: { outcome: string; detail: string }): string {
  return `No mail went out (${detail === '' ? outcome : `${outcome}: ${clean(detail)}`}).`;
}

/** Returns a member by id or email. Anything else is passed to the service, which reports that there is none. */
async function memberNamed(session: Session, named: string): Promise<Pick<Member, 'id' | 'version' | 'name' | 'role'>> {
  const { members } = await session.rpc.members.listMembers({});
  const found = members.find(({ id, email }) => id === named || email === named.toLowerCase());
  return found ?? { id: named, version: 1, name: named, role: '' };
}

const COLUMNS = [
  ['id', ({ id }: Member) => id],
  ['name', ({ name }: Member) => name],
  ['email', ({ email }: Member) => email],
  ['role', ({ role }: Member) => role],
  ['state', ({ state }: Member) => state],
  ['invited', ({ invitedAt }: Member) => moments(invitedAt)],
  ['confirmed', ({ confirmedAt }: Member) => moments(confirmedAt)],
  ['last seen', ({ lastSeenAt }: Member) => moments(lastSeenAt)],
] as const;

function moments(at: Timestamp | undefined): string {
  return at === undefined ? '' : time(timestampDate(at));
}
