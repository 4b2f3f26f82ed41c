import {
  type Client,
  ConnectError,
  createClient,
  type Interceptor,
  type Transport,
  type UnaryRequest,
} from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { AlarmService } from '../../gen/tocsin/console/v1/alarms_pb.ts';
import { ApiKeyService } from '../../gen/tocsin/console/v1/api_keys_pb.ts';
import { AuditService } from '../../gen/tocsin/console/v1/audit_pb.ts';
import { ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import { ContactService } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { DeploymentService } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import { DrillService } from '../../gen/tocsin/console/v1/drills_pb.ts';
import { LocationService } from '../../gen/tocsin/console/v1/locations_pb.ts';
import { PanicButtonService } from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { PolicyService } from '../../gen/tocsin/console/v1/policies_pb.ts';
import { ReadinessService } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Connection } from './config.ts';

/** The services that the command line calls. Each call throws what Connect throws; errors.ts puts it into words. */
export interface Rpc {
  accounts: Client<typeof AccountService>;
  alarms: Client<typeof AlarmService>;
  audit: Client<typeof AuditService>;
  configuration: Client<typeof ConfigurationService>;
  contacts: Client<typeof ContactService>;
  deployment: Client<typeof DeploymentService>;
  drills: Client<typeof DrillService>;
  incidents: Client<typeof IncidentService>;
  keys: Client<typeof ApiKeyService>;
  locations: Client<typeof LocationService>;
  panicButtons: Client<typeof PanicButtonService>;
  policies: Client<typeof PolicyService>;
  readiness: Client<typeof ReadinessService>;
}

/** How long one call may take, in milliseconds; streams have no limit of their own. */
const TIMEOUT_MS = 20_000;

/** For what works through a whole file or years of incidents, or waits for a carrier or a rehearsal; the services allow no more. */
export const PATIENT = { timeoutMs: 60_000 };

/** The request that an error answers, so that a path in it can be told by what the person wrote. */
const requests = new WeakMap<ConnectError, UnaryRequest>();

/** The request that `error` answered; undefined where it came from elsewhere. */
export function requestOf(error: ConnectError): UnaryRequest | undefined {
  return requests.get(error);
}

/** Clients for the RPC port of `connection`. Whatever is under way ends when `signal` is aborted. */
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
    accounts: createClient(AccountService, transport),
    alarms: createClient(AlarmService, transport),
    audit: createClient(AuditService, transport),
    configuration: createClient(ConfigurationService, transport),
    contacts: createClient(ContactService, transport),
    deployment: createClient(DeploymentService, transport),
    drills: createClient(DrillService, transport),
    incidents: createClient(IncidentService, transport),
    keys: createClient(ApiKeyService, transport),
    locations: createClient(LocationService, transport),
    panicButtons: createClient(PanicButtonService, transport),
    policies: createClient(PolicyService, transport),
    readiness: createClient(ReadinessService, transport),
  };
}

/** Every call under one signal, unary ones with a limit. */
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
    // A call may name another one: to delete it, the operator must.
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
