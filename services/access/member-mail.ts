import type { Pool } from 'pg';
import type { MailChannel } from '../channels/channel.ts';
import { addressedTo } from '../configuration/contact-channel.ts';
import type { Addressed } from '../domain/alert.ts';

/** What sending mail to members needs. */
export interface MemberMailOn {
  pool: Pool;
  email: Pick<MailChannel, 'send'>;
  /** The public URL of the console, without trailing slash; null if unknown. */
  publicUrl(): string | null;
}

/** Returns where people sign in; null if unknown. */
export function signInUrl(publicUrl: string | null): string | null {
  return publicUrl === null ? null : `${publicUrl}/sign-in`;
}

/** Returns the common fields of a mail to a member. `at`: milliseconds since 1970. */
export function addressedToMember(
  { accountId, ...member }: { accountId: string; name: string; locale: string; timeZone: string },
  at: number,
): Addressed & { at: number } {
  return { ...addressedTo({ ...member, voice: '' }, accountId, at), at };
}
