import { createHash, timingSafeEqual } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import { Health } from '../../gen/grpc/health/v1/health_pb.ts';
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.ts';
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.ts';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import { DayService } from '../../gen/tocsin/console/v1/days_pb.ts';
import { DutyService } from '../../gen/tocsin/console/v1/duties_pb.ts';
import { ReadinessService } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { SessionService } from '../../gen/tocsin/console/v1/sessions_pb.ts';
import { TonightService } from '../../gen/tocsin/console/v1/tonight_pb.ts';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import { ResponderService } from '../../gen/tocsin/incident/v1/responder_pb.ts';
import { BatchService } from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { roleMissing } from '../domain/role.ts';
import type { Place } from '../limits/places.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { createSlowdown } from '../limits/slowdown.ts';
import type { Strangers } from '../limits/strangers.ts';
import { LIST_READS, REFUSED, SHARE_OF_TIME, STREAMS_MOST, WATCHES_MOST, WHOLE_MOST } from '../limits/table.ts';
import { atEnd, createTurns } from '../limits/turns.ts';
import { createUnderWay } from '../limits/under-way.ts';
import { classOf } from '../process/call-class.ts';
import { networkOf } from '../process/network.ts';
import type { Holder } from '../store/statements/access.ts';
import type { KnownKey } from '../store/statements/credential.ts';
import { badKey, badToken, bearerOf, carryHolder, clientOf, TRACE_HEADER, tooManyCalls } from './auth.ts';
import { unavailable } from './boundary.ts';
import type { DirectGate } from './direct.ts';
import type { Lookups } from './lookups.ts';
import { inLanguageOf } from './reader.ts';

/** Admits a call before its body is read, or throws the answer to its caller. */
export type RpcGate = (context: HandlerContext, connection: Place) => Promise<void>;

/** Both ways to the services have the same limits. */
export interface Gates {
  /** Of the RPC port. */
  port: RpcGate;
  /** Of a facade in this process, for what console tokens and sessions open: what keys open has its limits elsewhere. */
  direct: DirectGate;
}

/**
 * The caller: a name that is unique among callers, and the account whose limits it has: null for the operator, for parts of the
 * deployment, and for a credential that has ended, which uses up nothing of its account's.
 */
interface Caller {
  by: 'key' | 'token' | 'service';
  /** `ended`: the credential was valid once. */
  state: 'good' | 'ended';
  name: string;
  accountId: string | null;
  /** Whether its role lets it do what it asks for: who may not is limited as in all else. */
  isAllowed: boolean;
}

const LISTS: readonly DescMethod[] = [
  IncidentService.method.listIncidents,
  IncidentService.method.listCalls,
  IncidentService.method.getIncident,
  IncidentService.method.getMonthlyTotals,
  DayService.method.listDays,
];

const SENT_WHOLE: readonly DescMethod[] = [ConfigurationService.method.check, ConfigurationService.method.apply];
const READ_WHOLE: readonly DescMethod[] = [
  ConfigurationService.method.export,
  ReadinessService.method.getReadiness,
  TonightService.method.getTonight,
  DayService.method.listDays,
];

/** What the facade asks on behalf of others, who have no credential yet or present it elsewhere. */
const FOR_PARTS: readonly DescMethod[] = [
  InventoryService.method.recheckGrants,
  SessionService.method.startSignIn,
  SessionService.method.listSignInWays,
  SessionService.method.startOidcSignIn,
  SessionService.method.signIn,
  SessionService.method.confirmAddress,
  SessionService.method.getPhoneLink,
  DutyService.method.getFeed,
];

/**
 * Returns what gives access to a method (DECISIONS.md "Who opens what"): a console token or a session, unless listed
 * here.
 */
function openedBy(method: DescMethod): Caller['by'] | 'key_or_token' | 'nothing' {
  if (method.parent === Health) return 'nothing';
  if (method.parent === ServerReflection || method.parent === ServerReflectionAlpha) return 'key_or_token';
  if (method.parent === BatchService || method.parent === ResponderService) return 'service';
  if (FOR_PARTS.includes(method)) return 'service';
  return method.parent === AlarmService || method.parent === InventoryService ? 'key' : 'token';
}

