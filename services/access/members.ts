import { create } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type { EntityManager, InferEntity } from '@mikro-orm/postgresql';
import { z } from 'zod';
import type {
  InviteMemberRequest,
  Member as MemberMessage,
  MemberService,
} from '../../gen/tocsin/console/v1/members_pb.ts';
import { MemberSchema } from '../../gen/tocsin/console/v1/members_pb.ts';
import { changeAccount, type OpenAccount } from '../configuration/change.ts';
import { type ConsoleOn, changing, requireField } from '../configuration/console.ts';
import { changedMeanwhile, faultsOf, invalidField, invalidFields, noSuch } from '../configuration/errors.ts';
import { locale, name, takes } from '../configuration/fields.ts';
import { addMember, nameIn } from '../configuration/new-member.ts';
import { ownersChange, ROLES, type Role } from '../domain/role.ts';
import { INVITATIONS_OF_ACCOUNT, MEMBERS_MOST } from '../domain/sign-in.ts';
import { createRateLimit } from '../limits/times.ts';
import { plainText } from '../process/addresses.ts';
import { email } from '../process/vocabulary.ts';
import { withAccess } from '../rpc/auth.ts';
import { protoTime, timeAt } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { Member } from '../store/entities/member.ts';
import type { Seal } from '../store/seal.ts';
import { endHomelessSessions, updateMemberRow } from '../store/statements/member.ts';
import { personDigests } from '../store/statements/sign-in.ts';
import { type InvitingOn, invite } from './invitation.ts';

export type MemberRow = InferEntity<typeof Member>;

const role = z.enum(
  ROLES,
  takes(accepts => accepts.oneOf(ROLES)),
);

const invitation = z.strictObject({
  email: z
    .string()
    .overwrite(plainText)
    .toLowerCase()
    .refine(
      text => email.fits(text),
      takes(accepts => accepts.address.email),
    ),
  name,
  role,
  locale: z.union([z.literal(''), locale]),
});

const changeable = z.strictObject({ name, role });

/** The people with access to an account (DECISIONS.md "Members and roles"). */
export function createMemberService(deps: ConsoleOn & InvitingOn): ServiceImpl<typeof MemberService> {
  const limit = createRateLimit(INVITATIONS_OF_ACCOUNT);
  const asked = withAccess(deps.store, deps.pepper);
  const change = changing(deps);

  /** Throws RESOURCE_EXHAUSTED. */
  function takePlace(accountId: string): void {
    const pass = limit.take(accountId, performance.now());
    if (pass.kind === 'too_many') throw tooManyInvitations(pass.retryAfterS);
  }

  return {
    listMembers: asked(async (_request, { accountId }) => ({
      members: (await readMembers(deps.orm.em.fork(), accountId)).map(row => memberView(row, deps.seal)),
    })),
    inviteMember: asked(async (request, who) => {
      takePlace(who.accountId);
      const { row, locale } = await changeAccount(deps, who, open => addInvited(deps, open, request));
      const sent = await invite(deps, row, { by: who.actor.name, locale });
      return { member: memberView(row, deps.seal), ...sent };
    }),
    inviteAgain: asked(async ({ memberId }, who) => {
      takePlace(who.accountId);
      const { id, accountId, confirmedAt } = await memberOf(
        { em: deps.orm.em.fork(), accountId: who.accountId },
        memberId,
      );
      if (confirmedAt !== null) throw new ConnectError(say().refusals.confirmedAlready, Code.FailedPrecondition);
      const sent = await invite(deps, { accountId, id }, { by: who.actor.name, locale: '' });
      if (sent === null) throw noSuch('member');
      return sent;
    }),
    updateMember: change(async ({ member, updateMask }, open) => ({
      member: memberView(await updateMember(open, requireField(member, 'member'), updateMask?.paths ?? []), deps.seal),
    })),
    removeMember: change(async ({ memberId }, open) => {
      await removeMember(open, memberId);
      return {};
    }),
  };
}

function readMembers(em: EntityManager, accountId: string): Promise<MemberRow[]> {
  return em.find(Member, { accountId }, { orderBy: { seq: 'asc' }, limit: MEMBERS_MOST, disableIdentityMap: true });
}

