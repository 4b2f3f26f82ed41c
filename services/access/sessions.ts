import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import type { FilterQuery, InferEntity } from '@mikro-orm/postgresql';
import { raw } from '@mikro-orm/postgresql';
import type { SessionService } from '../../gen/tocsin/console/v1/sessions_pb.ts';
import { invalidField } from '../configuration/errors.ts';
import { CODES_FROM_ADDRESS, SESSION } from '../domain/sign-in.ts';
import { createRateLimit } from '../limits/times.ts';
import { plainText } from '../process/addresses.ts';
import { networkOf } from '../process/network.ts';
import { email as emailKind } from '../process/vocabulary.ts';
import { bearerOf, clientOf, holderOf, membershipOf } from '../rpc/auth.ts';
import { protoTime } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import { Account } from '../store/entities/account.ts';
import { ConsoleSession, Member } from '../store/entities/member.ts';
import type { Seal } from '../store/seal.ts';
import { type Pepper, secretDigest } from '../store/secret.ts';
import { type Holder, noteSeen } from '../store/statements/access.ts';
import type { Store } from '../store/store.ts';
import { type Browser, browserIn } from './browser.ts';
import { signInUrl } from './member-mail.ts';
import { memberView } from './members.ts';
import type { Oidc } from './oidc.ts';
import { lookAtPhoneLink, makePhoneLink } from './phone-link.ts';
import { confirmAddress, makeLink, signIn } from './sign-in.ts';
import type { CodeAsked } from './sign-in-code.ts';

/** What the session service needs. */
export interface SessionsOn {
  store: Store;
  /** KEY_PEPPER, under which secrets and emails are digested. */
  pepper: Pepper;
  seal: Seal;
  /** Null if no identity provider is set up. */
  oidc: Oidc | null;
  /** Sends a code, later. */
  askCode(asked: CodeAsked): void;
  publicUrl(): string | null;
}

type SessionRow = InferEntity<typeof ConsoleSession>;