/**
 * Creates the gates. That of the RPC port (DECISIONS.md "RPC port") authenticates a call before a byte of its body is read, so that
 * no stranger's bytes are buffered or parsed. Methods between the parts of a deployment need its token (SERVICE_TOKEN, metadata
 * `x-tocsin-service`) if there is one; only callers with that token are trusted about where a call comes from.
 */
export function createGates(deps: {
  serviceToken: string | null;
  keys: Lookups<KnownKey>;
  tokens: Lookups<Holder>;
  /** The limits of accounts. Those of keys apply where their sources are known. */
  limits: RateLimits;
  strangers: Strangers;
}): Gates {
  const wanted = deps.serviceToken === null ? null : sha256(deps.serviceToken);
  const underWay = createUnderWay();
  const turnsOf = ({ atOnce, waiting }: { atOnce: number; waiting: number }) =>
    createTurns(atOnce, waiting, SHARE_OF_TIME * atOnce - 1);
  const sentTurn = turnsOf(WHOLE_MOST.sent);
  const readTurn = turnsOf(WHOLE_MOST.read);
  const refused = createSlowdown(REFUSED);

  function isService(header: Headers): boolean {
    const shown = header.get('x-tocsin-service');
    return wanted !== null && shown !== null && timingSafeEqual(sha256(shown), wanted);
  }

  async function keyHolder({ requestHeader }: HandlerContext, address: string): Promise<Caller | null> {
    const key = await deps.keys.find(requestHeader.get('x-api-key') ?? '', address);
    // A call with an ended key passes: it is refused and logged later (DECISIONS.md "Outcome of each call").
    if (key === null) return null;
    const state = key.fault === null ? 'good' : 'ended';
    const accountId = state === 'good' ? key.accountId : null;
    return { by: 'key', state, name: `key ${key.id}`, accountId, isAllowed: true };
  }

  async function tokenHolder(context: HandlerContext, address: string): Promise<Caller | null> {
    const { requestHeader, service, method } = context;
    const holder = await deps.tokens.find(bearerOf(requestHeader), address);
    if (holder === null) return null;
    carryHolder(context, holder);
    const { token, session, memberships } = holder;
    const accounts = token === null ? memberships.map(({ accountId }) => accountId) : [token.accountId];
    const named = requestHeader.get('x-tocsin-account');
    const accountId = accounts.find(id => id === named) ?? accounts[0] ?? null;
    // An expired token passes: the call itself reports that to its holder (auth.ts).
    const state = holder.endedAt === null ? 'good' : 'ended';
    const name = `token ${session?.id ?? token?.id}`;
    const role = memberships.find(one => one.accountId === accountId)?.role;
    const isAllowed =
      token !== null || (role !== undefined && roleMissing(role, service.typeName, method.name) === null);
    return { by: 'token', state, name, accountId: state === 'good' ? accountId : null, isAllowed };
  }

  async function callerOf(by: keyof typeof REFUSALS, context: HandlerContext, address: string, service: boolean) {
    if (by === 'service') {
      return service || wanted === null
        ? ({ by, state: 'good', name: 'service', accountId: null, isAllowed: true } as const)
        : null;
    }
    const shownAs = by === 'key_or_token' ? (context.requestHeader.has('x-api-key') ? 'key' : 'token') : by;
    const caller = await (shownAs === 'key' ? keyHolder : tokenHolder)(context, address).catch(unavailable);
    // Nothing behind this gate checks the credential again.
    return by === 'key_or_token' && caller?.state === 'ended' ? null : caller;
  }

  async function limit({ by, name, accountId, isAllowed }: Caller, { method, signal }: HandlerContext): Promise<void> {
    if (by === 'service') return;
    if (by === 'token' && accountId !== null) {
      const of = `console of ${accountId}`;
      deps.limits.learn({ of, source: null }, 'good');
      const callClass = classOf(method);
      const reads = LISTS.includes(method) ? LIST_READS : 1;
      // Who presses a panic button is never limited; what stores nothing is, once that is known (incident/press.ts).
      const isPress = callClass === 'trigger' && isAllowed;
      if (!isPress && deps.limits.take({ of, callClass, source: null, reads }) === 'too_many') {
        throw tooManyCalls();
      }
    }
    const turn = SENT_WHOLE.includes(method) ? sentTurn : READ_WHOLE.includes(method) ? readTurn : null;
    if (turn !== null) {
      if ((await turn(accountId ?? name, signal)) === 'too_many') {
        throw tooManyAtOnce('Too many calls for the whole account are already waiting.');
      }
    } else if (isStream(method)) {
      const ofCaller = accountId === null ? STREAMS_MOST.account : STREAMS_MOST.caller;
      const ofAccount = accountId === null ? {} : { [`streams of ${accountId}`]: STREAMS_MOST.account };
      const place = underWay.enter({ [name]: ofCaller, ...ofAccount });
      if (place === null) {
        const { caller, account } = STREAMS_MOST;
        throw tooManyAtOnce(`A key or token may have ${caller} streams open at once, an account ${account}.`);
      }
      atEnd(signal, () => place[Symbol.dispose]());
    }
  }

  /** Limits unauthenticated callers, who may check the health and, in small numbers, watch it. */
  function limitStrangers(address: string, { method, signal }: HandlerContext): void {
    if (!isStream(method)) return;
    const { address: ofAddress, all } = WATCHES_MOST;
    const place = underWay.enter({ [`watches from ${networkOf(address)}`]: ofAddress, watches: all });
    if (place === null) {
      throw tooManyAtOnce(`An address may watch the health ${ofAddress} times at once, all together ${all} times.`);
    }
    atEnd(signal, () => place[Symbol.dispose]());
  }

  /** Whoever asks on however often it is told to wait hears it later. */
  async function refuse({ name }: Caller, refusal: unknown): Promise<never> {
    await refused.slow(name);
    throw refusal;
  }

  async function portGate(context: HandlerContext, connection: Place): Promise<void> {
    const { requestHeader, method, signal } = context;
    const service = isService(requestHeader);
    if (service) connection.keep();
    else {
      requestHeader.set('x-tocsin-client', `${connection.address} ${requestHeader.get('user-agent') ?? ''}`);
      // Without a token the facade of this machine is not told apart from others on it.
      if (wanted !== null) requestHeader.delete(TRACE_HEADER);
    }
    const by = openedBy(method);
    if (by === 'nothing') return service ? undefined : limitStrangers(connection.address, context);
    // Of many behind one facade, each is told apart.
    const { address } = clientOf(context);
    const caller = await callerOf(by, context, address, service);
    if (caller === null) {
      // A facade lets its callers wait itself.
      if (!service) await deps.strangers.turnedAway(address);
      throw by === 'token' ? badToken(bearerOf(requestHeader)) : REFUSALS[by]();
    }
    await limit(caller, context).catch(refusal => refuse(caller, refusal));
    atEnd(signal, connection.begin());
  }

  async function directGate(context: HandlerContext): Promise<void> {
    const caller = await callerOf('token', context, clientOf(context).address, true);
    if (caller === null) throw badToken(bearerOf(context.requestHeader));
    await limit(caller, context).catch(refusal => refuse(caller, refusal));
  }

  return {
    port: (context, connection) => inLanguageOf(context, () => portGate(context, connection)),
    direct: {
      guards: method => openedBy(method) === 'token',
      admit: context => inLanguageOf(context, () => directGate(context)),
    },
  };
}

const REFUSALS: Readonly<Record<Exclude<ReturnType<typeof openedBy>, 'nothing'>, () => ConnectError>> = {
  key: badKey,
  token: badToken,
  key_or_token: () => {
    const wanted = 'Send an API key as "x-api-key", or a console token as "authorization: Bearer tcn_…".';
    return new ConnectError(`This needs a valid key or token. ${wanted}`, Code.Unauthenticated);
  },
  service: () => {
    const message = 'This is for the parts of this deployment alone: they share SERVICE_TOKEN.';
    return new ConnectError(message, Code.Unauthenticated);
  },
};

function isStream({ methodKind }: DescMethod): boolean {
  return methodKind !== 'unary';
}

function tooManyAtOnce(rule: string): ConnectError {
  return new ConnectError(`${rule} Try again when one of them has ended.`, Code.ResourceExhausted, {
    'retry-after': '10',
  });
}

/** Hashes a text, so that only values of equal length are compared. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
