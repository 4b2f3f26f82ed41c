import { useState } from 'preact/hooks';
import type { Contact, CreateChatLinkResponse } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Refused, useDoing } from '../forms/edit.tsx';
import { Copy } from '../parts/copy.tsx';
import { Time } from '../parts/time.tsx';
import { may } from '../rpc/permissions.ts';
import { contacts } from '../rpc/rpc-people.ts';
import { wordsOf } from '../words.ts';

/** Makes the link by which a contact connects their chat. Once they have, the page shows it by itself. */
export function ConnectChat({ of }: { of: Contact }) {
  const say = wordsOf('people').connect;
  const doing = useDoing();
  const [link, keep] = useState<CreateChatLinkResponse | null>(null);
  const isConnected = of.channels.some(
    ({ channel, address, reach }) => channel === 'chat' && address.startsWith('telegram:') && reach !== 'not_verified',
  );
  if (isConnected) return link === null ? null : <p role="status">{say.done}</p>;
  if (!may('configure')) return null;

  const make = () => void doing.run(async () => keep(await contacts.createChatLink({ contactId: of.id })));
  return (
    <div class="stack">
      {link !== null && (
        <div class="card secret" role="status">
          <p dir="auto">{say.intro(of.name)}</p>
          <div class="copying">
            <code>
              <a href={link.url} target="_blank" rel="noreferrer noopener">
                {link.url}
              </a>
            </code>
            <Copy text={link.url} of={say.link} />
          </div>
          <p class="soft small">
            {say.until}
            <Time at={link.expiresAt!} />.
          </p>
        </div>
      )}
      <div class="do">
        <button type="button" id="connect-chat" class="button quiet" disabled={doing.is === 'working'} onClick={make}>
          {link === null ? say.do : say.again}
        </button>
      </div>
      <Refused on={doing} />
    </div>
  );
}
