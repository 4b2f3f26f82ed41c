import type { Finding } from '../../../gen/tocsin/console/v1/readiness_pb.ts';

type Fix = (of: Pick<Finding, 'sourceId' | 'sourceKind' | 'mode' | 'policyId' | 'contactId' | 'locationId'>) => string;

const source =
  (field: string): Fix =>
  ({ sourceId, sourceKind }) =>
    `${sourceKind === 'alarm' ? 'alarms' : 'panic-buttons'}/${sourceId}#${field}`;
const modeOrPolicy: Fix = of => source(of.mode === '' ? 'policy' : `mode-${of.mode}`)(of);
const policy: Fix = of => (of.policyId === '' ? modeOrPolicy(of) : `policies/${of.policyId}`);
const contact: Fix = of => (of.contactId === '' ? policy(of) : `people/${of.contactId}`);

/** Where each finding is mended: a screen, and the field on it. Every code of services/domain/readiness.ts is here (a test holds it). */
export const FIXES: Readonly<Record<string, Fix>> = {
  disabled: source('disabled'),
  deactivated: () => 'settings/plan',
  no_policy: modeOrPolicy,
  nobody_in_step: policy,
  no_reachable_contact: contact,
  links_unreachable: () => 'settings/doctor',
  no_away_mode: source('mode-away'),
  armed_mode_missing: modeOrPolicy,
  in_test: source('test'),
  no_address_for_channel: contact,
  not_verified: contact,
  plan_required: () => 'settings/plan',
  no_carrier: () => 'settings/doctor',
  escalation_capped: policy,
  plan_ends: () => 'settings/plan',
  only_one_person: policy,
  no_location_address: of => `alarms?place=${of.locationId}`,
};
