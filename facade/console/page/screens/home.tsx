import { InTheWay } from '../in-the-way.tsx';
import { IncidentCard } from '../incident-card.tsx';
import { LastCalls } from '../last-calls.tsx';
import { useLoad } from '../load.ts';
import { useOpenIncidents } from '../open-incidents.ts';
import { addressOf } from '../router.ts';
import { incidents, READ, readiness } from '../rpc.ts';
import { Sources } from '../sources.tsx';
import { Verdict } from '../verdict.tsx';
import { Waiting } from '../waiting.tsx';
import { words } from '../words.ts';

/** How many of each are shown at once. */
const CALLS = 6;
const INCIDENTS = 5;

/** Is everything all right? */
export function HomeScreen() {
  const open = useOpenIncidents();
  const ready = useLoad('readiness', () => readiness.getReadiness({}, READ));
  const first = open.data?.[0];
  const foremost = useLoad(`foremost ${first?.id ?? ''}`, async () => {
    if (first === undefined) return null;
    const { incident, timeline } = await incidents.getIncident({ incidentId: first.id }, READ);
    return { incident: incident!, timeline };
  });
  if (open.data === null || ready.data === null) return <Waiting on={open.data === null ? open : ready} />;
  const findings = ready.data.sources.flatMap(({ findings }) => findings);
  return (
    <>
      <Verdict open={open.data} foremost={foremost.data} readiness={ready.data} />
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
      <div class="split">
        <Sources open={open.data} readiness={ready.data} />
        {ready.data.total > 0 && <InTheWay findings={findings} />}
      </div>
      <LastCalls most={CALLS} none={words().home.noCalls} />
    </>
  );
}