/** How people sign in, and their sessions (DECISIONS.md "Sign-in", "Sessions"). */
export function createSessionService(deps: SessionsOn): ServiceImpl<typeof SessionService> {
  const { store, pepper, seal, oidc } = deps;
  const codes = createRateLimit(CODES_FROM_ADDRESS);

  function browserOf({ requestHeader }: HandlerContext): Browser | null {
    return browserIn(pepper, requestHeader.get('x-tocsin-browser') ?? '');
  }

  /** Returns the caller, recorded as seen. Throws UNAUTHENTICATED. */
  async function callerOf(context: HandlerContext): Promise<Holder> {
    const holder = await holderOf(store, pepper, context);
    if (holder.session?.seen === 'due') await noteSeen(store.pool, holder.session.id, clientOf(context), null);
    return holder;
  }

  /** Returns the caller's own sessions: of the person, or made with the token that the call or its session uses. */
  async function ownSessions(context: HandlerContext): Promise<{ own: FilterQuery<SessionRow>; current: string }> {
    const { person, session } = await callerOf(context);
    if (person !== null) return { own: { person }, current: session!.id };
    const digest = secretDigest(pepper, bearerOf(context.requestHeader));
    if (session === null) return { own: { tokenDigest: digest }, current: '' };
    const made = await store.orm.em.fork().findOne(ConsoleSession, { id: session.id });
    return { own: { tokenDigest: made?.tokenDigest ?? digest }, current: session.id };
  }

  return {
    startSignIn({ email, locale }, context) {
      const asked = plainText(email);
      if (!emailKind.fits(asked)) {
        throw invalidField('email', say().accepts.address.email, email);
      }
      const { address } = clientOf(context);
      const browser = browserOf(context);
      // A browser that signed in before is not kept waiting by others behind its address.
      const of = browser?.standing === 'signed_in_before' ? `browser ${browser.id}` : networkOf(address);
      const pass = codes.take(of, performance.now());
      if (pass.kind === 'too_many') throw tooManyCodes(pass.retryAfterS);
      deps.askCode({ email: asked, locale, address, browser: browser?.id ?? '' });
      return {};
    },
    listSignInWays: () => ({
      ways: ['email_code', 'link', 'console_token', ...(oidc === null ? [] : ['oidc'])],
    }),
    async startOidcSignIn({ callbackUrl }) {
      if (oidc === null) throw new ConnectError(say().refusals.noOidc, Code.FailedPrecondition);
      if (!URL.canParse(callbackUrl)) throw invalidField('callbackUrl', say().accepts.url, callbackUrl);
      return oidc.start(callbackUrl);
    },
    async signIn({ way }, context) {
      const from = { ...clientOf(context), browser: browserOf(context) };
      const { id, secret, browser } = await signIn({ ...store, pepper, oidc }, way, from);
      const row = await store.orm.em.fork().findOneOrFail(ConsoleSession, { id });
      return { secret, browser, expiresAt: protoTime(row.expiresAt), session: sessionView(row, id) };
    },
    confirmAddress: ({ secret }) => confirmAddress({ pool: store.pool, pepper }, secret),
    async getSession(_request, context) {
      const { token, session, memberships } = await callerOf(context);
      const em = store.orm.em.fork();
      const row = session === null ? null : await em.findOne(ConsoleSession, { id: session.id });
      const own = membershipOf(memberships, context.requestHeader.get('x-tocsin-account') || null);
      const member = own === null ? null : await em.findOne(Member, { accountId: own.accountId, id: own.memberId });
      const ofToken = token?.accountId ? await em.findOne(Account, { id: token.accountId }) : null;
      const accounts = memberships.map(({ accountId: id, accountName: name, role }) => ({
        id,
        name,
        role: role as string,
      }));
      return {
        ...(row === null ? {} : { session: sessionView(row, row.id) }),
        kind: token?.kind ?? 'member',
        ...(member === null ? {} : { member: memberView(member, seal) }),
        accounts: ofToken === null ? accounts : [{ id: ofToken.id, name: ofToken.name, role: 'owner' }],
      };
    },
    async listSessions(_request, context) {
      const { own, current } = await ownSessions(context);
      const good = { $and: [own, { expiresAt: { $gt: raw('tocsin_now()') } }] } as FilterQuery<SessionRow>;
      const rows = await store.orm.em
        .fork()
        .find(ConsoleSession, good, { orderBy: { lastSeenAt: 'desc', id: 'asc' }, limit: SESSION.most });
      return { sessions: rows.map(row => sessionView(row, current)) };
    },
    async endSession({ sessionId }, context) {
      const { own } = await ownSessions(context);
      const ended = await store.orm.em
        .fork()
        .nativeDelete(ConsoleSession, { $and: [own, { id: sessionId }] } as FilterQuery<SessionRow>);
      if (ended === 0) throw new ConnectError(say().refusals.noSession, Code.NotFound);
      return {};
    },
    async endAllSessions(_request, context) {
      const { own } = await ownSessions(context);
      return { ended: await store.orm.em.fork().nativeDelete(ConsoleSession, own) };
    },
    async createPhoneLink({ consoleUrl }, context) {
      const asked = {
        consoleUrl: consoleUrl || (deps.publicUrl() ?? ''),
        accountId: context.requestHeader.get('x-tocsin-account') ?? '',
      };
      return makePhoneLink({ pool: store.pool, pepper }, await callerOf(context), asked);
    },
    getPhoneLink: ({ secret }) => lookAtPhoneLink({ pool: store.pool, pepper }, secret),
    async createSignInLink(_request, context) {
      const { session } = await callerOf(context);
      if (session !== null) throw new ConnectError(say().refusals.linkNeedsToken, Code.PermissionDenied);
      const token = secretDigest(pepper, bearerOf(context.requestHeader));
      const { secret, expiresAt } = await makeLink(deps, token);
      return {
        url: `${signInUrl(deps.publicUrl()) ?? '/sign-in'}#${secret}`,
        expiresAt: protoTime(expiresAt),
      };
    },
  };
}

function tooManyCodes(retryAfterS: number): ConnectError {
  const { most } = CODES_FROM_ADDRESS;
  return new ConnectError(say().refusals.tooManySignInCodes(most, retryAfterS), Code.ResourceExhausted);
}

function sessionView({ id, agent, address, createdAt, lastSeenAt, expiresAt }: SessionRow, current: string) {
  return {
    id,
    agent,
    address,
    createdAt: protoTime(createdAt),
    lastSeenAt: protoTime(lastSeenAt),
    expiresAt: protoTime(expiresAt),
    current: id === current,
  };
}
