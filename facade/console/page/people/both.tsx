import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Member } from '../../../../gen/tocsin/console/v1/members_pb.ts';
import { useQuery } from '../live/use-query.ts';
import { may } from '../rpc/permissions.ts';
import { READ } from '../rpc/rpc.ts';
import { members } from '../rpc/rpc-members.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';

/** Returns who looks after the account. */
export function useMembers() {
  return useQuery('members', async () => (await members.listMembers({}, READ)).members);
}

/** Returns the address by which a contact could sign in; empty if they have none. */
export function emailOf({ channels }: Pick<Contact, 'channels'>): string {
  return channels.find(({ channel }) => channel === 'email')?.address ?? '';
}

/** Tells whether a member and a contact are one person, as far as their addresses say. */
function isSame({ email }: Member, of: Contact): boolean {
  return of.channels.some(
    ({ channel, address }) => channel === 'email' && address.toLowerCase() === email.toLowerCase(),
  );
}

/** Says as what a contact signs in, or offers to let them. For those who may invite. */
export function SignsIn({ of }: { of: Contact }) {
  const say = wordsOf('people').both;
  const { data } = useMembers();
  if (data === null || emailOf(of) === '') return null;
  const member = data.find(member => isSame(member, of));
  const to = member === undefined ? `settings/members?contact=${of.id}#inviteEmail` : 'settings/members';
  return (
    <a class="small" href={addressOf(to)} data-screen dir="auto">
      {member === undefined ? say.letSignIn(of.name) : say.signsIn(words().roles[member.role] ?? member.role)}
    </a>
  );
}

/** Leads to the contact that a member is, or offers to alert them too. */
export function IsAlerted({ of, people }: { of: Member; people: readonly Contact[] | null }) {
  const say = wordsOf('people').both;
  const contact = people?.find(one => isSame(of, one));
  if (people === null || (contact === undefined && !may('configure'))) return null;
  const to = contact === undefined ? `people/new?member=${of.id}` : `people/${contact.id}`;
  return (
    <a class="small" href={addressOf(to)} data-screen dir="auto">
      {contact === undefined ? say.alsoAlert(of.name) : say.isPerson}
    </a>
  );
}
