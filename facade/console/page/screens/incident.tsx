import { type Timestamp, timestampDate, timestampMs } from '@bufbuild/protobuf/wkt';
import type { GetIncidentResponse } from '../../../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { titleOf, trippedOf } from '../live/open-incidents.ts';
import { useQuery } from '../live/use-query.ts';
import { Actions } from '../parts/act.tsx';
import { Back, Gone } from '../parts/back.tsx';
import { Dial } from '../parts/dial.tsx';
import { GoingOn } from '../parts/going-on.tsx';
import { StateChips } from '../parts/incident-card.tsx';
import { agoOf, Time } from '../parts/time.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { faultOf, incidents, locations, READ } from '../rpc/rpc.ts';
import { language, words } from '../words.ts';

/** Shows an incident: who was told, and who acknowledged. */
export function IncidentScreen({ id }: { id: string }) {
  const say = words().incident;
  const found = useQuery(`incident ${id}`, () => incidents.getIncident({ incidentId: id }, READ));
  if (found.data === null) {
    const isGone = found.fault?.kind === 'not_found' || found.fault?.kind === 'refused';
    if (!isGone) return <Waiting on={found} />;
    return <Gone say={say.gone} to="incidents" all={say.all} />;
  }
  const incident = found.data.incident!;
  return (
    <>
      <Back to="incidents">{say.all}</Back>
      <article class={`card incident ${incident.status === 'closed' ? 'over' : incident.environment}`}>
        <div>
          <StateChips of={incident} />
          <h1 class="name" dir="auto">
            {titleOf(incident)}
          </h1>
          <p dir="auto">{statusOf(incident)}</p>
          {isUnanswered(incident) && say.outcomes[incident.outcome] !== undefined && (
            <p class="soft">{say.outcomes[incident.outcome]}</p>
          )}
        </div>
        <div class="do">
          <Actions of={[incident]} />
        </div>
      </article>
      <Dial callees={found.data.callees} />
      <GoingOn of={incident} timeline={found.data.timeline} />
      <Facts of={found.data} />
      <Timeline entries={found.data.timeline} />
    </>
  );
}

/** Also once it is closed: then it says why nobody came. */
function isUnanswered({ environment, acknowledgedAt }: Incident): boolean {
  return environment === 'live' && acknowledgedAt === undefined;
}

function statusOf({ status, acknowledgedAt, acknowledgedBy, closeReason }: Incident): string {
  const say = words().incident;
  if (status === 'closed') return say.status.closed(say.reasons[closeReason] ?? closeReason);
  return acknowledgedAt === undefined ? say.status.waiting : say.status.taken(acknowledgedBy);
}

/** Shows where and when it happened, and how long until somebody acknowledged. */
function Facts({ of: { incident, timeToHuman } }: { of: GetIncidentResponse }) {
  const say = words().incident;
  const { openedAt, policyName, triggerCount } = incident!;
  const tripped = trippedOf(incident!);
  const after = (at: Timestamp | undefined) =>
    at === undefined || openedAt === undefined ? null : say.after(spanOf(timestampMs(at) - timestampMs(openedAt)));
  const facts = [
    [say.trippedBy, tripped === null ? null : <bdi>{tripped}</bdi>],
    [say.place, <Place of={incident!} />],
    [say.opened, <Opened of={incident!} />],
    [say.policy, policyName === '' ? null : <bdi>{policyName}</bdi>],
    [say.firstSent, after(timeToHuman?.firstSentAt)],
    [say.firstDelivered, after(timeToHuman?.firstDeliveredAt)],
    [say.acknowledged, after(timeToHuman?.acknowledgedAt)],
  ] as const;
  return (
    <dl class="card facts figures">
      {facts.map(
        ([label, value]) =>
          value !== null && (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
      {triggerCount > 1 && (
        <div>
          <dt>{words().verbs.trigger}</dt>
          <dd>{say.triggers(triggerCount)}</dd>
        </div>
      )}
    </dl>
  );
}

/** Shows when it opened, and how long ago while it is open. */
function Opened({ of: { openedAt, status } }: { of: Incident }) {
  const ago = status === 'open' ? ` (${agoOf(timestampDate(openedAt!), new Date())})` : '';
  return (
    <>
      <Time at={openedAt} />
      {ago}
    </>
  );
}

/** Shows its location, with the present address and a map. */
function Place({ of: { locationId, locationName } }: { of: Incident }) {
  const { data } = useQuery(`location ${locationId}`, () => addressAt(locationId));
  const address = data ?? '';
  if (address === '') return <bdi>{locationName}</bdi>;
  const map = `https://www.openstreetmap.org/search?query=${encodeURIComponent(address)}`;
  return (
    <>
      <bdi>{locationName}</bdi>, <bdi>{address}</bdi>
      <a class="map" href={map} target="_blank" rel="noreferrer">
        {words().incident.map}
      </a>
    </>
  );
}

/** Returns the address of a location in one line; empty if it has none, or is gone. */
async function addressAt(locationId: string): Promise<string> {
  try {
    const { location } = await locations.getLocation({ locationId }, READ);
    return location?.address.replaceAll(/\s+/g, ' ').trim() ?? '';
  } catch (fault) {
    if (faultOf(fault).kind === 'not_found') return '';
    throw fault;
  }
}

/** In the unit that people would say. */
function spanOf(ms: number): string {
  const [value, unit] =
    ms < 60_000 ? [ms / 1_000, 'second'] : ms < 3_600_000 ? [ms / 60_000, 'minute'] : [ms / 3_600_000, 'hour'];
  const digits = unit === 'second' && value < 10 ? 1 : 0;
  return new Intl.NumberFormat(language.value, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  }).format(Math.max(0, value));
}
