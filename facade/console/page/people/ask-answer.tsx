import { useState } from 'preact/hooks';
import type { Contact, ContactChannel } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Refused, useDoing } from '../forms/edit.tsx';
import { may } from '../rpc/permissions.ts';
import { drills } from '../rpc/rpc-people.ts';
import { words, wordsOf } from '../words.ts';

/**
 * Returns the button that asks a contact over one channel to answer as to an alarm, and what is said of it: when they
 * did, that is a proof. Null where nobody can answer, or is allowed to ask.
 */
export function useAskAnswer({ of, person }: { of: ContactChannel; person: Contact }) {
  const say = wordsOf('people').ask;
  const doing = useDoing();
  const [asked, keep] = useState('');
  const ways = person.channels.filter(({ channel }) => channel === of.channel);
  // It goes to the channel, as an alarm does: to its first address that works.
  if (!may('act') || of.channel === 'webhook' || ways.find(({ reach }) => reach === 'goes') !== of) return null;

  function ask() {
    keep('');
    void doing.run(async () => {
      const { incidentId } = await drills.startDrill({ contactId: person.id, channel: of.channel });
      keep(incidentId);
    });
  }

  return {
    button: (
      <button
        type="button"
        class="button quiet"
        disabled={doing.is === 'working'}
        aria-label={say.label(words().incident.channels[of.channel] ?? of.channel, person.name)}
        onClick={ask}
      >
        {say.do}
      </button>
    ),
    said: (
      <div class="answer" role="status">
        {asked !== '' && <p>{ways.some(({ provenIn }) => provenIn === asked) ? say.answered : say.waiting}</p>}
        <Refused on={doing} />
      </div>
    ),
  };
}