async function memberOf({ em, accountId }: Pick<OpenAccount, 'em' | 'accountId'>, id: string): Promise<MemberRow> {
  const row = await em.findOne(Member, { accountId, id }, { disableIdentityMap: true });
  if (row === null) throw noSuch('member');
  return row;
}

async function addInvited(deps: Pick<ConsoleOn, 'pepper'>, open: OpenAccount, request: InviteMemberRequest) {
  const result = invitation.safeParse({
    email: request.email,
    name: request.name.trim() === '' ? nameIn(request.email) : request.name,
    role: request.role,
    locale: request.locale,
  });
  if (!result.success) throw invalidFields(faultsOf(result.error));
  const { locale, ...doc } = result.data;
  const { em, accountId } = open;
  const digests = personDigests(deps.pepper, doc.email);
  const members = await readMembers(em, accountId);
  if (members.some(one => digests.some(digest => digest.equals(one.emailDigest)))) {
    throw new ConnectError(say().refusals.memberAlready(doc.email), Code.AlreadyExists);
  }
  if (members.length >= MEMBERS_MOST) {
    throw new ConnectError(say().refusals.membersFull(MEMBERS_MOST), Code.FailedPrecondition);
  }
  const id = await addMember(open, digests[0]!, doc);
  return { row: await memberOf(open, id), locale };
}

async function updateMember(open: OpenAccount, asked: MemberMessage, mask: readonly string[]): Promise<MemberRow> {
  const before = await memberOf(open, asked.id);
  if (asked.version !== before.version) throw changedMeanwhile('member', asked.version, before.version);
  const unknown = mask.filter(path => !(path in changeable.shape));
  if (unknown.length > 0) throw invalidField('updateMask', say().accepts.nameAndRole, unknown[0]);
  const { name, role } = before;
  const wanted = mask.length === 0 ? ['name', 'role'] : mask;
  const result = changeable.safeParse({
    name: wanted.includes('name') ? asked.name : name,
    role: wanted.includes('role') ? asked.role : role,
  });
  if (!result.success) throw invalidFields(faultsOf(result.error));
  const after = result.data;
  if (after.name === name && after.role === role) return before;
  await refuseWithoutOwner(open, before.id, after.role);
  const { id, email } = before;
  await updateMemberRow(open.client, before, after);
  await open.record({
    kind: 'member',
    thingId: id,
    name: after.name,
    action: 'update',
    before: { email, name, role },
    after: { email, ...after },
  });
  return memberOf(open, id);
}

async function removeMember(open: OpenAccount, memberId: string): Promise<void> {
  const { accountId, id, email, emailDigest, name, role } = await memberOf(open, memberId);
  await refuseWithoutOwner(open, id, null);
  await open.em.nativeDelete(Member, { accountId, id });
  await endHomelessSessions(open.client, Buffer.from(emailDigest));
  await open.record({
    kind: 'member',
    thingId: id,
    name,
    action: 'delete',
    before: { email, name, role },
    after: null,
  });
}

/** Throws FAILED_PRECONDITION if changing or removing one member leaves the account without an owner. */
async function refuseWithoutOwner({ em, accountId }: OpenAccount, id: string, after: Role | null): Promise<void> {
  const members = await readMembers(em, accountId);
  const others = members.filter(one => one.id !== id).map(({ role }) => role);
  const before = members.map(({ role }) => role);
  if (ownersChange(before, after === null ? others : [...others, after]) === 'fine') return;
  throw new ConnectError(say().refusals.lastOwner, Code.FailedPrecondition);
}

function tooManyInvitations(retryAfterS: number): ConnectError {
  const { most } = INVITATIONS_OF_ACCOUNT;
  return new ConnectError(say().refusals.tooManyInvitations(most, retryAfterS), Code.ResourceExhausted);
}

/** Returns a member as the account's own people see them. */
export function memberView(row: MemberRow, seal: Seal) {
  const { id, version, email, name, role, invitedAt, lastSeenAt, confirmedAt } = row;
  return create(MemberSchema, {
    id,
    version,
    email: seal.open(email),
    name,
    role,
    state: lastSeenAt === null ? 'invited' : 'active',
    invitedAt: protoTime(invitedAt),
    ...timeAt('lastSeenAt', lastSeenAt),
    ...timeAt('confirmedAt', confirmedAt),
  });
}
