import type { SourceKind } from '../../../domain/source.ts';
import type { RehearsedMessage } from '../types.ts';

const OBSTACLES: Readonly<Record<string, string>> = {
  no_address: 'there is no usable address',
  disabled: 'the address is disabled',
  not_verified: 'nobody has shown yet that the address is theirs',
  plan_required: 'the plan of the account does not cover it',
  no_carrier: 'no carrier is set up for it',
};

/** What a rehearsal did, line by line, and why there was none. */
export const rehearsals = {
  begun: (kind: SourceKind, name: string, mode: string | null) =>
    `A trigger of the ${kind === 'panic_button' ? 'panic button' : 'alarm'} "${name}"${mode === null ? '' : ` in the mode ${mode}`} was rehearsed: it is recorded, and nobody is alerted.`,
  heldByGate: (name: string) =>
    `A machine's trigger would be refused now: "${name}" only fires when armed, and it is disarmed.`,
  window: (s: number) =>
    `Any other trigger first waits ${s} s in its false-alarm window, where a disarm cancels it; everything below then comes ${s} s later.`,
  joined:
    'It joined the incident of an earlier trigger, which is still open: nobody is alerted again. What follows are the alerts of that incident.',
  noPolicy: 'An incident opens, and there is nobody to alert: no policy is bound.',
  emptyPolicy: (policy: string) =>
    `An incident opens, and there is nobody to alert: the policy "${policy}" names nobody.`,
  opens: (policy: string) => `An incident opens and runs the policy "${policy}".`,
  message: (on: RehearsedMessage) =>
    `${telling(on)} (${on.round === null ? '' : `round ${on.round}, `}step ${on.step}).`,
  last: 'That was the last message: nobody else is alerted.',
  leftOut: (policy: string, detail: string) =>
    `The policy "${policy}" asks for more messages than one incident may have: the rest (${detail}) is left out.`,

  disabled: (name: string) => `"${name}" is disabled, so nothing fires: enable it, then rehearse it.`,
  deactivated: (name: string) =>
    `"${name}" was deactivated by a downgrade of the plan: change to a plan that covers it, then rehearse it.`,
  live: (name: string, kind: SourceKind, key: string) =>
    `"${name}" is live, so a trigger would alert people: put it in test first, tocsin ${kind === 'alarm' ? 'alarms' : 'panic-buttons'} update ${key} --test.`,
  liveOpen: (name: string) => `"${name}" has a live incident open: rehearse it when that is closed.`,
  liveWaits: (name: string) => `"${name}" has a live trigger in its false-alarm window: rehearse it when that is over.`,
  modeMissing: (name: string, mode: string | null, has: readonly string[]) =>
    `"${name}" has no mode ${mode}: name one that it has (${has.join(', ') || 'none'}), or add the mode.`,
  unread: (traceId: string) =>
    `The rehearsal was applied, but its transcript cannot be read now: ask FindCall for the trace id ${traceId} in a moment, and close its incident.`,
};

function telling({ name, channel, fate, reason, insteadOf }: RehearsedMessage): string {
  switch (fate) {
    case 'told':
      return `${name} is alerted by ${channel}${insteadOf === '' ? '' : ` instead of ${insteadOf}`}`;
    case 'cancelled':
      return `${name} is no longer alerted by ${channel}: the escalation had ended before`;
    case 'blocked':
      return `${name} is not alerted by ${channel}, because ${OBSTACLES[reason] ?? reason}`;
  }
}
