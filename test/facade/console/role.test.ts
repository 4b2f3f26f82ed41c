import { expect, test } from 'vitest';
import { type Ability, isAllowed, LEAST, ROLES } from '../../../facade/console/page/rpc/role.ts';
import * as services from '../../../services/domain/role.ts';

/** What stands behind what the screens offer, by service and method. */
const METHODS: Record<Ability, readonly string[]> = {
  read: [
    'AccountService/GetAccount',
    'AlarmService/ListAlarms',
    'MemberService/ListMembers',
    'AuditService/ListChanges',
  ],
  act: ['DrillService/Drill', 'DrillService/Rehearse', 'PanicButtonService/TriggerPanicButton'],
  configure: [
    'AlarmService/UpdateAlarm',
    'ContactService/VerifyChannel',
    'PolicyService/DeletePolicy',
    'LocationService/CreateLocation',
  ],
  manage: [
    'AccountService/UpdateAccount',
    'AccountService/GetWebhookSecret',
    'AccountService/RevokeToken',
    'ApiKeyService/CreateApiKey',
    'ConfigurationService/Apply',
    'MemberService/InviteMember',
  ],
};

test('offers each role what the services let it do, and no more', () => {
  expect(ROLES).toEqual(services.ROLES);
  for (const [what, methods] of Object.entries(METHODS)) {
    for (const [service, method] of methods.map(name => name.split('/'))) {
      for (const role of ROLES) {
        const refused = services.roleMissing(role, `tocsin.console.v1.${service}`, method!);
        expect(isAllowed(role, what as Ability), `${role} ${service}/${method}`).toBe(refused === null);
      }
    }
  }
  for (const role of ROLES)
    expect(isAllowed(role, 'act')).toBe(
      services.roleMissing(role, 'tocsin.incident.v1.IncidentService', 'Close') === null,
    );
  expect(Object.keys(LEAST)).toEqual(Object.keys(METHODS));
  expect(isAllowed('somebody', 'read')).toBe(false);
});
