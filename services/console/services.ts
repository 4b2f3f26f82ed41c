import { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { AlarmService } from '../../gen/tocsin/console/v1/alarms_pb.ts';
import { ApiKeyService } from '../../gen/tocsin/console/v1/api_keys_pb.ts';
import { AuditService } from '../../gen/tocsin/console/v1/audit_pb.ts';
import { ContactService } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { DeploymentService } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import { LocationService } from '../../gen/tocsin/console/v1/locations_pb.ts';
import { PanicButtonService } from '../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { PolicyService } from '../../gen/tocsin/console/v1/policies_pb.ts';
import { type Implementation, implementation } from '../direct.ts';
import type { Plan } from '../domain/plan.ts';
import { createAccountService } from './accounts.ts';
import { createAlarmConsole } from './alarms.ts';
import { createApiKeyService } from './api-keys.ts';
import { createAuditService } from './audit.ts';
import type { ConsoleOn } from './console.ts';
import { createContactService } from './contacts.ts';
import { createDeploymentService, type Deployment } from './deployment.ts';
import { createLocationService } from './locations.ts';
import { createPanicButtonConsole } from './panic-buttons.ts';
import { createPolicyService } from './policies.ts';

/** Everything that owners configure by (DESIGN.md 2 "one service per noun"). Console tokens open it, API keys do not. */
export function createConsoleServices(on: ConsoleOn & { planDefault: Plan; deployment: Deployment }): Implementation[] {
  return [
    implementation(AccountService, createAccountService(on)),
    implementation(LocationService, createLocationService(on)),
    implementation(AlarmService, createAlarmConsole(on)),
    implementation(PanicButtonService, createPanicButtonConsole(on)),
    implementation(ContactService, createContactService(on)),
    implementation(PolicyService, createPolicyService(on)),
    implementation(ApiKeyService, createApiKeyService(on)),
    implementation(AuditService, createAuditService(on)),
    implementation(DeploymentService, createDeploymentService(on, on.deployment)),
  ];
}
