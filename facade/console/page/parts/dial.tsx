import type { Callee } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { may } from '../rpc/permissions.ts';
import { words } from '../words.ts';

/** Offers to call for help at the place, and those alerted who let themselves be called. The services say whom, and while it is live alone. */
export function Dial({ callees }: { callees: readonly Callee[] }) {
  if (callees.length === 0 || !may('act')) return null;
  return (
    <section class="going-on" aria-label={words().incident.calls}>
      {callees.map(({ kind, name, number }) => (
        <a key={number} class={kind === 'emergency' ? 'button live' : 'button quiet'} href={`tel:${number}`} dir="auto">
          {words().incident.dial(name || number)}
        </a>
      ))}
    </section>
  );
}
