import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Icon, type IconName } from '../../design/icon.tsx';
import { Empty } from '../../design/parts.tsx';
import { useOpenIncidents } from '../live/open-incidents.ts';
import { useQuery } from '../live/use-query.ts';
import { InTheWay } from '../parts/in-the-way.tsx';
import { IncidentCard } from '../parts/incident-card.tsx';
import { LastCalls, useLastCalls } from '../parts/last-calls.tsx';
import { Sources, useSources } from '../parts/sources.tsx';
import { type Foremost, Verdict } from '../parts/verdict.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { may } from '../rpc/permissions.ts';
import { incidents, READ, readiness } from '../rpc/rpc.ts';
import { addressOf } from '../way/router.ts';
import { words } from '../words.ts';

/** How many of each are shown at once. */
const CALLS = 6;
const INCIDENTS = 5;

/** Answers whether everything is all right. All of it is asked at once, so that a line with long ways is gone only once. */
export function HomeScreen() {
  const open = useOpenIncidents();
  const ready = useQuery('readiness', () => readiness.getReadiness({}, READ));
  const sources = useSources();
  const calls = useLastCalls(CALLS);
  const first = open.data?.[0];
  // One after another in a long night: only the last is kept.
  const read = useQuery('foremost', () => foremostOf(first), first?.id);
  const foremost = read.data?.incident.id === first?.id ? read.data : null;
  if (open.data === null || ready.data === null) return <Waiting on={open.data === null ? open : ready} />;
  const { findings: ofAccount, sources: found } = ready.data;
  const findings = [...ofAccount, ...found.flatMap(({ findings }) => findings)];
  return (
    <>
      <Verdict open={open.data} foremost={foremost} readiness={ready.data} />
      {open.data.length > 0 && (
        <section class="stack" aria-label={words().home.open}>
          {open.data.slice(0, INCIDENTS).map(incident => (
            <IncidentCard key={incident.id} of={incident} />
          ))}
          {open.data.length > INCIDENTS && (
            <a href={addressOf('incidents?status=open')} data-screen>
              {words().home.more(open.data.length - INCIDENTS)}
            </a>
          )}
        </section>
      )}
      {ready.data.total === 0 ? (
        <>
          <Beginning />
          {ofAccount.length > 0 && <InTheWay findings={ofAccount} />}
        </>
      ) : (
        <div class="split">
          <Sources sources={sources} open={open.data} readiness={ready.data} />
          <InTheWay findings={findings} />
        </div>
      )}
      <LastCalls calls={calls} of="all" none={words().home.noCalls} />
    </>
  );
}

async function foremostOf(first: Incident | undefined): Promise<Foremost | null> {
  if (first === undefined) return null;
  const { incident, timeline } = await incidents.getIncident({ incidentId: first.id }, READ);
  return { incident: incident!, timeline };
}

const STEPS: readonly IconName[] = ['people', 'alarms', 'check'];

/** Shows where to begin while nothing is watched yet. */
function Beginning() {
  const { title, text, steps, do: begin, others } = words().home.noSources;
  if (!may('configure')) {
    return (
      <section class="card">
        <Empty icon="alarms" title={title} text={others} />
      </section>
    );
  }
  return (
    <section class="card beginning">
      <h2>{title}</h2>
      <p class="soft">{text}</p>
      <ol>
        {steps.map((step, index) => (
          <li key={step.title}>
            <Icon name={STEPS[index] ?? 'check'} />
            <b>{step.title}</b>
            <span class="soft">{step.text}</span>
          </li>
        ))}
      </ol>
      <a class="button" href={addressOf('start')} data-screen>
        {begin}
      </a>
    </section>
  );
}
