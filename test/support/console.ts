import type { DescService } from '@bufbuild/protobuf';
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { InUseSchema, InvalidFieldsSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { AlarmService } from '../../gen/tocsin/console/v1/alarms_pb.ts';
import { ApiKeyService } from '../../gen/tocsin/console/v1/api_keys_pb.ts';
import { AuditService } from '../../gen/tocsin/console/v1/audit_pb.ts';
import { CarrierService } from '../../gen/tocsin/console/v1/carriers_pb.ts';
import { ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import { ContactService } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { DayService } from '../../gen/tocsin/console/v1/days_pb.ts';
import { DeploymentService } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import { DrillService } from '../../gen/tocsin/console/v1/drills_pb.ts';
import { DutyService } from '../../gen/tocsin/console/v1/duties_pb.ts';
import { LocationService } from '../../gen/tocsin/console/v1/locations_pb.ts';
import { MemberService } from '../../gen/tocsin/console/v1/members_pb.ts';
import { PanicButtonService } from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { PolicyService } from '../../gen/tocsin/console/v1/policies_pb.ts';
import { ReadinessService } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { SessionService } from '../../gen/tocsin/console/v1/sessions_pb.ts';
import { TonightService } from '../../gen/tocsin/console/v1/tonight_pb.ts';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { World } from './world.ts';

const SERVICES = {
  accounts: AccountService,
  alarms: AlarmService,
  apiKeys: ApiKeyService,
  audit: AuditService,
  carriers: CarrierService,
  configuration: ConfigurationService,
  contacts: ContactService,
  days: DayService,
  deployment: DeploymentService,
  drills: DrillService,
  duties: DutyService,
  incidents: IncidentService,
  locations: LocationService,
  members: MemberService,
  panicButtons: PanicButtonService,
  policies: PolicyService,
  readiness: ReadinessService,
  tonight: TonightService,
  sessions: SessionService,
} satisfies Record<string, DescService>;

/** Clients of every service of the console, over the RPC port, with one token. */
export type Console = { [Name in keyof typeof SERVICES]: Client<(typeof SERVICES)[Name]> };

/** The console as somebody who holds `token` sees it; `accountId` is what the operator names, `language` what they read. */
export function consoleOf(world: Pick<World, 'rpcUrl'>, token: string, accountId?: string, language?: string): Console {
  const transport = createConnectTransport({
    baseUrl: world.rpcUrl,
    httpVersion: '1.1',
    interceptors: [
      next => request => {
        request.header.set('authorization', `Bearer ${token}`);
        if (accountId !== undefined) request.header.set('x-tocsin-account', accountId);
        if (language !== undefined) request.header.set('accept-language', language);
        return next(request);
      },
    ],
  });
  const clients = Object.entries(SERVICES).map(([name, service]) => [name, createClient(service, transport)]);
  return Object.fromEntries(clients) as Console;
}

/** A new account with its own token, made through the door as the operator makes one. */
export async function newOwner(world: Pick<World, 'rpcUrl' | 'operator'>, name = 'An owner') {
  const operator = consoleOf(world, world.operator);
  const { account, token } = await operator.accounts.createAccount({ account: { name } });
  return { accountId: account!.id, token, console: consoleOf(world, token) };
}

/** What a refused call says: its code, its sentences by field, and what uses a thing. Fails when the call was not refused. */
export async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    answer => {
      throw new Error(
        `not refused: ${JSON.stringify(answer, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
      );
    },
    (fault: unknown) => {
      if (fault instanceof ConnectError) return fault;
      throw fault;
    },
  );
  const fields = error.findDetails(InvalidFieldsSchema).flatMap(detail => detail.fields);
  return {
    code: Code[error.code],
    message: error.rawMessage,
    fields: Object.fromEntries(fields.map(({ field, problem }) => [field, problem])),
    users: error.findDetails(InUseSchema).flatMap(detail => detail.users.map(({ kind, key }) => `${kind} ${key}`)),
  };
}
