import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import type { PanicButton } from '../../../../gen/tocsin/console/v1/panic_buttons_pb.ts';
import { overlay } from '../app/overlay.ts';
import { may } from '../rpc/permissions.ts';
import { Hold } from './hold.tsx';
import { Pressed } from './pressed.tsx';

/** Lets whoever may answer incidents trigger a panic button from here. `place`: its location. */
export function Press({ of, place, id }: { of: PanicButton; place: Location | undefined; id?: string | undefined }) {
  if (of.disabled || of.deactivated || !may('act')) return null;
  const press = () => {
    const pressId = newPress();
    const close = () => {
      overlay.value = null;
    };
    overlay.value = (
      <Pressed key={pressId} of={of} pressId={pressId} emergency={place?.emergencyNumber ?? ''} onClose={close} />
    );
  };
  return <Hold name={of.name} id={id} onHeld={press} />;
}

/** Browsers name a UUID over an encrypted line alone. */
function newPress(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('');
}
