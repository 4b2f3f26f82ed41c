import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
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
import { askOwners } from '../access/invitation.ts';
import { createMemberService } from '../access/members.ts';
import { createOidc } from '../access/oidc.ts';
import { createSessionService, type SessionsOn } from '../access/sessions.ts';
import { createAccountService } from '../accounts/accounts.ts';
import { createCarrierService } from '../accounts/carriers.ts';
import { createDeploymentService, type Deployment, type DeploymentSettings } from '../accounts/deployment.ts';
import type { PublicUrlOn } from '../accounts/public-url.ts';
import type { Channel, MailChannel } from '../channels/channel.ts';
import type { Channels } from '../channels/channels.ts';
import type { CarrierStanding } from '../channels/standing.ts';
import { createAlarmConsole } from '../configuration/alarms.ts';
import { createApiKeyService } from '../configuration/api-keys.ts';
import { createAuditService } from '../configuration/audit.ts';
import { createConfigurationService } from '../configuration/configuration.ts';
import type { ConsoleOn } from '../configuration/console.ts';
import { createContactService, type Verifying } from '../configuration/contacts.ts';
import { createDutyService } from '../configuration/duties.ts';
import { createLocationService } from '../configuration/locations.ts';
import { createPanicButtonConsole } from '../configuration/panic-buttons.ts';
import { createPolicyService } from '../configuration/policies.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { carriersOf } from '../domain/reach.ts';
import { CODES_OF_ACCOUNT } from '../domain/verification.ts';
import { createDayService, type DaysOn } from '../incident/days.ts';
import { createPress } from '../incident/press.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import { createRateLimit } from '../limits/times.ts';
import { makeChatLink } from '../readiness/chat-link.ts';
import { createDrillService } from '../readiness/drills.ts';
import { createReadinessService } from '../readiness/readiness.ts';
import { findingsFor, findingsOfAccount } from '../readiness/readiness-load.ts';
import { dropDevice, listDevices, makeDeviceLink, type RingingOn } from '../readiness/ringing.ts';
import type { StartDrill } from '../readiness/start-drill.ts';
import { createTonightService } from '../readiness/tonight.ts';
import { takeCode } from '../readiness/verification.ts';
import { type CodesOn, sendCode } from '../readiness/verification-send.ts';
import { implementation } from '../rpc/boundary.ts';
import type { Implementation } from '../rpc/direct.ts';

/** What the services of the console are made from. */
export interface ConsoleParts extends Pick<ConsoleOn, 'store' | 'pepper' | 'seal' | 'bus' | 'nudge' | 'kept'> {
  channels: {
    byKind: Record<ChannelKind, Pick<Channel, 'send'>> & { email: Pick<MailChannel, 'send'> };
    unconfigured: readonly ChannelKind[];
    carried: readonly ChannelKind[];
    respondFrom: Deployment['respondFrom'];
    failing: CarrierStanding['failing'];
    hints: Record<ChannelKind, string>;
    ask: Deployment['ask'];
    readonly returned: ReturnType<Deployment['returned']>;
    bots: Channels['bots'];
    readonly inUse: ReadonlySet<string>;
  };
  carriers: RingingOn['carriers'];
  setUp: Deployment['setUp'];
  publicUrl: PublicUrlOn['settings'];
  /** Resolves when this process goes by what is set in the console now. */
  followSettings(): Promise<void>;
  deployment: DeploymentSettings;
  oldestSnapshot: Deployment['oldestSnapshot'];
  lastClockStep: Deployment['lastClockStep'];
  watched: Deployment['watched'];
  otherSecrets: Deployment['otherSecrets'];
  backups: Deployment['backups'] & Deployment['backupsSetting']['settings'];
  askCode: SessionsOn['askCode'];
  verificationLinks: CodesOn['links'];
  startDrill: StartDrill;
  retention: DaysOn['retention'];
  /** The limits of accounts. */
  limits: RateLimits;
  log: Logger;
}

/**
 * How long a change waits for the mail to an owner it names, in milliseconds: its answer may hold a secret that is shown
 * once, and a mail server may hang.
 */
const ASK_MS = 3_000;

/**
 * Everything that owners configure with, one service per resource. For console tokens and sessions, not for API keys.
 */
