import { useState } from 'preact/hooks';
import type { Contact, CreateDeviceLinkResponse, Device } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import { Delete } from '../forms/delete.tsx';
import { Refused, useDoing } from '../forms/edit.tsx';
import { useQuery } from '../live/use-query.ts';
import { Copying } from '../parts/copy.tsx';
import { Time } from '../parts/time.tsx';
import { may } from '../rpc/permissions.ts';
import { READ } from '../rpc/rpc.ts';
import { contacts } from '../rpc/rpc-people.ts';
import { wordsOf } from '../words.ts';

/** Lists the browsers that ring for a contact by web push, and makes the link with which another one does. */
export function Devices({ of }: { of: Contact }) {
  const say = wordsOf('people').devices;
  const { data, again } = useQuery(`devices of ${of.id}`, () => contacts.listDevices({ contactId: of.id }, READ));
  if (data === null) return null;
  const { devices, adding, isCaller } = data;
  if (devices.length === 0 && (adding === 'no_carrier' || adding === 'other_address')) return null;
  return (
    <section class="stack" id="devices">
      <h2>{say.title}</h2>
      {devices.length === 0 && <p class="soft">{adding === 'not_https' ? say.notHttps : say.none}</p>}
      {devices.length > 0 && (
        <ul class="card rows">
          {devices.map(device => (
            <DeviceRow key={device.id} of={device} contactId={of.id} onRemoved={again} />
          ))}
        </ul>
      )}
      {devices.length > 0 && <p class="soft small">{say.silent}</p>}
      {adding === 'ready' && <Adding of={of} isCaller={isCaller} />}
    </section>
  );
}

function DeviceRow({ of, contactId, onRemoved }: { of: Device; contactId: string; onRemoved(): void }) {
  const say = wordsOf('people').devices;
  return (
    <li class="row">
      <div>
        <b dir="auto">{of.name}</b>
        <small>
          {say.since} <Time at={of.since} />
          {of.lastSentAt !== undefined && (
            <>
              {' · '}
              {say.lastSent} <Time at={of.lastSentAt} />
            </>
          )}
        </small>
        {of.lastFault !== '' && <small dir="auto">{say.fault(of.lastFault)}</small>}
      </div>
      {may('configure') && (
        <div class="doing">
          <Delete
            place="row"
            label={say.remove}
            title={say.removeTitle(of.name)}
            text={say.removeText}
            act={async () => {
              await contacts.removeDevice({ contactId, deviceId: of.id });
              onRemoved();
            }}
          />
        </div>
      )}
    </li>
  );
}

function Adding({ of, isCaller }: { of: Contact; isCaller: boolean }) {
  const say = wordsOf('people').devices;
  const doing = useDoing();
  const [link, keep] = useState<CreateDeviceLinkResponse | null>(null);
  const make = () => void doing.run(async () => keep(await contacts.createDeviceLink({ contactId: of.id })));
  const ringHere = () =>
    void doing.run(async () => location.assign((await contacts.createOwnDeviceLink({ contactId: of.id })).url));
  return (
    <div class="stack">
      {link !== null && (
        <div class="card secret" role="status">
          <p dir="auto">{say.intro(of.name)}</p>
          <Copying text={link.url} of={say.link} />
          {link.qr !== undefined && (
            <svg class="qr" role="img" aria-label={say.qr} viewBox={`0 0 ${link.qr.size} ${link.qr.size}`}>
              <path d={link.qr.path} />
            </svg>
          )}
          <p class="soft small">
            {say.until}
            <Time at={link.expiresAt!} />.
          </p>
        </div>
      )}
      <div class="do">
        {isCaller && (
          <button type="button" id="ring-here" class="button" disabled={doing.is === 'working'} onClick={ringHere}>
            {say.here}
          </button>
        )}
        {may('configure') && (
          <button type="button" id="ring-other" class="button quiet" disabled={doing.is === 'working'} onClick={make}>
            {link === null ? say.other : say.again}
          </button>
        )}
      </div>
      <Refused on={doing} />
    </div>
  );
}
