import type { ServiceImpl } from '@connectrpc/connect';
import { type Policy, PolicyService } from '../../gen/tocsin/console/v1/policies_pb.ts';
import type { ConsoleOn } from './console.ts';
import { createCrud, crudMethods } from './crud.ts';
import { listOrAbsent, numberOrAbsent, orAbsent } from './messages.ts';
import type { Stored } from './resource.ts';
import { type PolicyDoc, policy as resource } from './resources/policy.ts';

/** Who is alerted, when and how (DECISIONS.md "Policy"). */
export function createPolicyService(deps: ConsoleOn): ServiceImpl<typeof PolicyService> {
  const policies = createCrud(deps, {
    resource,
    kept: ['steps'],
    givenBy,
    viewer:
      async () =>
      ({ id, version, doc }: Stored<PolicyDoc>) => ({ id, version, ...doc }),
  });
  return crudMethods(PolicyService, policies);
}

function givenBy({ key, name, steps, repeat, repeatDelayS, askAgainAfterS }: Policy) {
  return {
    key: orAbsent(key),
    name,
    steps: listOrAbsent(
      steps.map(({ delayS, contacts }) => ({
        delayS,
        contacts: contacts.map(({ contactId, dutyId, channels }) => ({ contactId, dutyId, channels })),
      })),
    ),
    repeat,
    repeatDelayS: numberOrAbsent(repeatDelayS),
    askAgainAfterS,
  };
}
