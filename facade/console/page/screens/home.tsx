import { useState } from 'preact/hooks';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { useOpenIncidents } from '../live/open-incidents.ts';
import { useQuery } from '../live/use-query.ts';
import type { Asked } from '../parts/acknowledge-all.tsx';
import { IncidentCard } from '../parts/incident-card.tsx';
import { LastCalls, useLastCalls } from '../parts/last-calls.tsx';
import { lazyScreen } from '../parts/lazy-screen.tsx';
import { useSources } from '../parts/use-sources.ts';
import { type Foremost, Verdict } from '../parts/verdict.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { incidents, READ, readiness } from '../rpc/rpc.ts';
import { words } from '../words.ts';

/** Shows where to begin. */
const Beginning = lazyScreen(async () => (await import('../areas/home.ts')).Beginning);
const InTheWay = lazyScreen(async () => (await import('../areas/home.ts')).InTheWay, 'first');
const Sources = lazyScreen(async () => (await import('../areas/home.ts')).Sources, 'first');
const Storm = lazyScreen(async () => (await import('../areas/home.ts')).Storm, 'first');
const Tonight = lazyScreen(async () => (await import('../areas/home.ts')).Tonight, 'first');

const AcknowledgeAll = lazyScreen(async () => (await import('../areas/home.ts')).AcknowledgeAll, 'first', 'nothing');

/** Nothing moves down for what is almost never there. */
const Windows = lazyScreen(async () => (await import('../areas/home.ts')).Windows, 'first', 'nothing');

/** How many calls are shown, and up to how many incidents each by itself: of more, each would push the others out of sight. */
const CALLS = 6;
const INCIDENTS = 5;

/** Answers how tonight would go. All of it is asked at once, so that a line with long ways is gone only once. */
export function HomeScreen() {
  const open = useOpenIncidents();
  const ready = useQuery('readiness', () => readiness.getReadiness({}, READ));
  const tonightRead = useQuery('tonight', readTonight);
  const sources = useSources();
  const calls = useLastCalls(CALLS);
  const first = open.data?.[0];
  // One after another in a long night: only the last is kept.
  const read = useQuery('foremost', () => foremostOf(first), first?.id);
  const foremost = read.data?.incident.id === first?.id ? read.data : null;
  const [asked, ask] = useState<Asked | null>(null);
  const unread = [open, ready, tonightRead].find(({ data }) => data === null);
  if (open.data === null || ready.data === null || tonightRead.data === null) {
    return (
      <>
        <Windows open={open.data ?? []} />
        <Waiting on={unread ?? open} />
      </>
    );
  }
  const { findings: ofAccount, sources: found } = ready.data;
  const findings = [...ofAccount, ...found.flatMap(({ findings }) => findings)];
  const lastCalls = <LastCalls calls={calls} of="all" none={words().home.noCalls} />;
  const shown = { sources, open: open.data, readiness: ready.data };
  return (
    <>
      <Windows open={open.data} />
      <Verdict open={open.data} foremost={foremost} tonight={tonightRead.data} />
      {asked !== null && <AcknowledgeAll asked={asked} onEnd={() => ask(null)} />}
      {open.data.length > (asked === null ? INCIDENTS : 0) ? (
        <Storm {...shown} tonight={tonightRead.data} findings={findings} calls={calls} asked={asked} onAsk={ask} />
      ) : (
        <>
          {open.data.length > 0 && (
            <section class="stack" aria-label={words().home.open}>
              {open.data.map(incident => (
                <IncidentCard key={incident.id} of={incident} />
              ))}
            </section>
          )}
          {ready.data.total === 0 ? (
            <>
              <Beginning />
              {ofAccount.length > 0 && <InTheWay findings={ofAccount} />}
              {lastCalls}
            </>
          ) : (
            <div class="split">
              <Sources {...shown} />
              <div class="column">
                <Tonight of={tonightRead.data} />
                <InTheWay findings={findings} />
              </div>
              {lastCalls}
            </div>
          )}
        </>
      )}
    </>
  );
}

async function readTonight() {
  const { tonight } = await import('../areas/home.ts');
  return tonight.getTonight({}, READ);
}

async function foremostOf(first: Incident | undefined): Promise<Foremost | null> {
  if (first === undefined) return null;
  const { incident, timeline } = await incidents.getIncident({ incidentId: first.id }, READ);
  return { incident: incident!, timeline };
}
