import type { Finding } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { clean } from '../../services/process/text.ts';
import { findingLines } from './findings.ts';
import type { Session } from './session.ts';

/** What became of the mail that asks an owner to confirm their address, by its outcome. */
const SAID: Readonly<Record<string, string>> = {
  sent: 'is on its way: open its link to confirm the address.',
  under_way: 'is being sent: open its link to confirm the address.',
  no_carrier: 'could not be sent: no mail carrier is set up.',
  held_back: 'was not sent: the address had three invitations today.',
};

/**
 * Says whether an owner was asked to confirm their address, and what is wrong with the account; no lines if all is right.
 */
export function listenerLines(
  session: Session,
  { ownerEmail, invitation, findings }: { ownerEmail: string; invitation: string; findings: readonly Finding[] },
): string[] {
  const asked = SAID[invitation] ?? 'did not go out.';
  return [
    ...(invitation === '' ? [] : [`A mail to ${clean(ownerEmail)} ${asked}`]),
    ...findingLines(session, findings),
  ];
}
