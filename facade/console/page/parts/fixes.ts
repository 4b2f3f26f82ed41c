import type { Finding } from '../../../../gen/tocsin/console/v1/readiness_pb.ts';

type Concerned = 'sourceId' | 'sourceKind' | 'mode' | 'policyId' | 'contactId' | 'channel' | 'locationId';
type Fix = (of: Pick<Finding, Concerned>) => string;

const source =
  (field: string): Fix =>
  ({ sourceId, sourceKind }) =>
    `${sourceKind === 'alarm' ? 'alarms' : 'panic-buttons'}/${sourceId}#${field}`;
const choice: Fix = of => source(of.mode === '' ? 'policy' : `policy-${of.mode}`)(of);
const policy =
  (field: string): Fix =>
  of =>
    of.policyId === '' ? choice(of) : `policies/${of.policyId}#${field}`;
const contact =
  (field: (channel: string) => string): Fix =>
  of =>
    of.contactId === '' ? policy('somebody')(of) : `people/${of.contactId}#${field(of.channel)}`;
const plan: Fix = () => 'settings/plan#plan';

/** Returns where a finding is mended by whoever reads it; undefined: nowhere. What others are told of carriers the operator sets up. */
export function fixOf(of: Pick<Finding, Concerned | 'code'>, reader: 'operator' | 'anybody'): string | undefined {
  const screen = FIXES[of.code]?.(of);
  return reader === 'operator' ? screen?.replace('settings/doctor#channel-', 'operator/carriers#carries-') : screen;
}

/** Where each finding is mended: a screen, and the field on it by its id or its name (focus.ts). Every code of services/domain/readiness.ts, of sources and accounts, is here (a test holds it). */
export const FIXES: Readonly<Record<string, Fix>> = {
  disabled: source('disabled'),
  deactivated: plan,
  no_policy: choice,
  nobody_in_step: policy('nobody'),
  no_reachable_contact: contact(() => 'ways'),
  duty_unreachable: contact(() => 'ways'),
  links_unreachable: () => 'settings/doctor#links',
  no_away_mode: source('mode-away'),
  armed_mode_missing: of => source(`mode-${of.mode}`)(of),
  in_test: source('test'),
  no_address_for_channel: contact(channel => channel),
  not_verified: contact(channel => `verify-${channel}`),
  plan_required: plan,
  carrier_failing: of => `settings/doctor#channel-${of.channel}`,
  no_carrier: of => `settings/doctor#channel-${of.channel}`,
  answers_lost: () => 'settings/doctor#links',
  escalation_capped: policy('repeat'),
  plan_ends: plan,
  never_proven: contact(() => 'ways'),
  proof_stale: contact(() => 'ways'),
  proof_ages: contact(() => 'ways'),
  stays_silent: contact(() => 'ways'),
  unsure_way: contact(() => 'ways'),
  only_one_person: policy('somebody'),
  no_listener: () => 'settings/members#members',
  calls_limited: () => 'calls?outcome=limited#outcome',
  calls_shed: () => 'calls?outcome=shed#outcome',
  silent_sender: () => 'keys#keys',
  supervision_proposed: () => 'keys#keys',
  no_location_address: of => `alarms?place=${of.locationId}#address`,
};
