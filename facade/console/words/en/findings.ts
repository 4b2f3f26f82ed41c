/** What is in the way of an alert, and the button that leads to where it is fixed. */
export const words = {
  inMode: (mode: string) => `: ${mode}`,
  of: {
    disabled: ['It is disabled', 'Enable it'],
    deactivated: ['The plan does not cover it', 'See the plan'],
    no_policy: ['No policy', 'Choose a policy'],
    nobody_in_step: ['A step of the policy names nobody', 'Name somebody'],
    no_reachable_contact: ['A step reaches nobody', 'Give a way to reach them'],
    links_unreachable: ['Nobody else can open the links', 'See what to set up'],
    no_away_mode: ['The mode Away is missing', 'Add the mode'],
    armed_mode_missing: ['Armed in a mode that is missing', 'Add the mode'],
    in_test: ['In test', 'Rehearse, then go live'],
    no_address_for_channel: ['An address is missing', 'Add the address'],
    not_verified: ['An address is not verified', 'Verify it'],
    plan_required: ['The plan does not cover a channel', 'See the plan'],
    no_carrier: ['A channel has no carrier', 'See what to set up'],
    answers_lost: ['Nobody can respond from outside', 'See what to set up'],
    escalation_capped: ['The policy asks for too many messages', 'Shorten the policy'],
    plan_ends: ['A channel ends after the first 14 days', 'See the plan'],
    only_one_person: ['Only one person is alerted', 'Add a second person'],
    no_location_address: ['The location has no address', 'Add the address'],
  } as Record<string, readonly [title: string, fix: string]>,
};
