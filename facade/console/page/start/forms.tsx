import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import { Field } from '../../design/parts.tsx';
import { PROPOSED_WINDOW_S, proposedModes } from '../alarms/modes.tsx';
import { type Doing, FormEnd, Refused, useDoing } from '../forms/edit.tsx';
import { zones } from '../parts/time.tsx';
import { channelsOf } from '../policies/policies.ts';
import { alarms, locations } from '../rpc/rpc.ts';
import { contacts } from '../rpc/rpc-people.ts';
import { policies } from '../rpc/rpc-policies.ts';
import { language, wordsOf } from '../words.ts';

/** Shows a step that creates one thing, once however often its button is pressed. `shown`: the fields that show their own errors. */
function Making(on: {
  does: string;
  doing: Doing;
  shown: readonly string[];
  make(): Promise<unknown>;
  children?: ComponentChildren;
}) {
  // Not a state: the second press of a double tap comes before anything is drawn again.
  const isMade = useRef(false);

  async function submit(event: Event) {
    event.preventDefault();
    if (isMade.current) return;
    isMade.current = true;
    isMade.current = (await on.doing.run(on.make)) === 'done';
  }

  return (
    <form noValidate onSubmit={event => void submit(event)}>
      {on.children}
      <Refused on={on.doing} shown={on.shown} />
      <FormEnd on={on.doing} once>
        {on.does}
      </FormEnd>
    </form>
  );
}

export function PlaceStep() {
  const say = wordsOf('start').place;
  const doing = useDoing();
  const [name, setName] = useState(say.suggested);
  const [address, setAddress] = useState('');
  const make = () => locations.createLocation({ location: { name, address } });
  return (
    <Making does={say.do} doing={doing} shown={['name', 'address']} make={make}>
      <Field label={say.name} name="place" value={name} required focus wrong={doing.wrong('name')} onInput={setName} />
      <Field label={say.address} name="address" value={address} wrong={doing.wrong('address')} onInput={setAddress} />
    </Making>
  );
}

export function PersonStep() {
  const say = wordsOf('start').person;
  const doing = useDoing();
  const [name, setName] = useState('');
  const [address, setAddress] = useState('');
  const reader = { locale: language.value, timeZone: zones().account };
  const make = () =>
    contacts.createContact({ contact: { name, ...reader, channels: [{ channel: 'email', address: address.trim() }] } });
  const wrong = 'channels[0].address';
  return (
    <Making does={say.do} doing={doing} shown={['name', wrong]} make={make}>
      <Field
        label={say.name}
        name="person"
        autocomplete="name"
        value={name}
        required
        focus
        wrong={doing.wrong('name')}
        onInput={setName}
      />
      <Field
        label={say.email}
        name="email"
        type="email"
        autocomplete="email"
        value={address}
        required
        wrong={doing.wrong(wrong)}
        onInput={setAddress}
      />
    </Making>
  );
}

/** Told at once, and once more after five minutes. */
export function PolicyStep({ person }: { person: Contact }) {
  const say = wordsOf('start').policy;
  const doing = useDoing();
  const told = [{ contactId: person.id, channels: channelsOf(person) }];
  const steps = [
    { delayS: 0, contacts: told },
    { delayS: 300, contacts: told },
  ];
  const make = () => policies.createPolicy({ policy: { name: say.name(person.name), steps } });
  return <Making does={say.do} doing={doing} shown={[]} make={make} />;
}

/**
 * An alarm with the safe choices of the form for others but one: it fires whether it is armed or not, because the first call is a
 * bare trigger, and a device that arms it is connected later. The step says so, and the alarm's settings switch it on.
 */
export function AlarmStep({ place, policy }: { place: Location; policy: Policy }) {
  const say = wordsOf('start').alarm;
  const doing = useDoing();
  const [name, setName] = useState(say.suggested);
  const modes = proposedModes(policy.id);
  const make = () => alarms.createAlarm({ alarm: { name, locationId: place.id, modes, clearOnDisarm: true } });
  return (
    <Making does={say.do} doing={doing} shown={['name']} make={make}>
      <Field label={say.name} name="alarm" value={name} required focus wrong={doing.wrong('name')} onInput={setName} />
      <p class="soft small">{say.begins(PROPOSED_WINDOW_S)}</p>
    </Making>
  );
}
