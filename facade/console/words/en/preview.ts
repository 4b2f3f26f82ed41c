/** What a preview of an alert says. */
export const words = {
  atOnce: 'At once',
  verdicts: {
    fires: (policy: string) =>
      policy === '' ? 'A trigger now would open an incident.' : `A trigger now would run the policy “${policy}”.`,
    held_by_gate: (policy: string) =>
      `It is disarmed, and alerts only when armed: a trigger now would be refused. Once armed${policy === '' ? '' : `, the policy “${policy}” runs`}:`,
    folds: () => 'It is triggered already: another trigger is counted, and nobody is alerted again.',
    mode_missing: () => 'There is no such mode: a trigger in it is refused.',
    source_disabled: () => 'It is disabled: a trigger is refused, and nobody is alerted.',
  } as Record<string, (policy: string) => string>,
  inTest: 'It is in test: all of this is recorded, and nobody is alerted.',
  window: (span: string) => `False-alarm window: a disarm within ${span} cancels it.`,
  ends: 'Everybody was alerted. Nobody else follows.',
  more: (moments: number, span: string) => `${moments} more times, until ${span} after the trigger.`,
  nobody: 'Nobody would be alerted.',
  leftOut: (count: number) => `The policy asks for ${count} more messages than one incident sends: they are left out.`,
  insteadOf: (channel: string, named: string) => `${channel} instead of ${named}`,
  outcomes: {
    no_carrier: 'no carrier',
    plan_required: 'not in the plan',
    not_verified: 'not verified',
    no_address: 'no address',
    disabled: 'disabled',
  } as Record<string, string>,
};
