import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Chip } from '../../design/parts.tsx';
import { titleOf, trippedOf } from '../live/open-incidents.ts';
import { addressOf } from '../way/router.ts';
import { words } from '../words.ts';
import { Actions } from './act.tsx';
import { agoOf, Time } from './time.tsx';

/** Shows the state of an incident in a word or two: what is over is not live any more, and what was only a test never was. */
export function StateChips({ of }: { of: Incident }) {
  const say = words().incident;
  const live = of.environment === 'live';
  return (
    <span class="chips">
      {!live && <Chip tone="test">{say.test}</Chip>}
      {live && of.status === 'open' && <Chip tone="live">{say.live}</Chip>}
      {of.status === 'closed' && <Chip tone="off">{say.closed}</Chip>}
      {of.disposition !== '' && <Chip tone="off">{say.dispositions[of.disposition] ?? of.disposition}</Chip>}
      {of.acknowledgedAt !== undefined && <Chip tone="good">{say.acknowledged}</Chip>}
      {say.nobody[of.standing] !== undefined && <Chip tone="warn">{say.nobody[of.standing]}</Chip>}
    </span>
  );
}

/** Shows an open incident, large enough for somebody who is half asleep. */
export function IncidentCard({ of }: { of: Incident }) {
  const say = words().incident;
  const screen = addressOf(`incidents/${of.id}`);
  const tripped = trippedOf(of);
  return (
    <article class={`card incident ${of.environment}`}>
      <div>
        <StateChips of={of} />
        <a class="name" href={screen} data-screen dir="auto">
          {titleOf(of)}
        </a>
        {tripped !== null && <p dir="auto">{say.tripped(tripped)}</p>}
        <p class="soft">
          <bdi>{of.locationName}</bdi> · <Time at={of.openedAt} /> ({agoOf(timestampDate(of.openedAt!), new Date())}) ·{' '}
          {say.triggers(of.triggerCount)}
        </p>
        {of.acknowledgedAt !== undefined && (
          <p class="soft" dir="auto">
            {say.takenBy(of.acknowledgedBy)}
          </p>
        )}
        {say.outcomes[of.outcome] !== undefined && of.acknowledgedAt === undefined && of.environment === 'live' && (
          <p class="soft">{say.outcomes[of.outcome]}</p>
        )}
      </div>
      <div class="do">
        <Actions of={[of]} />
      </div>
    </article>
  );
}
