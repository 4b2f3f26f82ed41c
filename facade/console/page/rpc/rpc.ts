import { Code, ConnectError, createClient, type Interceptor, type Transport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { AccountService } from '../../../../gen/tocsin/console/v1/accounts_pb.ts';
import { AlarmService } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import { LocationService } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import { PanicButtonService } from '../../../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { ReadinessService } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';
import { SessionService } from '../../../../gen/tocsin/console/v1/sessions_pb.ts';
import { IncidentService } from '../../../../gen/tocsin/incident/v1/incident_pb.ts';
import { DOOR } from '../way/router.ts';
import { language, words } from '../words.ts';

/** The account that calls are about. Empty if the session has only one. */
let account = '';

export function nameAccount(id: string): void {
  account = id;
}

/** Returns the call options for what an operator does to another account than the one on the screen. */
export function about(accountId: string) {
  return { headers: { 'x-tocsin-account': accountId } };
}

const naming: Interceptor = next => request => {
  if (account !== '' && !request.header.has('x-tocsin-account')) request.header.set('x-tocsin-account', account);
  request.header.set('accept-language', language.value);
  return next(request);
};

/**
 * How long a change may take, in milliseconds: a little more than the door gives the services, and not for ever where the line is
 * dead. A configuration is large, and takes its time on a slow line.
 */
const CHANGE_MS = 12_000;
const CONFIGURATION_MS = 60_000;

const toDoor = createConnectTransport({ baseUrl: DOOR, interceptors: [naming], useBinaryFormat: true });

/** The transport to the door. Screens that are fetched later make their own clients of it, in rpc-<part>.ts. Streams have no time limit. */
export const transport = inTime(CHANGE_MS);
export const patientTransport = inTime(CONFIGURATION_MS);

function inTime(usualMs: number): Transport {
  return {
    unary: (method, signal, timeoutMs = usualMs, header, input, contextValues) =>
      toDoor.unary(method, signal, timeoutMs, header, input, contextValues),
    stream: toDoor.stream.bind(toDoor),
  };
}

export const accounts = createClient(AccountService, transport);
export const alarms = createClient(AlarmService, transport);
export const incidents = createClient(IncidentService, transport);
export const locations = createClient(LocationService, transport);
export const panicButtons = createClient(PanicButtonService, transport);
export const readiness = createClient(ReadinessService, transport);
export const sessions = createClient(SessionService, transport);

/** The longest a read may take, in milliseconds. */
export const READ = { timeoutMs: 4_000 };

/** The longest a read may take that asks the carriers, which have 8 s. */
export const READ_OF_CARRIERS = { timeoutMs: 10_000 };

/** `busy`: not now, as too much is asked. */
type FaultKind = 'signed_out' | 'away' | 'not_found' | 'busy' | 'refused';

/** Returns what a fault means to the page. */
export function kindOf(fault: unknown): FaultKind {
  const { code } = ConnectError.from(fault);
  if (code === Code.Unauthenticated) return 'signed_out';
  if (code === Code.NotFound) return 'not_found';
  if (code === Code.ResourceExhausted) return 'busy';
  return AWAY.has(code) ? 'away' : 'refused';
}

/**
 * Returns what a fault means, and what to say of it. The page words what did not come from the services: browsers speak
 * their own language.
 */
export function faultOf(fault: unknown): { kind: FaultKind; message: string } {
  const { rawMessage: said, metadata } = ConnectError.from(fault);
  return { kind: kindOf(fault), message: metadata.has('content-type') ? said : words().away.title };
}

/** Whether a call that failed may have left this device, if the browser says that there is no line: it was answered, or waited for. */
export function mayHaveLeft(fault: unknown): boolean {
  const { code, metadata } = ConnectError.from(fault);
  return code === Code.DeadlineExceeded || metadata.has('content-type');
}

const AWAY: ReadonlySet<Code> = new Set([
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Unknown,
  Code.Canceled,
  Code.Aborted,
  Code.Internal,
]);
