import type { DescService } from '@bufbuild/protobuf';
import {
  type Client,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
  type UnaryRequest,
} from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import type { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import type { AlarmService } from '../../gen/tocsin/console/v1/alarms_pb.ts';
import type { ApiKeyService } from '../../gen/tocsin/console/v1/api_keys_pb.ts';
import type { AuditService } from '../../gen/tocsin/console/v1/audit_pb.ts';
import type { CarrierService } from '../../gen/tocsin/console/v1/carriers_pb.ts';
import type { ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import type { ContactService } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import type { DayService } from '../../gen/tocsin/console/v1/days_pb.ts';
import type { DeploymentService } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import type { DrillService } from '../../gen/tocsin/console/v1/drills_pb.ts';
import type { DutyService } from '../../gen/tocsin/console/v1/duties_pb.ts';
import type { LocationService } from '../../gen/tocsin/console/v1/locations_pb.ts';
import type { MemberService } from '../../gen/tocsin/console/v1/members_pb.ts';
import type { PanicButtonService } from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import type { PolicyService } from '../../gen/tocsin/console/v1/policies_pb.ts';
import type { ReadinessService } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import type { SessionService } from '../../gen/tocsin/console/v1/sessions_pb.ts';
import type { TonightService } from '../../gen/tocsin/console/v1/tonight_pb.ts';
import type { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Connection } from './config.ts';

/** The services that the command line calls. Each call throws what Connect throws; errors.ts explains it. */
export interface Rpc {
  accounts: Client<typeof AccountService>;
  alarms: Client<typeof AlarmService>;
  audit: Client<typeof AuditService>;
  carriers: Client<typeof CarrierService>;
  configuration: Client<typeof ConfigurationService>;
  contacts: Client<typeof ContactService>;
  deployment: Client<typeof DeploymentService>;
  days: Client<typeof DayService>;
  drills: Client<typeof DrillService>;
  incidents: Client<typeof IncidentService>;
  keys: Client<typeof ApiKeyService>;
  locations: Client<typeof LocationService>;
  members: Client<typeof MemberService>;
  panicButtons: Client<typeof PanicButtonService>;
  duties: Client<typeof DutyService>;
  policies: Client<typeof PolicyService>;
  readiness: Client<typeof ReadinessService>;
  sessions: Client<typeof SessionService>;
  tonight: Client<typeof TonightService>;
}

/** The time limit of one call, in milliseconds; streams have none of their own. */
const TIMEOUT_MS = 20_000;

/**
 * For calls that process a whole file or years of incidents, or wait for a carrier or a rehearsal; the services allow
 * no more.
 */
export const PATIENT = { timeoutMs: 60_000 };

/** The request that an error answers, so that a path in it can be shown as what the person typed. */
const requests = new WeakMap<ConnectError, UnaryRequest>();

/** Returns the request that `error` answered; undefined if it came from elsewhere. */
export function requestOf(error: ConnectError): UnaryRequest | undefined {
  return requests.get(error);
}

/** Creates clients for the RPC port of `connection`. Everything under way ends when `signal` is aborted. */
export function connect(connection: Connection, signal: AbortSignal): Rpc {
  const transport = interruptible(
    createConnectTransport({
      baseUrl: connection.rpcUrl,
      httpVersion: '1.1',
      interceptors: [rememberRequest, identify(connection)],
    }),
    signal,
  );
  return {
    accounts: lazily(
      async () => (await import('../../gen/tocsin/console/v1/accounts_pb.ts')).AccountService,
      transport,
    ),
    alarms: lazily(async () => (await import('../../gen/tocsin/console/v1/alarms_pb.ts')).AlarmService, transport),
    audit: lazily(async () => (await import('../../gen/tocsin/console/v1/audit_pb.ts')).AuditService, transport),
    carriers: lazily(
      async () => (await import('../../gen/tocsin/console/v1/carriers_pb.ts')).CarrierService,
      transport,
    ),
    configuration: lazily(
      async () => (await import('../../gen/tocsin/console/v1/configuration_pb.ts')).ConfigurationService,
      transport,
    ),
    contacts: lazily(
      async () => (await import('../../gen/tocsin/console/v1/contacts_pb.ts')).ContactService,
      transport,
    ),
    deployment: lazily(
      async () => (await import('../../gen/tocsin/console/v1/deployment_pb.ts')).DeploymentService,
      transport,
    ),
    drills: lazily(async () => (await import('../../gen/tocsin/console/v1/drills_pb.ts')).DrillService, transport),
    incidents: lazily(
      async () => (await import('../../gen/tocsin/incident/v1/incident_pb.ts')).IncidentService,
      transport,
    ),
    keys: lazily(async () => (await import('../../gen/tocsin/console/v1/api_keys_pb.ts')).ApiKeyService, transport),
    locations: lazily(
      async () => (await import('../../gen/tocsin/console/v1/locations_pb.ts')).LocationService,
      transport,
    ),
    members: lazily(async () => (await import('../../gen/tocsin/console/v1/members_pb.ts')).MemberService, transport),
    panicButtons: lazily(
      async () => (await import('../../gen/tocsin/console/v1/panic_buttons_pb.ts')).PanicButtonService,
      transport,
    ),
    duties: lazily(async () => (await import('../../gen/tocsin/console/v1/duties_pb.ts')).DutyService, transport),
    policies: lazily(async () => (await import('../../gen/tocsin/console/v1/policies_pb.ts')).PolicyService, transport),
    readiness: lazily(
      async () => (await import('../../gen/tocsin/console/v1/readiness_pb.ts')).ReadinessService,
      transport,
    ),
    sessions: lazily(
      async () => (await import('../../gen/tocsin/console/v1/sessions_pb.ts')).SessionService,
      transport,
    ),
    days: lazily(async () => (await import('../../gen/tocsin/console/v1/days_pb.ts')).DayService, transport),
    tonight: lazily(async () => (await import('../../gen/tocsin/console/v1/tonight_pb.ts')).TonightService, transport),
  };
}

/**
 * A client that loads its service definition with its first call, because a start has to be quick and needs few
 * services.
 */
function lazily<Service extends DescService>(load: () => Promise<Service>, transport: Transport): Client<Service> {
  // Only the service definition knows whether a method is a stream: a stream is iterated over, everything else awaited.
  type Method = (...given: unknown[]) => AsyncIterable<unknown>;
  let loaded: Promise<Record<string, Method>> | null = null;
  const method =
    (name: string) =>
    (...given: unknown[]) => {
      loaded ??= load().then(service => createClient(service, transport) as unknown as Record<string, Method>);
      const answer = loaded.then(client => client[name]!(...given));
      return Object.assign(answer, {
        async *[Symbol.asyncIterator]() {
          yield* await answer;
        },
      });
    };
  return new Proxy({}, { get: (_, name) => method(String(name)) }) as Client<Service>;
}

/** Applies one signal to every call, and a time limit to unary ones. */
function interruptible(transport: Transport, signal: AbortSignal): Transport {
  return {
    unary: (method, own, timeoutMs, ...rest) =>
      transport.unary(method, own ?? signal, timeoutMs ?? TIMEOUT_MS, ...rest),
    stream: (method, own, ...rest) => transport.stream(method, own ?? signal, ...rest),
  };
}

function identify({ token, account }: Connection): Interceptor {
  return next => request => {
    if (token !== null) request.header.set('authorization', `Bearer ${token}`);
    // A call may name another account: the operator must, to delete it.
    if (account !== null && !request.header.has('x-tocsin-account')) request.header.set('x-tocsin-account', account);
    return next(request);
  };
}

const rememberRequest: Interceptor = next => async request => {
  try {
    return await next(request);
  } catch (thrown) {
    const error = ConnectError.from(thrown);
    if (!request.stream) requests.set(error, request);
    throw error;
  }
};