export function createConsoleServices(parts: ConsoleParts): Implementation[] {
  const { pool, orm } = parts.store;
  const { deployment } = parts;
  const { respondFrom } = parts.channels;
  const carriers = carriersOf(parts.channels);
  const oidc = deployment.oidc === null ? null : createOidc(deployment.oidc, parts);
  const { contactVerification, publicUrl } = deployment;
  const inviting = { ...parts, pool, contactVerification, email: parts.channels.byKind.email, publicUrl };
  const outcomeOf = async (accountId: string) => {
    try {
      return (await askOwners(inviting, accountId)).first?.outcome ?? '';
    } catch (error) {
      parts.log.warn({ err: error, accountId }, 'owners could not be asked to confirm their address');
      return '';
    }
  };
  const on: ConsoleOn = {
    ...parts,
    pool,
    orm,
    contactVerification,
    // The change is committed by then, here and below: the caller must not be told that nothing was accepted.
    findingsOfAccount: accountId =>
      findingsOfAccount(pool, accountId, carriers).catch(error => {
        parts.log.warn({ err: error, accountId }, 'what is wrong with an account could not be read after a change');
        return [];
      }),
    askOwners: accountId => Promise.race([outcomeOf(accountId), setTimeout(ASK_MS, 'under_way', { ref: false })]),
    findingsAbout: async (accountId, kind, id) =>
      findingsFor({
        pool,
        accountId,
        about: { kind, id },
        carriers,
        publicUrl: deployment.publicUrl(),
        respondFrom,
        failing: await parts.channels.failing('as_known'),
        seal: parts.seal,
      }).catch(error => {
        parts.log.warn({ err: error, accountId, kind, id }, 'readiness could not be checked after a change');
        return [];
      }),
  };
  const codes = {
    ...on,
    channels: parts.channels,
    carriers,
    links: parts.verificationLinks,
    limit: createRateLimit(CODES_OF_ACCOUNT),
  };
  const ringing = { ...on, carriers: parts.carriers, channels: parts.channels, publicUrl };
  const verifying: Verifying = {
    sendCode: (who, request) => sendCode(codes, who, request),
    linkChat: (who, request) => makeChatLink({ ...on, bots: parts.channels.bots }, who, request),
    linkDevice: (who, request, whose) => makeDeviceLink(ringing, who, request, whose),
    listDevices: (who, request) => listDevices(ringing, who, request),
    dropDevice: (who, request) => dropDevice(ringing, who, request),
    takeCode: (who, request) => takeCode(on, who, request),
  };
  const setting = { ...parts, taken: parts.setUp.taken, follow: parts.followSettings };
  return [
    implementation(AccountService, createAccountService(on, deployment)),
    implementation(LocationService, createLocationService(on)),
    implementation(AlarmService, createAlarmConsole(on)),
    implementation(PanicButtonService, createPanicButtonConsole(on, createPress({ ...parts, pool }))),
    implementation(ContactService, createContactService({ ...on, carriers }, verifying)),
    implementation(DutyService, createDutyService({ ...on, limits: parts.limits, publicUrl: deployment.publicUrl })),
    implementation(PolicyService, createPolicyService(on)),
    implementation(ApiKeyService, createApiKeyService(on)),
    implementation(ConfigurationService, createConfigurationService(on)),
    implementation(MemberService, createMemberService({ ...on, ...inviting })),
    implementation(SessionService, createSessionService({ ...parts, oidc, publicUrl: deployment.publicUrl })),
    implementation(AuditService, createAuditService(on)),
    implementation(ReadinessService, createReadinessService({ ...parts, publicUrl: deployment.publicUrl })),
    implementation(TonightService, createTonightService({ ...parts, publicUrl: deployment.publicUrl })),
    implementation(DayService, createDayService(parts)),
    implementation(DrillService, createDrillService(parts)),
    implementation(
      CarrierService,
      createCarrierService({ ...parts, ask: parts.channels.ask, follow: parts.followSettings }),
    ),
    implementation(
      DeploymentService,
      createDeploymentService(on, {
        ...deployment,
        unconfigured: parts.channels.unconfigured,
        respondFrom,
        hints: parts.channels.hints,
        ask: parts.channels.ask,
        returned: () => parts.channels.returned,
        setUp: parts.setUp,
        backups: parts.backups,
        oldestSnapshot: parts.oldestSnapshot,
        lastClockStep: parts.lastClockStep,
        watched: parts.watched,
        otherSecrets: parts.otherSecrets,
        publicUrlSetting: { ...setting, settings: parts.publicUrl },
        backupsSetting: { ...setting, settings: parts.backups },
      }),
    ),
  ];
}
